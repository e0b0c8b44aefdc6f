"""Labels that some logic links, put together: of which any subset may apply, and of which each was labeled by itself.

If sources err on each label independently of the others, and labels are independent but for the logic between them,
the posterior of a subset is the product of those of its labels, among the subsets that are feasible.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from assay.gold import CheckedLabels
from assay.tasks import TaskGraph

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

_LEAST = 1e-12


def put_together(parts: Sequence[FloatArray], tasks: TaskGraph) -> list[FloatArray]:
    """Per component of the linked graph (items, outcomes), from those of each component of the unlinked graph.

    >>> from assay import Task, excludes
    >>> topics = Task("topics", ["a", "b"], multiple=True)
    >>> tasks = TaskGraph([topics], constraints=[excludes(("topics", "a"), ("topics", "b"))])
    >>> put_together([np.array([[0.5, 0.5]]), np.array([[0.5, 0.5]])], tasks.unlinked)[0].round(3)
    array([[0.333, 0.333, 0.333]])
    """
    if tasks.linked is None:
        return list(parts)
    found = []
    for component in tasks.linked.label_space.components:
        homes = [tasks.label_space.component_of(task) for task in component.tasks]
        if len(homes) == 1 or homes[0] == homes[-1]:
            found.append(parts[homes[0]])
            continue
        logs = np.zeros((len(parts[0]), len(component)))
        for task, home in zip(component.tasks, homes, strict=True):
            logs += np.log(np.maximum(parts[home], _LEAST))[:, component.label_of(task)]
        chances = np.exp(logs - logs.max(axis=1, keepdims=True))
        found.append(chances / chances.sum(axis=1, keepdims=True))
    return found


def gold_put_together(gold: CheckedLabels, tasks: TaskGraph) -> CheckedLabels:
    """Gold and what was said of its items, for the components of the linked graph."""
    if tasks.linked is None:
        return gold
    allowed: list[BoolArray] = []
    for component in tasks.linked.label_space.components:
        homes = [tasks.label_space.component_of(task) for task in component.tasks]
        if len(homes) == 1 or homes[0] == homes[-1]:
            allowed.append(gold.allowed[homes[0]])
            continue
        parts = [
            gold.allowed[home][:, component.label_of(task)] for task, home in zip(component.tasks, homes, strict=True)
        ]
        allowed.append(np.logical_and.reduce(parts))
    return CheckedLabels(gold.rows, tuple(allowed), tuple(put_together(gold.held_out, tasks)), gold.weights)
