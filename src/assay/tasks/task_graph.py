"""Tasks and task graphs: the questions, and the logic between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import TaskError, near_miss
from assay.tasks.constraints import Assignment, Constraint, Label, Predicate, Vector, from_predicate
from assay.tasks.label_space import NOT_APPLICABLE, Component, LabelSpace

MAX_OUTCOMES = 10_000
"""The most outcomes that one component of related tasks may have."""


@dataclass(frozen=True, init=False)
class Task:
    """One classification question with named labels.

    Parameters
    ----------
    name
        What the task is called.
    labels
        The possible answers.
    parent
        The label of another task under which this one applies, as a pair
        ``(task, label)``, or a list of such pairs. Elsewhere it is N/A.

    >>> Task("person", ["Doctor", "Lawyer"], parent=("entity", "Person"))
    Task('person', ['Doctor', 'Lawyer'], parent=('entity', 'Person'))
    """

    name: str
    labels: tuple[str, ...]
    parents: tuple[tuple[str, str], ...]

    def __init__(
        self, name: str, labels: Iterable[str], parent: tuple[str, str] | Sequence[tuple[str, str]] | None = None
    ) -> None:
        if not isinstance(name, str) or not name:
            raise TaskError(f"a task needs a name that is a text, but got {name!r}")
        if isinstance(labels, str) or not isinstance(labels, Iterable):
            raise TaskError(f"task {name!r}: labels must be a list of names, but got {labels!r}")
        names = tuple(labels)
        if not names:
            raise TaskError(f"task {name!r} has no labels; give it the possible answers")
        for label in names:
            if not isinstance(label, str) or not label:
                raise TaskError(
                    f"task {name!r}: labels are non-empty texts, but got {label!r} ({type(label).__name__})"
                )
        repeated = next((label for label, count in Counter(names).items() if count > 1), None)
        if repeated is not None:
            raise TaskError(f"task {name!r} has the label {repeated!r} twice; label names must be unique within a task")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "labels", names)
        object.__setattr__(self, "parents", _parents(name, parent))

    def __repr__(self) -> str:
        shown: tuple[str, str] | list[tuple[str, str]] = self.parents[0] if len(self.parents) == 1 else [*self.parents]
        parent = f", parent={shown}" if self.parents else ""
        return f"Task({self.name!r}, {list(self.labels)}{parent})"


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
        self.tasks = _unique_tasks(tasks)
        constraints = tuple(constraints)
        vectors = None if feasible is None else _checked_feasible(self.tasks, feasible)
        self._check_parents()
        domains = _domains(self.tasks, vectors, [c for c in constraints if isinstance(c, Constraint)])
        self.constraints = tuple(
            _checked_constraint(c, self) if isinstance(c, Constraint) else from_predicate(c, domains)
            for c in constraints
        )
        self.label_space = _compile(self, vectors, domains)
        _remember(self)

    @classmethod
    def flat(cls, name: str, labels: Iterable[str]) -> TaskGraph:
        """A single task.

        >>> TaskGraph.flat("mail", ["ham", "spam"]).label_space.outcomes
        ({'mail': 'ham'}, {'mail': 'spam'})
        """
        graph = cls.unremembered(name, labels)
        _remember(graph)
        return graph

    @classmethod
    def unremembered(cls, name: str, labels: Iterable[str]) -> TaskGraph:
        """A single task that :func:`assay.apply` does not take for the graph declared last."""
        task = Task(name, labels)
        if len(task.labels) > MAX_OUTCOMES:
            raise TaskError(
                f"the task {name!r} has {len(task.labels):,} labels; the limit is {MAX_OUTCOMES:,} outcomes"
            )
        codes = np.arange(len(task.labels), dtype=np.int16)[:, None]
        return cls._compiled((task,), LabelSpace((Component((name,), (task.labels,), codes),)))

    @classmethod
    def _compiled(cls, tasks: tuple[Task, ...], label_space: LabelSpace) -> TaskGraph:
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
        return isinstance(other, TaskGraph) and self.to_dict() == other.to_dict()

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
        from assay.tasks.drawing import task_graph_svg

        return task_graph_svg([(task.name, task.labels, task.parents) for task in self.tasks], self._links())

    def to_mermaid(self) -> str:
        """The task graph as a Mermaid flowchart, for Markdown pages that draw it."""
        from assay.tasks.drawing import task_graph_mermaid

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
            tasks = _unique_tasks(
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
            raise TaskError(f"this is not a stored task graph: {type(error).__name__}: {error}") from error
        for component in components:
            sizes = np.array([len(names) for names in component.labels])
            if not len(component) or not ((component.codes >= NOT_APPLICABLE) & (component.codes < sizes)).all():
                raise TaskError(f"this is not a stored task graph: outcomes of {component.tasks} fit no labels")
        if sorted(name for component in components for name in component.tasks) != sorted(labels):
            raise TaskError("this is not a stored task graph: its components do not cover its tasks")
        graph = cls._compiled(tasks, LabelSpace(components))
        graph._check_parents()
        return graph

    def check_assignment(self, task: str, label: Label, where: str) -> None:
        """Raise unless ``task`` exists and has ``label``; ``where`` names the place that said so."""
        if task not in self:
            raise TaskError(f"{where} names task {task!r}, which does not exist. {near_miss(task, self.names)}")
        if label is not None and label not in self[task].labels:
            raise TaskError(
                f"{where} names label {label!r} of task {task!r}, which it does not have. "
                f"{near_miss(label, self[task].labels)}"
            )

    def parents_first(self, names: Iterable[str]) -> list[str]:
        """Related tasks in an order in which every task comes after its parents."""
        ordered: dict[str, None] = {}

        def visit(name: str) -> None:
            for parent, _ in self[name].parents:
                if parent not in ordered:
                    visit(parent)
            ordered[name] = None

        for name in names:
            visit(name)
        return list(ordered)

    def _check_parents(self) -> None:
        for task in self.tasks:
            for parent, label in task.parents:
                self.check_assignment(parent, label, f"the parent of task {task.name!r}")
        for task in self.tasks:
            cycle = self._cycle_through(task.name)
            if cycle:
                raise TaskError(f"tasks are their own ancestors: {' -> '.join(cycle)}; remove one of these parents")

    def _cycle_through(self, name: str) -> list[str] | None:
        """A chain of parents that leads from a task back to itself."""
        chains = [[name]]
        seen = {name}
        while chains:
            chain = chains.pop()
            for parent, _ in self[chain[-1]].parents:
                if parent == name:
                    return [*chain, parent]
                if parent not in seen:
                    seen.add(parent)
                    chains.append([*chain, parent])
        return None


_latest: TaskGraph | None = None


def _remember(graph: TaskGraph) -> None:
    global _latest
    _latest = graph


def latest_task_graph() -> TaskGraph | None:
    """The task graph declared last in this process: what :func:`assay.apply` uses when it is given none."""
    return _latest


def _parents(name: str, parent: tuple[str, str] | Sequence[tuple[str, str]] | None) -> tuple[tuple[str, str], ...]:
    if parent is None:
        return ()
    given = list(parent) if isinstance(parent, Sequence) else [parent]
    pairs = [parent] if len(given) == 2 and all(isinstance(part, str) for part in given) else given
    for pair in pairs:
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(part, str) for part in pair)):
            raise TaskError(
                f"task {name!r}: parent must be a pair (task, label) or a list of pairs, but got {parent!r}"
            )
    return tuple(dict.fromkeys((str(task), str(label)) for task, label in pairs))


def _unique_tasks(tasks: Iterable[Task]) -> tuple[Task, ...]:
    known: dict[str, Task] = {}
    for task in tasks:
        if not isinstance(task, Task):
            raise TaskError(f"a task graph is made of assay.Task, but got {task!r}")
        if task.name in known:
            raise TaskError(f"two tasks are called {task.name!r}; task names must be unique")
        known[task.name] = task
    if not known:
        raise TaskError("a task graph needs at least one task")
    return tuple(known.values())


def _checked_feasible(tasks: tuple[Task, ...], feasible: Iterable[Vector]) -> list[dict[str, Label]]:
    """Feasible vectors over the tasks that any of them mentions; left out means N/A."""
    labels = {task.name: task.labels for task in tasks}
    given = [dict(vector) for vector in feasible]
    if not given:
        raise TaskError("feasible=[] leaves no outcome; list at least one vector, or leave it out")
    for vector in given:
        for name, label in vector.items():
            if name not in labels:
                raise TaskError(
                    f"a feasible vector names task {name!r}, which does not exist. {near_miss(name, labels)}"
                )
            if label is not None and label not in labels[name]:
                raise TaskError(
                    f"a feasible vector names label {label!r} of task {name!r}, which it does not have. "
                    f"{near_miss(label, labels[name])}"
                )
    mentioned = [name for name in labels if any(name in vector for vector in given)]
    if not mentioned:
        raise TaskError("the feasible vectors name no task; write them as dicts of task -> label")
    distinct = {tuple(vector.get(name) for name in mentioned): None for vector in given}
    return [dict(zip(mentioned, vector, strict=True)) for vector in distinct]


def _checked_constraint(constraint: Constraint, graph: TaskGraph) -> Constraint:
    for task in constraint.tasks:
        graph.check_assignment(task, None, f"the constraint '{constraint}'")
    for task, label in constraint.mentions:
        graph.check_assignment(task, label, f"the constraint '{constraint}'")
    return constraint


def _domains(
    tasks: tuple[Task, ...], feasible: list[dict[str, Label]] | None, constraints: list[Constraint]
) -> dict[str, tuple[Label, ...]]:
    """The labels each task may take: N/A too if it has a parent or some logic says so."""
    may_not_apply = {task.name for task in tasks if task.parents}
    may_not_apply |= {task for c in constraints for task, label in c.mentions if label is None}
    may_not_apply |= {task for vector in feasible or () for task, label in vector.items() if label is None}
    return {task.name: (*task.labels, *([None] if task.name in may_not_apply else [])) for task in tasks}


def _parent_rule(task: Task) -> Constraint:
    """The task applies exactly where one of its parent labels holds."""

    def holds(vector: Vector) -> bool:
        return (vector[task.name] is not None) == any(vector[parent] == label for parent, label in task.parents)

    names = dict.fromkeys([task.name, *(parent for parent, _ in task.parents)])
    return Constraint(text=f"the parent of task {task.name!r}", tasks=tuple(names), holds=holds)


def _compile(
    graph: TaskGraph, feasible: list[dict[str, Label]] | None, domains: dict[str, tuple[Label, ...]]
) -> LabelSpace:
    rules = [_parent_rule(task) for task in graph.tasks if task.parents]
    rules += [rule for constraint in graph.constraints for rule in (constraint, *constraint.early)]
    listed = tuple(feasible[0]) if feasible else ()
    groups = _connected(graph.names, [rule.tasks for rule in rules] + [listed])
    return LabelSpace(
        tuple(
            _component(
                graph,
                group,
                [rule for rule in rules if rule.tasks[0] in group],
                feasible if feasible and listed[0] in group else None,
                domains,
            )
            for group in groups
        )
    )


def _connected(names: tuple[str, ...], links: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Groups of names that the links connect, in the order of their first name."""
    home = {name: {name} for name in names}
    for link in links:
        joined = set().union(*(home[name] for name in link))
        for name in joined:
            home[name] = joined
    return list(dict.fromkeys(tuple(name for name in names if name in home[first]) for first in names))


