"""How many rows are worked on at a time, apart from what reads them: settings tell it without a table library."""

BATCH_SIZE = 32_768
