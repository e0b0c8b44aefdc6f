"""The command line starts at once: help, and refusing what is no project, load nothing that they do not need."""

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


def test_a_folder_without_a_project_is_refused_at_once(tmp_path):
    program = f"""
import sys
from assay.cli import app
try:
    app(["run", {str(tmp_path)!r}], standalone_mode=False)
except Exception as error:
    print(type(error).__name__, error)
finally:
    print(*sys.modules, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.startswith("ProjectError there is no assay.toml in")
    assert not NOT_NEEDED & set(done.stderr.split())
