"""Which question to ask next about an item, given what has been said: down the hierarchy, and no needless one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from assay.gold.hand_label_file import Answer
from assay.tasks import Component, TaskGraph, Vote


@dataclass(frozen=True)
class Question:
    """A task to be settled, and the labels that are still possible."""

    task: str
    options: tuple[str | None, ...]
    """Labels; None is N/A."""


def next_question(tasks: TaskGraph, answer: Answer, unknown: Collection[str] = ()) -> Question | None:
    """The next question about an item; None if there is nothing left to ask.

    Parameters
    ----------
    answer
        Task -> label so far.
    unknown
        Tasks that the person does not know; they are left open, with the tasks below them.

    >>> from assay import Task
    >>> entity, person = Task("entity", ["Person", "Place"]), Task("person", ["Doctor", "Lawyer"], ("entity", "Person"))
    >>> tasks = TaskGraph([entity, person])
    >>> next_question(tasks, {})
    Question(task='entity', options=('Person', 'Place'))
    >>> next_question(tasks, {"entity": "Person"})
    Question(task='person', options=('Doctor', 'Lawyer'))
    >>> print(next_question(tasks, {"entity": "Place"}), next_question(tasks, {"entity": "Person"}, ["person"]))
    None None
    """
    for component in tasks.label_space.components:
        order = sorted(component.tasks, key=tasks.names.index)
        for task in tasks.parents_first(order):
            if task in answer or _is_open(tasks, task, answer, unknown):
                continue
            options = _possible(component, task, answer)
            if len(options) > 1:
                return Question(task, options)
    return None


def _is_open(tasks: TaskGraph, task: str, answer: Answer, unknown: Collection[str]) -> bool:
    """Whether a task is not known, or whether it applies at all is not."""
    above = [parent for parent, _ in tasks[task].parents if parent not in answer]
    return task in unknown or any(_is_open(tasks, parent, answer, unknown) for parent in above)


def _possible(component: Component, task: str, answer: Answer) -> tuple[str | None, ...]:
    """The labels of a task in the outcomes that an answer leaves, in their order; N/A last."""
    said = tuple((name, label) for name, label in answer.items() if name in component.tasks)
    left = set(component.label_of(task)[component.allows(Vote(said))].tolist())
    labels = component.labels[component.tasks.index(task)]
    found: list[str | None] = [label for at, label in enumerate(labels) if at in left]
    return (*found, None) if -1 in left else tuple(found)
