"""How often the default is far below a majority vote: one draw each of worlds that differ in everything.

    python -m benchmarks.quality.random_worlds

families.py has worlds of one kind each, and simulated.py their means over draws; whoever has votes has one draw, and
its kind is not known. Here the number of classes and items, class balances, kinds of sources, and what makes items hard
are all drawn at random. Accuracy is the share of items, of those with votes, that get their true label.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import assay
from assay.errors import CheckWarning
from assay.gold import accuracy
from benchmarks.quality.families import REPORTED, Codes, FloatArray, Rng, near_copy, truth
from benchmarks.quality.methods import labeled
from benchmarks.support.problems import RESULTS, Target, in_parallel, plain_table, save, target_table

KINDS = ("rules", "rules, but for one class", "rules and classifiers", "classifiers", "words")
METHODS = ("vote", "em", "robust", "default")
LOW, FAR = 1.0, 3.0
"""Points below the vote that are counted, and those that are far below."""
MOST_FAR = 5.0
"""The share of worlds, in %, that may be far below it."""
_PLAINNESS = ((1.0, 1.0), (2.0, 2.0), (3.0, 1.5), (50.0, 50.0))
"""Beta distributions of how plain items are, from very different to all alike."""


@dataclass(frozen=True)
class Items:
    """What sources see of each item."""

    classes: int
    looks: Codes
    """(items,): the class it looks like; for some, not its own."""
    plain: FloatArray
    """(items,): how much it says to all sources, one on average."""
    kind: Codes
    """(items,): a kind that some rules are about."""

    def rule(self, label: int, rng: Rng) -> Codes:
        """A source that names one class, of all items or of some kinds."""
        hit, slip = rng.uniform(0.05, 0.8), rng.uniform(0.0, 0.12 if self.classes < 4 else 0.04)
        kinds = int(self.kind.max()) + 1
        about = rng.random(kinds) < (1.0 if rng.random() < 0.5 else 0.6)
        about[int(rng.integers(kinds))] = True
        fires = hit * np.where(about[self.kind], 1.0, 0.1) * self.plain
        slips = slip * (self.plain if rng.random() < 0.3 else 1.0)
        return np.where(rng.random(len(self.looks)) < np.where(self.looks == label, fires, slips), label, -1)

    def classifier(self, rng: Rng) -> Codes:
        """A source that names any class, better on plain items."""
        chance = 1 / self.classes
        right = chance + (rng.uniform(0.4, 0.85) + 0.15 - chance) * 0.8 * np.clip(self.plain, 0.2, 1.6)
        guess = rng.integers(0, self.classes, len(self.looks))
        said = np.where(rng.random(len(self.looks)) < np.clip(right, 0.05, 0.98), self.looks, guess)
        return np.where(rng.random(len(self.looks)) < rng.uniform(0.3, 1.0), said, -1)

    def words(self, rng: Rng) -> list[Codes]:
        """Rules that each look for one to three of the same words."""
        count = int(rng.integers(8, 30))
        about = rng.integers(0, self.classes, count)
        often, seldom = rng.uniform(0.03, 0.4, count), rng.uniform(0.003, 0.04, count)
        chance = np.where(about == self.looks[:, None], often, seldom) * self.plain[:, None]
        present = rng.random(chance.shape) < chance
        columns = []
        for _ in range(int(rng.integers(6, 25))):
            chosen = rng.choice(count, size=int(rng.integers(1, 4)))
            label = about[chosen[0]]
            columns.append(np.where(present[:, chosen[about[chosen] == label]].any(axis=1), label, -1))
        return columns


def world(seed: int) -> tuple[str, assay.Votes, Codes] | None:
    """The kind of a world, its votes, and the (items,) true labels; None if fewer than three sources vote."""
    rng = np.random.default_rng([99, seed])
    classes, n = int(rng.choice([2, 2, 2, 3, 4, 6, 10])), int(rng.choice([300, 800, 2_000, 5_000]))
    balance = np.maximum(rng.dirichlet(np.full(classes, rng.choice([0.7, 2.0, 10.0]))), 0.02)
    y = truth(balance, n, rng)
    other = (y + rng.integers(1, classes, n)) % classes
    looks = np.where(rng.random(n) < rng.choice([0.0, 0.05, 0.15]), other, y)
    plain = 2 * rng.beta(*_PLAINNESS[int(rng.integers(len(_PLAINNESS)))], size=n)
    items = Items(classes, looks, plain, rng.integers(0, int(rng.integers(1, 5)), n))
    kind = KINDS[int(rng.integers(len(KINDS)))]
    columns = _columns(kind, items, rng)
    if rng.random() < 0.25:
        copied = columns[int(rng.integers(len(columns)))]
        silent = np.full(n, -1)
        columns += [near_copy(copied, rng.uniform(0.8, 1.0), silent, rng) for _ in range(int(rng.integers(1, 3)))]
    matrix = np.column_stack([column for column in columns if (column >= 0).any()])
    voted = (matrix >= 0).any(axis=1)
    if matrix.shape[1] < 3:
        return None
    return kind, assay.Votes.from_matrix(matrix[voted], cardinality=classes), y[voted]


def _columns(kind: str, items: Items, rng: Rng) -> list[Codes]:
    labels = range(items.classes)
    if kind == "rules":
        return [items.rule(label, rng) for label in labels for _ in range(int(rng.integers(1, 6)))]
    if kind == "rules, but for one class":
        some = [items.rule(label, rng) for label in labels if label for _ in range(int(rng.integers(2, 6)))]
        return [*some, items.rule(0, rng)]
    if kind == "rules and classifiers":
        rules = [items.rule(label, rng) for label in labels for _ in range(int(rng.integers(1, 3)))]
        return rules + [items.classifier(rng) for _ in range(int(rng.integers(1, 4)))]
    if kind == "classifiers":
        return [items.classifier(rng) for _ in range(int(rng.integers(3, 9)))]
    return items.words(rng)


def scored(seed: int) -> dict[str, Any] | None:
    """The accuracy of each of :data:`METHODS` in a world, in %."""
    drawn = world(seed)
    if drawn is None:
        return None
    kind, votes, gold = drawn
    warnings.simplefilter("ignore", CheckWarning)  # what votes do not tell is the point
    labels = {
        "vote": assay.majority_vote(votes),
        "em": labeled(votes, method="em"),
        "robust": labeled(votes, method="robust"),
        "default": labeled(votes),
    }
    right = {name: 100 * accuracy(found, gold) for name, found in labels.items()}
    return {"seed": seed, "kind": kind, "classes": labels["vote"].shape[1], "items": len(gold)} | right


def judged(found: list[dict[str, Any]]) -> list[Target]:
    below = np.array([one["vote"] - one["default"] for one in found])
    gain = float(-below.mean())
    return [
        Target("mean gain over the vote", gain, low=0.0),
        Target(
            f"% of worlds more than {FAR:g} points below the vote", 100 * float((below > FAR).mean()), high=MOST_FAR
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=200, help="how many (%(default)s)")
    parser.add_argument("--first", type=int, default=REPORTED, help="the seed of the first (%(default)s)")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    jobs = [(seed,) for seed in range(given.first, given.first + given.worlds)]
    found = [one for one in in_parallel(scored, jobs, progress="worlds") if one is not None]
    rows = []
    for kind in (*KINDS, "all"):
        these = [one for one in found if kind in (one["kind"], "all")]
        below = [one["vote"] - one["default"] for one in these]
        means = [f"{np.mean([one[name] for one in these]):.1f}" for name in METHODS] if these else ["–"] * len(METHODS)
        shares = [f"{100 * np.mean(np.array(below) > points):.0f}%" if these else "–" for points in (LOW, FAR)]
        rows.append([kind, str(len(these)), *means, *shares, f"{-max(below):+.1f}" if these else "–"])
    console = Console(width=120)
    columns = ["sources", "worlds", *METHODS, f"{LOW:g} below", f"{FAR:g} below", "worst"]
    console.print(plain_table("right labels in %, and how often the default is below the vote", columns, rows))
    targets = judged(found)
    console.print(target_table(targets))
    save(given.out / "quality_random_worlds.json", {"worlds": found}, targets)


if __name__ == "__main__":
    main()
