"""Looking through a project's items: filters that can be written into a link, and the items that pass."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from threading import Lock
from typing import Any, Literal, TypeVar, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from assay.errors import AssayError, near_miss
from assay.labels import Labels
from assay.project.contents import Contents
from assay.project.runs import NOT_APPLICABLE, chosen_labels
from assay.sources import check_pattern
from assay.votes import Votes

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
Made = TypeVar("Made", Votes, Labels)

Only = Literal["", "conflict", "silent", "wrong", "changed", "labeled", "unlabeled"]
Order = Literal["row", "unsure", "sure"]
ONLY: dict[Only, str] = {
    "": "all items",
    "conflict": "sources contradict each other",
    "silent": "no source votes",
    "wrong": "gold says otherwise",
    "changed": "changed in the last run",
    "labeled": "labeled by hand",
    "unlabeled": "not labeled by hand",
}
ORDERS: dict[Order, str] = {"row": "as in the data", "unsure": "least sure first", "sure": "surest first"}
ANYTHING, NOTHING = "any vote", "no vote"
"""What a source may have said, besides its values."""
_remembering = Lock()
_MOST_KEPT = 24
"""How many filters' items are remembered."""
_LONGEST_SEARCH = 2_000
IGNORING_CASE = "(?i)"
"""What patterns of searches begin with, whatever is typed."""


@dataclass(frozen=True, kw_only=True)
class Filter:
    """Which items to look at, and in which order.

    >>> Filter.from_query({"text": "court", "task": "person", "label": "Lawyer"}).query
    {'text': 'court', 'task': 'person', 'label': 'Lawyer'}
    """

    text: str = ""
    """What a text must contain, whatever its case."""
    regex: bool = False
    """Whether that is a regular expression."""
    task: str = ""
    label: str = ""
    """The label of that task in the most probable outcome."""
    least: float = 0.0
    """The least confidence: in the label of the task, or in the whole outcome if none is named."""
    most: float = 1.0
    source: str = ""
    said: str = ""
    """What that source says: one of its values, :data:`ANYTHING` or :data:`NOTHING`."""
    only: Only = ""
    order: Order = "row"

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Filter:
        """The filter that a link names; what it does not name is as if there were no filter.

        Raises
        ------
        AssayError
            If a value is not one of those that there are; names it.
        """
        given = {one.name: query[one.name].strip() for one in fields(cls) if query.get(one.name, "").strip()}
        said: dict[str, Any] = dict(given)
        for name in ("least", "most"):
            if name in given:
                said[name] = _share(name, given[name])
        if "regex" in given:
            said["regex"] = given["regex"] not in ("0", "false")
        for name, known in (("only", get_args(Only)), ("order", get_args(Order))):
            if name in given and given[name] not in known:
                raise AssayError(f"{name} must be one of {', '.join(filter(None, known))}, but is {given[name]!r}")
        if len(given.get("text", "")) > _LONGEST_SEARCH:
            raise AssayError(
                f"a search may have {_LONGEST_SEARCH:,} characters, but this one has {len(given['text']):,}"
            )
        return cls(**said)

    @property
    def query(self) -> dict[str, str]:
        """What a link to these items says; nothing of what is as it is without a filter."""
        told = {one.name: getattr(self, one.name) for one in fields(self) if getattr(self, one.name) != one.default}
        return {name: "1" if value is True else str(value) for name, value in told.items()}

    @property
    def pattern(self) -> str:
        """The regular expression that texts must match."""
        return f"{IGNORING_CASE}{self.text if self.regex else re.escape(self.text)}"

    @property
    def is_text_alone(self) -> bool:
        """Whether nothing but texts decides, so that it means something for other data, too."""
        return bool(self.text) and replace(self, text="", regex=False, order="row") == Filter()


def _share(name: str, said: str) -> float:
    try:
        value = float(said)
    except ValueError:
        value = np.nan
    if not 0 <= value <= 1:
        raise AssayError(f"{name} must be a confidence from 0 to 1, but is {said!r}")
    return value


def rows_found(contents: Contents, wanted: Filter) -> IntArray:
    """(found,): the rows of the items that pass a filter, in its order.

    Raises
    ------
    AssayError
        If it names a task, label or source that there is not, or a pattern that cannot be used.
    """
    by_hand = wanted.only in ("wrong", "labeled", "unlabeled")
    memo = contents.results.memo.setdefault("found", {})
    key = (wanted, contents.hand if by_hand else None)
    found: IntArray | None = memo.get(key)
    if found is None:
        found = _ordered(contents, wanted, _passing(contents, wanted))
        with _remembering:  # several people look at once
            while len(memo) >= _MOST_KEPT:
                memo.pop(next(iter(memo)))
            memo[key] = found
    return found


def _passing(contents: Contents, wanted: Filter) -> BoolArray:
    passes = np.ones(len(contents), dtype=bool)
    if wanted.text:
        passes &= matching(contents, wanted.pattern)
    if wanted.source:
        passes &= _saying(contents, wanted.source, wanted.said or ANYTHING)
    if wanted.task or wanted.label:
        passes &= _with_label(contents, wanted.task, wanted.label)
    if wanted.least > 0 or wanted.most < 1:
        sure = _confidence(contents, wanted.task)
        passes &= (sure >= wanted.least) & (sure <= wanted.most)
    if wanted.only:
        passes &= _of_kind(contents, wanted.only)
    return passes


