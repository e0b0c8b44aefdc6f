"""Majority votes: of all outcomes at once, and down the task tree."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.baselines.baseline import Baseline
from assay.baselines.silence import Silence
from assay.errors import VoteError
from assay.labels import Labels, put_together
from assay.tasks import Component, TaskGraph
from assay.votes import OutcomeSets, Votes, on_the_same_task, set_counts

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int32] | npt.NDArray[np.float64]


_ROUNDING = 1e-9
"""Points that differ by less are equal: parts of votes may be added in any order."""


class _CountsVotes(Baseline[None]):
    """Counts the votes of each item by itself; it learns nothing but what the labels are, so any sources will do."""

    def _learn(self, votes: Votes) -> None:
        return None

    def _aligned(self, votes: Any) -> Votes:
        tasks = self._known.tasks
        given = votes if isinstance(votes, Votes) else on_the_same_task(votes, tasks)
        if given.tasks != tasks:
            raise VoteError(
                f"these votes are on other tasks ({', '.join(given.tasks.names)}) than those that this "
                f"{type(self).__name__} was fitted to ({', '.join(tasks.names)}); fit it to votes on the same tasks"
            )
        return given

    def _outcome_probabilities(self, votes: Votes) -> list[FloatArray]:
        given, votes, parts = votes, votes.unlinked, list[FloatArray]()
        for index, component in enumerate(votes.label_space.components):
            own = votes.of_component(index) if votes.schema.is_taken_apart else votes
            sets = own.outcome_sets[0 if own is not votes else index]
            silence = Silence.of(own.schema, sets) if votes.tasks.asks_of_labels(index) else None
            probabilities = np.empty((len(votes), len(component)))
            for rows, counts in set_counts(own, sets):
                if silence is None:
                    probabilities[rows] = self._decide(votes.tasks, component, sets, counts)
                else:
                    probabilities[rows] = self._decide(votes.tasks, component, silence.sets, silence.added(counts))
            parts.append(probabilities)
        return parts if votes is given else put_together(parts, votes.tasks)

    @staticmethod
    @abstractmethod
    def _decide(tasks: TaskGraph, component: Component, sets: OutcomeSets, counts: Counts) -> FloatArray:
        """(items, outcomes) from (items, sets of outcomes): how many votes say each set."""


class MajorityVote(_CountsVotes):
    """The outcomes that most votes allow.

    Every vote is a point for each outcome it allows; the outcomes with the most
    points share the probability equally. An item without votes is uniform.

    Where any subset of labels may apply, a source that names labels and never says that one does not apply speaks by
    its silence, too: if it could have named a label and did not, that counts 0.4 of a vote against it. Without any
    vote a label does not apply.

    Parameters
    ----------
    cardinality
        The number of classes, where votes are given as a bare matrix.

    Examples
    --------
    >>> model = MajorityVote().fit([[0, 0, 1], [0, 1, -1]])
    >>> model.predict_proba([[0, 0, 1], [0, 1, -1]])
    array([[1. , 0. ],
           [0.5, 0.5]])
    >>> model.score([[0, 0, 1], [0, 1, -1]], gold=[0, 1])
    0.75
    """

    @staticmethod
    def _decide(tasks: TaskGraph, component: Component, sets: OutcomeSets, counts: Counts) -> FloatArray:
        return _winners(counts @ sets.masks.astype(counts.dtype))


class HierarchicalMajorityVote(_CountsVotes):
    """The paper's baseline: a majority vote for each task, down the task tree.

    Tasks are decided in the order of the graph, parents first; at each one, only
    votes count that are still in agreement with what was decided and that settle
    the task's label. Ties are followed both ways, each with its equal share; so an
    item without votes is uniform down the tree.

    Parameters
    ----------
    cardinality
        The number of classes, where votes are given as a bare matrix.

    Examples
    --------
    >>> HierarchicalMajorityVote().fit([[0, 1, 1]]).predict([[0, 1, 1], [0, -1, -1]])
    array([1, 0])
    """

    @staticmethod
    def _decide(tasks: TaskGraph, component: Component, sets: OutcomeSets, counts: Counts) -> FloatArray:
        probabilities = np.empty((len(counts), len(component)))
        order = tasks.parents_first(component.tasks)

        def descend(node: BoolArray, depth: int, share: FloatArray) -> None:
            """Divide ``share``, (items,), among the outcomes of ``node`` by the tasks from ``depth`` on."""
            if node.sum() == 1 or depth == len(order):
                probabilities[:, node] = share[:, None] / node.sum()
                return
            labels = component.label_of(order[depth])
            branches = [node & (labels == label) for label in np.unique(labels[node])]
            if len(branches) > 1:
                left = sets.masks & node
                settles = np.column_stack([left.any(axis=1) & ~(left & ~branch).any(axis=1) for branch in branches])
                shares = share[:, None] * _winners(counts @ settles.astype(counts.dtype))
            else:
                shares = share[:, None]
            for branch, its_share in zip(branches, shares.T, strict=True):
                descend(branch, depth + 1, its_share)

        descend(np.ones(len(component), dtype=bool), 0, np.ones(len(counts)))
        return probabilities


def majority_vote(votes: Any) -> FloatArray | list[FloatArray]:
    """The outcomes that most votes allow: :class:`assay.MajorityVote` of these votes, or this bare matrix.

    Returns
    -------
    ndarray
        (items, outcomes) probabilities; a list of them, one a component, if the
        label space has several.

    >>> majority_vote([[0, 0, 1], [0, 1, -1]])
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    return MajorityVote().fit(votes).predict_proba(votes)


def hierarchical_majority_vote(votes: Any) -> FloatArray | list[FloatArray]:
    """A majority vote for each task, down the task tree: :class:`assay.HierarchicalMajorityVote` of these votes.

    Returns
    -------
    ndarray
        As for :func:`majority_vote`.

    Examples
    --------
    >>> hierarchical_majority_vote([[0, 1, 1], [0, -1, -1]])
    array([[0., 1.],
           [1., 0.]])
    """
    return HierarchicalMajorityVote().fit(votes).predict_proba(votes)


def by_majority(votes: Votes) -> dict[str, Labels]:
    """The labels of both majority votes, by name."""
    methods = {"majority vote": MajorityVote(), "hierarchical majority vote": HierarchicalMajorityVote()}
    return {name: method.fit(votes).label(votes) for name, method in methods.items()}


def _winners(points: Counts) -> FloatArray:
    """(rows, options): equal shares for the options with the most points."""
    best = points >= points.max(axis=1, keepdims=True) - _ROUNDING
    shares: FloatArray = best / best.sum(axis=1, keepdims=True)
    return shares
