"""What a source says of a task of which any subset of labels may apply: a vote for each component it speaks about."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from assay.errors import VoteError, listing, near_miss
from assay.tasks.constraints import Label
from assay.tasks.label_sets import LabelSet
from assay.tasks.label_space import LabelSpace, Vote
from assay.tasks.many_labels import broken, negated, question

_GROUPS = (list, set, frozenset, np.ndarray)
"""Several labels of one task."""


def votes_for(
    space: LabelSpace,
    value: object,
    task: str | Sequence[str] | None = None,
    *,
    among: Collection[Vote] | None = None,
    complete: bool = False,
) -> tuple[Vote, ...]:
    """The votes that ``value`` stands for, one for each question about a label and for each other component.

    If exactly one label of each task applies, that is a single vote, whatever it speaks about: :meth:`LabelSpace.vote`.
    Where any subset may, a value is also a list or set of labels that apply, an empty one if none does, or a dict
    of label -> True or False; each of them also under its task's name: ``{"topics": ["sports", "politics"]}``.

    Parameters
    ----------
    task
        Restricts it to one task, or some.
    among
        What the source may say, if that is known; an empty list then speaks about no other labels.
    complete
        Whether labels that are not listed do not apply, as in gold; from a source, they are left open. What it says
        of labels that some logic links is one vote then.

    >>> from assay import Task, TaskGraph
    >>> space = TaskGraph([Task("topics", ["sports", "politics", "art"], multiple=True)]).label_space
    >>> [str(vote) for vote in votes_for(space, ["sports", "art"])]
    ['sports', 'art']
    >>> [str(vote) for vote in votes_for(space, {"sports": True, "art": False})]
    ['sports', 'not art']
    >>> [str(vote) for vote in votes_for(space, [])]
    ['not sports', 'not politics', 'not art']
    """
    if not space.multiple:
        return (space.vote(value, task),)
    allowed = None if task is None else (task,) if isinstance(task, str) else tuple(task)
    reader = _Reader(space, allowed, among, complete)
    pairs = reader.pairs(value)
    questions = None if allowed is None else [name for one in allowed for name in _asked(space, one)]
    vote = space.vote(Vote(tuple(pairs.items())), questions)
    named = {name: label == _positive(space, name) for name, label in pairs.items()}
    rule = broken(space.later, named)
    if rule is not None:
        raise VoteError(f"a vote for {listing(name for name, yes in named.items() if yes)} breaks the rule '{rule}'")
    return space.by_component(vote, apart=() if complete else space.alone)


def _asked(space: LabelSpace, task: str) -> list[str]:
    """The questions that a task is asked as."""
    return [question(task, label) for label in space.multiple[task]] if task in space.multiple else [task]


def _positive(space: LabelSpace, name: str) -> str:
    return space.tasks[name][-1]


def _yes_or_no(label: object, said: object) -> bool:
    if isinstance(said, bool | np.bool_):
        return bool(said)
    raise VoteError(
        f"expected True or False for the label {label!r}, but got {said!r}; "
        "of probabilities, name the labels above a threshold"
    )


class _Reader:
    """Reads what a source said, as pairs of a question and its answer."""

    def __init__(
        self, space: LabelSpace, allowed: tuple[str, ...] | None, among: Collection[Vote] | None, complete: bool
    ) -> None:
        self.space = space
        self.allowed = allowed
        self.among = among
        self.complete = complete
        self.known = {*space.tasks, *space.multiple}
        for name in allowed or ():
            if name not in self.known:
                raise VoteError(f"there is no task {name!r}. {near_miss(name, self.known)}")

    def pairs(self, value: object) -> dict[str, Label | LabelSet]:
        """Questions and answers, from a value of any kind."""
        if isinstance(value, Vote):
            return dict(value.labels)
        if isinstance(value, Mapping):
            return self._of_mapping(value)
        if isinstance(value, tuple) and len(value) == 2 and value[0] in self.known:
            return self._of_mapping({value[0]: value[1]})
        if isinstance(value, (tuple, *_GROUPS)):
            return self._of_task(self._task_of_group(list(value)), value)
        if isinstance(value, LabelSet) and self._candidates():
            return self._of_task(self._task_of_group([*value.labels]), value)
        if isinstance(value, str):
            home = self._task_of_label(value)
            if home is not None and home in self.space.multiple:
                return self._of_task(home, [value])
        return dict(self.space.vote(value, self._ordinary()).labels)

    def _of_mapping(self, value: Mapping[object, object]) -> dict[str, Label | LabelSet]:
        found: dict[str, Label | LabelSet] = {}
        answers: dict[object, object] = {}
        for key, said in value.items():
            if key in self.space.multiple:
                found |= self._of_task(str(key), said)
            elif key not in self.space.tasks and isinstance(said, bool | np.bool_):
                answers[key] = said
            else:
                found |= dict(self.space.vote({key: said}).labels)
        if answers:
            found |= self._of_task(self._task_of_group(list(answers)), answers)
        if not found:
            raise VoteError("expected at least one task in a vote, but got an empty one; return None to abstain")
        return found

    def _of_task(self, task: str, said: object) -> dict[str, Label | LabelSet]:
        """What is said of the labels of one task of which any subset may apply."""
        labels = self.space.multiple[task]
        if isinstance(said, Mapping):
            answers = {self._checked(task, label): _yes_or_no(label, yes) for label, yes in said.items()}
        elif isinstance(said, LabelSet):
            if not said.negated and len(said.labels) > 1:
                raise VoteError(
                    f"{said!r} says that one of these applies, but any subset of the labels of {task!r} may; "
                    "name those that apply in a list"
                )
            answers = {self._checked(task, label): not said.negated for label in said.labels}
        elif said is None:
            return {question(task, label): None for label in labels}
        else:
            group = list(said) if isinstance(said, (tuple, *_GROUPS)) else [said]
            answers = {self._checked(task, label): True for label in group}
            if self.complete or not answers:
                answers = dict.fromkeys(self._nameable(task, labels), False) | answers
        return {question(task, label): label if yes else negated(label) for label, yes in answers.items()}

    def _nameable(self, task: str, labels: Iterable[str]) -> list[str]:
        """The labels of a task that the source may speak about."""
        if self.among is None:
            return list(labels)
        spoken = {name for vote in self.among for name in vote.tasks}
        return [label for label in labels if question(task, label) in spoken]

    def _checked(self, task: str, label: object) -> str:
        labels = self.space.multiple[task]
        if isinstance(label, np.str_):
            label = str(label)
        if label not in labels:
            raise VoteError(f"task {task!r} has no label {label!r}. {near_miss(label, labels)}")
        return str(label)

    def _candidates(self) -> list[str]:
        """The tasks of which any subset of labels may apply, among those that it may speak about."""
        return [name for name in self.space.multiple if self.allowed is None or name in self.allowed]

    def _task_of_group(self, labels: list[object]) -> str:
        homes = self._candidates()
        if len(homes) == 1:
            return homes[0]
        if not homes:
            raise VoteError(
                f"several labels at once, {labels!r}, from a source declared for {listing(self.allowed or ())} only, "
                "of which exactly one label applies"
            )
        fitting = [task for task in homes if set(map(str, labels)) <= set(self.space.multiple[task])]
        if len(fitting) == 1 and labels:
            return fitting[0]
        raise VoteError(f"which task are the labels {labels!r} of? say it with {{{homes[0]!r}: [...]}}")

    def _task_of_label(self, label: str) -> str | None:
        """The task of a bare label, if any subset of its labels may apply; None if it is another task's."""
        homes = [task for task in self._candidates() if label in self.space.multiple[task]]
        ordinary = [task for task in self._ordinary() or self.space.tasks if label in self.space.tasks[task]]
        if self.allowed is not None and len(self.allowed) == 1 and self.allowed[0] in self.space.multiple:
            return self.allowed[0]
        return homes[0] if len(homes) == 1 and len(ordinary) <= 1 else None

    def _ordinary(self) -> list[str] | None:
        """The tasks as they are asked that it may speak about; None for all."""
        return None if self.allowed is None else [name for one in self.allowed for name in _asked(self.space, one)]
