"""Task graphs: the tasks, and the logic between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from assay.errors import TaskError, near_miss
from assay.tasks.compiler import compile_logic, flat_label_space
from assay.tasks.constraints import Assignment, Constraint, Predicate, Vector
from assay.tasks.drawing import task_graph_mermaid, task_graph_svg
from assay.tasks.hierarchy import check_parents, parents_first
from assay.tasks.label_space import NOT_APPLICABLE, Component, LabelSpace
from assay.tasks.task import Task, unique_tasks


class TaskGraph:
    """Tasks and the logic between them, compiled to a :class:`LabelSpace`.

    Parameters
    ----------
    tasks
        The tasks. A task with a parent applies under that label only.
    constraints
        More logic: :func:`assay.implies`, :func:`assay.excludes`, or any
        function that takes a dict of labels and says whether it is feasible.
    feasible
        The feasible vectors themselves, as dicts, instead of logic; a task that
        a vector leaves out does not apply in it.

    Raises
    ------
    TaskError
        For a cycle, a duplicate or unknown name, a label that no outcome has,
        logic that leaves no outcome, or more than ``MAX_OUTCOMES`` in a component.

    >>> tasks = TaskGraph([
    ...     Task("entity", ["Person", "Organization"]),
    ...     Task("person", ["Doctor", "Lawyer"], parent=("entity", "Person")),
    ... ])
    >>> for outcome in tasks.label_space.outcomes:
    ...     print(outcome)
    {'entity': 'Person', 'person': 'Doctor'}
    {'entity': 'Person', 'person': 'Lawyer'}
    {'entity': 'Organization', 'person': None}
    """

    _declared_last: ClassVar[TaskGraph | None] = None

    tasks: tuple[Task, ...]
    constraints: tuple[Constraint, ...]
    label_space: LabelSpace

    def __init__(
        self,
        tasks: Iterable[Task],
        *,
        constraints: Iterable[Constraint | Predicate] = (),
        feasible: Iterable[Vector] | None = None,
    ) -> None:
        self.tasks = unique_tasks(tasks)
        self.constraints, self.label_space = compile_logic(self.tasks, constraints, feasible)
        TaskGraph._declared_last = self

    @classmethod
    def flat(cls, name: str, labels: Iterable[str]) -> TaskGraph:
        """A single task. :func:`assay.apply` has to be given such a graph; it does not count as declared last.

        >>> TaskGraph.flat("mail", ["ham", "spam"]).label_space.outcomes
        ({'mail': 'ham'}, {'mail': 'spam'})
        """
        task = Task(name, labels)
        return cls._compiled((task,), flat_label_space(task))

    @classmethod
    def _compiled(cls, tasks: tuple[Task, ...], label_space: LabelSpace) -> TaskGraph:
        """A graph whose outcomes are known already; one that nobody declared."""
        graph = cls.__new__(cls)
        graph.tasks, graph.constraints, graph.label_space = tasks, (), label_space
        return graph

    @property
    def names(self) -> tuple[str, ...]:
        """The tasks' names, as declared."""
        return tuple(task.name for task in self.tasks)

    def __getitem__(self, name: str) -> Task:
        for task in self.tasks:
            if task.name == name:
                return task
        raise TaskError(f"there is no task {name!r}. {near_miss(name, self.names)}")

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)

    def __len__(self) -> int:
        return len(self.tasks)

    def __eq__(self, other: object) -> bool:
        """Same tasks and same outcomes, whatever logic they were written in."""
        return self is other or (isinstance(other, TaskGraph) and self.to_dict() == other.to_dict())

    def __hash__(self) -> int:
        return hash(self.tasks)

    def __repr__(self) -> str:
        lines = [f"  {task!r}," for task in self.tasks]
        sizes = [len(component) for component in self.label_space.components]
        what = f"{sizes[0]} outcomes" if len(sizes) == 1 else f"{len(sizes)} components, {sum(sizes)} outcomes"
        return "\n".join([f"TaskGraph([  # {what}", *lines, "])"])

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def to_svg(self) -> str:
        """The task graph as an SVG picture; notebooks show it by themselves."""
        return task_graph_svg([(task.name, task.labels, task.parents) for task in self.tasks], self._links())

    def to_mermaid(self) -> str:
        """The task graph as a Mermaid flowchart, for Markdown pages that draw it."""
        return task_graph_mermaid([(task.name, task.labels, task.parents) for task in self.tasks], self._links())

    def _links(self) -> list[tuple[str, tuple[Assignment, ...]]]:
        return [(constraint.text, constraint.mentions) for constraint in self.constraints if constraint.mentions]

    def to_dict(self) -> dict[str, Any]:
        """Tasks and outcomes as plain lists, for JSON. Logic is stored as the outcomes it leaves."""
        return {
            "tasks": [
                {"name": task.name, "labels": list(task.labels), "parents": [list(parent) for parent in task.parents]}
                for task in self.tasks
            ],
            "components": [
                {"tasks": list(component.tasks), "outcomes": component.codes.tolist()}
                for component in self.label_space.components
            ],
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> TaskGraph:
        """The task graph that :meth:`to_dict` wrote."""
        try:
            tasks = unique_tasks(
                Task(entry["name"], entry["labels"], [(task, label) for task, label in entry["parents"]])
                for entry in stored["tasks"]
            )
            labels = {task.name: task.labels for task in tasks}
            components = tuple(
                Component(
                    tuple(entry["tasks"]),
                    tuple(labels[name] for name in entry["tasks"]),
                    np.array(entry["outcomes"], dtype=np.int16).reshape(-1, len(entry["tasks"])),
                )
                for entry in stored["components"]
            )
        except (KeyError, TypeError, ValueError) as error:
            raise TaskError(f"this is not a valid stored task graph: {type(error).__name__}: {error}") from error
        for component in components:
            sizes = np.array([len(names) for names in component.labels])
            if not len(component) or not ((component.codes >= NOT_APPLICABLE) & (component.codes < sizes)).all():
                raise TaskError(f"this is not a valid stored task graph: outcomes of {component.tasks} fit no labels")
        if sorted(name for component in components for name in component.tasks) != sorted(labels):
            raise TaskError("this is not a valid stored task graph: its components do not cover its tasks")
        check_parents(tasks)
        return cls._compiled(tasks, LabelSpace(components))

    def parents_first(self, names: Iterable[str]) -> list[str]:
        """The tasks of a component in an order in which every task comes after its parents."""
        return parents_first([self[name] for name in names])


def task_graph_declared_last() -> TaskGraph | None:
    """The graph that was last declared with ``TaskGraph([...])`` in this process.

    What :func:`assay.apply` uses when it is given none.
    """
    return TaskGraph._declared_last
