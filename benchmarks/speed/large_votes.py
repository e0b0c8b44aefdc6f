"""Speed and memory of a label model on votes that are larger than what may be held at once.

    python -m benchmarks.speed.large_votes

Writes simulated votes to a Parquet file, piece by piece, fits a label model to its path
and labels it into another file, in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from pyarrow import parquet
from rich.console import Console

import assay
from benchmarks.support import measuring, problems, processes, stored_votes
from benchmarks.support.problems import Target

PIECE = 1_000_000
"""Rows that are drawn and written together, as one row group."""
LIMIT = 2e9
"""How many bytes of memory the process may take."""
VOTES, LABELS, GOLD = "votes.parquet", "labels.parquet", "gold.npy"


def write(folder: Path, items: int, sources: int, classes: int) -> None:
    """A file of votes as assay.Votes.to_parquet writes it, and the gold of its first piece."""
    writer = None
    for codes, gold in stored_votes.blocks(items, sources, classes, size=PIECE):
        table = assay.Votes.from_matrix(codes, cardinality=classes).to_arrow()
        if writer is None:
            writer = parquet.ParquetWriter(folder / VOTES, table.schema, compression="zstd")
            np.save(folder / GOLD, gold)
        writer.write_table(table, row_group_size=PIECE)
    assert writer is not None, "there are no items"
    writer.close()


def label(folder: Path) -> dict[str, Any]:
    """What the process under test does."""
    baseline = measuring.resident()
    model = assay.LabelModel()
    fit, _ = measuring.seconds_of(lambda: model.fit(folder / VOTES))
    after_fit = measuring.peak()
    labeling, _ = measuring.seconds_of(lambda: model.label(folder / VOTES, out=folder / LABELS))
    peak = measuring.peak()
    written = parquet.read_metadata(folder / LABELS).num_rows
    return {
        "fit": fit,
        "label": labeling,
        "labels_written": written,
        "memory": {"baseline": baseline, "fit": after_fit, "peak": peak},
        "accuracy": first_accuracy(model, folder),
    }


def first_accuracy(model: assay.LabelModel, folder: Path) -> float:
    """The share of labels that are right in the first piece."""
    gold = np.load(folder / GOLD)
    first = folder / "first.parquet"
    parquet.write_table(parquet.ParquetFile(folder / VOTES).read_row_group(0), first)
    return measuring.accuracy(model.predict_proba(assay.Votes.from_parquet(first)), gold)


def measured(folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    start = time.perf_counter()
    write(folder, given.items, given.sources, given.classes)
    writing = time.perf_counter() - start
    size = (folder / VOTES).stat().st_size
    print(f"{given.items:,} × {given.sources} votes written in {writing:.0f} s, {size / 1e6:,.0f} MB", file=sys.stderr)
    try:
        found = processes.answer("benchmarks.speed.large_votes", ["--label", folder], limit=given.limit)
    except processes.NotRunError as error:
        sys.exit(f"fitting and labeling a file of votes {error}")
    if found["labels_written"] != given.items:
        sys.exit(f"{given.items:,} items were to be labeled, but {found['labels_written']:,} were")
    shape = {"items": given.items, "sources": given.sources, "classes": given.classes}
    total = found["fit"] + found["label"]
    speeds = {"fit": given.items / found["fit"], "label": given.items / found["label"], "both": given.items / total}
    return shape | {"bytes": size, "writing": writing, **found, "total": total, "rows_per_second": speeds}


def report(one: dict[str, Any], console: Console) -> None:
    rows = [
        [what, f"{seconds:.1f}", f"{one['rows_per_second'][what]:,.0f}", f"{memory / 1e6:,.0f}"]
        for what, seconds, memory in (
            ("fit", one["fit"], one["memory"]["fit"]),
            ("label", one["label"], one["memory"]["peak"]),
            ("both", one["total"], one["memory"]["peak"]),
        )
    ]
    title = f"{one['items']:,} × {one['sources']} votes in Parquet, {one['bytes'] / 1e9:.2f} GB"
    console.print(problems.plain_table(title, ["", "seconds", "rows/s", "peak memory so far, MB"], rows))
    console.print(f"{100 * one['accuracy']:.2f}% of the labels are right")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--quick", action="store_true", help="a smoke run: 100,000 items")
    arguments.add_argument("--items", type=int, default=None, help="how many items (100,000,000)")
    arguments.add_argument("--sources", type=int, default=20, help="how many sources (%(default)s)")
    arguments.add_argument("--classes", type=int, default=2, help="how many classes (%(default)s)")
    arguments.add_argument("--folder", type=Path, help="where to write the files (a new temporary folder)")
    arguments.add_argument("--limit", type=float, default=3600.0, help="most seconds of the process (%(default)s)")
    arguments.add_argument("--output", type=Path, default=None, help="the JSON (benchmarks/results/large_votes.json)")
    arguments.add_argument("--label", type=Path, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.label is not None:
        print(json.dumps(label(given.label)))
        return

    partial = given.quick or given.items
    output = given.output or problems.RESULTS / ("scratch" if partial else "") / "large_votes.json"
    given.items = given.items or (100_000 if given.quick else 100_000_000)
    with tempfile.TemporaryDirectory(prefix="assay-large-votes-", dir=given.folder) as folder:
        found = measured(Path(folder), given)
    console = Console(width=120)
    report(found, console)
    targets = [Target("5  peak memory, GB", found["memory"]["peak"] / 1e9, high=LIMIT / 1e9)]
    console.print(problems.target_table(targets))
    problems.save(output, {"votes": found}, targets)
    sys.exit(0 if targets[0].reached else 1)


if __name__ == "__main__":
    main()
