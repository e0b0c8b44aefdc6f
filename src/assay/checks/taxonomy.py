"""Whether votes agree with the logic that was declared between tasks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import numpy.typing as npt

from assay.checks.problems import Problem
from assay.counts import Tally
from assay.tasks import Component

IntArray = npt.NDArray[np.int64]

LEAST_VOTES = 30
"""Fewer pairs of votes on two tasks than this are too few to judge."""
SURE = 3.0
"""The wrong label must be ahead by this many standard deviations."""


def contradicted(tally: Tally, component: Component) -> Iterator[Problem]:
    """A204: votes for a label that come with more votes for a label it rules out than for the one it implies."""
    if tally.pair is None or len(component.tasks) < 2:
        return
    for one, other in permutations(component.tasks, 2):
        implied = _implied(component, one, other)
        if not implied:
            continue
        together = _together(tally, component, one, other)
        labels = component.labels[component.tasks.index(other)]
        for label, consequence in implied.items():
            row = together[component.labels[component.tasks.index(one)].index(label)]
            right = labels.index(consequence)
            wrong = int(np.argmax(np.where(np.arange(len(row)) == right, -1, row)))
            lead = float(row[wrong] - row[right])
            if row.sum() >= LEAST_VOTES and lead > SURE * np.sqrt(max(float(row[wrong] + row[right]), 1.0)):
                message = (
                    f"the task graph says that {label!r} of task {one!r} implies {consequence!r} of task {other!r}, "
                    f"but votes for it come with {row[wrong]:,} votes for {labels[wrong]!r} and {row[right]:,} for "
                    f"{consequence!r}"
                )
                fix = "look at assay.suggest_task_graph(votes), and correct the task graph or the sources"
                yield Problem("A204", message, fix, tasks=(one, other))


def _implied(component: Component, one: str, other: str) -> dict[str, str]:
    """Labels of one task that leave a single label of another, which is not the only one it has."""
    labels = component.labels[component.tasks.index(other)]
    if len(labels) < 2:
        return {}
    found = {}
    for label in component.labels[component.tasks.index(one)]:
        said = {outcome[other] for outcome in component.outcomes if outcome[one] == label}
        if len(said) == 1 and (only := said.pop()) is not None:
            found[label] = only
    return found


def _together(tally: Tally, component: Component, one: str, other: str) -> IntArray:
    """(labels of one task, labels of the other): how often different sources vote for the two on one item."""
    assert tally.pair is not None
    source = np.repeat(np.arange(len(tally.names)), np.diff(tally.schema.offsets))
    says = [_says(tally, component, task) for task in (one, other)]
    pair = tally.pair * (source[:, None] != source[None])
    total: IntArray = says[0].T @ pair @ says[1]
    return total


def _says(tally: Tally, component: Component, task: str) -> IntArray:
    """(values of all sources, labels of a task): ones where a value names the label."""
    labels = component.labels[component.tasks.index(task)]
    named = [dict(value.labels).get(task) for values in tally.values for value in values]
    return np.array([[name == label for label in labels] for name in named], dtype=np.int64).reshape(-1, len(labels))
