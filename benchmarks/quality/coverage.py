"""Whether the 95% intervals of accuracies hold: what the default reports in ``sources_``, against the truth.

    ASSAY_DATA=… python -m benchmarks.quality.coverage
    ASSAY_DATA=… python -m benchmarks.quality.coverage --baseline benchmarks/results/quality_coverage.json

Three kinds of votes: drawn from the label model, where the truth is known exactly; families of families.py that break
its assumptions, on seeds that nothing was chosen on; and the sets of run.py. On the last two, the truth is the share of
right votes of those with gold, so that only values with at least 100 such votes are asked for, or else its own
sampling error would count as a miss. Real sets are shown from 20 votes on, too.

The interval score is the width and, for a miss, 2 / 0.05 times the distance to the truth; less is better. A baseline is
the file that an earlier run wrote: its figures are shown beside, and its interval scores are to be kept where it holds.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

import assay
from assay.simulate import World, flat_world
from benchmarks.quality.families import REPORTED, draw
from benchmarks.quality.sets import stored_sets
from benchmarks.support.problems import (
    RESULTS,
    Target,
    hierarchy,
    in_parallel,
    plain_table,
    save,
    target_table,
    true_accuracies,
)

FloatArray = npt.NDArray[np.float64]
Intervals = list[tuple[int, float, float, float]]
"""For each value of each source: votes with a known truth, the true accuracy, and the ends of the interval."""

MODEL, MISSPECIFIED, REAL, REAL_FEW = "from the model", "misspecified", "real", "real, from 20 votes"
LEAST = {MODEL: 90.0, MISSPECIFIED: 85.0, REAL: 75.0}
"""The share of true accuracies, in %, that is to be inside."""
VOTES = {MODEL: 1, MISSPECIFIED: 100, REAL: 100, REAL_FEW: 20}
MISS = 2 / 0.05
WORLDS: dict[str, tuple[Callable[[int], World], int]] = {
    "8 sources": (lambda seed: flat_world(sources=8, seed=seed), 2_000),
    "12 sources, 40% coverage": (lambda seed: flat_world(sources=12, coverage=0.4, seed=seed), 5_000),
    "three classes, 70% coverage": (lambda seed: flat_world(classes=3, sources=8, coverage=0.7, seed=seed), 4_000),
    "classes 80/20": (lambda seed: flat_world(sources=10, coverage=0.6, balance=[0.8, 0.2], seed=seed), 4_000),
    "one-sided": (lambda seed: flat_world(sources=10, polarity="one", coverage=0.3, seed=seed), 5_000),
    "one-sided, classes 75/25": (
        lambda seed: flat_world(sources=10, polarity="one", coverage=0.25, balance=[0.75, 0.25], seed=seed),
        5_000,
    ),
    "pairs declared": (lambda seed: flat_world(sources=8, copies=[(0, 1), (2, 3)], coverage=0.8, seed=seed), 4_000),
    "three tasks": (hierarchy, 10_000),
}
FAMILIES = (
    *("prompts", "paraphrases", "keywords", "mixed sides", "copies of a weak one", "copies of a good one", "twice"),
    *("difficult items", "sub types", "hierarchy with pairs"),
)
SIZES = (2_000, 20_000)


def of_world(name: str, seed: int) -> Intervals:
    make, items = WORLDS[name]
    world = make(REPORTED + seed)
    settings: dict[str, Any] = {"dependencies": world.dependencies} if world.dependencies else {}
    table = _sources(world.draw(items, REPORTED + seed).votes, **settings)
    return [
        (int(row["votes"]), float(true), row["low"], row["high"])
        for true, (_, row) in zip(true_accuracies(world), table.iterrows(), strict=True)
    ]


def of_family(name: str, seed: int, items: int) -> Intervals:
    drawn = draw(name, items, REPORTED + seed)
    return against_gold(drawn.votes, drawn.gold)


def of_set(name: str) -> Intervals:
    (given,) = stored_sets([name])
    votes = assay.Votes.from_matrix(given.votes.astype(int), cardinality=given.classes)
    return against_gold(votes, given.gold)


def against_gold(votes: assay.Votes, gold: npt.NDArray[np.integer]) -> Intervals:
    """The truth is what the gold labels of the items say; −1 is unknown."""
    table, component = _sources(votes), votes.label_space.only
    values = [(source, code) for source, its in enumerate(votes.schema.values) for code in range(len(its))]
    found: Intervals = []
    for (source, code), (_, row) in zip(values, table.iterrows(), strict=True):
        true = gold[(votes.codes[:, source] == code) & (gold >= 0)]
        if len(true):
            right = component.allows(votes.schema.values[source][code])[true].mean()
            found.append((len(true), float(right), row["low"], row["high"]))
    return found


def _sources(votes: assay.Votes, **settings: Any) -> Any:
    table = assay.LabelModel(allow_unidentifiable=True, **settings).fit(votes, progress=False).sources_
    # An end that is not told may be anywhere.
    return table.fillna({"low": 0.0, "high": 1.0})


def summed_up(kind: str, name: str, found: Intervals) -> dict[str, Any]:
    """A row of the table, of the values with votes enough."""
    asked = np.array([one for one in found if one[0] >= VOTES[kind]]).reshape(-1, 4)
    _, true, low, high = asked.T
    missed = np.maximum(low - true, 0) + np.maximum(true - high, 0)
    row: dict[str, Any] = {"kind": kind, "votes": name, "intervals": len(asked)}
    if len(asked):
        row |= {"inside": 100 * float((missed == 0).mean()), "width": float((high - low).mean())}
        row["score"] = float((high - low + MISS * missed).mean())
    return row


def pooled(rows: Sequence[dict[str, Any]], kind: str, figure: str) -> float:
    """Over all intervals of a kind."""
    mine = [row for row in rows if row["kind"] == kind and row["intervals"]]
    return float(np.average([row[figure] for row in mine], weights=[row["intervals"] for row in mine]))


def judged(rows: Sequence[dict[str, Any]], baseline: Sequence[dict[str, Any]]) -> list[Target]:
    kinds = [kind for kind in LEAST if any(row["kind"] == kind and row["intervals"] for row in rows)]
    targets = [Target(f"% inside, {kind}", pooled(rows, kind, "inside"), low=LEAST[kind]) for kind in kinds]
    before = {(row["kind"], row["votes"]): row for row in baseline}
    for kind in kinds:
        held = [
            (row["score"], old["score"])
            for row in rows
            if row["kind"] == kind and row["intervals"]
            if (old := before.get((kind, row["votes"]))) and old.get("inside", 0.0) >= LEAST[kind]
        ]
        if held:
            own, old = np.mean(held, axis=0)
            what = f"interval score where the baseline holds, {kind}, {len(held)} rows"
            targets.append(Target(what, float(own), high=float(old)))
    return targets


def coverage_table(rows: Sequence[dict[str, Any]], baseline: Sequence[dict[str, Any]]) -> Table:
    before = {(row["kind"], row["votes"]): row for row in baseline}
    names = ["% inside", "width", "interval score"]
    columns = ["votes", "kind", "intervals", *names, *(f"{name}, baseline" for name in names if baseline)]
    told = []
    for row in rows:
        cells = [row["votes"], row["kind"], str(row["intervals"]), *_figures(row)]
        told.append(cells + (_figures(before.get((row["kind"], row["votes"]), {})) if baseline else []))
    return plain_table("true accuracies inside their 95% intervals", columns, told)


def _figures(row: dict[str, Any]) -> list[str]:
    if "inside" not in row:
        return ["–"] * 3
    return [f"{row['inside']:.0f}", f"{row['width']:.3f}", f"{row['score']:.2f}"]


def measured(seeds: int, sets: Sequence[str]) -> list[dict[str, Any]]:
    """All rows: a world, a family with a number of items, or a set each."""
    jobs: list[tuple[str, tuple[Any, ...]]] = [("world", (name, seed)) for name in WORLDS for seed in range(seeds)]
    jobs += [("family", (name, seed, items)) for items in SIZES for name in FAMILIES for seed in range(seeds)]
    jobs += [("set", (name,)) for name in sets]
    rows: dict[tuple[str, str], Intervals] = {}
    for (what, job), found in zip(jobs, in_parallel(_one, jobs, progress="fits"), strict=True):
        if what == "world":
            places = [(MODEL, job[0])]
        elif what == "family":
            places = [(MISSPECIFIED, f"{job[0]}, {job[2]:,} items")]
        else:
            places = [(REAL, job[0]), (REAL_FEW, job[0])]
        for place in places:
            rows.setdefault(place, []).extend(found)
    kinds = list(VOTES)
    ordered = sorted(rows, key=lambda place: kinds.index(place[0]))
    return [summed_up(*place, rows[place]) for place in ordered]


def _one(what: str, job: tuple[Any, ...]) -> Intervals:
    makers: dict[str, Callable[..., Intervals]] = {"world": of_world, "family": of_family, "set": of_set}
    return makers[what](*job)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5, help="draws of each world and family (%(default)s)")
    parser.add_argument("--baseline", type=Path, default=None, help="the file of an earlier run")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    baseline = json.loads(given.baseline.read_text(encoding="utf-8"))["rows"] if given.baseline else []
    rows = measured(given.seeds, [one.name for one in stored_sets()])
    targets = judged(rows, baseline)
    console = Console(width=150)
    console.print(coverage_table(rows, baseline))
    for kind in VOTES:
        told = {figure: pooled(rows, kind, figure) for figure in ("inside", "width", "score")}
        lowest = min((row for row in rows if row["kind"] == kind and row["intervals"]), key=lambda row: row["inside"])
        console.print(
            f"{kind}: {told['inside']:.1f}% inside, width {told['width']:.3f}, interval score {told['score']:.2f}; "
            f"the lowest is {lowest['votes']} with {lowest['inside']:.0f}%"
        )
    console.print(target_table(targets))
    save(given.out / "quality_coverage.json", {"rows": rows}, targets)


if __name__ == "__main__":
    main()
