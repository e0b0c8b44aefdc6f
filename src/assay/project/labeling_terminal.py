"""Labeling by keyboard in a terminal: keys in, a drawing out, and every answer on disk before the next item shows."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console, Group
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from assay.errors import ProjectError
from assay.project.hand_labels import Answers, ItemShown, past_of, queue, queue_of, shown_items
from assay.project.labeling import KEYS_IN_WORDS, UNKNOWN, Labeling, Note, press
from assay.project.project import Project
from assay.project.stored import current_votes, stored_labels
from assay.report import plain_table

_MOST_CHARACTERS = 4_000
_MOST_EXCERPT = 60
_END_OF_INPUT = ("", "\x04")
_ESCAPE = "\x1b"


@dataclass(frozen=True)
class Labeled:
    """What a session of labeling by hand gave."""

    answered: int
    """How many answers this person has given, in all sessions."""
    skipped: int
    left: int
    """How many items of the queue were not reached."""
    path: Path


def label_by_hand(
    project: Project,
    *,
    by: str,
    n: int = 20,
    random_only: bool = False,
    file: Path | None = None,
    console: Console | None = None,
) -> Labeled:
    """Ask a person at the terminal about items of a project, until they quit or the queue ends.

    Parameters
    ----------
    by
        Who labels.
    n
        How many items to ask about.
    random_only
        Whether all items are chosen at random.
    file
        Where answers go, in place of the project's own file.
    """
    if not sys.stdin.isatty():
        raise ProjectError(
            "labels are given by keyboard, but stdin is not a terminal; run it in one, "
            "or see which items come next with 'assay next'"
        )
    answers = Answers.of(project, by, file)
    votes = current_votes(project)
    items = queue(project, n, random_only, also=[answers.path])
    state = Labeling.start(project.tasks, items, past_of(answers, votes))
    if state.question is None:
        raise ProjectError("the tasks leave nothing to ask: there is only one outcome")
    shown = shown_items(project, votes, [one.row for one in items])

    def item_of(row: int) -> ItemShown:
        if row not in shown:  # an answer of an earlier session was taken back
            shown.update(shown_items(project, votes, [row]))
        return shown[row]

    def keep(note: Note) -> None:
        item = item_of(note.queued.row).item
        if note.kind == "undo":
            answers.take_back(item)
        else:
            answers.record(note.queued, item, note.answer)

    screen = console or Console(highlight=False)
    with _keyboard() as next_key:
        state = _session(state, next_key, keep, lambda now: _draw(screen, now, item_of, answers))
    return Labeled(state.answered, state.skipped, len(state.queue), answers.path)


def _session(
    state: Labeling, next_key: Callable[[], str], keep: Callable[[Note], None], draw: Callable[[Labeling], None]
) -> Labeling:
    """Key after key, until the person quits; what is to be kept is kept before anything else is drawn."""
    try:
        while not state.has_quit:
            draw(state)
            key = next_key()
            if key in _END_OF_INPUT:
                break
            after, note = press(state, key)
            if note is not None:
                keep(note)
            state = after
    except KeyboardInterrupt:  # a way to quit like any other: what was said is on disk
        pass
    return state


@contextmanager
def _keyboard() -> Iterator[Callable[[], str]]:
    """Keys as they are pressed; the terminal is put back as it was, whatever happens."""
    try:
        import termios
        import tty
    except ImportError:
        raise ProjectError("keys cannot be read on this system: it has no POSIX terminal") from None
    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle)
        yield lambda: _key(handle)
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


def _key(handle: int) -> str:
    """One key. Those that send several characters, such as arrows, come as one that means nothing."""
    import select

    # A read may go on after Ctrl-C, if a library has asked the system to restart it; waiting never does.
    select.select([handle], [], [])
    first = os.read(handle, 1)
    if first == _ESCAPE.encode():
        while select.select([handle], [], [], 0.01)[0]:
            first += os.read(handle, 1)
        return _ESCAPE
    # The first byte of a character in UTF-8 tells how many follow.
    more = next((count for count, least in ((3, 0xF0), (2, 0xE0), (1, 0xC0)) if first and first[0] >= least), 0)
    return (first + b"".join(os.read(handle, 1) for _ in range(more))).decode(errors="replace")


def _draw(screen: Console, state: Labeling, item_of: Callable[[int], ItemShown], answers: Answers) -> None:
    shown = None if state.current is None else item_of(state.current.row)
    screen.clear()
    screen.print(drawing(state, shown, answers.by, answers.path))


def drawing(state: Labeling, shown: ItemShown | None, by: str, path: Path) -> Group:
    """What the person sees: the item, what is known of it, and the keys."""
    counts = f"{state.answered} labeled, {state.skipped} skipped by {by}; {path}"
    parts: list[Rule | Table | Text] = []
    if shown is None:
        parts += [Rule("done", align="left"), Text("\nall items are done: q quits, u takes back the last answer\n")]
    else:
        parts += [Rule(Text(f"{state.number} of {state.total} · item {plain(shown.item)}"), align="left"), Text()]
        parts += [_columns(list(shown.record.items())), Text()]
        if state.shows_votes:
            votes = shown.votes or (("", "no source votes on this item"),)
            parts += [Text("what the sources say", style="dim"), _columns(list(votes)), Text()]
        parts += _question(state)
    if state.shows_keys:
        parts += [Text(), _columns(list(KEYS_IN_WORDS))]
    parts += [Text(), Text(counts, style="dim"), Text("? lists all keys", style="dim")]
    parts += [Text(state.message, style="bold yellow")] if state.message else []
    return Group(*parts)


def _question(state: Labeling) -> list[Rule | Table | Text]:
    question = state.question
    if question is None:
        return []
    so_far = [f"{task}: {_label(label) if is_known else 'not known'}" for task, label, is_known in state.choices]
    asked = Text(" · ".join([*so_far, f"{question.task}?"]), style="bold")
    options = [(code, _label(label)) for code, label in state.options.items()]
    typed = [Text(f"typed: {state.typed}", style="dim")] if state.typed else []
    return [asked, _columns([*options, (UNKNOWN, "don't know")]), *typed]


def _columns(entries: list[tuple[str, object]] | list[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in entries:
        table.add_row(Text(plain(name)), Text(plain(value)))
    return table


def _label(label: str | None) -> str:
    return "N/A" if label is None else label


def plain(value: object) -> str:
    """A value as text that does nothing to a terminal but show, and is not endless.

    >>> plain("a\\x1b[31mb"), len(plain("x" * 10_000))
    ('a�[31mb', 4001)
    """
    text = "" if value is None else str(value)
    text = text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS] + "…"
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "�" for sign in text)


def queue_rows(
    project: Project, n: int, random_only: bool = False, *, least_sure: bool = False
) -> list[dict[str, object]]:
    """The next items to label by hand, with what to show of them, for JSON.

    With ``least_sure``, those whose labels are least sure by the last run: they are not chosen for gold, but to be
    looked at again.
    """
    if random_only and least_sure:
        raise ProjectError("items are chosen at random, or as the least sure ones; leave --random or --least-sure out")
    votes = current_votes(project)
    if least_sure:
        order = np.argsort(stored_labels(project).confidence, kind="stable")
        items = queue_of(project, votes, order, n)
    else:
        items = queue(project, n, random_only)
    shown = shown_items(project, votes, [one.row for one in items])
    return [
        {
            "item": shown[one.row].item,
            "row": one.row,
            "kind": "least sure" if least_sure else one.kind,
            "chance": one.chance,
            "text": shown[one.row].excerpt,
        }
        for one in items
    ]


def queue_table(rows: list[dict[str, object]]) -> Table:
    """The next items to label by hand, as a table for the terminal."""
    table = plain_table(f"the next {len(rows)} items to label by hand", "item", "chosen", "chance", "text",
                        numbers=("chance",))  # fmt: skip
    for row in rows:
        text = plain(row["text"]) or "(empty)"
        text = text if len(text) <= _MOST_EXCERPT else text[:_MOST_EXCERPT] + "…"
        chance = "–" if row["chance"] is None else f"{row['chance']:.2%}"
        table.add_row(Text(plain(row["item"])), str(row["kind"] or "–"), chance, Text(text))
    return table
