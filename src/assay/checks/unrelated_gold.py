"""Hand labels that have nothing to do with the votes: of other items, or of labels in another order.

Sources that agree with each other say something about the items, and so do true labels; then sources agree with the
truth at least as far as with each other. Hand labels with which they agree no more than by chance are mostly not
those of these items.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from assay.checks.problems import Problem
from assay.checks.wording import tasks_text
from assay.votes import Votes, compare_with_gold

FloatArray = npt.NDArray[np.float64]
Rng = np.random.Generator

_FEWEST = 20
"""Fewer items with votes and gold are not judged,"""
_MOST = 2_000
"""and of more, as many at random;"""
_SOURCES = 20
"""of the sources, those that vote most often are compared with the others."""
_SHUFFLES = 5
"""How many times items are paired at random."""
_SIGNIFICANT = 2.5
"""In standard errors."""


def gold_beside_votes(votes: Votes, truth: Votes) -> Iterator[Problem]:
    """A308, from the votes on items with gold, and their gold as votes of one source."""
    rng = np.random.default_rng(0)
    if len(votes) > _MOST:
        rows = np.sort(rng.choice(len(votes), _MOST, replace=False))
        votes, truth = votes.take(rows), truth.take(rows)
    found = _beyond_chance(votes, truth, rng)
    if len(found) < _FEWEST:
        return
    mean, error = float(found.mean()), float(found.std(ddof=1)) / np.sqrt(len(found))
    if mean > _SIGNIFICANT * error or mean + _SIGNIFICANT * error >= _among_sources(votes, rng):
        return
    right, wrong = (int(flags.sum()) for flags in compare_with_gold(votes, truth))
    message = (
        f"gold agrees with the votes {'less' if mean < -_SIGNIFICANT * error else 'no more'} than by chance "
        f"({right:,} of {right + wrong:,} votes on {len(found):,} items), although sources agree with each other"
    )
    fix = f"make sure that gold is about these items, by name or in their order{_numbered(votes)}"
    yield Problem("A308", message, fix, tasks=votes.tasks.names)


def _numbered(votes: Votes) -> str:
    """What numbers in gold stand for, where that can be told in a line."""
    (labels, *others) = [task.labels for task in votes.tasks.declared]
    if others or not 0 < len(labels) < 6 or all(label.isdigit() for label in labels):
        return ""
    return f", and numbered as the labels of {tasks_text(votes.tasks.names)} are: " + ", ".join(
        f"{number} is {label!r}" for number, label in enumerate(labels)
    )


def _among_sources(votes: Votes, rng: Rng) -> float:
    """How far sources agree with each other beyond chance."""
    busiest = np.argsort(-np.bincount(votes.cast.sources, minlength=len(votes.names)), kind="stable")[:_SOURCES]
    found = [_beyond_chance(votes.silenced(int(source)), votes.select(int(source)), rng) for source in busiest]
    together = np.concatenate([np.empty(0), *found])
    return float(together.mean()) if len(together) else 0.0


def _beyond_chance(votes: Votes, truth: Votes, rng: Rng) -> FloatArray:
    """For each item with votes that the truth decides about: the share of right votes minus that of wrong ones.

    As far as it is more than that of votes on items at random, so that what is said everywhere is worth nothing.
    """
    rows = np.flatnonzero(truth.voted)
    if not len(rows):
        return np.empty(0)
    said = truth.take(rows)
    shuffled = [_agreement(votes.take(rng.choice(len(votes), len(rows))), said) for _ in range(_SHUFFLES)]
    by_chance = np.concatenate(shuffled)
    return _agreement(votes.take(rows), said) - (by_chance.mean() if len(by_chance) else 0.0)


def _agreement(votes: Votes, truth: Votes) -> FloatArray:
    """(items that it can be told of,): the share of right votes minus that of wrong ones."""
    right, wrong = (
        np.bincount(votes.cast.row, weights=flags, minlength=len(votes)) for flags in compare_with_gold(votes, truth)
    )
    decided = right + wrong
    found: FloatArray = ((right - wrong) / np.maximum(decided, 1))[decided > 0]
    return found
