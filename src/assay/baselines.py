"""What to beat: majority votes, data programming on each task by itself, and Dawid-Skene."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from assay.counts import Evidence, Layout, Patterns, SourceGraph, layout_of
from assay.labels import Labels
from assay.model import Scoring, posterior, softmax
from assay.model.estimate import EMSettings, Knowledge, expectation_maximization, from_majority
from assay.tasks import Component, TaskGraph
from assay.votes import CodeArray, OutcomeSets, Votes, set_counts

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
    the task's label. Ties are followed both ways, each with its equal share; so an
    item without votes is uniform down the tree.

    Returns
    -------
    ndarray
        As for :func:`majority_vote`.

    Examples
    --------
    >>> hierarchical_majority_vote(Votes.from_matrix([[0, 1, 1], [0, -1, -1]]))
    array([[0., 1.],
           [1., 0.]])
    """
    return _per_component(votes, _down_the_tree)


def by_majority(votes: Votes) -> dict[str, Labels]:
    """The labels of both majority votes, by name."""
    found = {
        "majority vote": majority_vote(votes),
        "hierarchical majority vote": hierarchical_majority_vote(votes),
    }
    return {
        name: Labels(votes.tasks, tuple(parts) if isinstance(parts, list) else (parts,))
        for name, parts in found.items()
    }


def dawid_skene(votes: Votes) -> FloatArray | list[FloatArray]:
    """Dawid and Skene's model: a full confusion table for each source, all independent, abstentions ignored.

    Returns
    -------
    ndarray
        As for :func:`majority_vote`.

    Examples
    --------
    >>> from assay.simulate import flat_world
    >>> simulation = flat_world(sources=5, seed=2).draw(1000)
    >>> dawid_skene(simulation.votes).shape
    (1000, 2)
    """
    unpooled = EMSettings(even_coverage=0.01, class_conditional=0.01, average_source=0.01, even_balance=0.01)
    parts = []
    for index in range(len(votes.label_space.components)):
        layout = layout_of(votes.schema, index, SourceGraph(votes.names))
        known = replace(Knowledge.none(layout), ignore_abstentions=True)
        parts.append(_em_labels(layout, layout.codes(votes), known, unpooled))
    return parts[0] if len(parts) == 1 else parts


def data_programming(votes: Votes, *, unipolar: bool = False) -> FloatArray | list[FloatArray]:
    """The paper's baseline DP: every task by itself, with one accuracy a source.

    Each task is labeled by the sources that vote on it, as a flat task with evenly
    balanced labels; an outcome is as probable as its tasks' labels together.

    Parameters
    ----------
    unipolar
        DP-UI: one accuracy for each label that a source emits, and its silence
        counts, so that sources which only ever emit one label are understood.

    Returns
    -------
    ndarray
        As for :func:`majority_vote`.

    Examples
    --------
    >>> from assay.simulate import flat_world
    >>> simulation = flat_world(sources=5, seed=2).draw(1000)
    >>> data_programming(simulation.votes, unipolar=True).sum(axis=1).round(6).min()
    np.float64(1.0)
    """
    return task_by_task(votes, _one_accuracy_a_label if unipolar else _one_accuracy_each)


def task_by_task(votes: Votes, label: Callable[[CodeArray, int], FloatArray]) -> FloatArray | list[FloatArray]:
    """Every task by itself, by any method for one flat task: what is lost when tasks do not inform each other.

    Parameters
    ----------
    votes
        On all tasks. A task is labeled by the votes that name it.
    label
        Given codes (items, sources), −1 for no vote, and the number of labels: (items, labels) probabilities.

    Returns
    -------
    ndarray
        As for :func:`majority_vote`; an outcome is as probable as its tasks' labels together.

    Examples
    --------
    >>> votes = Votes.from_matrix([[0, 0, 1], [1, 1, -1]])
    >>> def shares(codes, labels):
    ...     return np.stack([(codes == label).sum(axis=1) for label in range(labels)], axis=1) / 2
    >>> task_by_task(votes.select([0, 1]), shares).round(3)
    array([[1., 0.],
           [0., 1.]])
    """
    parts = []
    for component in votes.label_space.components:
        logs = np.zeros((len(votes), len(component)))
        for task, labels in zip(component.tasks, component.labels, strict=True):
            codes = codes_of_task(votes, task, labels)
            even = np.full((len(votes), len(labels)), 1 / len(labels))
            chances = label(codes, len(labels)) if codes.shape[1] else even
            # Where the task does not apply it says nothing: its outcomes get the average label's share.
            padded = np.column_stack([chances, even[:, 0]])
            logs += np.log(np.maximum(padded[:, component.label_of(task)], 1e-12))
        parts.append(softmax(logs)[0])
    return parts[0] if len(parts) == 1 else parts


