"""Two things that ruin label models, drawn at random: near-copies, and difficult items of a common class.

    python -m benchmarks.quality.hard_worlds

As in random_worlds.py there is one draw of each world. *Copies*: two to twelve independent sources, and up to five more
of which each has one to five near-copies that nobody declared; rules or classifiers, two to four classes, 300 to 10,000
items. Beside the default stands a fit without the copies, which is as good as they allow. *Common class*: one class has
70 to 97% of the items, and in most worlds items differ in how often sources are right on them, so that a model can
explain votes best by taking the difficult items for another class. Beside the default stands one that is told the class
balance, rightly, or with the log-odds of each class off by 0.3. Accuracy is the share of items, of those with votes,
that get their true label.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import assay
from assay.errors import CheckWarning
from assay.gold import accuracy
from benchmarks.quality.families import REPORTED, Codes, FloatArray, near_copy, one_sided, truth, two_sided
from benchmarks.quality.known_balance import perturbed
from benchmarks.quality.methods import labeled
from benchmarks.support.problems import RESULTS, Target, in_parallel, plain_table, save, target_table

KINDS = ("copies", "common class")
COLUMNS = {
    "copies": ("vote", "default", "without copies"),
    "common class": ("vote", "default", "balance given", "balance perturbed"),
}
FAR = 3.0
"""Points below the vote that are far below."""
MOST_FAR = 5.0
"""The share of worlds, in %, that may be far below it without a balance."""


def copies(seed: int) -> tuple[Codes, Codes, Codes]:
    """(items, sources) votes, those without the copies, and (items,) true labels."""
    rng = np.random.default_rng([7, seed])
    classes, n = int(rng.choice([2, 2, 3, 4])), int(rng.choice([300, 1_000, 3_000, 10_000]))
    y = truth(np.maximum(rng.dirichlet(np.full(classes, rng.choice([1.0, 3.0, 20.0]))), 0.05), n, rng)
    ease = rng.normal(0, 1, n) * rng.choice([0.0, 0.0, 0.1, 0.2])
    are_rules = rng.random() < 0.35

    def source() -> Codes:
        if are_rules:
            return one_sided(y, int(rng.integers(classes)), rng.uniform(0.15, 0.7), rng.uniform(0.01, 0.12), rng)
        level = rng.uniform(0.55 if classes == 2 else 0.4, 0.9)
        return two_sided(y, classes, np.clip(level + ease, 0.05, 0.98), rng.uniform(0.3, 1.0), rng)

    def errs_alike(said: Codes) -> Codes:
        """A source of its own that votes as often and is as often right."""
        if are_rules:
            label = int(said.max())
            hit, slip = (float((said[rows] >= 0).mean()) for rows in (y == label, y != label))
            return one_sided(y, label, hit, slip, rng)
        voted = said >= 0
        level = float((said[voted] == y[voted]).mean())
        return two_sided(y, classes, np.clip(level + ease, 0.05, 0.98), float(voted.mean()), rng)

    columns = [source() for _ in range(int(rng.integers(2, 13)))]
    first = list(range(len(columns)))
    for _ in range(int(rng.integers(0, 6))):
        original = source()
        if original.max() < 0:
            continue
        first.append(len(columns))
        columns.append(original)
        count = int(rng.integers(1, 6)) if rng.random() < 0.4 else 1
        columns += [near_copy(original, rng.uniform(0.75, 1.0), errs_alike(original), rng) for _ in range(count)]
    matrix = np.column_stack(columns)
    voted = (matrix >= 0).any(axis=1)
    return matrix[voted], matrix[voted][:, first], y[voted]


def common_class(seed: int) -> tuple[Codes, Codes]:
    """(items, sources) votes and (items,) true labels."""
    rng = np.random.default_rng([5, seed])
    classes, n = int(rng.choice([2, 2, 3, 4])), int(rng.choice([300, 1_000, 5_000]))
    common = rng.uniform(0.7, 0.97)
    y = truth(np.maximum(np.append(common, (1 - common) * rng.dirichlet(np.full(classes - 1, 2.0))), 0.01), n, rng)
    ease = rng.normal(0, 1, n) * rng.choice([0.0, 0.1, 0.2])
    columns = []
    for _ in range(int(rng.integers(3, 13))):
        if rng.random() < 0.25:
            label = int(rng.integers(classes))
            columns.append(one_sided(y, label, rng.uniform(0.2, 0.7), rng.uniform(0.01, 0.12), rng))
        else:
            level = rng.uniform(0.55 if classes == 2 else 0.4, 0.9)
            columns.append(two_sided(y, classes, np.clip(level + ease, 0.05, 0.98), rng.uniform(0.3, 1.0), rng))
    matrix = np.column_stack(columns)
    voted = (matrix >= 0).any(axis=1)
    return matrix[voted], y[voted]


def scored(kind: str, seed: int) -> dict[str, Any] | None:
    """The accuracy of each of :data:`COLUMNS` in a world, in %; None if fewer than three sources vote."""
    warnings.simplefilter("ignore", CheckWarning)  # what votes do not tell is the point
    labels: dict[str, FloatArray] = {}
    if kind == "copies":
        matrix, single, gold = copies(seed)
        classes = int(max(matrix.max(), gold.max())) + 1
        # An item may have votes of copies only.
        heard = (single >= 0).any(axis=1)
        matrix, single, gold = matrix[heard], single[heard], gold[heard]
        if ((single >= 0).any(axis=0)).sum() < 3:
            return None
        votes = _votes(matrix, classes)
        labels["without copies"] = labeled(_votes(single, classes), dependencies=())
    else:
        matrix, gold = common_class(seed)
        classes = int(max(matrix.max(), gold.max())) + 1
        if ((matrix >= 0).any(axis=0)).sum() < 3:
            return None
        votes = _votes(matrix, classes)
        counts = np.maximum(np.bincount(gold, minlength=classes), 0.5)
        shares = counts / counts.sum()
        for name, told in {"balance given": shares, "balance perturbed": perturbed(shares, seed)}.items():
            labels[name] = labeled(votes, class_balance=told, balance_of="voted")
    labels |= {"vote": assay.majority_vote(votes), "default": labeled(votes)}
    right = {name: 100 * accuracy(found, gold) for name, found in labels.items()}
    return {"kind": kind, "seed": seed, "classes": classes, "items": len(gold), "sources": matrix.shape[1]} | right


def _votes(matrix: Codes, classes: int) -> assay.Votes:
    return assay.Votes.from_matrix(matrix[:, (matrix >= 0).any(axis=0)], cardinality=classes)


def judged(found: list[dict[str, Any]]) -> list[Target]:
    targets = []
    for kind in KINDS:
        these = [one for one in found if one["kind"] == kind]
        if not these:
            continue
        below = np.array([one["vote"] - one["default"] for one in these])
        targets.append(Target(f"{kind}: mean gain over the vote", float(-below.mean()), low=0.0))
        name = f"{kind}: % of worlds more than {FAR:g} points below the vote"
        targets.append(Target(name, 100 * float((below > FAR).mean()), high=MOST_FAR))
        if kind == "common class":
            for told in ("balance given", "balance perturbed"):
                worst = min(one[told] - one["vote"] for one in these)
                targets.append(Target(f"{kind}, {told}: the worst difference to the vote", worst, low=-1.0))
    return targets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=150, help="how many of each kind (%(default)s)")
    parser.add_argument("--first", type=int, default=REPORTED, help="the seed of the first (%(default)s)")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    jobs = [(kind, seed) for kind in KINDS for seed in range(given.first, given.first + given.worlds)]
    found = [one for one in in_parallel(scored, jobs, progress="worlds") if one is not None]
    console = Console(width=120)
    for kind in KINDS:
        these = [one for one in found if one["kind"] == kind]
        rows = []
        for name in COLUMNS[kind] if these else ():
            over = np.array([one[name] - one["vote"] for one in these])
            rows.append([name, f"{np.mean([one[name] for one in these]):.1f}", f"{100 * np.mean(over < -1):.0f}%"])
            rows[-1] += [f"{100 * np.mean(over < -FAR):.0f}%", f"{over.min():+.1f}"]
        columns = ["labels", "right, %", "1 below the vote", f"{FAR:g} below", "worst"]
        console.print(plain_table(f"{kind}, {len(these)} worlds", columns, rows))
    targets = judged(found)
    console.print(target_table(targets))
    save(given.out / "quality_hard_worlds.json", {"worlds": found}, targets)


if __name__ == "__main__":
    main()
