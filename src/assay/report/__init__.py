"""Results to look at."""
