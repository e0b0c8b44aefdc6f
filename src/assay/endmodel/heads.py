"""One head a task, and how the heads make a joint over outcomes that no taxonomy can object to.

A head gives a distribution over its task's labels. Outcomes are the leaves of a
tree: the label of the first task is chosen, then that of the second, and so on,
parents first. At each step the head's distribution is restricted to the labels that
are feasible after the choices so far. So the probabilities of the outcomes sum to
one, whatever the logic between the tasks, and an infeasible vector has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from assay.endmodel.settings import NotApplicable
from assay.errors import AssayError, near_miss
from assay.labels import Labels
from assay.tasks import NOT_APPLICABLE, TaskGraph

FloatArray = npt.NDArray[np.float64]
ClassWeights = Literal["balanced"] | Mapping[str, Mapping[str, float]]
"""How much labels count in the loss: all labels of a task alike, or per task and label."""


@dataclass(frozen=True)
class Heads:
    """The heads of all tasks, side by side: ``slices`` says which columns belong to which task.

    With ``not_applicable="outcome"``, N/A is a label of every task that may not apply.
    With ``"masked"`` a head learns from items that its task applies to, and only from as
    much of each as that is probable; N/A is a label only where the tasks before it do not settle it.

    >>> from assay import Task, TaskGraph
    >>> tasks = TaskGraph([
    ...     Task("entity", ["Person", "Organization"]),
    ...     Task("person", ["Doctor", "Lawyer"], parent=("entity", "Person")),
    ... ])
    >>> Heads(tasks).sizes, Heads(tasks, "outcome").sizes
    ((2, 2), (2, 3))
    >>> even = np.log([[0.5, 0.5, 0.5, 0.5]])
    >>> np.exp(Heads(tasks).log_joint(even)[0])
    array([[0.25, 0.25, 0.5 ]])
    """

    tasks: TaskGraph
    not_applicable: NotApplicable = "masked"

    def __post_init__(self) -> None:
        if self.not_applicable not in ("masked", "outcome"):
            raise AssayError(f"not_applicable must be 'masked' or 'outcome', but is {self.not_applicable!r}")

    @cached_property
    def _orders(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(self.tasks.parents_first(part.tasks)) for part in self.tasks.label_space.components)

    def _steps(self, index: int) -> list[tuple[str, list[npt.NDArray[np.intp]]]]:
        """Per task of a component, in order: the outcomes that share all earlier choices, group by group."""
        component = self.tasks.label_space.components[index]
        groups = [np.arange(len(component))]
        steps = []
        for task in self._orders[index]:
            steps.append((task, groups))
            labels = component.label_of(task)
            groups = [group[labels[group] == label] for group in groups for label in np.unique(labels[group])]
        return steps

    @cached_property
    def has_na(self) -> dict[str, bool]:
        """Per task whether N/A is a label of its head."""
        found = {}
        for index, component in enumerate(self.tasks.label_space.components):
            for task, groups in self._steps(index):
                is_na = component.label_of(task) == NOT_APPLICABLE
                if self.not_applicable == "outcome":
                    found[task] = bool(is_na.any())
                else:
                    found[task] = any(is_na[group].any() and not is_na[group].all() for group in groups)
        return found

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Per task how many labels its head has."""
        return tuple(len(task.labels) + self.has_na[task.name] for task in self.tasks)

    @property
    def width(self) -> int:
        """How many labels the heads have together."""
        return sum(self.sizes)

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """Per task its columns."""
        ends = np.cumsum(self.sizes)
        return tuple(slice(int(end) - size, int(end)) for end, size in zip(ends, self.sizes, strict=True))

    def targets(self, labels: Labels) -> npt.NDArray[np.float32]:
        """(items, width): per head the probabilities of its labels; less than one in sum where N/A is masked."""
        targets = np.empty((len(labels), self.width), dtype=np.float32)
        for task, columns, size in zip(self.tasks, self.slices, self.sizes, strict=True):
            targets[:, columns] = labels[task.name][:, :size]
        return targets

    def factors(self, shares: FloatArray, weights: ClassWeights | None) -> npt.NDArray[np.float32]:
        """(width,): by what targets are multiplied so that labels count more or less; on average they count as before.

        Parameters
        ----------
        shares
            (width,): how much of the targets belongs to each label.
        weights
            ``"balanced"``: labels of a task count as if each had the same share of the items. Or per task how much each
            label counts, 1 where nothing is said.
        """
        factors = np.ones(self.width)
        if weights is None:
            return factors.astype(np.float32)
        for task, columns in zip(self.tasks, self.slices, strict=True):
            own = shares[columns]
            if weights == "balanced":
                # Labels without items cannot count at all.
                given = np.divide(1.0, own, out=np.zeros_like(own), where=own > 0)
            else:
                said = weights.get(task.name, {})
                given = np.array(
                    [said.get(label, 1.0) for label in task.labels] + [1.0] * (len(own) - len(task.labels))
                )
            total = float(own @ given)
            factors[columns] = given * own.sum() / total if total > 0 else 1.0
        return factors.astype(np.float32)

    def check_weights(self, weights: Any) -> None:
        """Raise unless these are class weights for these tasks."""
        if weights is None or weights == "balanced":
            return
        if not isinstance(weights, Mapping) or not all(isinstance(said, Mapping) for said in weights.values()):
            raise AssayError(
                "class_weights must be 'balanced', None, or per task how much each label counts, as in "
                f"{{'task': {{'label': 2.0}}}}, but is {weights!r}"
            )
        for task, said in weights.items():
            if task not in self.tasks:
                raise AssayError(f"class_weights names the task {task!r}. {near_miss(task, self.tasks.names)}")
            for label, weight in said.items():
                labels = self.tasks[task].labels
                if label not in labels:
                    raise AssayError(f"class_weights names the label {label!r} of {task!r}. {near_miss(label, labels)}")
                if not isinstance(weight, int | float) or not 0 < weight < np.inf:
                    raise AssayError(f"class_weights must be positive numbers, but that of {label!r} is {weight!r}")

    def log_joint(self, logs: npt.NDArray[Any]) -> list[FloatArray]:
        """Per component (items, outcomes): log P(outcome), from (items, width) logs of each head's probabilities."""
        column_of = dict(zip(self.tasks.names, self.slices, strict=True))
        joints = []
        for index, component in enumerate(self.tasks.label_space.components):
            joint = np.zeros((len(logs), len(component)))
            for task, groups in self._steps(index):
                head = np.asarray(logs[:, column_of[task]], dtype=np.float64)
                totals: dict[tuple[int, ...], FloatArray] = {}
                for group in groups:
                    labels = component.label_of(task)[group]
                    feasible = tuple(np.unique(labels).tolist())
                    if len(feasible) == 1:
                        continue  # the tasks before it settle this one
                    # −1, N/A, is the last column of a head that has it.
                    if feasible not in totals:
                        totals[feasible] = np.logaddexp.reduce(head[:, list(feasible)], axis=1)
                    joint[:, group] += head[:, labels] - totals[feasible][:, None]
            joints.append(joint)
        return joints

    def labels(self, logs: npt.NDArray[Any]) -> Labels:
        """The labels that the heads give together."""
        parts = []
        for joint in self.log_joint(logs):
            chances = np.exp(joint)
            parts.append(chances / chances.sum(axis=1, keepdims=True))
        return Labels(self.tasks, tuple(parts))