def codes_of_task(votes: Votes, task: str, labels: tuple[str, ...]) -> CodeArray:
    """(items, its sources): the labels of one task in the votes that name it, −1 elsewhere."""
    columns = []
    for j, values in enumerate(votes.values):
        named = [dict(vote.labels).get(task) for vote in values]
        if any(label is not None for label in named):
            lookup = np.array([-1 if label is None else labels.index(label) for label in [*named, None]])
            columns.append(lookup[votes.codes[:, j]])
    return np.column_stack(columns) if columns else np.empty((len(votes), 0), dtype=np.int64)


def _one_accuracy_a_label(codes: CodeArray, classes: int) -> FloatArray:
    """(items, classes): EM with one accuracy for each label that a source emits, and even classes."""
    emitted = [np.unique(column[column >= 0]) for column in codes.T]
    layout = Layout(
        tuple(np.eye(classes, dtype=bool)[found] for found in emitted),
        SourceGraph([str(j) for j in range(codes.shape[1])]),
        classes,
    )
    own = np.column_stack(
        [
            np.where(column >= 0, np.searchsorted(found, column), -1)
            for column, found in zip(codes.T, emitted, strict=True)
        ]
    )
    # The silence of a source with several labels tells nothing; that of one with a single label is all it can tell.
    even = np.full(classes, 1 / classes)
    known = replace(Knowledge.none(layout), balance=even)
    tied = EMSettings(even_coverage=1e9, class_conditional=1e9, average_source=0.01)
    return _em_labels(layout, own, known, tied)


def _one_accuracy_each(codes: CodeArray, classes: int, steps: int = 100) -> FloatArray:
    """(items, classes): EM with one accuracy a source and even classes; mistakes are spread evenly."""
    patterns = Patterns.of(codes)
    says = patterns.codes[:, :, None] == np.arange(classes)
    voted = patterns.codes >= 0
    chances = (says.sum(axis=1) + 1.0) / (says.sum(axis=1) + 1.0).sum(axis=1, keepdims=True)
    accuracy = np.full(codes.shape[1], 0.7)
    for _ in range(steps):
        logs = np.einsum("umk,m->uk", says, np.log(accuracy * (classes - 1) / (1 - accuracy)))
        chances = softmax(logs)[0]
        right = np.einsum("umk,uk,u->m", says, chances, patterns.counts)
        settled = (right + 1) / (voted.T @ patterns.counts + 2)
        moved = float(np.abs(settled - accuracy).max())
        accuracy = np.clip(settled, 1e-3, 1 - 1e-3)
        if moved < 1e-6:
            break
    logs = np.zeros((len(codes), classes))
    weight = np.log(accuracy * (classes - 1) / (1 - accuracy))
    for column, gain in zip(codes.T, weight, strict=True):
        logs += gain * (column[:, None] == np.arange(classes))
    return softmax(logs)[0]


def _em_labels(layout: Layout, codes: CodeArray, known: Knowledge, settings: EMSettings) -> FloatArray:
    evidence = Evidence(layout, Patterns.of(codes))
    start = from_majority(evidence, known, settings)
    parameters, _ = expectation_maximization(start, evidence, known, settings)
    return posterior(Scoring.bayes(parameters), codes)


def _per_component(
    votes: Votes, decide: Callable[[TaskGraph, Component, OutcomeSets, Counts], FloatArray]
) -> FloatArray | list[FloatArray]:
    parts = []
    for component, sets in zip(votes.label_space.components, votes.outcome_sets, strict=True):
        probabilities = np.empty((len(votes), len(component)))
        for rows, counts in set_counts(votes, sets):
            probabilities[rows] = decide(votes.tasks, component, sets, counts)
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
