"""Definitions by enumeration, to compare the library with."""

from __future__ import annotations

from itertools import product

import assay
from tests.support.strategies import Declaration, Partial, Vector, agrees, full_vectors


def brute_force(declared: Declaration) -> list[Vector] | None:
    """Every vector of the full product, N/A included, that obeys all rules; None if that is refused."""
    tasks = declared.tasks
    unsure = {task.name for task in tasks if task.parents}
    unsure |= {
        task for rule in declared.rules if rule.kind != "predicate" for task, label in rule.pairs if label is None
    }
    listed = declared.feasible or ()
    unsure |= {task for vector in listed for task, label in vector.items() if label is None}
    domains = [(*task.labels, *([None] if task.name in unsure else [])) for task in tasks]

    def under_parents(task: assay.Task, vector: Vector) -> bool:
        if not task.parents:
            return True
        return (vector[task.name] is not None) == any(vector[above] == label for above, label in task.parents)

    mentioned = set(listed[0]) if listed else set()
    found = []
    for labels in product(*domains):
        vector = {task.name: label for task, label in zip(tasks, labels, strict=True)}
        if (
            all(under_parents(task, vector) for task in tasks)
            and all(rule.holds(vector) for rule in declared.rules)
            and (not listed or {task: vector[task] for task in mentioned} in [dict(each) for each in listed])
        ):
            found.append(vector)
    if any(not any(each.items() <= vector.items() for vector in found) for each in listed):
        return None
    if any(label not in {vector[task.name] for vector in found} for task in tasks for label in task.labels):
        return None
    return found


def meaning(tasks: assay.TaskGraph, vote: Partial | None) -> dict[str, frozenset[str | None]] | None:
    """Task -> the labels that a vote leaves it, whatever words it is said in; None if it abstains."""
    if vote is None:
        return None
    vectors = full_vectors(tasks)
    return {
        task: frozenset(vector[task] for vector in vectors if agrees(vector[task], said)) for task, said in vote.items()
    }


def allowed(tasks: assay.TaskGraph, vote: Partial | None) -> frozenset[int]:
    """The joint outcomes that a vote allows; all of them for none."""
    return frozenset(
        number
        for number, vector in enumerate(full_vectors(tasks))
        if all(agrees(vector[task], label) for task, label in (vote or {}).items())
    )


def spoken(tasks: assay.TaskGraph, vote: Partial | None) -> dict[int, frozenset[int]]:
    """Component -> the outcomes of it that a vote allows, where it rules out any."""
    told = {}
    for index, component in enumerate(tasks.label_space.components):
        agreeing = frozenset(
            number
            for number, outcome in enumerate(component.outcomes)
            if all(agrees(outcome[task], label) for task, label in (vote or {}).items() if task in component.tasks)
        )
        if len(agreeing) < len(component):
            told[index] = agreeing
    return told
