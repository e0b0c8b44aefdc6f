"""What all baselines share: they are fitted to votes, and label votes."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from assay._core.estimator import Estimator
from assay._core.foreign_settings import ExplainsForeignNames, explains_foreign_to_baselines
from assay.gold import micro_accuracy, outcome_numbers
from assay.labels import Labels
from assay.tasks import TaskGraph
from assay.votes import Schema, Votes, aligned, as_votes

FloatArray = npt.NDArray[np.float64]
LearnedT = TypeVar("LearnedT")


@dataclass(frozen=True, eq=False)
class FittedBaseline(Generic[LearnedT]):
    """What a baseline has learned, and from which votes."""

    schema: Schema
    """Of the votes that were learned from."""
    learned: LearnedT

    @property
    def tasks(self) -> TaskGraph:
        """The task graph of the votes."""
        return self.schema.tasks


class Baseline(ExplainsForeignNames, Estimator[FittedBaseline[LearnedT]]):
    """An estimator over votes, which are :class:`assay.Votes` or a matrix of class numbers with −1 for abstain."""

    @explains_foreign_to_baselines
    def __init__(self, *, cardinality: int | None = None) -> None:
        self.cardinality = cardinality

    @explains_foreign_to_baselines
    def fit(self, votes: Any, gold: Any = None) -> Self:
        """Learn from votes alone. Gold is ignored: it may be given because scikit-learn passes ``y`` along.

        :meth:`assay.LabelModel.fit` learns from gold too.
        """
        given = as_votes(votes, self.cardinality)
        self._fitted = FittedBaseline(given.schema, self._learn(given))
        return self

    def label(self, votes: Any) -> Labels:
        """Labels for every item, as :meth:`assay.LabelModel.label` gives them."""
        given = self._aligned(votes)
        joint = tuple(self._outcome_probabilities(given))
        return Labels(given.tasks, joint, given.items, has_votes=given.voted)

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
        return aligned(votes, self._known.schema)
