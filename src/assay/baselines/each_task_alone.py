"""Data programming: every task by itself, as if tasks told nothing about each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from assay._core.estimator import one_or_list
from assay._core.foreign_settings import explains_foreign_to_baselines
from assay.baselines.baseline import Baseline
from assay.baselines.confusion_tables import scoring_by_em
from assay.counts import Layout, Patterns, SourceGraph
from assay.model import Scoring, posterior, softmax
from assay.model.estimate import BalanceBelief, EMSettings, Knowledge
from assay.votes import CodeArray, Votes, as_votes

FloatArray = npt.NDArray[np.float64]
TaskModel = Callable[[CodeArray], FloatArray]
"""Labels one flat task: from (items, sources) codes, −1 for no vote, to (items, labels) probabilities."""


class DataProgramming(Baseline[dict[str, TaskModel]]):
    """The paper's baseline DP: every task by itself, with one accuracy a source.

    Each task is labeled by the sources that vote on it, as a flat task with evenly
    balanced labels; an outcome is as probable as its tasks' labels together.

    Parameters
    ----------
    unipolar
        DP-UI: one accuracy for each label that a source emits, and its silence
        counts, so that sources which only ever emit one label are understood.
    cardinality
        The number of classes, where votes are given as a bare matrix.

    Examples
    --------
    >>> from assay.simulate import flat_world
    >>> simulation = flat_world(sources=5, seed=2).draw(1000)
    >>> model = DataProgramming(unipolar=True).fit(simulation.votes)
    >>> model.predict_proba(simulation.votes).sum(axis=1).round(6).min()
    np.float64(1.0)
    """

    @explains_foreign_to_baselines
    def __init__(self, *, unipolar: bool = False, cardinality: int | None = None) -> None:
        super().__init__(cardinality=cardinality)
        self.unipolar = unipolar

    def _learn(self, votes: Votes) -> dict[str, TaskModel]:
        learn = accuracy_of_each_label if self.unipolar else accuracy_of_each_source
        learned: dict[str, TaskModel] = {}
        for component in votes.label_space.components:
            for task, labels in zip(component.tasks, component.labels, strict=True):
                codes = codes_of_task(votes, task, labels)
                if codes.shape[1]:
                    learned[task] = learn(codes, len(labels))
        return learned

    def _outcome_probabilities(self, votes: Votes) -> list[FloatArray]:
        models = self._known.learned
        return _composed(votes, lambda task, codes, labels: models[task](codes))


def data_programming(votes: Any, *, unipolar: bool = False) -> FloatArray | list[FloatArray]:
    """:class:`assay.DataProgramming`, fitted to these votes, or this bare matrix, and what it says of them.

    Parameters
    ----------
    unipolar
        DP-UI: one accuracy for each label that a source emits, and its silence counts.

    Returns
    -------
    ndarray
        As for :func:`majority_vote`.

    Examples
    --------
    >>> from assay.simulate import flat_world
    >>> simulation = flat_world(sources=5, seed=2).draw(1000)
    >>> data_programming(simulation.votes, unipolar=True).shape
    (1000, 2)
    """
    return DataProgramming(unipolar=unipolar).fit(votes).predict_proba(votes)


def task_by_task(votes: Any, label: Callable[[CodeArray, int], FloatArray]) -> FloatArray | list[FloatArray]:
    """Every task by itself, by any method for one flat task: what is lost when tasks do not inform each other.

    Parameters
    ----------
    votes
        On all tasks, or a bare matrix. A task is labeled by the votes that name a label of it; those for
        one of several labels, or against some, are passed over.
    label
        Given codes (items, sources), −1 for no vote, and the number of labels: (items, labels) probabilities.

    Returns
    -------
    ndarray
        As for :func:`majority_vote`; an outcome is as probable as its tasks' labels together.

    Examples
    --------
    >>> def shares(codes, labels):
    ...     return np.stack([(codes == label).sum(axis=1) for label in range(labels)], axis=1) / 2
    >>> task_by_task([[0, 0], [1, 1]], shares).round(3)
    array([[1., 0.],
           [0., 1.]])
    """
    return one_or_list(_composed(as_votes(votes), lambda task, codes, labels: label(codes, labels)))


def _composed(votes: Votes, label: Callable[[str, CodeArray, int], FloatArray]) -> list[FloatArray]:
    """Per component (items, outcomes), from what ``label`` says of each task that somebody votes on."""
    parts = []
    for component in votes.label_space.components:
        logs = np.zeros((len(votes), len(component)))
        for task, labels in zip(component.tasks, component.labels, strict=True):
            codes = codes_of_task(votes, task, labels)
            even = np.full((len(votes), len(labels)), 1 / len(labels))
            chances = label(task, codes, len(labels)) if codes.shape[1] else even
            # Where the task does not apply it says nothing: its outcomes get the average label's share.
            padded = np.column_stack([chances, even[:, 0]])
            logs += np.log(np.maximum(padded[:, component.label_of(task)], 1e-12))
        parts.append(softmax(logs)[0])
    return parts


def codes_of_task(votes: Votes, task: str, labels: tuple[str, ...]) -> CodeArray:
    """(items, its sources): the labels of one task in the votes that name one, −1 elsewhere and for sets of labels."""
    columns = []
    for values, codes in zip(votes.values, votes.store.columns(), strict=True):
        named = [dict(vote.labels).get(task) for vote in values]
        numbers = [labels.index(label) if isinstance(label, str) else -1 for label in [*named, None]]
        if max(numbers) >= 0:
            lookup = np.array(numbers)
            columns.append(lookup[codes])
    return np.column_stack(columns) if columns else np.empty((len(votes), 0), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class AccuracyOfEachLabel:
    """One accuracy for each label that a source emitted, and even classes."""

    emitted: tuple[npt.NDArray[np.integer], ...]
    """Per source the labels that it emitted where it was learned from."""
    scoring: Scoring

    def __call__(self, codes: CodeArray) -> FloatArray:
        """(items, labels)."""
        return posterior(self.scoring, _in_emitted_labels(codes, self.emitted))


def accuracy_of_each_label(codes: CodeArray, classes: int) -> AccuracyOfEachLabel:
    """Learn by EM one accuracy for each label that a source emits."""
    emitted = tuple(np.unique(column[column >= 0]) for column in codes.T)
    layout = Layout(
        tuple(np.eye(classes, dtype=bool)[found] for found in emitted),
        SourceGraph([str(j) for j in range(codes.shape[1])]),
        classes,
    )
    # The silence of a source with several labels tells nothing; that of one with a single label is all it can tell.
    known = replace(
        Knowledge.none(layout), balance=BalanceBelief.of_vector(np.full(classes, 1 / classes), strength="exact")
    )
    tied = EMSettings(even_coverage=1e9, class_conditional=1e9, average_source=0.01, average_lift=0.01)
    own = _in_emitted_labels(codes, emitted)
    return AccuracyOfEachLabel(emitted, scoring_by_em(layout, own, known, tied))


def _in_emitted_labels(codes: CodeArray, emitted: tuple[npt.NDArray[np.integer], ...]) -> CodeArray:
    """(items, sources): positions among the labels that a source emitted; others, of which nothing is known, are −1."""
    columns = []
    for column, found in zip(codes.T, emitted, strict=True):
        position = np.searchsorted(found, column)
        known = np.isin(column, found)
        columns.append(np.where(known, position, -1))
    return np.column_stack(columns)


@dataclass(frozen=True, eq=False)
class AccuracyOfEachSource:
    """One accuracy a source and even classes; mistakes are spread evenly."""

    accuracy: FloatArray
    """(sources,)."""
    classes: int

    def __call__(self, codes: CodeArray) -> FloatArray:
        """(items, labels)."""
        logs = np.zeros((len(codes), self.classes))
        for column, gain in zip(codes.T, _gains(self.accuracy, self.classes), strict=True):
            logs += gain * (column[:, None] == np.arange(self.classes))
        return softmax(logs)[0]


def accuracy_of_each_source(codes: CodeArray, classes: int, steps: int = 100) -> AccuracyOfEachSource:
    """Learn by EM one accuracy a source."""
    patterns = Patterns.of(codes)
    says = patterns.codes[:, :, None] == np.arange(classes)
    voted = patterns.codes >= 0
    accuracy = np.full(codes.shape[1], 0.7)
    for _ in range(steps):
        logs = np.einsum("umk,m->uk", says, _gains(accuracy, classes))
        chances = softmax(logs)[0]
        right = np.einsum("umk,uk,u->m", says, chances, patterns.counts)
        settled = (right + 1) / (voted.T @ patterns.counts + 2)
        moved = float(np.abs(settled - accuracy).max())
        accuracy = np.clip(settled, 1e-3, 1 - 1e-3)
        if moved < 1e-6:
            break
    return AccuracyOfEachSource(accuracy, classes)


def _gains(accuracy: FloatArray, classes: int) -> FloatArray:
    """(sources,): the log-odds that a vote adds to its label; a task with one label has no other to take it from."""
    gains: FloatArray = np.log(accuracy * max(classes - 1, 1) / (1 - accuracy))
    return gains
