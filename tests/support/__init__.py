"""What tests share: random problems, definitions by enumeration, and comparisons to the last bit."""
