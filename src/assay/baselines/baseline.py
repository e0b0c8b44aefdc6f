"""What all baselines share: they are fitted to votes, and label votes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from assay._core.estimator import Estimator
from assay.errors import VoteError
from assay.gold import micro_accuracy, outcome_numbers
from assay.labels import Labels
from assay.tasks import TaskGraph
from assay.votes import Votes

FloatArray = npt.NDArray[np.float64]
LearnedT = TypeVar("LearnedT")


@dataclass(frozen=True, eq=False)
class FittedBaseline(Generic[LearnedT]):
    """What a baseline has learned, and from which votes."""

    nothing: Votes
    """No votes of the same sources; knows what their values mean."""
    learned: LearnedT

    @property
    def tasks(self) -> TaskGraph:
        """The task graph of the votes."""
        return self.nothing.tasks


class Baseline(Estimator[FittedBaseline[LearnedT]]):
    """An estimator over votes, which are :class:`assay.Votes` or a matrix of class numbers with −1 for abstain."""

    def __init__(self, *, cardinality: int | None = None) -> None:
        self.cardinality = cardinality

    def fit(self, votes: Any, gold: Any = None) -> Self:
        """Learn from votes. Gold is taken, as :meth:`assay.LabelModel.fit` takes it, and not used."""
        given = as_votes(votes, self.cardinality)
        self._fitted = FittedBaseline(given.take(slice(0)), self._learn(given))
        return self

    def label(self, votes: Any) -> Labels:
        """Labels for every item, as :meth:`assay.LabelModel.label` gives them."""
        given = self._aligned(votes)
        return Labels(given.tasks, tuple(self._outcome_probabilities(given)), given.items)

    def score(self, votes: Any, gold: Any) -> float:
        """The share of outcomes that are right; gold has any of the shapes that :func:`assay.evaluate` takes."""
        given = self._aligned(votes)
        truth = given.gold(gold)
        parts = self._outcome_probabilities(given)
        return micro_accuracy(parts, [outcome_numbers(truth, index) for index in range(len(parts))])

    @abstractmethod
    def _learn(self, votes: Votes) -> LearnedT:
        """What there is to learn from votes."""

    @abstractmethod
    def _outcome_probabilities(self, votes: Votes) -> list[FloatArray]:
        """Per component (items, outcomes), for aligned votes."""

    def _aligned(self, votes: Any) -> Votes:
        """Votes of the sources that were learned from, with the same value tables."""
        nothing = self._known.nothing
        given = votes if isinstance(votes, Votes) else of_the_same_task(votes, nothing.tasks, nothing.names)
        return given.like(nothing)


def as_votes(votes: Any, cardinality: int | None = None) -> Votes:
    """Votes as they are; a bare matrix of class numbers, −1 for abstain, as votes on one task.

    >>> as_votes([[0, 1], [-1, 2]])
    Votes(2 items × 2 sources, 1 task)
    """
    return votes if isinstance(votes, Votes) else Votes.from_matrix(votes, cardinality=cardinality)


def of_the_same_task(matrix: Any, tasks: TaskGraph, names: Sequence[str] | None = None) -> Votes:
    """A bare matrix as votes on the task that was learned, whichever of its classes occur in it."""
    if len(tasks) > 1:
        raise VoteError(f"a matrix holds votes on one task, but {len(tasks)} were learned; give assay.Votes")
    return Votes.from_matrix(matrix, labels=tasks.tasks[0].labels, names=names, task=tasks.tasks[0].name)
