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
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import TaskError, VoteError, listing, near_miss
from assay.tasks.constraints import Constraint, Label
from assay.tasks.label_sets import LabelSet, as_label_set
from assay.tasks.many_labels import Multiple, labels_of_questions

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int16]

NOT_APPLICABLE = -1
"""The label index that stands for N/A."""


@dataclass(frozen=True, order=True)
class Vote:
    """A partial label vector: what one source says about one item.

    ``labels`` pairs tasks with labels, in the order of the task graph; a label of
    ``None`` says that the task does not apply, and a :class:`LabelSet` that its label is
    one of several. Made by :meth:`LabelSpace.vote`.

    >>> str(Vote((("entity", "Person"),)))
    'Person'
    >>> str(Vote((("entity", "Person"), ("org", None))))
    'entity=Person, org=N/A'
    >>> str(Vote((("entity", "Person"),), level=(0.8, 0.9)))
    'Person, 0.8 to 0.9'
    """

    labels: tuple[tuple[str, Label | LabelSet], ...]
    level: tuple[float, float] | None = None
    """How sure the source was, from and up to which probability; None if it was certain, or its sureness does not
    count. It says how far to believe the vote, not what the vote says: the outcomes it allows are those of its labels.
    """

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks it speaks about."""
        return tuple(task for task, _ in self.labels)

    def __repr__(self) -> str:
        return f"Vote(labels={self.labels!r}{'' if self.level is None else f', level={self.level!r}'})"

    def __str__(self) -> str:
        if len(self.labels) == 1:
            return _label_text(self.labels[0][1]) + self._level_text()
        return self.spelled_out()

    def spelled_out(self) -> str:
        """Every task with its label, for tables in which bare labels would be ambiguous."""
        return ", ".join(f"{task}={_label_text(label)}" for task, label in self.labels) + self._level_text()

    def _level_text(self) -> str:
        return "" if self.level is None else f", {level_text(*self.level)}"

    def labels_of(self, task: str, names: Iterable[str]) -> tuple[str, ...]:
        """Which of some labels of a task it allows by what it says of the task; none if it says nothing of it."""
        said = dict(self.labels).get(task)
        return tuple(name for name in names if (name in said if isinstance(said, LabelSet) else name == said))

    def to_dict(self) -> dict[str, Any]:
        """Its tasks and labels for JSON; :meth:`LabelSpace.vote` reads them."""
        return {task: label.to_dict() if isinstance(label, LabelSet) else label for task, label in self.labels}


def level_text(low: float, high: float) -> str:
    """A level of confidence in words, with as many decimals as tell its ends apart, and from 0 and 1.

    >>> level_text(0.8, 0.9), level_text(0.99961, 0.99987), level_text(0.0, 0.62)
    ('0.8 to 0.9', '0.9996 to 0.9999', 'below 0.62')
    """
    different = len({0.0, 1.0, low, high})
    decimals = next((d for d in range(2, 16) if len({0.0, 1.0, round(low, d), round(high, d)}) == different), 16)
    start, end = (f"{edge:.{decimals}f}".rstrip("0").rstrip(".") for edge in (low, high))
    return f"below {end}" if low == 0 else f"{start} to {end}"


def texts_of(votes: Sequence[Vote], *, beside_tasks: bool = False) -> list[str]:
    """How to write each of some distinct votes: bare labels where these are unique, else spelled out.

    A label may be called "cat or dog": where it would be taken for the vote for one of two, both are written as JSON.

    Parameters
    ----------
    beside_tasks
        Whether the tasks of each vote are shown beside its text, so that labels of different tasks may be the same.
    """
    bare = beside_tasks or len({vote.tasks for vote in votes}) <= 1
    for spell in (str if bare else Vote.spelled_out, Vote.spelled_out):
        texts = [spell(vote) for vote in votes]
        shown = [(vote.tasks if beside_tasks else (), text) for vote, text in zip(votes, texts, strict=True)]
        if len(set(shown)) == len(shown):
            return texts
    return [json.dumps([vote.to_dict(), *vote.level] if vote.level else vote.to_dict()) for vote in votes]


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
                allowed &= self._has(task, label)
        return allowed

    def domain(self, task: str) -> tuple[Label, ...]:
        """The labels that ``task`` may have, N/A last if it may not apply."""
        names = self.labels[self.tasks.index(task)]
        return (*names, None) if (self.label_of(task) == NOT_APPLICABLE).any() else names

    def _has(self, task: str, label: Label | LabelSet) -> BoolArray:
        """(outcomes,): those in which the label of ``task`` is this one, or in this set."""
        if isinstance(label, LabelSet):
            named = np.any([self._has(task, each) for each in label.labels], axis=0)
            return np.asarray(named != label.negated)
        names = self.labels[self.tasks.index(task)]
        return np.asarray(self.label_of(task) == (NOT_APPLICABLE if label is None else names.index(label)))


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
        parts: dict[tuple[int, str], list[tuple[str, Label | LabelSet]]] = {}
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
        apply. In place of a label there may be :func:`assay.one_of` or
        :func:`assay.none_of`, or these as JSON has them, ``{"one_of": [...]}``.
        ``task`` restricts it to one task or some; without it a bare label
        must be in one task only.
        """
        allowed_tasks = None if task is None else (task,) if isinstance(task, str) else tuple(task)
        for name in allowed_tasks or ():
            self._check_task(name)
        if isinstance(value, Vote):
            pairs: Iterable[tuple[object, object]] = value.labels
        elif (chosen := as_label_set(value)) is not None:
            pairs = [(self._task_of_set(chosen, allowed_tasks), chosen)]
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
        level = value.level if isinstance(value, Vote) else None
        vote = Vote(tuple((name, labels[name]) for name in self.tasks if name in labels), level)
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
        if label in self.tasks:  # as in {"mail": 1}, which is read as a label and how sure it is
            told = ", ".join(map(repr, self.tasks[label][:5]))
            raise VoteError(f"{label!r} is a task, not a label; say its label by name, such as {told}")
        raise VoteError(f"no task has the label {label!r}. {near_miss(label, known)}")

    def _task_of_set(self, chosen: LabelSet, allowed: tuple[str, ...] | None) -> str:
        """The one task that all labels of a set belong to."""
        named = [label for label in chosen.labels if label is not None]
        if allowed is not None and len(allowed) == 1:
            return allowed[0]
        homes = [task for task in allowed or self.tasks if all(label in self.tasks[task] for label in named)]
        if len(homes) == 1:
            return homes[0]
        if homes:
            choices = " or ".join(f"{{{task!r}: {chosen!r}}}" for task in homes)
            raise VoteError(f"the labels of {chosen!r} are in {len(homes)} tasks: say which one with {choices}")
        of = {label: self._task_of(label, allowed) for label in named}
        told = ", ".join(f"{label!r} of {task!r}" for label, task in of.items())
        raise VoteError(
            f"the labels of {chosen!r} must be of one task, but are {told}; "
            "a dict votes on several tasks, each with a set of its own"
        )

    def _checked_pair(
        self, task: object, label: object, allowed: tuple[str, ...] | None
    ) -> tuple[str, Label | LabelSet]:
        self._check_task(task)
        assert isinstance(task, str)  # for the type checker: every known task is a string
        if allowed is not None and task not in allowed:
            raise VoteError(f"a vote on task {task!r}, from a source declared for {listing(allowed)} only")
        chosen = as_label_set(label)
        if chosen is not None:
            return task, self._checked_set(task, chosen)
        return task, None if label is None else self._checked_label(task, label)

    def _checked_set(self, task: str, chosen: LabelSet) -> Label | LabelSet:
        domain = self.components[self.component_of(task)].domain(task)
        for label in chosen.labels:
            if label is not None:
                self._checked_label(task, label)
            elif None not in domain:
                raise VoteError(f"{chosen!r}: None means N/A, but task {task!r} always applies")
        return chosen.within(task, domain)

    def _checked_label(self, task: str, label: object) -> str:
        names = self.tasks[task]
        if not isinstance(label, str):
            raise VoteError(_not_a_label(label, task))
        if label not in names:
            elsewhere = [other for other, known in self.tasks.items() if label in known]
            hint = f"Task {elsewhere[0]!r} has it." if elsewhere else near_miss(label, names)
            raise VoteError(f"task {task!r} has no label {label!r}. {hint}")
        return str(label)

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


def _label_text(label: Label | LabelSet) -> str:
    return "N/A" if label is None else str(label)


def _not_a_label(value: object, task: str | None = None) -> str:
    where = "" if task is None else f" for task {task!r}"
    stands_for_nothing = isinstance(value, int | float | str) and (value in (-1, "") or value != value)
    advice = "; return None to abstain" if stands_for_nothing else ""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        advice = "; labels go by their names, so return those, as with HAM, SPAM, ABSTAIN = 'Ham', 'Spam', None"
    if isinstance(value, list | tuple | set | frozenset):
        advice = "; assay.one_of(...) votes for one of several labels"
    return f"expected a label name{where}, but got {value!r} ({type(value).__name__}){advice}"
