"""The label space: which label vectors can occur, and which of them a vote allows.

A *vote* is a set of outcomes. ``Person`` from a source that only knows people
from organisations allows every outcome that is some kind of person; hierarchies,
partial labels and votes on several tasks at once are all the same thing.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from assay.errors import TaskError, VoteError, listing, near_miss
from assay.tasks.constraints import Constraint, Label
from assay.tasks.many_labels import Multiple, labels_of_questions

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int16]

NOT_APPLICABLE = -1
"""The label index that stands for N/A."""


@dataclass(frozen=True, order=True)
class Vote:
    """A partial label vector: what one source says about one item.

    ``labels`` pairs tasks with labels, in the order of the task graph; a label of
    ``None`` says that the task does not apply. Made by :meth:`LabelSpace.vote`.

    >>> str(Vote((("entity", "Person"),)))
    'Person'
    >>> str(Vote((("entity", "Person"), ("org", None))))
    'entity=Person, org=N/A'
    """

    labels: tuple[tuple[str, Label], ...]

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks it speaks about."""
        return tuple(task for task, _ in self.labels)

    def __str__(self) -> str:
        if len(self.labels) == 1:
            return _label_text(self.labels[0][1])
        return self.spelled_out()

    def spelled_out(self) -> str:
        """Every task with its label, for tables in which bare labels would be ambiguous."""
        return ", ".join(f"{task}={_label_text(label)}" for task, label in self.labels)


def texts_of(votes: Sequence[Vote], *, bare: bool = False) -> list[str]:
    """How to write each of some distinct votes: bare labels where these are unique, else spelled out.

    Labels of different tasks are spelled out, too, unless ``bare``.
    """
    same_tasks = bare or len({vote.tasks for vote in votes}) <= 1
    for spell in (str if same_tasks else Vote.spelled_out, Vote.spelled_out):
        texts = [spell(vote) for vote in votes]
        if len(set(texts)) == len(texts):
            return texts
    return [json.dumps(dict(vote.labels)) for vote in votes]


@dataclass(frozen=True, eq=False)
class Component:
    """Tasks that are related by some logic, and the outcomes that are feasible for them together."""

    tasks: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    """Per task its label names."""
    codes: IntArray
    """(outcomes, tasks): the label index of each task in each outcome; −1 is N/A."""

    def __post_init__(self) -> None:
        self.codes.flags.writeable = False

    def __repr__(self) -> str:
        return f"Component({', '.join(self.tasks)}; {len(self)} outcomes)"

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def outcomes(self) -> tuple[dict[str, Label], ...]:
        """The feasible label vectors, as dicts; N/A is ``None``."""
        return tuple(
            {
                task: None if code == NOT_APPLICABLE else names[code]
                for task, names, code in zip(self.tasks, self.labels, row, strict=True)
            }
            for row in self.codes
        )

    def label_of(self, task: str) -> IntArray:
        """(outcomes,): the index of ``task``'s label in each outcome, −1 where it does not apply."""
        return self.codes[:, self.tasks.index(task)]

    def allows(self, vote: Vote) -> BoolArray:
        """(outcomes,): which outcomes are in agreement with ``vote``. Tasks elsewhere are passed over."""
        allowed = np.ones(len(self), dtype=bool)
        for task, label in vote.labels:
            if task in self.tasks:
                names = self.labels[self.tasks.index(task)]
                allowed &= self.label_of(task) == (NOT_APPLICABLE if label is None else names.index(label))
        return allowed


