"""The command line starts at once: help, refusing what is no project, and commands load only what they need."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from assay.cli import app

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


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    for words in (["init", str(folder), "--texts", "60"], ["apply", str(folder)]):
        assert CliRunner().invoke(app, words).exit_code == 0
    return folder


@pytest.mark.parametrize(
    ("command", "not_needed"),
    [
        ("runs", {"pandas", "polars", "pyarrow", "numba", "scipy", "networkx", "assay.model.estimate.fit"}),
        ("apply", {"pandas", "numba", "scipy", "networkx", "assay.model.estimate.fit"}),
        # It loads the sources, to tell whether they were edited after they voted.
        ("check", {"pandas", "torch"}),
        ("summary", {"numba", "scipy", "networkx", "assay.model.estimate.fit"}),
    ],
)
def test_what_a_command_does_not_need_is_not_loaded(project, command, not_needed):
    program = f"""
import sys
from assay.cli import app
app(["{command}", {str(project)!r}], standalone_mode=False)
print(*sys.modules, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert not not_needed & set(done.stderr.split())


def test_to_write_the_example_loads_nothing_that_runs_it(tmp_path):
    program = f"""
import sys
from assay.cli import app
app(["init", {str(tmp_path)!r}, "--texts", "5"], standalone_mode=False)
print(*sys.modules, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert not {"pandas", "polars", "pyarrow", "numba", "scipy", "assay.model"} & set(done.stderr.split())
