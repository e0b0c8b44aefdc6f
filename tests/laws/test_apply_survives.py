"""``assay apply`` and ``assay run`` that are killed go on where they were, and end with the same bytes."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from assay.cli import app

SLOW = """

import time

@assay.source(task="entity", cache=True)
def slow(row):
    time.sleep(0.002)
    return "Person" if row.text.startswith("Dr") else None
"""


def project(folder):
    assert CliRunner().invoke(app, ["init", str(folder), "--texts", "400"]).exit_code == 0
    text = (folder / "assay.toml").read_text()
    (folder / "assay.toml").write_text(text.replace("[settings]", "[settings]\nbatch_size = 20"))
    with (folder / "sources.py").open("a") as file:
        file.write(SLOW)
    return folder


def assay(*arguments):
    # A shell that runs the tests in the background has them ignore SIGINT, and so whatever they start.
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from assay.cli import main; main()"
    return [sys.executable, "-c", code, *map(str, arguments)]


@pytest.mark.parametrize("options", [(), ("--workers", "2")], ids=["one process", "two workers"])
@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT], ids=lambda kind: kind.name)
def test_apply_goes_on_where_it_was(kind, options, tmp_path):
    folder = project(tmp_path / "p")
    expected = project(tmp_path / "whole")
    kept = folder / "out" / "kept_votes"
    with subprocess.Popen(assay("apply", folder, *options), stderr=subprocess.PIPE, text=True) as process:
        until = time.monotonic() + 90
        while sum(path.stat().st_size for path in kept.glob("*.votes")) < 6_000 and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(kind)
        _, errors = process.communicate()
    assert process.returncode != 0
    if kind == signal.SIGINT:
        assert "kept_votes" in errors
    assert not (folder / "out" / "votes.parquet").exists()
    done = CliRunner().invoke(app, ["apply", str(folder), "--json"])
    assert done.exit_code == 0, done.output
    reuse = {one["source"]: one for one in json.loads(done.stdout)["reuse"]}
    assert reuse["slow"]["kept"] >= 20
    assert reuse["slow"]["kept"] + reuse["slow"]["applied"] == 400
    assert CliRunner().invoke(app, ["apply", str(expected)]).exit_code == 0
    assert (folder / "out" / "votes.parquet").read_bytes() == (expected / "out" / "votes.parquet").read_bytes()


def test_runs_killed_at_any_moment_end_with_the_same_labels(tmp_path):
    folder, expected = project(tmp_path / "p"), project(tmp_path / "whole")
    assert CliRunner().invoke(app, ["run", str(expected)]).exit_code == 0
    began = time.monotonic()
    assert subprocess.run(assay("run", expected), capture_output=True, check=False).returncode == 0
    length = time.monotonic() - began
    for share in (0.5, 0.8, 0.95):
        with subprocess.Popen(assay("run", folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(length * share)
            os.kill(process.pid, signal.SIGKILL)
    assert CliRunner().invoke(app, ["run", str(folder)]).exit_code == 0
    for name in ("votes.parquet", "labels.parquet", "model.npz"):
        if name != "model.npz":
            assert (folder / "out" / name).read_bytes() == (expected / "out" / name).read_bytes()
    assert [path.name for path in (folder / "out" / "runs").iterdir()] == ["0001"]
    assert CliRunner().invoke(app, ["report", str(folder)]).exit_code == 0
