"""Labeling by keyboard, without a keyboard: from a state and a key to the next state, and what to write down.

Nothing here reads, writes or draws, so the terminal and the studio can share it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Literal

from assay.gold import Question, next_question
from assay.project.hand_labels import Queued
from assay.tasks import TaskGraph

SKIP, VOTES, KEYS, QUIT, UNKNOWN = " ", "v", "?", "q", "0"
FORWARD, BACK = "right", "left"
"""Keys that have no character; a terminal does not tell of them."""
UNDO = ("u", "\x7f", "\b")
_LETTERS = "123456789abcdefghijklmnoprstwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The keys that labels may have: all but those that mean something else."""

KEYS_IN_WORDS = (
    ("a label's key", "give it that label, and go on to the next question or item"),
    (UNKNOWN, "don't know: leave this question open, and those below it"),
    ("space", "skip the item"),
    ("u, backspace", "take back the last answer"),
    (VOTES, "show or hide what the sources say"),
    (KEYS, "show or hide this list"),
    (QUIT, "quit; all answers are on disk already"),
)


def codes_of(count: int) -> tuple[str, ...]:
    """What to type for each of some options: one key, or two if there are too many.

    >>> codes_of(3), len(codes_of(300)[-1])
    (('1', '2', '3'), 2)
    """
    if count <= len(_LETTERS):
        return tuple(_LETTERS[:count])
    pairs = ("".join(pair) for pair in product(_LETTERS, repeat=2))
    return tuple(code for code, _ in zip(pairs, range(count), strict=False))


@dataclass(frozen=True)
class Note:
    """What is to be written down before anything else happens."""

    queued: Queued
    kind: Literal["answer", "skipped", "undo"]
    answer: dict[str, str | None] | None = None
    """Task -> label, of an answer."""


@dataclass(frozen=True)
class Labeling:
    """Where a person is who labels by hand."""

    tasks: TaskGraph
    queue: tuple[Queued, ...]
    """The items to come; the first is the one that is asked about now."""
    past: tuple[tuple[Queued, bool], ...] = ()
    """What was said and not taken back, oldest first: the item, and whether it was skipped."""
    choices: tuple[tuple[str, str | None, bool], ...] = ()
    """Of the item that is asked about now: per question the task, the label, and whether it is known."""
    typed: str = ""
    """The first key of a label that has two."""
    shows_votes: bool = False
    shows_keys: bool = False
    has_quit: bool = False
    message: str = ""
    """What to tell the person."""
    total: int = 0
    """How many items this session is about."""

    @classmethod
    def start(cls, tasks: TaskGraph, queue: Sequence[Queued], past: Sequence[tuple[Queued, bool]] = ()) -> Labeling:
        """At the first item."""
        return cls(tasks, tuple(queue), tuple(past), total=len(queue))

    @property
    def current(self) -> Queued | None:
        """The item that is asked about; None once all are done."""
        return self.queue[0] if self.queue else None

    @property
    def number(self) -> int:
        """The number of the current item within this session, from 1."""
        return self.total - len(self.queue) + 1

    @property
    def answered(self) -> int:
        """How many items this person has given an answer for, in all sessions."""
        return sum(not was_skipped for _, was_skipped in self.past)

    @property
    def skipped(self) -> int:
        """How many items this person has skipped, in all sessions."""
        return len(self.past) - self.answered

    @property
    def answer(self) -> dict[str, str | None]:
        """Task -> label of the current item, so far."""
        return {task: label for task, label, is_known in self.choices if is_known}

    @cached_property
    def question(self) -> Question | None:
        """What is asked now."""
        return next_question(self.tasks, self.answer, [task for task, _, is_known in self.choices if not is_known])

    @property
    def options(self) -> dict[str, str | None]:
        """What to type for each label that is possible."""
        question = self.question
        return {} if question is None else dict(zip(codes_of(len(question.options)), question.options, strict=True))


def press(state: Labeling, key: str) -> tuple[Labeling, Note | None]:
    """What a key leads to, and what is to be written down."""
    before = replace(state, message="")
    if key == QUIT:
        return replace(before, has_quit=True), None
    if key == KEYS:
        return replace(before, shows_keys=not state.shows_keys, typed=""), None
    if key in UNDO:
        return _undo(before)
    if state.current is None:
        return replace(state, message="all items are done; q quits, u takes back the last answer"), None
    if key == VOTES:
        return replace(before, shows_votes=not state.shows_votes, typed=""), None
    if key == SKIP:
        return _done(before, None)
    if key in (FORWARD, BACK):
        return _moved(before, key), None
    if key == UNKNOWN and not state.typed and state.question is not None:
        return _chosen(before, None, is_known=False)
    typed = state.typed + key
    if typed in state.options:
        return _chosen(before, state.options[typed], is_known=True)
    if any(code.startswith(typed) for code in state.options):
        return replace(before, typed=typed), None
    return replace(before, typed="", message=f"{typed!r} is no key here; ? lists the keys"), None


def _moved(state: Labeling, key: str) -> Labeling:
    """At another item of the queue; the one that was left comes up again."""
    first, *rest = state.queue
    queue = (*rest, first) if key == FORWARD else (state.queue[-1], *state.queue[:-1])
    return replace(state, queue=queue, choices=(), typed="", shows_votes=False)


def _chosen(state: Labeling, label: str | None, *, is_known: bool) -> tuple[Labeling, Note | None]:
    assert state.question is not None
    after = replace(state, choices=(*state.choices, (state.question.task, label, is_known)), typed="")
    if after.question is not None:
        return after, None
    # Who knows nothing about an item has skipped it.
    return _done(after, after.answer or None)


def _done(state: Labeling, answer: dict[str, str | None] | None) -> tuple[Labeling, Note | None]:
    item, *rest = state.queue
    past = (*state.past, (item, answer is None))
    after = replace(state, queue=tuple(rest), past=past, choices=(), typed="", shows_votes=False, shows_keys=False)
    return after, Note(item, "skipped" if answer is None else "answer", answer)


def _undo(state: Labeling) -> tuple[Labeling, Note | None]:
    if state.typed:
        return replace(state, typed=""), None
    if state.choices:
        return replace(state, choices=state.choices[:-1]), None
    if not state.past:
        return replace(state, message="there is nothing to take back"), None
    *past, (item, _) = state.past
    # An answer of an earlier session makes this one longer by an item.
    total = max(state.total, len(state.queue) + 1)
    after = replace(
        state, queue=(item, *state.queue), past=tuple(past), total=total, shows_votes=False, message="taken back"
    )
    return after, Note(item, "undo")
