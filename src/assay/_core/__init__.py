"""What every room may use: compiled loops, threads, progress, whole files, rows in batches."""
