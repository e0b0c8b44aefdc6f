"""Time and size of the report on many items and many sources.

    python -m benchmarks.speed.large_report

Draws votes of a thousand sources on ten million items, most of which abstain on most items, fits a label model, and
writes the report. One item in a hundred has gold. Targets: 60 seconds, error bars included, and 10 MB.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from scipy import sparse

import assay
from benchmarks.support import measuring, problems
from benchmarks.support.problems import Target

SECONDS, BYTES = 60.0, 10e6
VOTES_PER_ITEM = 5


def drawn(items: int, sources: int, classes: int, seed: int = 0) -> tuple[assay.Votes, np.ndarray]:
    """Votes of sources that each know some of the items, and gold for one item in a hundred."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, items, dtype=np.int8)
    # Neighbouring sources vote on the same items, so that some meet often and others hardly ever.
    first = rng.integers(0, sources - 8 * VOTES_PER_ITEM, items, dtype=np.int32)
    steps = rng.integers(1, 9, (items, VOTES_PER_ITEM), dtype=np.int32).cumsum(axis=1, dtype=np.int32)
    who = first[:, None] + steps - 1
    accuracy = rng.uniform(0.45, 0.95, sources)
    right = rng.random((items, VOTES_PER_ITEM), dtype=np.float32) < accuracy[who]
    said = np.where(right, truth[:, None], rng.integers(0, classes, right.shape, dtype=np.int8))
    starts = np.arange(0, items * VOTES_PER_ITEM + 1, VOTES_PER_ITEM)
    matrix = sparse.csr_array((said.ravel() + 1, who.ravel(), starts), shape=(items, sources))
    gold = np.where(rng.random(items) < 0.01, truth, -1)
    return assay.Votes.from_matrix(matrix, cardinality=classes), gold


def measured(items: int, sources: int, classes: int, folder: Path) -> dict[str, Any]:
    votes, gold = drawn(items, sources, classes)
    print(f"{votes!r} drawn, {measuring.resident() / 1e9:.1f} GB", file=sys.stderr)
    fit, model = measuring.seconds_of(lambda: assay.LabelModel().fit(votes))
    bars, _ = measuring.seconds_of(lambda: model.sources_)
    print(f"fitted in {fit:.1f} s, error bars in {bars:.1f} s", file=sys.stderr)
    look, report = measuring.seconds_of(lambda: assay.Report.of(model, votes, gold=gold, title=f"{sources:,} sources"))
    write, path = measuring.seconds_of(lambda: report.save(folder / "report.html"))
    return {
        "items": items,
        "sources": sources,
        "classes": classes,
        "votes": int(report.cast),
        "exact": report.is_exact,
        "fit": fit,
        "error_bars": bars,
        "look": look,
        "write": write,
        "seconds": bars + look + write,
        "bytes": path.stat().st_size,
        "memory": measuring.peak(),
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--quick", action="store_true", help="a smoke run: 100,000 items")
    arguments.add_argument("--items", type=int, default=None, help="how many items (10,000,000)")
    arguments.add_argument("--sources", type=int, default=1_000, help="how many sources (%(default)s)")
    arguments.add_argument("--classes", type=int, nargs="+", default=[2, 5], help="how many classes (2 5)")
    arguments.add_argument("--keep", type=Path, help="a folder that the last page stays in")
    given = arguments.parse_args()
    partial = given.quick or given.items
    items = given.items or (100_000 if given.quick else 10_000_000)
    with tempfile.TemporaryDirectory(prefix="assay-large-report-") as folder:
        home = given.keep or Path(folder)
        found = [measured(items, given.sources, classes, home) for classes in given.classes]
    rows = [
        [
            f"{one['items']:,} × {one['sources']:,}",
            str(one["classes"]),
            f"{one['votes']:,}",
            *(f"{one[name]:.1f}" for name in ("error_bars", "look", "write", "seconds")),
            f"{one['bytes'] / 1e6:.2f}",
            f"{one['memory'] / 1e9:.1f}",
        ]
        for one in found
    ]
    head = ["votes of", "classes", "cast", "error bars, s", "figures, s", "page, s", "all, s", "MB", "peak memory, GB"]
    console = Console(width=120)
    console.print(problems.plain_table("the report", head, rows))
    targets = [
        Target("seconds", max(one["seconds"] for one in found), high=SECONDS),
        Target("MB", max(one["bytes"] for one in found) / 1e6, high=BYTES / 1e6),
    ]
    console.print(problems.target_table(targets))
    problems.save(problems.RESULTS / ("scratch" if partial else "") / "large_report.json", {"reports": found}, targets)
    sys.exit(0 if all(target.reached for target in targets) else 1)


if __name__ == "__main__":
    main()
