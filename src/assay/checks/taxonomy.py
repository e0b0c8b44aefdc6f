"""Whether votes agree with the logic that was declared between tasks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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
    named = _named(tally, component)
    for (one, other), implied in _implied(component).items():
        if one not in named or other not in named:
            continue
        together = _together(tally, named[one], named[other])
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


def _implied(component: Component) -> dict[tuple[str, str], dict[str, str]]:
    """Per pair of tasks the labels of one that leave a single label of the other, which is not the only one it has.

    Only pairs that have some, in the order of the tasks. In a large hierarchy these are few among all pairs.
    """
    codes = component.codes
    several = np.array([len(labels) > 1 for labels in component.labels])
    found: dict[tuple[str, str], dict[str, str]] = {}
    for at, (one, names) in enumerate(zip(component.tasks, component.labels, strict=True)):
        by_other: dict[int, dict[str, str]] = {}
        for number, label in enumerate(names):
            left = codes[codes[:, at] == number]
            if not len(left):
                continue
            lowest, highest = left.min(axis=0), left.max(axis=0)
            for other in np.flatnonzero((lowest == highest) & (lowest >= 0) & several).tolist():
                if other != at:
                    by_other.setdefault(other, {})[label] = component.labels[other][lowest[other]]
        found |= {(one, component.tasks[other]): by_other[other] for other in sorted(by_other)}
    return found


@dataclass(frozen=True, eq=False)
class _Naming:
    """The values that name a label of one task."""

    values: IntArray
    """(values,): their numbers among those of all sources."""
    source: IntArray
    """(values,): whose they are."""
    says: IntArray
    """(values, labels): ones where a value names the label."""


def _named(tally: Tally, component: Component) -> dict[str, _Naming]:
    """Of each task that is named the values that do."""
    labels = dict(zip(component.tasks, component.labels, strict=True))
    found: dict[str, list[tuple[int, int]]] = {}
    for number, value in enumerate(value for table in tally.values for value in table):
        for task, label in value.labels:
            if isinstance(label, str) and task in labels:
                found.setdefault(task, []).append((number, labels[task].index(label)))
    source = tally.schema.source_of_value
    named = {}
    for task, pairs in found.items():
        values, codes = np.array(pairs, dtype=np.int64).T
        says = (codes[:, None] == np.arange(len(labels[task]))).astype(np.int64)
        named[task] = _Naming(values, source[values], says)
    return named


def _together(tally: Tally, one: _Naming, other: _Naming) -> IntArray:
    """(labels of one task, labels of the other): how often different sources vote for the two on one item."""
    assert tally.pair is not None
    pair = tally.pair[np.ix_(one.values, other.values)] * (one.source[:, None] != other.source[None])
    total: IntArray = one.says.T @ pair @ other.says
    return total