def _component(
    graph: TaskGraph,
    group: tuple[str, ...],
    rules: list[Constraint],
    feasible: list[dict[str, Label]] | None,
    domains: dict[str, tuple[Label, ...]],
) -> Component:
    """All vectors over ``group`` that obey the rules, grown task by task and pruned as soon as a rule can tell."""
    vectors: list[dict[str, Label]] = [dict(vector) for vector in feasible] if feasible else [{}]
    assigned: set[str] = set(vectors[0])
    vectors = _obeying(vectors, [rule for rule in rules if set(rule.tasks) <= assigned])
    for name in graph.parents_first(group):
        if name in assigned:
            continue
        assigned.add(name)
        ripe = [rule for rule in rules if name in rule.tasks and set(rule.tasks) <= assigned]
        vectors = _obeying(({**vector, name: label} for vector in vectors for label in domains[name]), ripe)
        if len(vectors) > MAX_OUTCOMES:
            raise TaskError(
                f"the related tasks {', '.join(group)} have more than {MAX_OUTCOMES:,} outcomes together, "
                "the limit for one component; drop constraints between tasks that can be treated apart, "
                "or list the outcomes that matter with feasible=[...]"
            )
    if feasible:
        left = {tuple(vector[name] for name in feasible[0]) for vector in vectors}
        broken = next((vector for vector in feasible if tuple(vector.values()) not in left), None)
        if broken is not None:
            raise TaskError(f"the feasible vector {broken} breaks the other rules of the task graph")
    if not vectors:
        raise TaskError(
            f"the constraints leave no outcome for {', '.join(group)}: "
            f"{'; '.join(dict.fromkeys(rule.text for rule in rules))}; drop one of them"
        )
    labels = {name: graph[name].labels for name in group}
    codes = np.array(
        [
            [NOT_APPLICABLE if (label := vector[name]) is None else labels[name].index(label) for name in group]
            for vector in vectors
        ],
        dtype=np.int16,
    )
    if not feasible:
        # In the order of the labels, N/A last, whatever order the tasks were grown in.
        codes = codes[np.lexsort(np.where(codes == NOT_APPLICABLE, np.iinfo(np.int16).max, codes).T[::-1])]
    for column, name in enumerate(group):
        for index, label in enumerate(labels[name]):
            if not (codes[:, column] == index).any():
                raise TaskError(
                    f"the label {label!r} of task {name!r} is in no feasible outcome; remove it or relax the rules"
                )
    return Component(group, tuple(labels.values()), codes)


def _obeying(vectors: Iterable[dict[str, Label]], rules: list[Constraint]) -> list[dict[str, Label]]:
    kept = []
    for vector in vectors:
        for rule in rules:
            try:
                feasible = rule.holds(vector)
            except Exception as error:
                raise TaskError(f"{rule} failed on {vector}: {type(error).__name__}: {error}") from error
            if not feasible:
                break
        else:
            kept.append(vector)
            if len(kept) > MAX_OUTCOMES:
                break
    return kept
