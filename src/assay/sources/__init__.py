"""How votes are made: sources, and applying them to data."""
