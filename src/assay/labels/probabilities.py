"""What probabilities of outcomes say of tasks, and of the confidence in a label."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from assay.gold import CheckedLabels
from assay.tasks import TaskGraph

FloatArray = npt.NDArray[np.float64]


def marginal(joint: FloatArray, tasks: TaskGraph, task: str) -> FloatArray:
    """(items, labels + 1): the probabilities of a task's labels and, last, of N/A, from those of outcomes."""
    component = tasks.label_space.components[tasks.label_space.component_of(task)]
    found = np.zeros((len(joint), len(tasks[task].labels) + 1))
    for outcome, label in enumerate(component.label_of(task)):
        found[:, label] += joint[:, outcome]
    return found


def held_out_marginal(gold: CheckedLabels, tasks: TaskGraph, task: str) -> FloatArray:
    """(gold items, labels + 1): the marginal of a task, without the items' own gold."""
    return marginal(gold.held_out[tasks.label_space.component_of(task)], tasks, task)


def most_probable(joint: FloatArray) -> tuple[npt.NDArray[np.int64], FloatArray]:
    """(items,): the most probable outcome, the first in a tie, and its probability.

    >>> most_probable(np.array([[0.2, 0.8], [0.5, 0.5]]))[0].tolist()
    [1, 0]
    """
    if joint.shape[1] > _FEW:
        chosen = joint.argmax(axis=1)
        return chosen, np.take_along_axis(joint, chosen[:, None], axis=1)[:, 0]
    # A pass for each of a few outcomes is many times as fast as a loop over outcomes for each item.
    best, chosen = joint[:, 0].copy(), np.zeros(len(joint), dtype=np.int64)
    for outcome in range(1, joint.shape[1]):
        chosen[joint[:, outcome] > best] = outcome
        np.maximum(best, joint[:, outcome], out=best)
    return chosen, best


_FEW = 8


def confidence_of(parts: Sequence[FloatArray]) -> FloatArray:
    """(items,): the probability of the most probable outcome, or label; the least of those of several components."""
    found: FloatArray = np.min([most_probable(part)[1] for part in parts], axis=0)
    return found


def held_out_confidence(gold: CheckedLabels, tasks: TaskGraph, task: str | None) -> FloatArray:
    """(gold items,): how probable the label would be without the item's own gold."""
    return confidence_of(gold.held_out if task is None else [held_out_marginal(gold, tasks, task)])


def tempered(joint: FloatArray, temperature: float) -> FloatArray:
    """Probabilities to the power of 1 / temperature, normalised."""
    # Each row is divided by its largest entry first, so that the powers do not underflow.
    powers = (joint / joint.max(axis=1, keepdims=True)) ** (1 / temperature)
    found: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return found
