"""Probabilities as votes: what a label with a confidence, or a probability per label, says, and how sure it is.

A vector of probabilities says its most probable label, with that label's probability as its confidence. Equal
probabilities go to the label that comes first in the task graph. What a vector lacks to one is the probability of
something else. Labels may belong to several tasks, if they exclude each other, as the finest ones of a hierarchy do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import VoteError
from assay.tasks import LabelSpace, Vote
from assay.votes.encoding import canonical

FloatArray = npt.NDArray[np.float64]

TOLERATED = 1e-3
"""How far the sum of probabilities may exceed one, for the rounding of whoever made them."""


class SoftReader:
    """Reads what a source says as a vote without a level, and a score.

    >>> from assay import TaskGraph
    >>> reader = SoftReader(TaskGraph.flat("person", ["Doctor", "Lawyer"]).label_space, None)
    >>> [(str(vote), score) for vote, score in map(reader, ["Doctor", ("Lawyer", 0.7), {"Doctor": 0.6, "Lawyer": 0.4}])]
    [('Doctor', 1.0), ('Lawyer', 0.7), ('Doctor', 0.6)]
    """

    def __init__(self, space: LabelSpace, task: str | Sequence[str] | None) -> None:
        self.space = space
        self.task = task
        self._votes: dict[Any, Vote] = {}

    def __call__(self, value: Any) -> tuple[Vote | None, float]:
        """The vote and its score. No vote if every label has a probability of zero."""
        if isinstance(value, tuple) and len(value) == 2 and _is_number(value[1]):
            label, score = value
            return self._vote(label), checked_score(score, label)
        if isinstance(value, Mapping) and any(map(_is_number, value.values())):
            return self._most_probable(value)
        return self.space.vote(value, self.task), 1.0

    def _vote(self, label: Any) -> Vote:
        """Each label is looked up once."""
        if isinstance(label, str | tuple):
            if label not in self._votes:
                self._votes[label] = self.space.vote(label, self.task)
            return self._votes[label]
        return self.space.vote(label, self.task)

    def _most_probable(self, probabilities: Mapping[Any, Any]) -> tuple[Vote | None, float]:
        scored = {self._vote(label): checked_score(score, label) for label, score in probabilities.items()}
        total = sum(scored.values())
        if total > 1 + TOLERATED:
            raise VoteError(f"probabilities must add up to at most 1, but {dict(probabilities)!r} add up to {total:g}")
        best = max(scored.values())
        if best == 0:
            return None, 0.0
        winners = [vote for vote, score in scored.items() if score == best]
        return canonical(self.space, winners)[0], best


def checked_score(score: Any, label: object) -> float:
    """A probability, up to rounding."""
    if not _is_number(score) or not 0 <= float(score) <= 1 + TOLERATED:
        raise VoteError(f"expected a probability from 0 to 1 for {label!r}, but got {score!r}")
    return min(float(score), 1.0)


def most_probable(probabilities: Any, labels: int) -> tuple[npt.NDArray[np.int64], FloatArray]:
    """(items,): the most probable label of each row, −1 where it abstains, and its probability.

    ``probabilities`` is (items, labels). A row of NaN abstains, and so does one of zeros.

    Raises
    ------
    VoteError
        If the shape is another, or a row is not one of probabilities; the error names the row.
    """
    table = probability_table(probabilities, labels)
    for row, what in not_probabilities(table):
        raise VoteError(f"row {row}: {what}")
    return best_of(table)


def probability_table(probabilities: Any, labels: int) -> FloatArray:
    """(items, labels), or an error that says what came instead."""
    try:
        table = np.asarray(probabilities, dtype=float)
    except (TypeError, ValueError) as error:
        raise VoteError(f"expected an array of probabilities, (items, {labels}): {error}") from error
    if table.ndim != 2 or table.shape[1] != labels:
        raise VoteError(
            f"expected one probability for each of the {labels} labels, (items, {labels}), "
            f"but the shape is {table.shape}"
        )
    return table


def not_probabilities(table: FloatArray) -> Iterator[tuple[int, str]]:
    """The rows that are not probabilities, and why; rows of NaN alone, which abstain, are fine."""
    missing = np.isnan(table)
    known = np.where(missing, 0.0, table)
    reasons: tuple[tuple[npt.NDArray[np.bool_], str], ...] = (
        (np.asarray((known < 0).any(axis=1)), "a probability is negative"),
        (
            np.asarray(missing.any(axis=1) & ~missing.all(axis=1)),
            "some of its probabilities are NaN, but not all, which abstains",
        ),
        (np.logical_not(known.sum(axis=1) <= 1 + TOLERATED), "its probabilities add up to more than 1"),
    )
    wrong = np.logical_or.reduce([flags for flags, _ in reasons])
    for row in np.flatnonzero(wrong).tolist():
        what = next(reason for flags, reason in reasons if flags[row])
        shown = ", ".join(f"{value:g}" for value in table[row][:6]) + (", …" if table.shape[1] > 6 else "")
        yield row, f"{what}: [{shown}]"


def best_of(table: FloatArray) -> tuple[npt.NDArray[np.int64], FloatArray]:
    """(items,): the most probable label of each row, the first of several, and its probability; −1 abstains."""
    known = np.nan_to_num(table, nan=0.0)
    best = known.argmax(axis=1)
    score = np.minimum(np.take_along_axis(known, best[:, None], axis=1)[:, 0], 1.0)
    return np.where(score == 0, -1, best), score


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
