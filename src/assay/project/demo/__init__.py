"""The example that makes its own data."""

from assay.project.demo.demo import Demo, run_demo
from assay.project.demo.example import write_example

__all__ = ["Demo", "run_demo", "write_example"]
