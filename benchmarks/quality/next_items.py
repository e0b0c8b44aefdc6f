"""What choosing the items to label by hand is worth: ``assay.next_items`` against items chosen at random.

    ASSAY_DATA=… python -m benchmarks.quality.next_items

On the sets of run.py with at least 600 items with gold, of which only these items are used; and on the flat families
of simulated votes of families.py, on seeds that nothing was chosen on. In each draw, one half of the items may be
labeled, and the other half is only scored, for both ways of choosing. Items are labeled in batches of 20, and after
each the label model is fitted again, with all votes and the gold so far, as an array without weights. The number of
labels that reach the accuracy of 100 random ones is read off the curve of mean accuracies, in straight lines between
its points.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from zlib import crc32

import numpy as np
from rich.console import Console
from rich.table import Table

import assay
from assay.gold import accuracy
from benchmarks.quality.cell import Codes
from benchmarks.quality.families import FAMILIES, REPORTED, draw
from benchmarks.quality.run import write
from benchmarks.quality.sets import KINDS, stored_sets
from benchmarks.quality.summary import KIND_NAMES
from benchmarks.support.problems import RESULTS, Target, in_parallel, plain_table, target_table

LEAST_GOLD, ITEMS = 600, 2_000
DRAWS, SEEDS = 8, 3
RANDOM, CHOSEN = "random", "next_items"
LABELS = {RANDOM: (20, 40, 60, 100), CHOSEN: (20, 40, 60, 80, 100)}
REFERENCE, MOST = 100, 60
"""With how many labels chosen the accuracy of how many random ones is to be reached."""
SIMULATED = "simulated"
GROUPS = (*KINDS, SIMULATED)
NAMES = {**KIND_NAMES, SIMULATED: "simulated votes"}


@dataclass(frozen=True)
class Curve:
    """A way of choosing on one draw of a set: the accuracy in %, by number of labels."""

    set: str
    kind: str
    draw: int
    way: str
    accuracy: dict[int, float]


def flat_families() -> list[str]:
    """Those with one task."""
    return [name for name in FAMILIES if len(draw(name, 50, 0).votes.tasks) == 1]


def world(name: str, kind: str, number: int) -> tuple[assay.Votes, Codes]:
    """Votes and gold of items that all have gold."""
    if kind == SIMULATED:
        drawn = draw(name, ITEMS, REPORTED + number)
        return drawn.votes, drawn.gold
    (given,) = stored_sets([name])
    votes = assay.Votes.from_matrix(given.votes[given.known].astype(np.int64), cardinality=given.classes)
    return votes, given.gold[given.known].astype(np.int64)


def curves(name: str, kind: str, number: int) -> list[Curve]:
    """Both ways of choosing on one draw."""
    votes, gold = world(name, kind, number)
    # By name, so that gold is found again in the half that may be labeled.
    votes = replace(votes, items=np.array([f"item {row}" for row in range(len(votes))]))
    rng = np.random.default_rng([number, crc32(name.encode())])
    mixed = rng.permutation(len(votes))
    offered, scored = np.sort(mixed[: len(mixed) // 2]), mixed[len(mixed) // 2 :]
    found: list[Curve] = []
    order = rng.permutation(offered)
    for way, sizes in LABELS.items():
        model, revealed = fitted(votes, np.full(len(votes), -1)), np.full(len(votes), -1)
        right = {}
        for before, size in pairwise((0, *sizes)):
            if way == RANDOM:
                rows = order[before:size]
            else:
                rows = offered[assay.next_items(model, votes.take(offered), n=size - before, seed=number)]
            revealed[rows] = gold[rows]
            model = fitted(votes, revealed)
            right[size] = 100 * accuracy(np.asarray(model.predict_proba(votes))[scored], gold[scored])
        found.append(Curve(name, kind, number, way, right))
    return found


def fitted(votes: assay.Votes, gold: Codes) -> assay.LabelModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = assay.LabelModel(allow_unidentifiable=True)
        return model.fit(votes, gold if (gold >= 0).any() else None, progress=False)


def mean_curve(found: Sequence[Curve], way: str) -> dict[int, float]:
    """By number of labels, over sets and draws: each set counts alike."""
    sets = dict.fromkeys(one.set for one in found)
    means = {}
    for size in LABELS[way]:
        its = [[one.accuracy[size] for one in found if (one.set, one.way) == (name, way)] for name in sets]
        means[size] = float(np.mean([np.mean(values) for values in its]))
    return means


def labels_to_reach(curve: dict[int, float], wanted: float) -> float:
    """The number of labels at which a curve first reaches an accuracy; infinite if it does not.

    >>> labels_to_reach({20: 70.0, 40: 74.0}, 73.0)
    35.0
    """
    points = sorted(curve.items())
    if points[0][1] >= wanted:
        return float(points[0][0])
    for (left, low), (right, high) in pairwise(points):
        if high >= wanted:
            return left + (right - left) * (wanted - low) / (high - low)
    return float("inf")


def parts(found: Sequence[Curve]) -> dict[str, list[Curve]]:
    """The groups that there are, and all real sets together."""
    grouped = {NAMES[kind]: [one for one in found if one.kind == kind] for kind in GROUPS}
    real = [one for one in found if one.kind != SIMULATED]
    return {name: its for name, its in {"all given sets": real, **grouped}.items() if its}


def judged(found: Sequence[Curve]) -> list[Target]:
    targets = []
    for name, its in parts(found).items():
        needed = labels_to_reach(mean_curve(its, CHOSEN), mean_curve(its, RANDOM)[REFERENCE])
        if name in ("all given sets", NAMES[SIMULATED]):
            # One more than there were, if all of them did not reach it.
            needed = min(needed, max(LABELS[CHOSEN]) + 1.0)
            what = f"labels that reach the accuracy of {REFERENCE} random ones, {name}"
            targets.append(Target(what, needed, high=MOST))
    return targets


def means_table(found: Sequence[Curve]) -> Table:
    rows = []
    for name, its in parts(found).items():
        by_way = {way: mean_curve(its, way) for way in LABELS}
        for way, curve in by_way.items():
            needed = labels_to_reach(curve, by_way[RANDOM][REFERENCE])
            cells = [f"{curve[size]:.2f}" if size in curve else "" for size in LABELS[CHOSEN]]
            sets = len({one.set for one in its})
            rows.append([f"{name} ({sets})", way, *cells, f"{needed:.0f}" if np.isfinite(needed) else "more"])
    title = f"Accuracy by number of labels, and how many reach that of {REFERENCE} random ones (how many sets)"
    return plain_table(title, ["sets", "chosen by", *map(str, LABELS[CHOSEN]), "labels"], rows)


def sets_table(found: Sequence[Curve]) -> Table:
    rows = []
    for name in dict.fromkeys(one.set for one in found):
        its = [one for one in found if one.set == name]
        at_random, chosen = mean_curve(its, RANDOM), mean_curve(its, CHOSEN)
        gaps = [chosen[MOST] - at_random[MOST], chosen[MOST] - at_random[REFERENCE]]
        figures = [at_random[MOST], at_random[REFERENCE], chosen[MOST]]
        rows.append([name, its[0].kind, *(f"{one:.1f}" for one in figures), *(f"{one:+.1f}" for one in gaps)])
    columns = ["set", "kind", f"random {MOST}", f"random {REFERENCE}", f"next_items {MOST}"]
    gaps_of = [f"− random {MOST}", f"− random {REFERENCE}"]
    return plain_table("Accuracy by set, means of draws", [*columns, *gaps_of], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="", help="names of sets or families, with commas (all)")
    parser.add_argument("--draws", type=int, default=DRAWS, help="draws of each real set (%(default)s)")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="draws of each family (%(default)s)")
    parser.add_argument("--out", type=Path, default=None, help="folder of the result (benchmarks/results)")
    given = parser.parse_args()
    wanted = [name.strip() for name in given.sets.split(",") if name.strip()]
    real = [] if wanted and set(wanted) <= set(FAMILIES) else stored_sets([w for w in wanted if w not in FAMILIES])
    jobs = [
        (one.name, one.kind, number) for one in real if one.known.sum() >= LEAST_GOLD for number in range(given.draws)
    ]
    families = [name for name in flat_families() if not wanted or name in wanted]
    jobs += [(name, SIMULATED, number) for name in families for number in range(given.seeds)]
    found = [one for several in in_parallel(curves, jobs, progress="draws") for one in several]
    console = Console(width=140)
    targets = judged(found)
    for table in (sets_table(found), means_table(found), target_table(targets)):
        console.print(table)
    whole = not wanted and given.draws == DRAWS and given.seeds == SEEDS
    folder = given.out or RESULTS / ("" if whole else "scratch")
    write(folder / "quality_next_items.json", {"curves": [asdict(one) for one in found]}, targets)


if __name__ == "__main__":
    main()
