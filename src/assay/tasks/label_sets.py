"""Votes for one of several labels, or against some: sets of the labels of a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.errors import VoteError
from assay.tasks.constraints import Label

ONE_OF, NONE_OF = "one_of", "none_of"


@dataclass(frozen=True)
class LabelSet:
    """Some labels of one task: one of them is true, or none is. Made by :func:`one_of` and :func:`none_of`.

    ``None`` among the labels is N/A: the task does not apply. What a user writes is put into one form when it becomes
    a vote: the labels in the order of their task, and as a negation if that is shorter to say. So two votes are
    equal if and only if they mean the same.
    """

    labels: tuple[Label, ...]
    negated: bool = False

    def __str__(self) -> str:
        named = ["N/A" if label is None else label for label in self.labels]
        if not self.negated:
            return " or ".join(named)
        return f"not {named[0]}" if len(named) == 1 else f"neither {' nor '.join(named)}"

    def __repr__(self) -> str:
        return f"{NONE_OF if self.negated else ONE_OF}({', '.join(map(repr, self.labels))})"

    def __contains__(self, label: object) -> bool:
        return (label in self.labels) != self.negated

    def to_dict(self) -> dict[str, list[Label]]:
        """The set as JSON and TOML write it, e.g. ``{"one_of": ["Doctor", "Lawyer"]}``; a vote may be given so too."""
        return {NONE_OF if self.negated else ONE_OF: list(self.labels)}

    def within(self, task: str, domain: Sequence[Label]) -> Label | LabelSet:
        """The same in its one form: a single label if one is left, else a set.

        ``domain`` are the labels that the task may have, in their order, N/A last.
        """
        allowed = tuple(label for label in domain if label in self)
        others = tuple(label for label in domain if label not in self)
        if not allowed:
            raise VoteError(f"{self!r} rules out every label of task {task!r}")
        if not others:
            raise VoteError(f"{self!r} allows every label of task {task!r}, so it says nothing; return None to abstain")
        if len(allowed) == 1:
            return allowed[0]
        # Nobody says "not N/A" for "Doctor or Lawyer", or "Teacher or N/A" for "neither Doctor nor Lawyer".
        if None not in others and len(others) < len(allowed) + (None in allowed):
            return LabelSet(others, negated=True)
        return LabelSet(allowed)


def one_of(*labels: str | None) -> LabelSet:
    """A vote for one of several labels of a task, without saying which.

    Sources return it in place of a label; rules, columns and gold take it too. In a dict it is the label of one task.

    Parameters
    ----------
    labels
        Labels of one task; ``None`` stands for N/A, that the task does not apply.

    >>> from assay import TaskGraph
    >>> tasks = TaskGraph.flat("pet", ["cat", "dog", "fish", "bird"])
    >>> str(tasks.label_space.vote(one_of("dog", "cat")))
    'cat or dog'
    >>> tasks.label_space.allows(one_of("dog", "cat")).tolist()
    [True, True, False, False]
    """
    return LabelSet(_named(ONE_OF, labels))


def none_of(*labels: str | None) -> LabelSet:
    """A vote against one or more labels of a task: any other may be true, also that the task does not apply.

    Parameters
    ----------
    labels
        As in :func:`one_of`.

    >>> from assay import TaskGraph
    >>> tasks = TaskGraph.flat("pet", ["cat", "dog", "fish", "bird"])
    >>> str(tasks.label_space.vote(none_of("cat")))
    'not cat'
    >>> tasks.label_space.allows(none_of("cat")).tolist()
    [False, True, True, True]
    """
    return LabelSet(_named(NONE_OF, labels), negated=True)


def as_label_set(value: object) -> LabelSet | None:
    """A set of labels, also from its form in JSON and TOML; None if a value is something else.

    A dict with a list for ``one_of`` cannot be mistaken for a vote on a task of that name, since no label is a list.

    >>> as_label_set({"none_of": ["Doctor"]})
    none_of('Doctor')
    """
    if isinstance(value, LabelSet):
        return value
    if isinstance(value, Mapping) and len(value) == 1:
        for make in (one_of, none_of):
            labels = value.get(make.__name__)
            if isinstance(labels, list | tuple):
                return make(*labels)
    return None


def _named(kind: str, labels: tuple[Label, ...]) -> tuple[Label, ...]:
    """The labels, each once, and in an order in which equal sets are equal."""
    if not labels:
        raise VoteError(f"{kind}() needs at least one label; return None to abstain")
    for label in labels:
        if label is not None and not isinstance(label, str):
            hint = f"; write {kind}(*labels) for a list of them" if isinstance(label, Sequence) else ""
            raise VoteError(f"{kind}() takes label names, but got {label!r} ({type(label).__name__}){hint}")
    named = sorted({str(label) for label in labels if label is not None})
    return (*named, None) if None in labels else tuple(named)
