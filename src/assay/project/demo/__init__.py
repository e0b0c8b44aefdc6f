"""The example that makes its own data."""

from assay.project.demo.example import write_example

__all__ = ["write_example"]
