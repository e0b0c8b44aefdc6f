"""One item, looked at closely: its texts with what made sources speak, its votes, its label and why, and its past."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from assay.errors import AssayError
from assay.gold import HandAnswer
from assay.project.browsing import IGNORING_CASE, LabelShown, labels_at
from assay.project.contents import Contents
from assay.project.runs import NOT_APPLICABLE, changed_labels
from assay.report import Contribution, contributions_of, outcome_texts
from assay.sources import Rule, check_pattern, places_of
from assay.tasks import Task


@dataclass(frozen=True)
class Piece:
    """A piece of a text, and the sources that it made speak."""

    text: str
    by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Explained:
    """What a label of some tasks that belong together rests on."""

    posterior: tuple[tuple[str, float], ...]
    """Outcomes with their probabilities, most probable first."""
    contributions: tuple[Contribution, ...]
    """What each source did to the odds of the two most probable ones, strongest first."""


@dataclass(frozen=True)
class Change:
    """A label that a run changed."""

    run: int
    when: str
    task: str
    before: str
    after: str


@dataclass(frozen=True)
class ItemView:
    """All that is known of an item."""

    row: int
    item: int | str
    fields: tuple[tuple[str, tuple[Piece, ...]], ...]
    """Its columns, those first that people look at."""
    votes: tuple[tuple[str, str], ...]
    labels: tuple[LabelShown, ...]
    explained: tuple[Explained, ...]
    gold: str
    """What the project's gold says, if it says anything."""
    answers: tuple[HandAnswer, ...]
    """What people said by hand, or that they skipped it."""
    changes: tuple[Change, ...]
    """Labels that runs changed, the latest first."""


def item_view(contents: Contents, row: int, *, highlight: str = "") -> ItemView:
    """All that is known of an item; ``highlight`` is a pattern to mark beside what sources found.

    Raises
    ------
    AssayError
        If there is no such row, or the pattern cannot be used.
    """
    if highlight:
        typed = highlight.removeprefix(IGNORING_CASE)
        check_pattern("search", highlight, "look for plain words, or mend it", typed=typed)
    if not 0 <= row < len(contents):
        raise AssayError(f"there is no row {row:,}: the data has {len(contents):,}, from 0")
    record = contents.data.row(row, named=True)
    order = [*contents.shown, *(name for name in record if name not in contents.shown)]
    votes, item = contents.votes, contents.item(row)
    said: tuple[tuple[str, str], ...] = ()
    if votes is not None:
        cast = votes.take([row]).cast
        pairs = zip(cast.sources.tolist(), cast.codes.tolist(), strict=True)
        said = tuple((votes.names[source], str(votes.values[source][code])) for source, code in pairs)
    speaking = {name for name, _ in said}
    rules = [one for one in contents.sources if isinstance(one, Rule) and one.name in speaking]
    return ItemView(
        row,
        item,
        tuple((name, pieces(record[name], name, rules, highlight)) for name in order),
        said,
        labels_at(contents, np.array([row]))[0],
        _explained(contents, row),
        _gold(contents, row),
        tuple(one for one in contents.hand.said if one.item == item),
        _changes(contents, row),
    )


def pieces(value: Any, column: str, rules: list[Rule], highlight: str = "") -> tuple[Piece, ...]:
    """A text cut where rules found something in it, each piece with the names of those that did."""
    text = "" if value is None else str(value)
    if not isinstance(value, str):
        return (Piece(text),)
    found = [(start, end, rule.name) for rule in rules if rule.on == column for start, end in rule.places(text)]
    if highlight:
        found += [(start, end, "search") for start, end in places_of(highlight, text)]
    cuts = sorted({0, len(text), *(at for start, end, _ in found for at in (start, end))})
    cut = [
        Piece(text[one:other], tuple(dict.fromkeys(by for start, end, by in found if start <= one and other <= end)))
        for one, other in pairwise(cuts)
    ]
    return tuple(cut) or (Piece(text),)


def _explained(contents: Contents, row: int) -> tuple[Explained, ...]:
    model, labels, votes = contents.model, contents.labels, contents.votes
    if model is None or labels is None or votes is None:
        return ()
    fitted = model.fitted_
    only = fitted.aligned(votes.take([row]))
    found = []
    for index, part in enumerate(fitted.tasks.label_space.components):
        if len(part) < 2:
            continue
        outcomes = outcome_texts(part.outcomes)
        joint = labels.joint[index][row]
        ranked = np.argsort(-joint, kind="stable").tolist()
        contributions = contributions_of(fitted, only, index, outcomes, ranked)
        if not contributions:
            continue
        found.append(Explained(tuple((outcomes[at], float(joint[at])) for at in ranked[:6]), contributions))
    return tuple(found)


def _gold(contents: Contents, row: int) -> str:
    gold = contents.results.gold
    if gold is None:
        return ""
    return ", ".join(str(gold.values[0][code]) for code in gold.take([row]).cast.codes.tolist())


def _changes(contents: Contents, row: int) -> tuple[Change, ...]:
    if contents.labels is None:
        return ()
    tasks = {task.name: task for task in contents.labels.tasks}
    found = []
    for run in reversed(contents.runs):
        for name, changes in changed_labels(contents.project, run.number).items():
            for at in np.flatnonzero(changes.rows == row).tolist():
                before, after = (_label(tasks.get(name), int(part[at])) for part in (changes.before, changes.after))
                found.append(Change(run.number, run.when, name, before, after))
    return tuple(found)


def _label(task: Task | None, number: int) -> str:
    return NOT_APPLICABLE if task is None or number >= len(task.labels) else task.labels[number]
