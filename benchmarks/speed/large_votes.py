"""Speed and memory of a label model on votes that are larger than what may be held at once.

    python -m benchmarks.speed.large_votes

Writes simulated votes to a Parquet file, piece by piece, fits a label model to its path
and labels it into another file, in a process of its own. Beside it: plain decoding of the same file by pyarrow
with as many threads, and the same votes in the layout of the first version, with nulls. ``--before <checkout>/src``
has the latter read by the code of that version, in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet
from rich.console import Console

import assay
from assay._core.threads import thread_count
from assay.votes.pieces import ITEMS_AT_ONCE
from benchmarks.support import measuring, problems, processes, stored_votes
from benchmarks.support.problems import Target

ROOT = Path(__file__).parents[2]
PIECE = ITEMS_AT_ONCE
"""Rows that are drawn and written together, as one row group."""
LIMIT = 1e9
"""How many bytes of memory the process may take."""
VOTES, OLD_VOTES, LABELS, GOLD = "votes.parquet", "votes_with_nulls.parquet", "labels.parquet", "gold.npy"


def write(folder: Path, items: int, sources: int, classes: int) -> None:
    """A file of votes as assay.Votes.to_parquet writes it, one as it used to be, and the gold of the first piece."""
    from assay._core.parquet import parquet_parts  # the earlier version that --before names may not have it

    with ExitStack() as files:
        parts = before = None
        for codes, gold in stored_votes.blocks(items, sources, classes, size=PIECE):
            table = assay.Votes.from_matrix(codes, cardinality=classes).to_arrow()
            as_before = with_nulls(table, codes)
            if parts is None or before is None:
                np.save(folder / GOLD, gold)
                parts = files.enter_context(parquet_parts(folder / VOTES, table.schema))
                options = {"compression": "zstd", "write_page_checksum": True}
                before = files.enter_context(parquet.ParquetWriter(folder / OLD_VOTES, as_before.schema, **options))
            parts.write(table, row_group_size=PIECE)
            before.write_table(as_before, row_group_size=PIECE)
        assert parts is not None, "there are no items"


def with_nulls(table: pa.Table, codes: stored_votes.Codes) -> pa.Table:
    """The same votes as the first version wrote them: dictionary columns in which an abstention is null."""
    said = json.loads(table.schema.metadata[b"assay.votes"]) | {"version": 1}
    columns = {}
    for at, name in enumerate(table.column_names):
        column = np.ascontiguousarray(codes[:, at])
        labels = table.column(name).chunk(0).dictionary[1:]
        columns[name] = pa.DictionaryArray.from_arrays(pa.array(column, mask=column < 0), labels)
    return pa.table(columns).replace_schema_metadata({b"assay.votes": json.dumps(said).encode()})


def label(folder: Path, votes: str) -> dict[str, Any]:
    """What the process under test does."""
    baseline = measuring.resident()
    model = assay.LabelModel()
    # Compiled loops are loaded from their cache once for each process.
    model.fit(assay.Votes.from_matrix(np.random.default_rng(0).integers(-1, 2, (2_000, 10), dtype=np.int8)))
    fit, _ = measuring.seconds_of(lambda: model.fit(folder / votes))
    after_fit = measuring.peak()
    labeling, _ = measuring.seconds_of(lambda: model.label(folder / votes, out=folder / LABELS))
    peak = measuring.peak()
    written = parquet.read_metadata(folder / LABELS)
    return {
        "fit": fit,
        "label": labeling,
        "labels_written": written.num_rows,
        "label_bytes": (folder / LABELS).stat().st_size,
        "memory": {"baseline": baseline, "fit": after_fit, "peak": peak},
        "accuracy": first_accuracy(model, folder, votes),
    }


def first_accuracy(model: assay.LabelModel, folder: Path, votes: str) -> float:
    """The share of labels that are right in the first piece."""
    gold = np.load(folder / GOLD)
    first = folder / "first.parquet"
    rows = parquet.ParquetFile(folder / votes).read_row_group(0)
    # The digest is that of the whole file.
    said = {key: text for key, text in rows.schema.metadata.items() if key == b"assay.votes"}
    parquet.write_table(rows.replace_schema_metadata(said), first)
    return measuring.accuracy(model.predict_proba(assay.Votes.from_parquet(first)), gold)


def decode(folder: Path) -> dict[str, Any]:
    """Seconds that pyarrow takes to decode the file and nothing else, in whichever of two ways is faster."""
    threads = thread_count()

    def by_column() -> None:
        for _ in parquet.ParquetFile(folder / VOTES).iter_batches(batch_size=PIECE):
            pass

    def by_row_group() -> None:
        groups = parquet.read_metadata(folder / VOTES).num_row_groups

        def read(first: int) -> None:
            file = parquet.ParquetFile(folder / VOTES)
            for group in range(first, groups, threads):
                file.read_row_group(group, use_threads=False)

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(read, range(threads)))

    by_column()  # the file is in the cache of the system for whoever comes next, too
    return {"decode": min(measuring.seconds_of(way)[0] for way in (by_column, by_row_group))}


def measured(folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    start = time.perf_counter()
    write(folder, given.items, given.sources, given.classes)
    writing = time.perf_counter() - start
    size = (folder / VOTES).stat().st_size
    print(f"{given.items:,} × {given.sources} votes written in {writing:.0f} s, {size / 1e6:,.0f} MB", file=sys.stderr)
    try:
        found = run(["--decode", folder], given.limit) | run(["--label", folder, "--votes", VOTES], given.limit)
        before = {"PYTHONPATH": os.pathsep.join([str(given.before), str(ROOT)])} if given.before else None
        old = run(["--label", folder, "--votes", OLD_VOTES], given.limit, before)
    except processes.NotRunError as error:
        sys.exit(f"fitting and labeling a file of votes {error}")
    if found["labels_written"] != given.items:
        sys.exit(f"{given.items:,} items were to be labeled, but {found['labels_written']:,} were")
    shape = {"items": given.items, "sources": given.sources, "classes": given.classes}
    total = found["fit"] + found["label"]
    speeds = {"fit": given.items / found["fit"], "label": given.items / found["label"], "both": given.items / total}
    return (
        shape
        | {"bytes": size, "old_bytes": (folder / OLD_VOTES).stat().st_size, "writing": writing}
        | {**found, "total": total, "rows_per_second": speeds}
        | {"with_nulls": old, "with_nulls_read_by": "the first version" if given.before else "this version"}
    )


def run(arguments: list[str | Path], limit: float, environment: dict[str, str] | None = None) -> dict[str, Any]:
    return processes.answer("benchmarks.speed.large_votes", arguments, limit=limit, environment=environment)


def targets_of(one: dict[str, Any]) -> list[Target]:
    """The targets of the issue on large files."""
    old = one["with_nulls"]
    return [
        Target("1  peak memory, GB", one["memory"]["peak"] / 1e9, high=LIMIT / 1e9),
        Target("1  fit: file with nulls / this one", old["fit"] / one["fit"], low=5.0),
        Target("1  label: file with nulls / this one", old["label"] / one["label"], low=5.0),
        Target("1  fit / plain decoding", one["fit"] / one["decode"], high=2.5),
        Target("1  label / plain decoding", one["label"] / one["decode"], high=2.0),
    ]


def report(one: dict[str, Any], console: Console) -> None:
    rows = [
        [what, f"{seconds:.1f}", f"{one['rows_per_second'][what]:,.0f}", f"{memory / 1e6:,.0f}"]
        for what, seconds, memory in (
            ("fit", one["fit"], one["memory"]["fit"]),
            ("label", one["label"], one["memory"]["peak"]),
            ("both", one["total"], one["memory"]["peak"]),
        )
    ]
    rows.append(["plain decoding", f"{one['decode']:.1f}", f"{one['items'] / one['decode']:,.0f}", ""])
    old, by = one["with_nulls"], one["with_nulls_read_by"]
    for what, memory in (("fit", "fit"), ("label", "peak")):
        name = f"{what}, a file with nulls, {by}"
        rows.append(
            [name, f"{old[what]:.1f}", f"{one['items'] / old[what]:,.0f}", f"{old['memory'][memory] / 1e6:,.0f}"]
        )
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
    arguments.add_argument("--before", type=Path, help="the src of an earlier version, to read the file with nulls")
    arguments.add_argument("--label", type=Path, help=argparse.SUPPRESS)
    arguments.add_argument("--votes", default=VOTES, help=argparse.SUPPRESS)
    arguments.add_argument("--decode", type=Path, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.label is not None or given.decode is not None:
        print(json.dumps(decode(given.decode) if given.label is None else label(given.label, given.votes)))
        return

    partial = given.quick or given.items
    output = given.output or problems.RESULTS / ("scratch" if partial else "") / "large_votes.json"
    given.items = given.items or (100_000 if given.quick else 100_000_000)
    with tempfile.TemporaryDirectory(prefix="assay-large-votes-", dir=given.folder) as folder:
        found = measured(Path(folder), given)
    console = Console(width=120)
    report(found, console)
    targets = targets_of(found)
    console.print(problems.target_table(targets))
    problems.save(output, {"votes": found}, targets)
    sys.exit(0 if all(target.reached for target in targets) or partial else 1)


if __name__ == "__main__":
    main()
