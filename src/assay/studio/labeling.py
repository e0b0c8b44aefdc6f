"""Labeling in the browser: where each person is, in the queue they chose. Answers are on disk before the next item."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from time import time_ns
from typing import Any

from assay.errors import ProjectError
from assay.project import (
    Answers,
    Contents,
    Filter,
    Labeling,
    past_of,
    press,
    queue,
    queue_of,
    rows_found,
)

BATCH = 20
"""How many items a queue has; after these come others, chosen with what is known by then."""


@dataclass
class Desk:
    """Where one person is who labels in the browser."""

    by: str
    key: str
    """Which queue: a filter, random, or the items that are most useful."""
    state: Labeling
    version: int = field(default_factory=time_ns)
    """Rises with every key, so that a tab that is behind is told so; by a batch or a restart too, hence not from 0."""


@dataclass
class Desks:
    """Those of all who label, by name and queue. Nothing here needs to outlive the program: answers are on disk."""

    _open: dict[tuple[str, str], Desk] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def at(self, contents: Contents, by: str, wanted: Filter | None, is_random: bool) -> Desk:
        """The desk of a person with a queue; a new one if there is none, or if the queue has ended."""
        key = "random" if is_random else "useful" if wanted is None else repr(wanted)
        with self._lock:
            desk = self._open.get((by, key))
            if desk is None or desk.state.current is None or desk.state.tasks != contents.project.tasks:
                desk = self._open[by, key] = _new_desk(contents, by, key, wanted, is_random)
            return desk

    def press(self, contents: Contents, desk: Desk, key: str, version: int) -> str:
        """Do what a key says, and write down what is to be; returns what to tell the person.

        A key that was pressed in a tab that shows something else than what is asked now does nothing.
        """
        with self._lock:
            if version != desk.version:
                return "this was changed in another tab; here is where it stands now"
            state, note = press(desk.state, key)
            if note is not None:
                answers = Answers.of(contents.project, desk.by)
                item = contents.item(note.queued.row)
                if note.kind == "undo":
                    answers.take_back(item)
                else:
                    answers.record(note.queued, item, note.answer)
            desk.state, desk.version = state, desk.version + 1
            return state.message


def _new_desk(contents: Contents, by: str, key: str, wanted: Filter | None, is_random: bool) -> Desk:
    votes = contents.votes
    if votes is None:
        raise ProjectError("there are no votes yet: write a source and run the project, then label items")
    project = contents.project
    if wanted is None:
        items = queue(project, BATCH, is_random, votes=votes, model=contents.model)
    else:
        items = queue_of(project, votes, rows_found(contents, wanted), BATCH)
    return Desk(by, key, Labeling.start(project.tasks, items, past_of(Answers.of(project, by), votes)))


def key_of(pressed: Any) -> str:
    """What a key of a browser is called here: arrows and backspace by name, all others by their character."""
    known = {"ArrowRight": "right", "ArrowLeft": "left", "Backspace": "\b", "Space": " "}
    text = str(pressed)
    return known.get(text, text if len(text) == 1 else "")