@dataclass(frozen=True, eq=False)
class LabelSpace:
    """All components of a task graph.

    Groups of tasks that no logic connects are separate *components*; their
    product is never made. With one component, which is the usual case, the
    label space answers for it.

    >>> from assay import Task, TaskGraph
    >>> tasks = TaskGraph([
    ...     Task("entity", ["Person", "Organization"]),
    ...     Task("person", ["Doctor", "Lawyer"], parent=("entity", "Person")),
    ... ])
    >>> tasks.label_space.allows("Person").tolist()
    [True, True, False]
    """

    components: tuple[Component, ...]
    multiple: Multiple = field(default_factory=dict)
    """The tasks of which any subset of labels may apply, each with its labels: one question a label."""
    later: tuple[Constraint, ...] = ()
    """Logic between such labels that is met when they are decided, since it relates too many to enumerate."""

    @cached_property
    def tasks(self) -> dict[str, tuple[str, ...]]:
        """Every task with its labels, in the order of the components."""
        return {
            task: names
            for component in self.components
            for task, names in zip(component.tasks, component.labels, strict=True)
        }

    @property
    def only(self) -> Component:
        """The single component, or an error that says how to go on without one."""
        if len(self.components) == 1:
            return self.components[0]
        raise TaskError(
            f"this label space has {len(self.components)} unrelated components, whose joint outcomes are never made; "
            "look at each of label_space.components, e.g. label_space.components[0].outcomes"
        )

    @property
    def outcomes(self) -> tuple[dict[str, Label], ...]:
        """The feasible label vectors of the only component, as dicts; N/A is ``None``."""
        return self.only.outcomes

    def __len__(self) -> int:
        """How many outcomes the components have, added up."""
        return sum(len(component) for component in self.components)

    def component_of(self, task: str) -> int:
        """The index of the component that ``task`` belongs to."""
        self._check_task(task)
        return self._homes[task]

    @cached_property
    def _homes(self) -> dict[str, int]:
        """Per task the index of its component."""
        return {task: index for index, component in enumerate(self.components) for task in component.tasks}

    @cached_property
    def alone(self) -> frozenset[str]:
        """The questions about labels, any subset of which may apply, that only others such are related to."""
        questions = labels_of_questions(self.multiple)
        parts = [part.tasks for part in self.components if all(task in questions for task in part.tasks)]
        return frozenset(task for tasks in parts for task in tasks)

    def by_component(self, vote: Vote, *, apart: Collection[str] = ()) -> tuple[Vote, ...]:
        """What a vote says of each component that it speaks about, as votes of their own.

        Of the tasks in ``apart`` each one is a vote of its own.
        """
        homes = [(self._homes[task], task if task in apart else "") for task in vote.tasks]
        if len(set(homes)) == 1:
            return (vote,)
        parts: dict[tuple[int, str], list[tuple[str, Label]]] = {}
        for home, pair in zip(homes, vote.labels, strict=True):
            parts.setdefault(home, []).append(pair)
        return tuple(Vote(tuple(pairs)) for pairs in parts.values())

    def allows(self, value: object, task: str | Sequence[str] | None = None) -> BoolArray:
        """(outcomes,): the outcomes of the only component that a vote allows."""
        return self.only.allows(self.vote(value, task))

    def vote(self, value: object, task: str | Sequence[str] | None = None) -> Vote:
        """The vote that ``value`` stands for, or an error that says why it is none.

        ``value`` is a label name, a pair ``(task, label)``, or a dict
        ``{task: label, ...}`` in which ``None`` means that the task does not
        apply. ``task`` restricts it to one task or some; without it a bare label
        must be in one task only.
        """
        allowed_tasks = None if task is None else (task,) if isinstance(task, str) else tuple(task)
        for name in allowed_tasks or ():
            self._check_task(name)
        if isinstance(value, Vote):
            pairs: Iterable[tuple[object, object]] = value.labels
        elif isinstance(value, Mapping):
            pairs = value.items()
        elif isinstance(value, tuple) and len(value) == 2:
            pairs = [value]
        elif isinstance(value, str):
            pairs = [(self._task_of(value, allowed_tasks), value)]
        else:
            raise VoteError(_not_a_label(value))
        labels = dict(self._checked_pair(name, label, allowed_tasks) for name, label in pairs)
        if not labels:
            raise VoteError("expected at least one task in a vote, but got an empty one; return None to abstain")
        vote = Vote(tuple((name, labels[name]) for name in self.tasks if name in labels))
        self._check_feasible(vote)
        return vote

    def _check_task(self, task: object) -> None:
        if task not in self.tasks:
            raise VoteError(f"there is no task {task!r}. {near_miss(task, self.tasks)}")

    def _task_of(self, label: str, allowed: tuple[str, ...] | None) -> str:
        """The one task that a bare label belongs to."""
        if allowed is not None and len(allowed) == 1:
            return allowed[0]
        homes = [task for task in allowed or self.tasks if label in self.tasks[task]]
        if len(homes) == 1:
            return homes[0]
        if homes:
            choices = " or ".join(str((task, label)) for task in homes)
            raise VoteError(f"the label {label!r} is in {len(homes)} tasks: say which one with {choices}")
        known = dict.fromkeys(name for task in allowed or self.tasks for name in self.tasks[task])
        raise VoteError(f"no task has the label {label!r}. {near_miss(label, known)}")

    def _checked_pair(self, task: object, label: object, allowed: tuple[str, ...] | None) -> tuple[str, Label]:
        self._check_task(task)
        assert isinstance(task, str)  # for the type checker: every known task is a string
        if allowed is not None and task not in allowed:
            raise VoteError(f"a vote on task {task!r}, from a source declared for {listing(allowed)} only")
        if label is None:
            return task, None
        names = self.tasks[task]
        if not isinstance(label, str):
            raise VoteError(_not_a_label(label, task))
        if label not in names:
            elsewhere = [other for other, known in self.tasks.items() if label in known]
            hint = f"Task {elsewhere[0]!r} has it." if elsewhere else near_miss(label, names)
            raise VoteError(f"task {task!r} has no label {label!r}. {hint}")
        return task, str(label)

    def _check_feasible(self, vote: Vote) -> None:
        for index in sorted({self._homes[task] for task in vote.tasks}):
            component = self.components[index]
            if not component.allows(vote).any():
                hint = (
                    " None inside a vote means N/A; leave a task out to say nothing about it."
                    if any(label is None for _, label in vote.labels)
                    else ""
                )
                raise VoteError(f"no feasible outcome has {vote.spelled_out()}.{hint}")


def _label_text(label: Label) -> str:
    return "N/A" if label is None else label


def _not_a_label(value: object, task: str | None = None) -> str:
    where = "" if task is None else f" for task {task!r}"
    stands_for_nothing = isinstance(value, int | float | str) and (value in (-1, "") or value != value)
    advice = "; return None to abstain" if stands_for_nothing else ""
    return f"expected a label name{where}, but got {value!r} ({type(value).__name__}){advice}"
