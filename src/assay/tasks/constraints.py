"""Logic between tasks: what a label vector must satisfy to be feasible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from assay.errors import TaskError

Label: TypeAlias = str | None
"""A label name; ``None`` is N/A: the task does not apply."""

Assignment: TypeAlias = tuple[str, Label]
"""One task and its label, as in ``("entity", "Person")``."""

Vector: TypeAlias = Mapping[str, Label]
"""Labels of some tasks; of all of them for a full label vector."""

Predicate: TypeAlias = Callable[[Vector], bool]

_PROBES = 50_000
"""How many partial vectors a predicate may be tried on while its tasks are found out."""


@dataclass(frozen=True)
class Constraint:
    """A condition on the labels of some tasks.

    Made by :func:`implies` and :func:`excludes`, or from any predicate that is
    handed to :class:`~assay.TaskGraph`.
    """

    text: str
    """How the condition reads in errors and pictures."""
    tasks: tuple[str, ...]
    """The tasks whose labels the condition looks at."""
    holds: Predicate
    """Whether a vector over these tasks satisfies it."""
    mentions: tuple[Assignment, ...] = ()
    """The assignments named in it, which must exist."""
    early: tuple[Constraint, ...] = ()
    """What follows from it for fewer tasks, so that a partial vector can be ruled out before it has grown."""

    def __str__(self) -> str:
        return self.text


def implies(condition: Assignment, *consequences: Assignment) -> Constraint:
    """Wherever ``condition`` holds, at least one of ``consequences`` does.

    >>> implies(("relation", "lives_in"), ("object", "Location")).text
    'relation=lives_in implies object=Location'
    """
    if not consequences:
        raise TaskError("implies() needs a consequence: implies((task, label), (task, label), ...)")
    task, label = _assignment(condition)
    options = tuple(_assignment(consequence) for consequence in consequences)

    def holds(vector: Vector) -> bool:
        return vector[task] != label or any(vector[t] == lab for t, lab in options)

    return Constraint(
        text=f"{_text(condition)} implies {' or '.join(map(_text, options))}",
        tasks=_tasks(condition, *options),
        holds=holds,
        mentions=((task, label), *options),
    )


def excludes(*assignments: Assignment) -> Constraint:
    """At most one of ``assignments`` holds.

    >>> excludes(("subject", "Organization"), ("relation", "born_in")).text
    'subject=Organization excludes relation=born_in'
    """
    if len(assignments) < 2:
        raise TaskError("excludes() needs two assignments or more: excludes((task, label), (task, label))")
    pairs = tuple(_assignment(assignment) for assignment in assignments)

    def holds(vector: Vector) -> bool:
        return sum(vector[task] == label for task, label in pairs) <= 1

    return Constraint(
        text=" excludes ".join(map(_text, pairs)),
        tasks=_tasks(*pairs),
        holds=holds,
        mentions=pairs,
        early=tuple(excludes(*two) for two in combinations(pairs, 2)) if len(pairs) > 2 else (),
    )


def from_predicate(predicate: Predicate, domains: Mapping[str, Sequence[Label]]) -> Constraint:
    """A constraint from a function of a vector, e.g. ``lambda v: v["a"] != v["b"]``.

    Which tasks the function looks at decides which tasks are related, so it is
    found out by trying: the function gets a vector that tells what is asked of
    it, and every label of the task asked for is tried in turn. A function that
    looks at the vector as a whole relates all tasks.
    """
    text = getattr(predicate, "__name__", type(predicate).__name__)
    if text == "<lambda>":
        text = "the constraint given as a lambda"
    asked: dict[str, None] = {}
    untried: list[dict[str, Label]] = [{}]
    tried = 0
    while untried:
        vector = untried.pop()
        tried += 1
        if tried > _PROBES:
            asked = dict.fromkeys(domains)
            break
        try:
            predicate(_Probe(vector, domains))
        except _Asked as question:
            asked[question.task] = None
            untried += [{**vector, question.task: label} for label in domains[question.task]]
        except Exception:  # noqa: S112  judged on the vectors that can really occur, when compiling
            continue
    tasks = tuple(task for task in domains if task in asked)
    if not tasks:
        raise TaskError(f"{text} looks at no task, so it constrains nothing; it is called with a dict of task -> label")
    return Constraint(text=text, tasks=tasks, holds=predicate)


class _Asked(BaseException):
    """Raised by a probe for a task without a label yet; not an ``Exception``, so that predicates let it pass."""

    def __init__(self, task: str) -> None:
        self.task = task


class _Probe(Mapping[str, Label]):
    """A vector that knows some labels and raises :class:`_Asked` for the others."""

    def __init__(self, known: dict[str, Label], domains: Mapping[str, Sequence[Label]]) -> None:
        self._known = known
        self._domains = domains

    def __getitem__(self, task: str) -> Label:
        if task in self._known:
            return self._known[task]
        if task in self._domains:
            raise _Asked(task)
        raise KeyError(task)

    def __iter__(self) -> Iterator[str]:
        for task in self._domains:
            if task not in self._known:
                raise _Asked(task)
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._domains)


def _assignment(pair: Assignment) -> Assignment:
    if not (isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], str)):
        raise TaskError(f"expected a pair (task, label), e.g. ('entity', 'Person'), but got {pair!r}")
    return pair[0], pair[1]


def _text(pair: Assignment) -> str:
    task, label = pair
    return f"{task}={'N/A' if label is None else label}"


def _tasks(*pairs: Assignment) -> tuple[str, ...]:
    return tuple(dict.fromkeys(task for task, _ in pairs))
