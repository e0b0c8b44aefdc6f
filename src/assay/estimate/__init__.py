"""How parameters are learned from votes alone; one method a file."""
