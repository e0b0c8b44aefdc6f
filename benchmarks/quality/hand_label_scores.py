"""Whether scores from the very gold that taught the model hold: cross-fitted accuracy against the truth.

    ASSAY_DATA=… python -m benchmarks.quality.hand_label_scores

The draws of hand_labels.py. The label model learns from the gold of the items drawn, and ``assay.evaluate`` tells
the accuracy of its labels from the same gold, with a 95% interval. The truth is the accuracy of these labels on all
other items with gold. Where those are few, its own sampling error would count as a miss; so the share of intervals
that hold is of sets with at least ten times as many of them as labels, and of the others it is only shown.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import assay
from benchmarks.quality.hand_labels import kept_back, numbers, revealed, tries
from benchmarks.quality.run import write
from benchmarks.quality.sets import scores, stored_sets
from benchmarks.support.problems import RESULTS, Target, in_parallel, plain_table, target_table

LABELS, DRAWS = (50, 100), 10
TIMES = 10
LEAST, MOST = 90.0, 98.0
"""The share of draws, in %, in which a 95% interval is to hold."""


@dataclass(frozen=True)
class Score:
    """What a draw's gold says of the accuracy of labels, and the truth, in %."""

    estimate: float
    low: float
    high: float
    true: float

    @property
    def holds(self) -> bool:
        return self.low <= self.true <= self.high


@dataclass(frozen=True)
class Row:
    """A set with so many labels, over draws."""

    set: str
    kind: str
    labels: int
    others: int
    """Items that the truth is counted on."""
    draws: int
    holds: float
    """The share of draws whose interval has the truth in it, in %."""
    bias: float
    """The mean of estimate minus truth, in points."""
    width: float

    @property
    def counts(self) -> bool:
        """Whether the truth is known well enough."""
        return self.others >= TIMES * self.labels


def of_draw(name: str, labels: int, draw: int) -> Score:
    (given,) = stored_sets([name])
    votes = assay.Votes.from_matrix(given.votes.astype(np.int64), cardinality=given.classes)
    gold = revealed(given, labels, draw)
    found = assay.LabelModel(cardinality=given.classes).fit(votes, gold, progress=False).label(votes, progress=False)
    evaluation = assay.evaluate(found)
    interval = evaluation.intervals.loc["accuracy"]
    true = scores(found.joint[0], kept_back(given, gold))["accuracy"]
    return Score(100 * evaluation.accuracy, 100 * float(interval["low"]), 100 * float(interval["high"]), true)


def summed_up(name: str, kind: str, labels: int, others: int, found: Sequence[Score]) -> Row:
    return Row(
        name,
        kind,
        labels,
        others,
        len(found),
        holds=100 * float(np.mean([one.holds for one in found])),
        bias=float(np.mean([one.estimate - one.true for one in found])),
        width=float(np.mean([one.high - one.low for one in found])),
    )


def measured(names: Sequence[str], labels: Sequence[int], draws: int) -> list[Row]:
    sets = {one.name: one for one in stored_sets(names)}
    jobs = [(name, *chosen) for name, one in sets.items() for chosen in tries(one, labels, draws)]
    found: dict[tuple[str, int], list[Score]] = {}
    for (name, count, _), score in zip(jobs, in_parallel(of_draw, jobs, progress="draws"), strict=True):
        found.setdefault((name, count), []).append(score)
    return [
        summed_up(name, sets[name].kind, count, int(sets[name].known.sum()) - count, its)
        for (name, count), its in found.items()
    ]


def pooled(rows: Sequence[Row], labels: int) -> float:
    """The share of draws whose interval holds, over the sets that count."""
    its = [one for one in rows if one.labels == labels and one.counts]
    return float(np.average([one.holds for one in its], weights=[one.draws for one in its]))


def judged(rows: Sequence[Row]) -> list[Target]:
    counted = sorted({one.labels for one in rows if one.counts})
    return [
        Target(f"% of draws whose interval holds, {labels} labels", pooled(rows, labels), low=LEAST, high=MOST)
        for labels in counted
    ]


def scores_table(rows: Sequence[Row]) -> Table:
    told = []
    for one in rows:
        others = f"{one.others:,}" if one.counts else f"{one.others:,} (few)"
        figures = [f"{one.holds:.0f}", f"{one.bias:+.1f}", f"{one.width:.1f}"]
        told.append([one.set, one.kind, str(one.labels), others, *figures])
    title = "Cross-fitted accuracy: % of draws whose 95% interval has the truth, estimate − truth, width, in points"
    return plain_table(title, ["set", "kind", "labels", "other items", "% holds", "bias", "width"], told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="", help="names of sets, with commas (all)")
    parser.add_argument("--labels", type=numbers, default=LABELS, help="numbers of labels (50,100)")
    parser.add_argument("--draws", type=int, default=DRAWS, help="draws of items (%(default)s)")
    parser.add_argument("--out", type=Path, default=None, help="folder of the result (benchmarks/results)")
    given = parser.parse_args()
    rows = measured([name.strip() for name in given.sets.split(",") if name.strip()], given.labels, given.draws)
    targets = judged(rows)
    console = Console(width=150)
    console.print(scores_table(rows))
    console.print(target_table(targets))
    whole = not given.sets and given.labels == LABELS and given.draws == DRAWS
    folder = given.out or RESULTS / ("" if whole else "scratch")
    write(folder / "quality_hand_label_scores.json", {"rows": [asdict(one) for one in rows]}, targets)


if __name__ == "__main__":
    main()
