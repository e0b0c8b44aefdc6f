"""The command line: parse, call, print."""

from assay.cli.entry import app, main

__all__ = ["app", "main"]
