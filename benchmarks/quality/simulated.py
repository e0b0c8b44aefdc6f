"""Where the default is safe: families of simulated votes, default against a (hierarchical) majority vote and EM.

    python -m benchmarks.quality.simulated

The families are those of families.py, on seeds that nothing was chosen on. EM is ``method="em"`` without
dependencies. Accuracy is the share of items, of those with votes, that get their true outcome; ties count by
their share.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import assay
from assay.gold import accuracy
from benchmarks.quality.families import FAMILIES, ITEMS, REPORTED, draw
from benchmarks.quality.methods import labeled
from benchmarks.support.problems import RESULTS, Target, in_parallel, plain_table, save, target_table

METHODS = ("vote", "em", "default")
NEAR, SHARE, LOWEST = 0.5, 90.0, -2.0
"""How near the better of the two the default is to be, in what share of cells; and how far below the vote anywhere."""


def scored(family: str, items: int, seed: int) -> dict[str, float]:
    """The accuracy of each of :data:`METHODS`, in %."""
    drawn = draw(family, items, seed)
    labels = {
        "vote": assay.hierarchical_majority_vote(drawn.votes),
        "em": labeled(drawn.votes, method="em", dependencies=()),
        "default": labeled(drawn.votes),
    }
    return {name: 100 * accuracy(found, drawn.gold) for name, found in labels.items()}


def cells(families: Sequence[str], sizes: Sequence[int], seeds: Sequence[int]) -> list[dict[str, Any]]:
    """Means over seeds, for each family and number of items."""
    jobs = [(family, items, seed) for family in families for items in sizes for seed in seeds]
    # The longest first, so that none is begun last.
    longest = sorted(jobs, key=lambda job: -job[1])
    found = dict(zip(longest, in_parallel(scored, longest, progress="draws"), strict=True))
    return [
        {"family": family, "items": items}
        | {name: float(np.mean([found[family, items, seed][name] for seed in seeds])) for name in METHODS}
        for family in families
        for items in sizes
    ]


def judged(found: Sequence[dict[str, Any]]) -> list[Target]:
    near = [one["default"] >= max(one["em"], one["vote"]) - NEAR for one in found]
    worst = min(found, key=lambda one: one["default"] - one["vote"])
    return [
        Target(f"% of cells within {NEAR} of the better of EM and the vote", 100 * float(np.mean(near)), low=SHARE),
        Target(
            f"the worst difference to the vote: {worst['family']}, {worst['items']:,} items",
            worst["default"] - worst["vote"],
            low=LOWEST,
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5, help="draws of each family (%(default)s)")
    parser.add_argument("--families", default="", help="names, with commas (all)")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    families = [name.strip() for name in given.families.split(",") if name.strip()] or list(FAMILIES)
    found = cells(families, ITEMS, range(REPORTED, REPORTED + given.seeds))
    rows = []
    for one in found:
        better = one["default"] - max(one["em"], one["vote"])
        over = one["default"] - one["vote"]
        figures = [*(f"{one[name]:.1f}" for name in METHODS), f"{better:+.1f}", f"{over:+.1f}"]
        marks = ("far " if better < -NEAR else "") + ("below" if over < LOWEST else "")
        rows.append([one["family"], f"{one['items']:,}", *figures, marks])
    console = Console(width=120)
    columns = ["family", "items", "vote", "EM", "default", "− better", "− vote", ""]
    console.print(plain_table(f"right labels in %, means of {given.seeds} draws", columns, rows))
    targets = judged(found)
    console.print(target_table(targets))
    save(given.out / "quality_simulated.json", {"seeds": given.seeds, "cells": found}, targets)


if __name__ == "__main__":
    main()
