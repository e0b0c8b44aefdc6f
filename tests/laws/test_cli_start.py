"""The command line starts at once: help loads nothing that it does not need."""

import subprocess
import sys

NOT_NEEDED = {"numpy", "pandas", "polars", "numba", "scipy", "altair", "torch", "assay.project", "assay.report"}


def test_help_loads_nothing_heavy():
    program = """
import sys
from assay.cli import app
try:
    app(["--help"], standalone_mode=False)
finally:
    print(*sys.modules, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert "Commands" in done.stdout
    assert not NOT_NEEDED & set(done.stderr.split())
