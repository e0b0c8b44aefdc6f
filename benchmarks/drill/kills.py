"""Commands that write, killed at random moments: what is there afterwards is whole, and no process is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
import uuid
from collections.abc import Iterator
from pathlib import Path

import polars as pl

import assay
from benchmarks.drill.damage import Rng

_TEXTS = 400
_GRACE = 20.0
"""Seconds in which workers notice that the command is gone."""
_MARK = "ASSAY_DRILL"


def commands(folder: Path, *, end_models: bool) -> dict[str, list[str]]:
    """The commands that write, by name; each can be run after those before it."""
    project, export = str(folder / "p"), folder / "export.jsonl"
    found = {
        "init": ["init", str(folder / "new"), "--texts", str(_TEXTS)],
        "init --data": ["init", str(folder / "new"), "--data", f"{project}/gold.jsonl", "--gold", "entity"],
        "apply": ["apply", project, "--workers", "2"],
        "run": ["run", project],
        "annotate": ["annotate", project, f"{project}/texts.jsonl", "--out", str(folder / "annotated.csv")],
        "export": ["export", project, str(folder / "tasks.json"), "--to", "label-studio"],
        "import": ["import", project, str(export)],
        "confident": [
            "confident",
            project,
            "--precision",
            "0.6",
            "--task",
            "entity",
            "--rest",
            str(folder / "rest.jsonl"),
        ],
        "report": ["report", project],
        "aggregate": [
            "aggregate",
            str(folder / "crowd.csv"),
            "--out",
            str(folder / "aggregated.csv"),
            "--skills",
            str(folder / "skills.csv"),
        ],
    }
    if end_models:
        found |= {"train": ["train", project, "--fresh"], "predict": ["predict", project]}
    return found


def prepare(folder: Path) -> None:
    """A project with hand labels, the export of an annotation tool, and a crowd's votes."""
    from assay.project.demo import write_example

    write_example(folder / "p", _TEXTS, 7)
    gold = pl.read_ndjson(folder / "p" / "gold.jsonl").to_dicts()
    lines = [{"id": row["id"], "text": "", "label": [row["entity"]]} for row in gold[:150]]
    (folder / "export.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    said = [
        f"{item},w{worker},{'ab'[(item + (item * worker) % 5 // 4) % 2]}" for item in range(300) for worker in range(5)
    ]
    (folder / "crowd.csv").write_text("\n".join(["task,worker,label", *said]) + "\n")


def of_kills(seed: Rng, count: int, folder: Path, *, end_models: bool = True) -> Iterator[tuple[str, str, str]]:
    """Kill each command ``count`` times: what was tried, what came of it (right or wrong), and why."""
    prepare(folder)
    listed = commands(folder, end_models=end_models)
    taken = {}
    for name in [*(key for key in listed if key not in ("import", "confident")), "import", "run", "confident"]:
        started = time.monotonic()
        done = subprocess.run(_line(listed[name]), capture_output=True, text=True, cwd=folder)
        if done.returncode:
            yield f"{name}, killed", "wrong", f"it fails by itself: {done.stderr[-300:]}"
            return
        taken[name] = time.monotonic() - started
        if name.startswith("init"):
            _remove(folder / "new")
    for _ in range(count):
        for name, arguments in listed.items():
            moment = float(seed.uniform(0, 1.1 * taken[name]))
            why = _killed(arguments, moment, folder)
            yield f"{name}, killed", "wrong" if why else "right", why or ""
            if name.startswith("init"):
                _remove(folder / "new")


def _line(arguments: list[str]) -> list[str]:
    return [sys.executable, "-c", "from assay.cli import main; main()", *arguments]


def _killed(arguments: list[str], moment: float, folder: Path) -> str | None:
    """What is wrong after a command was killed, if anything."""
    mark = uuid.uuid4().hex
    process = subprocess.Popen(
        _line(arguments),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={**os.environ, _MARK: mark},
        start_new_session=True,
    )
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    return _left_behind(mark) or _not_whole(folder)


def _left_behind(mark: str) -> str | None:
    """Processes that the command has started and that outlive it."""
    patience = time.monotonic() + _GRACE
    while left := [path.parent.name for path in Path("/proc").glob("[0-9]*/environ") if _has(path, mark)]:
        if time.monotonic() > patience:
            for number in left:
                os.kill(int(number), signal.SIGKILL)
            return f"{len(left)} processes were left behind for {_GRACE:.0f} seconds"
        time.sleep(0.1)
    return None


def _has(path: Path, mark: str) -> bool:
    try:
        return f"{_MARK}={mark}".encode() in path.read_bytes().split(b"\0")
    except OSError:  # gone, or not ours
        return False


def _not_whole(folder: Path) -> str | None:
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.name.startswith("."):
            continue
        try:
            _read(path)
        except BaseException as error:  # which is what the drill looks for
            if isinstance(error, KeyboardInterrupt):
                raise
            return f"{path.relative_to(folder)}: {type(error).__name__}: {error}"
    return None


def _read(path: Path) -> None:
    readers = {
        "votes.parquet": assay.Votes.from_parquet,
        "model.npz": assay.LabelModel.load,
        "endmodel.safetensors": lambda file: assay.EndModel.load(file),
        "hand_labels.jsonl": assay.HandLabels.read,
    }
    if path.name in readers:
        readers[path.name](path)
    elif path.suffix == ".parquet":
        assay.Labels.from_parquet(path)
    elif path.suffix in (".csv", ".jsonl"):
        assert len(pl.read_csv(path) if path.suffix == ".csv" else pl.read_ndjson(path))
    elif path.suffix == ".json":
        json.loads(path.read_text())
    elif path.suffix == ".toml":
        tomllib.loads(path.read_text())
    elif path.suffix == ".html":
        assert path.read_text().rstrip().endswith("</html>")


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
