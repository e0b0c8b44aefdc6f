"""A drill: random problems and damaged files, to see whether each is done right or refused with a clear error."""
