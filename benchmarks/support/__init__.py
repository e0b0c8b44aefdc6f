"""What benchmarks share: problems, measuring, processes of their own, and the environment of the peers."""
