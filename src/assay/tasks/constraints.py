"""Logic between tasks: what a label vector must satisfy to be feasible."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, TypeAlias

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

    Made by :func:`implies`, :func:`excludes` and :func:`at_most`, or from any predicate
    that is handed to :class:`~assay.TaskGraph`.
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
    kind: Literal["implies", "at_most"] | None = None
    """What it says of the assignments named in it; None if only :attr:`holds` knows."""
    most: int = 0
    """How many of them may hold at once, if it is about that."""
    whole: tuple[str, ...] = ()
    """Tasks of which it names all labels."""

    def __str__(self) -> str:
        return self.text

    def between(self, pairs: Sequence[Assignment]) -> Constraint:
        """The same said of other assignments."""
        return _constraint(self.text, self.kind, self.most, tuple(pairs))

    def allows(self, held: Sequence[bool]) -> bool:
        """Whether it is satisfied if these of its assignments hold, in their order."""
        if self.kind == "implies":
            return not held[0] or any(held[1:])
        return sum(held) <= self.most


def implies(condition: Assignment, *consequences: Assignment) -> Constraint:
    """Wherever ``condition`` holds, at least one of ``consequences`` does.

    >>> implies(("relation", "lives_in"), ("object", "Location")).text
    'relation=lives_in implies object=Location'
    """
    if not consequences:
        raise TaskError("implies() needs a consequence: implies((task, label), (task, label), ...)")
    first, options = _assignment(condition), tuple(_assignment(consequence) for consequence in consequences)
    text = f"{_text(first)} implies {' or '.join(map(_text, options))}"
    return _constraint(text, "implies", 0, (first, *options))


def excludes(*assignments: Assignment) -> Constraint:
    """At most one of ``assignments`` holds.

    >>> excludes(("subject", "Organization"), ("relation", "born_in")).text
    'subject=Organization excludes relation=born_in'
    """
    if len(assignments) < 2:
        raise TaskError("excludes() needs two assignments or more: excludes((task, label), (task, label))")
    pairs = tuple(_assignment(assignment) for assignment in assignments)
    return _constraint(" excludes ".join(map(_text, pairs)), "at_most", 1, pairs)


def at_most(most: int, *assignments: Assignment | str) -> Constraint:
    """At most so many of ``assignments`` hold; the name of a task with ``multiple=True`` stands for all its labels.

    >>> at_most(2, ("topics", "sports"), ("topics", "politics"), ("topics", "science")).text
    'at most 2 of topics=sports, topics=politics, topics=science'
    >>> at_most(3, "topics").text
    'at most 3 of topics'
    """
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        raise TaskError(f"at_most() needs a positive number first, as in at_most(3, 'topics'), but got {most!r}")
    whole = tuple(name for name in assignments if isinstance(name, str))
    pairs = tuple(_assignment(pair) for pair in assignments if not isinstance(pair, str))
    if not whole and len(pairs) <= most:
        raise TaskError(f"at_most({most}, ...) rules nothing out: it names {len(pairs)} assignments")
    text = f"at most {most} of {', '.join([*whole, *map(_text, pairs)])}"
    return replace(_constraint(text, "at_most", most, pairs), whole=whole)


_MOST_IN_PAIRS = 20
"""Of more assignments than this that exclude each other, not every pair is a rule of its own."""


def _constraint(
    text: str, kind: Literal["implies", "at_most"] | None, most: int, pairs: tuple[Assignment, ...]
) -> Constraint:
    """A constraint that only looks at which of some assignments hold."""
    whole = _without_early(text, kind, most, pairs)
    if kind != "at_most" or len(pairs) <= most + 1:
        return whole
    # A vector grows task by task, so that a rule on the first few assignments can tell first.
    fewer = [pairs[:size] for size in range(most + 1, len(pairs))]
    if most == 1 and len(pairs) <= _MOST_IN_PAIRS:
        fewer = list(combinations(pairs, 2))
    return replace(whole, early=tuple(_without_early(text, kind, most, some) for some in fewer))


def _without_early(
    text: str, kind: Literal["implies", "at_most"] | None, most: int, pairs: tuple[Assignment, ...]
) -> Constraint:
    def holds(vector: Vector) -> bool:
        return made.allows([vector[task] == label for task, label in pairs])

    made = Constraint(text, _tasks(*pairs), holds, pairs, kind=kind, most=most)
    return made


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
