"""Tasks that refine a label of another task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from assay.errors import TaskError, near_miss
from assay.tasks.constraints import Constraint, Label, Vector
from assay.tasks.task import Task


def check_assignment(labels: Mapping[str, Sequence[str]], task: str, label: Label, where: str) -> None:
    """Raise unless ``task`` is one of those in ``labels`` and has ``label``; ``where`` names the place that said so."""
    if task not in labels:
        raise TaskError(f"{where} names task {task!r}, which does not exist. {near_miss(task, labels)}")
    if label is not None and label not in labels[task]:
        raise TaskError(
            f"{where} names label {label!r} of task {task!r}, which it does not have. {near_miss(label, labels[task])}"
        )


def check_parents(tasks: Sequence[Task]) -> None:
    """Raise if a parent does not exist, or a task is its own ancestor."""
    labels = {task.name: task.labels for task in tasks}
    for task in tasks:
        for parent, label in task.parents:
            check_assignment(labels, parent, label, f"the parent of task {task.name!r}")
    parents = _parents_of(tasks)
    for task in tasks:
        cycle = _cycle_through(task.name, parents)
        if cycle:
            raise TaskError(f"tasks are their own ancestors: {' -> '.join(cycle)}; remove one of these parents")


def parents_first(tasks: Iterable[Task]) -> list[str]:
    """Tasks, all their parents among them, by name in an order in which every task comes after its parents."""
    parents = _parents_of(tasks)
    ordered: dict[str, None] = {}

    def visit(name: str) -> None:
        for parent in parents[name]:
            if parent not in ordered:
                visit(parent)
        ordered[name] = None

    for name in parents:
        visit(name)
    return list(ordered)


def parent_rule(task: Task) -> Constraint:
    """The task applies exactly where one of its parent labels holds."""

    def holds(vector: Vector) -> bool:
        return (vector[task.name] is not None) == any(vector[parent] == label for parent, label in task.parents)

    names = dict.fromkeys([task.name, *(parent for parent, _ in task.parents)])
    return Constraint(text=f"the parent of task {task.name!r}", tasks=tuple(names), holds=holds)


def _cycle_through(name: str, parents: Mapping[str, Sequence[str]]) -> list[str] | None:
    """A chain of parents that leads from a task back to itself."""
    chains = [[name]]
    seen = {name}
    while chains:
        chain = chains.pop()
        for parent in parents[chain[-1]]:
            if parent == name:
                return [*chain, parent]
            if parent not in seen:
                seen.add(parent)
                chains.append([*chain, parent])
    return None


def _parents_of(tasks: Iterable[Task]) -> dict[str, list[str]]:
    return {task.name: [parent for parent, _ in task.parents] for task in tasks}
