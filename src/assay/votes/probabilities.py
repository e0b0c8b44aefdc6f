"""Probabilities as votes: what a label with a confidence, or a probability per label, says, and how sure it is.

A vector of probabilities says its most probable label, with that label's probability as its confidence. Equal
probabilities go to the label that comes first in the task. What a vector lacks to one is the probability of something
else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import VoteError
from assay.tasks import LabelSpace, Vote

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
        """The vote and its score. A probability of zero is no vote."""
        if isinstance(value, tuple) and len(value) == 2 and _is_number(value[1]):
            label, score = value
            vote, sure = self._vote(label), checked_score(score, label)
            return (vote if sure else None), sure
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
        tasks = {vote.tasks for vote in scored}
        if len(tasks) > 1:
            named = " and ".join(sorted(repr(", ".join(names)) for names in tasks))
            raise VoteError(f"expected probabilities for the labels of one task, but they are for {named}")
        total = sum(scored.values())
        if total > 1 + TOLERATED:
            raise VoteError(f"probabilities must add up to at most 1, but {dict(probabilities)!r} add up to {total:g}")
        best = max(scored.values())
        if best == 0:
            return None, 0.0
        winners = [vote for vote, score in scored.items() if score == best]
        return min(winners, key=self._place), best

    def _place(self, vote: Vote) -> int:
        (task, label), *_ = vote.labels
        names = self.space.tasks[task]
        return names.index(label) if label in names else len(names)


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
    try:
        table = np.asarray(probabilities, dtype=float)
    except (TypeError, ValueError) as error:
        raise VoteError(f"expected an array of probabilities, (items, {labels}): {error}") from error
    if table.ndim != 2 or table.shape[1] != labels:
        raise VoteError(
            f"expected one probability for each of the {labels} labels, (items, {labels}), "
            f"but the shape is {table.shape}"
        )
    missing = np.isnan(table)
    silent = missing.all(axis=1)
    _refuse(missing.any(axis=1) & ~silent, table, "some of its probabilities are NaN; a row of NaN alone abstains")
    known = np.where(missing, 0.0, table)
    _refuse((known < 0).any(axis=1), table, "a probability is negative")
    _refuse(~(known.sum(axis=1) <= 1 + TOLERATED), table, "its probabilities add up to more than 1")
    best = known.argmax(axis=1) if labels else np.zeros(len(known), dtype=np.int64)
    score = np.minimum(np.take_along_axis(known, best[:, None], axis=1)[:, 0], 1.0)
    return np.where(silent | (score == 0), -1, best), score


def _refuse(wrong: npt.NDArray[np.bool_], table: FloatArray, what: str) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        shown = ", ".join(f"{value:g}" for value in table[row][:6]) + (", …" if table.shape[1] > 6 else "")
        raise VoteError(f"row {row}: {what}: [{shown}]")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