def matching(contents: Contents, pattern: str) -> BoolArray:
    """(items,): whether a text that people look at matches a pattern."""
    check_pattern("search", pattern, "look for plain words, or mend it", typed=pattern.removeprefix(IGNORING_CASE))
    if not contents.texts:
        raise AssayError("the data has no column of text to search in")
    found = contents.data.select(
        pl.any_horizontal(pl.col(name).str.contains(pattern).fill_null(value=False) for name in contents.texts)
    )
    mask: BoolArray = found.to_series().to_numpy()
    return mask


def _saying(contents: Contents, source: str, said: str) -> BoolArray:
    votes = _needed(contents.votes, contents)
    if source not in votes.names:
        raise AssayError(f"there are no votes of a source {source!r}. {near_miss(source, votes.names)}")
    only = votes.select(source)
    texts = [str(value) for value in only.values[0]]
    if said in (ANYTHING, NOTHING):
        return only.voted if said == ANYTHING else ~only.voted
    if said not in texts:
        raise AssayError(f"{source} never says {said!r}. {near_miss(said, texts)}")
    found = np.zeros(len(votes), dtype=bool)
    found[only.cast.row[only.cast.codes == texts.index(said)]] = True
    return found


def _with_label(contents: Contents, task: str, label: str) -> BoolArray:
    labels = _needed(contents.labels, contents)
    if task not in labels.tasks.names:
        raise AssayError(f"there is no task {task!r}. {near_miss(task, labels.tasks.names)}")
    if not label:
        return np.ones(len(contents), dtype=bool)
    known = [*labels.tasks[task].labels, NOT_APPLICABLE]
    if label not in known:
        raise AssayError(f"task {task!r} has no label {label!r}. {near_miss(label, known)}")
    found: BoolArray = chosen_labels(labels, labels.tasks[task]) == known.index(label)
    return found


def _confidence(contents: Contents, task: str) -> npt.NDArray[np.float64]:
    labels = _needed(contents.labels, contents)
    return contents.results.confidence if not task else np.asarray(labels[task].max(axis=1))


def _of_kind(contents: Contents, only: Only) -> BoolArray:
    if only == "conflict":
        return contents.results.is_contested
    if only == "silent":
        return ~contents.results.is_voted
    if only == "wrong":
        return contents.is_wrong
    if only == "labeled":
        return contents.is_labeled
    if only == "unlabeled":
        return ~contents.is_labeled
    found = np.zeros(len(contents), dtype=bool)
    for changes in contents.results.changed.values():
        found[changes.rows[changes.rows < len(found)]] = True
    return found


def _ordered(contents: Contents, wanted: Filter, passes: BoolArray) -> IntArray:
    if wanted.order == "row" or contents.labels is None:
        return np.flatnonzero(passes)
    if not wanted.task:  # sorted once for all filters
        order = contents.results.by_confidence
        return order[passes[order]] if wanted.order == "unsure" else order[::-1][passes[order[::-1]]]
    rows = np.flatnonzero(passes)
    sure = _confidence(contents, wanted.task)[rows]
    return rows[np.argsort(sure if wanted.order == "unsure" else -sure, kind="stable")]


def _needed(made: Made | None, contents: Contents) -> Made:
    if made is None:
        raise AssayError(contents.note or "there is nothing to filter by yet: apply the sources, and run the model")
    return made


@dataclass(frozen=True)
class LabelShown:
    """What an item is taken for, by one task."""

    task: str
    label: str
    probability: float


@dataclass(frozen=True)
class ItemLine:
    """An item in a list."""

    row: int
    item: int | str
    record: Mapping[str, Any]
    """The columns to show."""
    labels: tuple[LabelShown, ...]
    """In the most probable outcome, the tasks that apply; nothing without a run."""
    has_votes: bool
    by_hand: str = ""
    """What people said, if they did."""


def item_lines(contents: Contents, rows: Sequence[int] | IntArray) -> list[ItemLine]:
    """Some items as a list shows them."""
    numbers = np.asarray(rows, dtype=np.int64)
    records = contents.data[numbers.tolist()].select(contents.shown).rows(named=True)
    labels = labels_at(contents, numbers)
    return [
        ItemLine(
            row,
            contents.item(row),
            record,
            shown,
            bool(contents.results.is_voted[row]),
            answer_text(contents.hand_rows.get(row)),
        )
        for row, record, shown in zip(numbers.tolist(), records, labels, strict=True)
    ]


def labels_at(contents: Contents, rows: IntArray) -> list[tuple[LabelShown, ...]]:
    """Per item the labels of its most probable outcome: those of the tasks that apply, with their own probability."""
    labels = contents.labels
    if labels is None:
        return [()] * len(rows)
    some = Labels(labels.tasks, tuple(joint[rows] for joint in labels.joint))
    found: list[list[LabelShown]] = [[] for _ in rows]
    for task in some.tasks:
        chances, chosen = some[task.name], chosen_labels(some, task)
        for entry, number, row in zip(found, chosen.tolist(), chances, strict=True):
            if number < len(task.labels):
                entry.append(LabelShown(task.name, task.labels[number], float(row[number])))
    return [tuple(entry) for entry in found]


def answer_text(answer: Mapping[str, str | None] | None) -> str:
    """An answer about an item in words: the labels that apply.

    >>> answer_text({"entity": "Person", "person": "Doctor", "org": None})
    'Person, Doctor'
    """
    return "" if answer is None else ", ".join(label for label in answer.values() if label is not None)
