"""Write what the three projects read: ``python -m benchmarks.experiments.prepare [openi trec50 clinc90]``.

Makes ``<task>/data/<split>.jsonl`` from the folder that ``ASSAY_DATA`` names. Each line has ``id``, ``text``
and the given votes: a column for each source that has a name (openi), a list where they are numbered (trec50).
Gold is left out, so that no source can see it.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HOME = Path(__file__).parent
TASKS = ("openi", "trec50", "clinc90")
SPLITS = ("train", "dev", "test_a", "test_b")


def given(task: str) -> Path:
    """The folder with a task's texts."""
    if "ASSAY_DATA" not in os.environ:
        raise SystemExit("ASSAY_DATA is not set: it names the folder that holds text/openi, text/trec50, text/clinc90")
    folder = Path(os.environ["ASSAY_DATA"]) / "text" / task
    if not folder.is_dir():
        raise SystemExit(f"there is no folder {folder}; ASSAY_DATA is to name the folder that holds text/{task}")
    return folder


def items(task: str, split: str) -> Iterator[dict[str, Any]]:
    """The items of a split as they are given, with their gold where they have some."""
    with gzip.open(given(task) / f"{split}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def prepared(task: str, split: str) -> Path:
    """Where a split is written."""
    return HOME / task / "data" / f"{split}.jsonl"


def prepare(task: str, split: str) -> Path:
    """Write a split without its gold, and say where."""
    meta = json.loads((given(task) / "meta.json").read_text(encoding="utf-8"))
    names = meta.get("vote_sources", [])
    path = prepared(task, split)
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8") as out:
        for item in items(task, split):
            item.pop("gold", None)
            if names and all(name.isidentifier() for name in names):
                said = [None if vote < 0 else meta["vote_values"][vote] for vote in item.pop("votes")]
                item |= dict(zip(names, said, strict=True))
            out.write(json.dumps(item) + "\n")
    return path


if __name__ == "__main__":
    for name in sys.argv[1:] or TASKS:
        for part in SPLITS:
            print(prepare(name, part))
