"""A project of many generated texts through the command line: time and memory of each step, and kill -9 in each.

    python -m benchmarks.speed.large_project --rows 1000000

Two projects with the same data and sources, 12 rules and 2 functions. In the first each step (apply, run, train,
predict, report) is done in peace and measured. In the second each step is killed when it has taken half as long, and
begun again; its votes, labels, end model and predictions must be the same bytes. In the end one source is edited, and
applied again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.speed import apply_workload as workload

RESULTS = Path(__file__).parents[1] / "results" / "large_project.json"
END_MODEL = "endmodel.safetensors"
STEPS = ("apply", "run", "train", "predict", "report")
MOST_MEMORY = 3e9
_PER_GROUP = 100_000

TOML = """
[data]
path = "texts.parquet"
id = "id"

[[tasks]]
name = "topic"
labels = ["Medicine", "Law", "Music", "Business"]

[sources]
modules = ["sources.py"]

[settings]
keep_runs = 2
"""

SOURCES = """
import re

import assay

{rules}
long_text = assay.threshold(lambda row: len(row.text), "Business", above=140, name="long_text")
people = assay.dictionary({{"Judge Whitfield": "Law", "Maria Santos": "Music"}}, on="text", name="people")

TITLE = re.compile(r"^(Dr|Prof)\\. ")


@assay.source(task="topic")
def titled(row):
    return "Medicine" if TITLE.match(row.text) else None


@assay.source(task="topic")
def mostly(row):
    words = row.text.lower().split()
    law = sum(word in ("attorney", "verdict", "lawsuit") for word in words)
    music = sum(word in ("album", "violinist", "drummer") for word in words)
    return None if law == music else "Law" if law > music else "Music"
"""


def sources_text() -> str:
    rules = [
        f'{name} = assay.keywords({list(words)!r}, "{label}", on="text", name="{name}")'
        for name, (label, words) in workload.KEYWORDS.items()
    ]
    rules += [
        f'{name} = assay.regex({pattern!r}, "{label}", on="text", name="{name}")'
        for name, (label, pattern) in workload.PATTERNS.items()
    ]
    return SOURCES.format(rules="\n".join(rules))


def batches(rows: int) -> Iterator[pa.RecordBatch]:
    """Texts of about 80 characters; a hundred thousand different ones, each with its number."""
    some = workload.texts(min(_PER_GROUP, rows))
    for start in range(0, rows, _PER_GROUP):
        count = min(_PER_GROUP, rows - start)
        ids = range(start, start + count)
        texts = [f"{text} No. {number}" for text, number in zip(some[:count], ids, strict=True)]
        yield pa.record_batch({"id": pa.array(ids, pa.int64()), "text": pa.array(texts)})


def made(folder: Path, rows: int, data: Path | None = None) -> Path:
    folder.mkdir(parents=True)
    (folder / "assay.toml").write_text(TOML, encoding="utf-8")
    (folder / "sources.py").write_text(sources_text(), encoding="utf-8")
    if data is not None:
        os.link(data, folder / "texts.parquet")
        return folder
    schema = pa.schema([("id", pa.int64()), ("text", pa.string())])
    with pq.ParquetWriter(folder / "texts.parquet", schema) as writer:
        for batch in batches(rows):
            writer.write_batch(batch)
    return folder


def step(name: str, folder: Path, *, kill_after: float | None = None) -> dict[str, Any]:
    """Run a command; how long it took, its peak memory with that of its workers, and whether it ended by itself."""
    command = [sys.executable, "-c", "from assay.cli import main; main()", name, str(folder)]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(process.pid, signal.SIGKILL)
    assert process.stderr is not None
    told = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, -signal.SIGKILL):
        sys.exit(f"assay {name} failed: {told}")
    return {"seconds": time.perf_counter() - began, "memory": usage.ru_maxrss * 1024, "killed": code != 0}


def digests(folder: Path) -> dict[str, str]:
    """Of everything that steps leave for later ones; a report has the time it was written in it."""
    found = {}
    for name in ("votes.parquet", "labels.parquet", END_MODEL, "predictions.parquet"):
        if (folder / "out" / name).is_file():
            with (folder / "out" / name).open("rb") as file:
                if name == END_MODEL:  # its weights; before them it says how long each epoch took
                    file.seek(8 + int.from_bytes(file.read(8), "little"))
                found[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=1_000_000, help="how many texts (%(default)s)")
    arguments.add_argument("--scratch", type=Path, default=None, help="a folder to work in (a temporary one)")
    arguments.add_argument("--output", type=Path, default=RESULTS, help="the JSON file")
    given = arguments.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="assay-large-", dir=given.scratch))
    try:
        whole = made(scratch / "whole", given.rows)
        killed = made(scratch / "killed", given.rows, whole / "texts.parquet")
        megabytes = (whole / "texts.parquet").stat().st_size / 1e6
        print(f"{given.rows:,} texts, {megabytes:,.0f} MB; 14 sources")
        result: dict[str, Any] = {"rows": given.rows, "megabytes": megabytes, "processors": os.cpu_count(), "steps": {}}
        for name in STEPS:
            alone = step(name, whole)
            first = step(name, killed, kill_after=alone["seconds"] / 2)
            again = step(name, killed) if first["killed"] else first
            same = digests(whole) == digests(killed)
            result["steps"][name] = {**alone, "resumed_seconds": again["seconds"], "same_bytes": same}
            print(
                f"{name:7} {alone['seconds']:7.1f} s {alone['memory'] / 1e9:5.2f} GB; killed after "
                f"{alone['seconds'] / 2:.1f} s, then {again['seconds']:.1f} s; {'same bytes' if same else 'DIFFERENT'}"
            )
        text = (whole / "sources.py").read_text(encoding="utf-8")
        (whole / "sources.py").write_text(text.replace("above=140", "above=120"), encoding="utf-8")
        edited = step("apply", whole)
        result["one_source_edited"] = edited
        print(f"one source edited: apply {edited['seconds']:.1f} s {edited['memory'] / 1e9:.2f} GB")
        result["below_3_GB"] = all(one["memory"] < MOST_MEMORY for one in result["steps"].values())
        given.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
