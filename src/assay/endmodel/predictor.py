"""What all end models have in common: what they learn from, and the verbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from assay._core.estimator import Estimator, FittedT
from assay.errors import AssayError, DataError
from assay.evaluation import as_gold
from assay.gold import micro_accuracy, outcome_numbers
from assay.labels import Labels
from assay.tasks import TaskGraph
from assay.votes import Votes, index_of

IntArray = npt.NDArray[np.int64]


class Predictor(Estimator[FittedT]):
    """Labels items from their data alone."""

    def score(self, data: Any, gold: Any) -> float:
        """The share of outcomes that are right; gold has any of the shapes that :func:`assay.evaluate` takes."""
        labels = self.label(data)
        return micro_accuracy(labels.joint, settled_outcomes(labels.tasks, gold, len(labels)))

    def read_ahead(self, data: Any) -> Any:
        """Data for models of these settings that are each given some of its rows; what it holds is for them alone."""
        return data


def settled_outcomes(tasks: TaskGraph, gold: Any, items: int) -> list[IntArray]:
    """Per component (items,): the outcome that gold leaves for each item, −1 where it leaves several."""
    truth = as_gold(tasks, gold, items)
    return [outcome_numbers(truth, index) for index in range(len(tasks.label_space.components))]


def labels_to_learn_from(given: Any, tasks: TaskGraph | None = None) -> Labels:
    """Labels of these tasks for at least one item, from whatever :meth:`fit` of an end model takes.

    Parameters
    ----------
    given
        :class:`assay.Labels`; or an array (items, outcomes) of probabilities, for one component; or true labels in any
        of the shapes that :func:`assay.evaluate` takes, of which those that settle no outcome are left out.
    tasks
        The task graph. Without one, it is that of the labels; and of class numbers or names, a flat task of these.

    >>> labels_to_learn_from([1, 0, -1]).kept
    array([ True,  True, False])
    >>> labels_to_learn_from(["spam", "ham"]).names("label").tolist()
    ['spam', 'ham']
    """
    labels = given if isinstance(given, Labels) else _as_labels(given, tasks)
    if tasks is not None and labels.tasks != tasks:
        theirs, ours = (", ".join(graph.names) for graph in (labels.tasks, tasks))
        hint = "the same tasks with other labels or logic" if theirs == ours else f"{theirs}, rather than {ours}"
        raise AssayError(f"the labels are for another task graph than this model's: {hint}; label with the same tasks")
    if not len(labels):
        raise AssayError("there are no labels to learn from; were all items left out?")
    for joint in labels.joint:
        valid = np.isfinite(joint).all(axis=1) & (joint >= 0).all(axis=1) & (np.abs(joint.sum(axis=1) - 1) < 1e-6)
        if not valid.all():
            row = int((~valid).argmax())
            raise AssayError(f"labels are probabilities that sum to one, but those of item {row} are {joint[row]}")
    return labels


def _as_labels(given: Any, tasks: TaskGraph | None) -> Labels:
    if isinstance(given, np.ndarray) and given.ndim == 2 and given.dtype.kind == "f":
        return _from_probabilities(given, tasks)
    if isinstance(given, str) or (not isinstance(given, Mapping | Votes | Sequence) and not hasattr(given, "tolist")):
        raise AssayError(
            "expected labels to learn from: assay.Labels, which LabelModel.label(votes) gives, probabilities as "
            f"items × outcomes, or true labels, but got {type(given).__name__}"
        )
    graph = _flat_task_of(given) if tasks is None else tasks
    items = len(next(iter(given.values()), ())) if isinstance(given, Mapping) else len(given)
    numbers = settled_outcomes(graph, given, items)
    joint = tuple(np.eye(len(part))[at] for part, at in zip(graph.label_space.components, numbers, strict=True))
    settled = np.all([at >= 0 for at in numbers], axis=0)
    labels = Labels(graph, joint)
    return labels if settled.all() else labels.where(settled)


def _from_probabilities(given: npt.NDArray[np.floating], tasks: TaskGraph | None) -> Labels:
    graph = _flat_task(given.shape[1]) if tasks is None else tasks
    sizes = [len(component) for component in graph.label_space.components]
    if sizes != [given.shape[1]]:
        raise AssayError(
            f"expected probabilities as items × {' + '.join(map(str, sizes))} outcomes, but their shape is "
            f"{given.shape}; for several components give assay.Labels"
        )
    return Labels(graph, (given.astype(np.float64),))


def _flat_task_of(given: Any) -> TaskGraph:
    """The task of bare class numbers or label names."""
    if isinstance(given, Votes):
        return given.tasks
    values = [] if isinstance(given, Mapping) else list(given.tolist() if hasattr(given, "tolist") else given)
    if values and all(isinstance(value, int | np.integer) and not isinstance(value, bool) for value in values):
        return _flat_task(max(*values, 1) + 1)
    named = [value for value in values if value is not None and value == value]
    if len(set(map(str, named))) < 2 or not all(isinstance(value, str) for value in named):
        raise AssayError(
            "expected class numbers, or label names of one task, to learn from; for anything else say which tasks it "
            "is about: SklearnEndModel(estimator, tasks=...)"
        )
    return TaskGraph.flat("label", sorted(set(named)))


def _flat_task(classes: int) -> TaskGraph:
    return TaskGraph.flat("label", [str(number) for number in range(classes)])


def rows_of(labels: Labels, count: int, data: Any = None) -> IntArray:
    """Which rows of data the labels are of: all, those that were kept, or all of data that was cut already.

    Rows and labels go together by position. Data whose index calls the same items by name in another order is refused.
    """
    if labels.kept is not None and count == len(labels.kept):
        rows = np.flatnonzero(labels.kept)
    elif count == len(labels):
        rows = np.arange(count)
    else:
        among = "" if labels.kept is None else f", chosen from {len(labels.kept)} rows"
        raise DataError(
            f"expected a row of data for each label, but there are {count} rows and {len(labels)} labels{among}; "
            "give the data that the labels were made for, in the same order"
        )
    index = index_of(data)
    if labels.items is None or index is None:
        return rows
    called = np.array(index.tolist(), dtype=object)[rows]
    astray = np.flatnonzero(called != labels.items)
    if len(astray) and np.isin(called[astray], labels.items).any():
        at = astray[0]
        raise DataError(
            f"data and labels are of the same items in another order: row {rows[at]} of the data is {called[at]!r}, "
            f"and the label there is that of {labels.items[at]!r}; give data.loc[labels.items]"
        )
    return rows
