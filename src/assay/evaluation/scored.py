"""Items to score labels on: what was said of each, what is true, and how much it counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import VoteError
from assay.gold import UNSETTLED, outcome_numbers
from assay.labels import Labels
from assay.tasks import TaskGraph
from assay.votes import Votes

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Scored:
    """Items with gold, and what was said of them by something that had not seen it."""

    tasks: TaskGraph
    rows: IntArray
    """(items,): their rows among the labels."""
    joint: tuple[FloatArray, ...]
    """Per component (items, outcomes): the probabilities to score."""
    outcomes: tuple[IntArray, ...]
    """Per component (items,): the number of the true outcome, −1 where gold allows several."""
    labels: Mapping[str, IntArray]
    """Per task (items,): the number of the true label, −1 for N/A, −2 where gold allows several."""
    weights: FloatArray
    """(items,): how many items each stands for, up to a factor."""
    cross_fitted: int
    """How many of the items taught the model, and are scored by what it would have said without them."""

    @classmethod
    def of(cls, labels: Labels, gold: Any = None, weights: Any = None) -> Scored:
        """The items with gold: those that are given or, with None, those that the labels carry."""
        if gold is None:
            return cls._carried(labels, weights)
        truth = as_gold(labels.tasks, gold, len(labels), labels.items)
        rows = np.flatnonzero(truth.voted)
        truth = truth.take(rows)
        joint = [part[rows] for part in labels.joint]
        chosen = np.ones(len(rows))
        taught = np.zeros(len(rows), dtype=bool)
        if labels.gold is not None:
            # What taught the model may not score it: its prediction is the one made without the item's gold.
            shared, here, there = np.intersect1d(rows, labels.gold.rows, return_indices=True)
            for part, held_out in zip(joint, labels.gold.held_out, strict=True):
                part[here] = held_out[there]
            taught[here] = True
            if len(shared) == len(rows):
                chosen = labels.gold.weights[there]
        return cls(
            labels.tasks,
            rows,
            tuple(joint),
            tuple(outcome_numbers(truth, index) for index in range(len(joint))),
            {task: label_numbers(truth, task) for task in labels.tasks.names},
            _weights(weights, labels, rows, chosen),
            int(taught.sum()),
        )

    @classmethod
    def _carried(cls, labels: Labels, weights: Any) -> Scored:
        if labels.gold is None:
            raise VoteError(
                "there is no gold to score against: these labels carry none, so give it, as in evaluate(labels, gold)"
            )
        gold, space = labels.gold, labels.tasks.label_space
        return cls(
            labels.tasks,
            gold.rows,
            gold.held_out,
            tuple(gold.outcomes(index) for index in range(len(gold.held_out))),
            {
                task: gold.labels(at := space.component_of(task), space.components[at].label_of(task))
                for task in labels.tasks.names
            },
            _weights(weights, labels, gold.rows, gold.weights),
            len(gold),
        )

    def within(self, mask: BoolArray) -> Scored:
        """Those of the items that are in a mask over all labels."""
        chosen = mask[self.rows]
        return Scored(
            self.tasks,
            self.rows[chosen],
            tuple(part[chosen] for part in self.joint),
            tuple(part[chosen] for part in self.outcomes),
            {task: part[chosen] for task, part in self.labels.items()},
            self.weights[chosen],
            self.cross_fitted,
        )

    def said(self, task: str) -> IntArray:
        """(items,): the number of a task's label in the most probable outcome, −1 for N/A."""
        index = self.tasks.label_space.component_of(task)
        label_of = self.tasks.label_space.components[index].label_of(task).astype(np.int64)
        found: IntArray = label_of[self.joint[index].argmax(axis=1)]
        return found

    def right(self, task: str) -> FloatArray:
        """(items,): the share of the most probable outcomes, one unless there is a tie, with a task's true label."""
        index = self.tasks.label_space.component_of(task)
        label_of = self.tasks.label_space.components[index].label_of(task).astype(np.int64)
        found: FloatArray = (most_probable_shares(self.joint[index]) * (label_of == self.labels[task][:, None])).sum(
            axis=1
        )
        return found


def most_probable_shares(joint: FloatArray) -> FloatArray:
    """(items, outcomes): one for the most probable outcome, and 1/k for each of k in a tie.

    >>> most_probable_shares(np.array([[0.2, 0.8], [0.5, 0.5]])).tolist()
    [[0.0, 1.0], [0.5, 0.5]]
    """
    best = joint >= joint.max(axis=1, keepdims=True) - 1e-12
    found: FloatArray = best / best.sum(axis=1, keepdims=True)
    return found


def as_gold(tasks: TaskGraph, gold: Any, items: int, names: npt.NDArray[Any] | None = None) -> Votes:
    """True labels in any of the shapes that :meth:`assay.Votes.summary` takes, for so many items."""
    return Votes.from_codes(tasks, np.full((items, 1), -1, dtype=np.int8), ("labels",), ((),), names).gold(gold)


def label_numbers(gold: Votes, task: str) -> IntArray:
    """(items,): the number of a task's true label, −1 for N/A, −2 where gold leaves several."""
    index = gold.label_space.component_of(task)
    sets = gold.outcome_sets[index]
    labels = gold.label_space.components[index].label_of(task).astype(np.int64)
    lowest = np.where(sets.masks, labels, np.iinfo(np.int64).max).min(axis=1)
    highest = np.where(sets.masks, labels, np.iinfo(np.int64).min).max(axis=1)
    settled = np.append(np.where(lowest == highest, lowest, UNSETTLED), UNSETTLED)
    found: IntArray = settled[gold.sets_of(index)]
    return found


def _weights(given: Any, labels: Labels, rows: IntArray, otherwise: FloatArray) -> FloatArray:
    if given is None:
        return otherwise
    weights = np.asarray(given, dtype=np.float64) if np.asarray(given).dtype.kind in "iuf" else np.empty(0)
    if weights.shape != (len(labels),) or not np.isfinite(weights[rows]).all() or (weights[rows] <= 0).any():
        raise VoteError(
            f"weights must be positive numbers, one for each of the {len(labels)} items (those without gold do not "
            f"matter), but got {given!r:.80}"
        )
    return weights[rows]
