"""How seconds and memory grow with the number of items, and with the number of sources.

    python -m benchmarks.speed.growth

Votes are in Parquet files: 20 sources and more and more items; and 100,000 items with five votes each, by more and more
sources. Each size is fitted and labeled in a process of its own. The exponent is the slope of the last two sizes on
logarithmic scales: 1 is growth in proportion.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import assay
from assay._core.parquet import parquet_parts
from benchmarks.support import measuring, problems, processes, stored_votes
from benchmarks.support.problems import Target

ITEMS = (100_000, 1_000_000, 10_000_000, 100_000_000)
SOURCES = (10, 100, 1_000, 10_000, 100_000)
WIDE_ITEMS, VOTES_AN_ITEM = 100_000, 5
VOTES, LABELS, CROWD = "votes.parquet", "labels.parquet", "crowd"
STEPS = ("fit", "label")
Found = list[dict[str, Any]]


def write_items(folder: Path, items: int) -> None:
    """Votes of 20 sources, each on 40% of the items."""
    piece = 2**19
    blocks = stored_votes.blocks(items, 20, 2, size=piece)
    tables = (assay.Votes.from_matrix(codes, cardinality=2).to_arrow() for codes, _ in blocks)
    first = next(tables)
    with parquet_parts(folder / VOTES, first.schema) as parts:
        parts.write(first)
        for table in tables:
            parts.write(table)


def write_sources(folder: Path, sources: int) -> None:
    """Five votes on each item, by sources that are drawn alike."""
    stored_votes.simulate_crowd(folder / CROWD, WIDE_ITEMS, sources, VOTES_AN_ITEM, 2)
    said = stored_votes.raw_votes(folder / CROWD)
    assert isinstance(said, stored_votes.LongVotes)
    long = {"item": said.item, "worker": said.source, "label": said.label}
    assay.Votes.from_long(long).to_parquet(folder / VOTES)


def step(folder: Path) -> dict[str, Any]:
    """What each process does."""
    model = assay.LabelModel()
    # Compiled loops are loaded from their cache once for each process.
    model.fit(assay.Votes.from_matrix(np.random.default_rng(0).integers(-1, 2, (2_000, 10), dtype=np.int8)))
    baseline = measuring.resident()
    fit, _ = measuring.seconds_of(lambda: model.fit(folder / VOTES))
    label, _ = measuring.seconds_of(lambda: model.label(folder / VOTES, out=folder / LABELS))
    return {"fit": fit, "label": label, "baseline": baseline, "peak": measuring.peak()}


def measured(kind: str, size: int, scratch: Path | None, limit: float) -> dict[str, Any]:
    write = {"items": write_items, "sources": write_sources}[kind]
    with tempfile.TemporaryDirectory(prefix="assay-growth-", dir=scratch) as name:
        folder = Path(name)
        try:
            write(folder, size)
            found = processes.answer(__spec__.name if __spec__ else __name__, ["--step", folder], limit=limit)
        except (processes.NotRunError, assay.AssayError) as error:
            return {"kind": kind, "size": size, "not_run": str(error)}
    return {"kind": kind, "size": size, **found}


def exponents(found: Found, kind: str, what: str) -> dict[int, float]:
    """Size -> the slope from the size before it, on logarithmic scales."""
    done = [(one["size"], one[what]) for one in found if one["kind"] == kind and what in one]
    return {
        size: math.log(value / before) / math.log(size / smaller) for (smaller, before), (size, value) in pairwise(done)
    }


def report(found: Found, console: Console) -> None:
    for kind, title in (
        ("items", "20 sources"),
        ("sources", f"{WIDE_ITEMS:,} items with {VOTES_AN_ITEM} votes each"),
    ):
        slopes = {what: exponents(found, kind, what) for what in (*STEPS, "peak")}
        rows = []
        for one in (one for one in found if one["kind"] == kind):
            if "not_run" in one:
                rows.append([f"{one['size']:,}", f"not run: {one['not_run']}"])
                continue
            cells = [(f"{one[what]:.2f}", slopes[what].get(one["size"])) for what in STEPS]
            cells.append((f"{one['peak'] / 1e6:,.0f}", slopes["peak"].get(one["size"])))
            rows.append([f"{one['size']:,}", *(text for cell in cells for text in (cell[0], _slope(cell[1])))])
        columns = [kind, "fit, s", "exponent", "label, s", "exponent", "peak, MB", "exponent"]
        console.print(problems.plain_table(title, columns, rows))


def _slope(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def drawn(found: Found) -> Any:
    """Seconds and memory against the number of items, and of sources."""
    import altair as alt

    run = [one for one in found if "not_run" not in one]
    points = [
        {"kind": one["kind"], "size": one["size"], "step": what, "seconds": one[what]} for one in run for what in STEPS
    ]
    memory = [{"kind": one["kind"], "size": one["size"], "peak": one["peak"] / 1e6} for one in run]

    def panel(kind: str, values: list[dict[str, Any]], field: str, title: str) -> Any:
        chart = alt.Chart(alt.Data(values=[one for one in values if one["kind"] == kind]))
        encoded = chart.mark_line(point=True).encode(
            alt.X("size:Q", scale=alt.Scale(type="log"), title=kind),
            alt.Y(f"{field}:Q", scale=alt.Scale(type="log"), title=title),
            color=alt.Color("step:N", title=None) if field == "seconds" else alt.value("#1f5a99"),
        )
        return encoded.properties(width=300, height=200)

    rows = [
        alt.hconcat(panel(kind, points, "seconds", "seconds"), panel(kind, memory, "peak", "peak memory, MB"))
        for kind in ("items", "sources")
        if any(one["kind"] == kind for one in run)
    ]
    return alt.vconcat(*rows).configure(padding=16, background="white")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--items", type=int, nargs="*", default=None, help=f"numbers of items {ITEMS}")
    arguments.add_argument("--sources", type=int, nargs="*", default=None, help=f"numbers of sources {SOURCES}")
    arguments.add_argument("--folder", type=Path, help="where to write the files (a new temporary folder)")
    arguments.add_argument("--limit", type=float, default=3600.0, help="most seconds of a size (%(default)s)")
    arguments.add_argument("--output", type=Path, default=None, help="the JSON (benchmarks/results/growth.json)")
    arguments.add_argument("--picture", type=Path, default=None, help="the PNG (benchmarks/results/growth.png)")
    arguments.add_argument("--step", type=Path, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.step is not None:
        print(json.dumps(step(given.step)))
        return
    partial = given.items is not None or given.sources is not None
    home = problems.RESULTS / ("scratch" if partial else "")
    sizes = [("items", size) for size in (given.items if partial else ITEMS) or ()]
    sizes += [("sources", size) for size in (given.sources if partial else SOURCES) or ()]
    found: Found = []
    for kind, size in sizes:
        found.append(measured(kind, size, given.folder, given.limit))
        print(found[-1], file=sys.stderr)
    console = Console(width=130)
    report(found, console)
    picture = given.picture or home / "growth.png"
    picture.parent.mkdir(parents=True, exist_ok=True)
    drawn(found).save(str(picture), scale_factor=2)
    targets = [
        Target(f"2  exponent of {kind}, {what}, at the largest size", list(slopes.values())[-1], high=1.1)
        for kind in ("items", "sources")
        for what in STEPS
        if (slopes := exponents(found, kind, what))
    ]
    if targets:
        console.print(problems.target_table(targets))
    problems.save(given.output or home / "growth.json", {"growth": found}, targets)


if __name__ == "__main__":
    main()
