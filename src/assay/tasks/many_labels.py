"""Tasks of which any subset of labels may apply: one yes/no question a label, and the logic between these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from assay.errors import TaskError, near_miss
from assay.tasks.constraints import Assignment, Constraint
from assay.tasks.hierarchy import check_assignment
from assay.tasks.task import Task, unique_tasks

Multiple = Mapping[str, tuple[str, ...]]
"""The tasks of which any subset of labels may apply, each with its labels."""


def question(task: str, label: str) -> str:
    """The name of the question whether a label applies.

    >>> question("topics", "sports")
    'topics: sports'
    """
    return f"{task}: {label}"


def negated(label: str) -> str:
    """The answer that a label does not apply; that it does is the label itself."""
    return f"not {label}"


def asked(declared: Sequence[Task]) -> tuple[Task, ...]:
    """The tasks of a graph as it asks them: a yes/no question for each label of a task with several.

    >>> asked([Task("topics", ["sports", "politics"], multiple=True)])
    (Task('topics: sports', ['not sports', 'sports']), Task('topics: politics', ['not politics', 'politics']))
    """
    multiple = {task.name: task.labels for task in declared if task.multiple}
    if not multiple:
        return tuple(declared)
    found = []
    for task in declared:
        above = [_asked_pair(parent, multiple, f"the parent of task {task.name!r}") for parent in task.parents]
        parents = [(name, label) for name, label in above if label is not None]
        if task.multiple:
            found += [Task(question(task.name, label), [negated(label), label], parents) for label in task.labels]
        else:
            found.append(Task(task.name, task.labels, parents))
    return unique_tasks(found)


def asked_constraint(constraint: Constraint, multiple: Multiple) -> Constraint:
    """A constraint in terms of the questions that a graph asks."""
    for task in constraint.whole:
        if task not in multiple:
            raise TaskError(
                f"the constraint '{constraint}' names all labels of {task!r}, which is no task with multiple=True. "
                f"{near_miss(task, multiple)}"
            )
    if not constraint.whole and not any(task in multiple for task in constraint.tasks):
        return constraint
    if constraint.kind is None:
        return constraint
    named = [(task, label) for task in constraint.whole for label in multiple[task]]
    pairs = [_asked_pair(pair, multiple, f"the constraint '{constraint}'") for pair in (*named, *constraint.mentions)]
    if constraint.kind == "at_most":
        # In the order in which vectors grow, so that they are pruned early.
        order = {question(task, label): at for task in multiple for at, label in enumerate(multiple[task])}
        pairs = sorted(dict.fromkeys(pairs), key=lambda pair: order.get(pair[0], -1))
        if len(pairs) <= constraint.most:
            raise TaskError(f"the constraint '{constraint}' rules nothing out: it names {len(pairs)} labels")
    return constraint.between(pairs)


def _asked_pair(pair: Assignment, multiple: Multiple, where: str) -> Assignment:
    task, label = pair
    if task not in multiple:
        return pair
    if label is None:
        raise TaskError(f"{where} says that {task!r} does not apply, but any subset of its labels may; name a label")
    check_assignment(multiple, task, label, where)
    return question(task, label), label


def labels_of_questions(multiple: Multiple) -> dict[str, tuple[str, str]]:
    """Per question the task and the label that it asks about."""
    return {question(task, label): (task, label) for task, labels in multiple.items() for label in labels}


def broken(constraints: Iterable[Constraint], applies: Mapping[str, bool]) -> Constraint | None:
    """The first constraint that cannot hold any more if these questions are answered so, others left open."""
    for constraint in constraints:
        if constraint.kind == "at_most":
            satisfied = sum(applies.get(task, False) for task, _ in constraint.mentions) <= constraint.most
        else:
            (first, _), *rest = constraint.mentions
            satisfied = not applies.get(first, False) or any(applies.get(task, True) for task, _ in rest)
        if not satisfied:
            return constraint
    return None
