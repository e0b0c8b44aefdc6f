"""Task graphs: the tasks, and the logic between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from assay._core.arguments import several
from assay.errors import TaskError, near_miss
from assay.tasks.compiler import compile_logic, flat_label_space
from assay.tasks.constraints import Assignment, Constraint, Predicate, Vector
from assay.tasks.drawing import task_graph_mermaid, task_graph_svg
from assay.tasks.hierarchy import check_parents, parents_first
from assay.tasks.label_space import NOT_APPLICABLE, Component, LabelSpace
from assay.tasks.many_labels import Multiple, asked, asked_constraint, labels_of_questions
from assay.tasks.task import Task, unique_tasks


class TaskGraph:
    """Tasks and the logic between them, compiled to a :class:`LabelSpace`.

    Parameters
    ----------
    tasks
        The tasks. A task with a parent applies under that label only. A task with ``multiple=True``
        is asked as one yes/no question a label, named ``"topics: sports"``.
    constraints
        More logic: :func:`assay.implies`, :func:`assay.excludes`, :func:`assay.at_most`, or any
        function that takes a dict of labels and says whether it is feasible. Labels of which any
        subset may apply are a component together as far as such logic links them, up to
        ``MAX_SUBSETS`` outcomes; beyond, it is met when labels are decided.
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
    """The tasks as they are asked: for each one with ``multiple=True``, a yes/no question a label."""
    declared: tuple[Task, ...]
    """The tasks as they were declared."""
    constraints: tuple[Constraint, ...]
    label_space: LabelSpace
    linked: TaskGraph | None = None
    """The graph with the logic between labels of which any subset may apply, if this is :attr:`unlinked` of it."""

    def __init__(
        self,
        tasks: Iterable[Task],
        *,
        constraints: Iterable[Constraint | Predicate] = (),
        feasible: Iterable[Vector] | None = None,
    ) -> None:
        self.declared = unique_tasks(tasks)
        self.tasks = asked(self.declared)
        multiple = _multiple(self.declared)
        named = several("constraints", constraints, "constraints", TaskError)
        given = [asked_constraint(c, multiple) if isinstance(c, Constraint) else c for c in named]
        self.constraints, later, space = compile_logic(self.tasks, given, feasible, labels_of_questions(multiple))
        self.label_space = replace(space, multiple=multiple, later=later)
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
        graph.declared, graph.tasks, graph.constraints, graph.label_space = tasks, asked(tasks), (), label_space
        return graph

    @cached_property
    def unlinked(self) -> TaskGraph:
        """The same questions, each label by itself where any subset may apply; itself if no logic links labels.

        What is learned of a source is learned label by label, and logic counts when all labels of an item are put
        together.
        """
        parts: list[Component] = []
        for index, component in enumerate(self.label_space.components):
            if len(component.tasks) > 1 and self.asks_of_labels(index):
                answers = np.array([[0], [1]], dtype=np.int16)
                pairs = zip(component.tasks, component.labels, strict=True)
                parts += [Component((task,), (labels,), answers.copy()) for task, labels in pairs]
            else:
                parts.append(component)
        if len(parts) == len(self.label_space.components):
            return self
        graph = self._compiled(self.declared, replace(self.label_space, components=tuple(parts)))
        graph.linked = self
        return graph

    def of_component(self, index: int) -> TaskGraph:
        """The tasks of one component by themselves, as they are asked."""
        component = self.label_space.components[index]
        return self._compiled(tuple(self[name] for name in component.tasks), LabelSpace((component,)))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tasks as they are asked."""
        return tuple(task.name for task in self.tasks)

    def asks_of_labels(self, component: int) -> bool:
        """Whether all that a component asks is which labels apply, of which any subset may."""
        questions = labels_of_questions(self.multiple)
        return bool(questions) and all(task in questions for task in self.label_space.components[component].tasks)

    @property
    def multiple(self) -> Multiple:
        """The tasks of which any subset of labels may apply, each with its labels."""
        return self.label_space.multiple

    @cached_property
    def _by_name(self) -> dict[str, Task]:
        return {task.name: task for task in (*self.declared, *self.tasks)}

    def __getitem__(self, name: str) -> Task:
        if name in self._by_name:
            return self._by_name[name]
        raise TaskError(f"there is no task {name!r}. {near_miss(name, self._by_name)}")

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

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
        lines = [f"  {task!r}," for task in self.declared]
        sizes = [len(component) for component in self.label_space.components]
        what = f"{sizes[0]} outcomes" if len(sizes) == 1 else f"{len(sizes)} components, {sum(sizes)} outcomes"
        return "\n".join([f"TaskGraph([  # {what}", *lines, "])"])

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def to_svg(self) -> str:
        """The task graph as an SVG picture; notebooks show it by themselves."""
        return task_graph_svg([(task.name, task.labels, task.parents) for task in self.declared], self._links())

    def to_mermaid(self) -> str:
        """The task graph as a Mermaid flowchart, for Markdown pages that draw it."""
        return task_graph_mermaid([(task.name, task.labels, task.parents) for task in self.declared], self._links())

    def _links(self) -> list[tuple[str, tuple[Assignment, ...]]]:
        homes = labels_of_questions(self.multiple)
        return [
            (rule.text, tuple(homes.get(task, (task, label)) for task, label in rule.mentions))
            for rule in self.constraints
            if rule.mentions
        ]

    def to_dict(self) -> dict[str, Any]:
        """Tasks and outcomes as plain lists, for JSON. Logic is stored as the outcomes it leaves."""
        later = [
            {"kind": rule.kind, "most": rule.most, "text": rule.text, "of": [list(pair) for pair in rule.mentions]}
            for rule in self.label_space.later
        ]
        linked = {} if self.linked is None else {"linked": self.linked.to_dict()}
        return linked | {
            "tasks": [
                {"name": task.name, "labels": list(task.labels), "parents": [list(parent) for parent in task.parents]}
                | ({"multiple": True} if task.multiple else {})
                for task in self.declared
            ],
            **({"later": later} if later else {}),
            "components": [
                {"tasks": list(component.tasks), "outcomes": component.codes.tolist()}
                for component in self.label_space.components
            ],
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> TaskGraph:
        """The task graph that :meth:`to_dict` wrote."""
        if "linked" in stored:
            return cls.from_dict(stored["linked"]).unlinked
        try:
            tasks = unique_tasks(
                Task(
                    entry["name"],
                    entry["labels"],
                    [(task, label) for task, label in entry["parents"]],
                    multiple=entry.get("multiple", False),
                )
                for entry in stored["tasks"]
            )
            labels = {task.name: task.labels for task in asked(tasks)}
            later = tuple(
                Constraint(rule["text"], (), bool, kind=rule["kind"], most=rule["most"]).between(
                    [(task, label) for task, label in rule["of"]]
                )
                for rule in stored.get("later", ())
            )
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
        return cls._compiled(tasks, LabelSpace(components, _multiple(tasks), later))

    def parents_first(self, names: Iterable[str]) -> list[str]:
        """The tasks of a component in an order in which every task comes after its parents."""
        return parents_first([self[name] for name in names])


def _multiple(declared: Sequence[Task]) -> Multiple:
    return {task.name: task.labels for task in declared if task.multiple}


def task_graph_declared_last() -> TaskGraph | None:
    """The graph that was last declared with ``TaskGraph([...])`` in this process.

    What :func:`assay.apply` uses when it is given none.
    """
    return TaskGraph._declared_last
