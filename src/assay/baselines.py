"""What to beat: majority votes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from assay.label_space import Component
from assay.summary import counts_of_sets, set_blocks
from assay.tasks import TaskGraph
from assay.votes import OutcomeSets, Votes

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int32]


def majority_vote(votes: Votes) -> FloatArray | list[FloatArray]:
    """The outcomes that most votes allow.

    Every vote is a point for each outcome it allows; the outcomes with the most
    points share the probability equally. An item without votes is uniform.

    Returns
    -------
    ndarray
        (items, outcomes) probabilities; a list of them, one a component, if the
        label space has several.

    >>> majority_vote(Votes.from_matrix([[0, 0, 1], [0, 1, -1]]))
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    return _per_component(votes, _most_points)


def hierarchical_majority_vote(votes: Votes) -> FloatArray | list[FloatArray]:
    """The paper's baseline: a majority vote for each task, down the task tree.

    Tasks are decided in the order of the graph, parents first; at each one, only
    votes count that are still in agreement with what was decided and that settle
    the task's label. Ties are followed both ways, each with its equal share.

    Returns
    -------
    ndarray
        As for :func:`majority_vote`.
    """
    return _per_component(votes, _down_the_tree)


def _per_component(
    votes: Votes, decide: Callable[[TaskGraph, Component, OutcomeSets, Counts], FloatArray]
) -> FloatArray | list[FloatArray]:
    parts = []
    for component, sets in zip(votes.label_space.components, votes.outcome_sets, strict=True):
        probabilities = np.empty((len(votes), len(component)))
        for rows, set_of in set_blocks(votes, sets):
            probabilities[rows] = decide(votes.tasks, component, sets, counts_of_sets(set_of, len(sets.masks)))
        parts.append(probabilities)
    return parts[0] if len(parts) == 1 else parts


def _most_points(tasks: TaskGraph, component: Component, sets: OutcomeSets, counts: Counts) -> FloatArray:
    return _winners(counts @ sets.masks.astype(np.int32))


def _down_the_tree(tasks: TaskGraph, component: Component, sets: OutcomeSets, counts: Counts) -> FloatArray:
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
            shares = share[:, None] * _winners(counts @ settles.astype(np.int32))
        else:
            shares = share[:, None]
        for branch, its_share in zip(branches, shares.T, strict=True):
            descend(branch, depth + 1, its_share)

    descend(np.ones(len(component), dtype=bool), 0, np.ones(len(counts)))
    return probabilities


def _winners(points: npt.NDArray[np.int32]) -> FloatArray:
    """(rows, options): equal shares for the options with the most points."""
    best = points == points.max(axis=1, keepdims=True)
    shares: FloatArray = best / best.sum(axis=1, keepdims=True)
    return shares
