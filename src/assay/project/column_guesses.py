"""What the columns of a data file seem to be: names of items, texts, numbers, or one of a few values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from assay._core.readers import frames
from assay._core.texts import spelled
from assay._core.urls import Url
from assay.errors import ProjectError, near_miss
from assay.votes import item_column, looks_long

_LOOKED_AT = 1_000
"""How many rows are looked at; only whether names of items are unique, and which labels there are, all rows tell."""
_ROWS_AT_A_TIME = 50_000
_WORDS_OF_A_TEXT = 3
"""A column whose fields have as many words on average is one of texts."""
_LONGEST_KEY = 64
"""More characters than these no name of an item has."""
_FEW_VALUES = 12
_MOST_LABELS = 1_000
_VOTES_EACH = 1.5
"""With as many rows for each item, on average, rows are votes."""
_KEYS = {"id", "ids", "key", "uid", "uuid", "guid", "index", "item", "number", "nr"}
"""Words that names of items are headed by."""


@dataclass(frozen=True)
class ColumnGuesses:
    """What the columns of a data file seem to be."""

    rows: int
    names: tuple[str, ...]
    """All columns."""
    id: str | None
    """The column that names the items: no value is missing or there twice."""
    texts: tuple[str, ...]
    """The columns of texts, the longest first."""
    numbers: dict[str, float]
    """The columns of numbers, with the number in their middle."""
    categories: dict[str, tuple[str, ...]]
    """The columns with a few values, with these."""
    labels: tuple[str, ...]
    """The values of the column of labels, the most frequent first; none if there is no such column."""
    sample: tuple[str, ...]
    """The first texts."""


def guess_columns(path: Path | Url, gold: str | None = None) -> ColumnGuesses:
    """Look at a data file; ``gold`` is the column of labels, if it has one.

    Raises
    ------
    DataError
        If the file cannot be read.
    ProjectError
        If there is nothing to label in it, or no column of labels of that name.
    """
    first: pl.DataFrame | None = None
    rows = 0
    labels: Counter[str] = Counter()
    seen: dict[str, set[object]] = {}
    for frame in frames(path, _ROWS_AT_A_TIME):
        if first is None:
            _check_columns(path, frame.columns, gold)
        if first is None or not len(first):
            first = frame.head(_LOOKED_AT)
            seen = {name: set() for name in _like_keys(first, gold)}
        rows += len(frame)
        for name in list(seen):
            seen[name].update(frame[name].drop_nulls())
            if len(seen[name]) < rows:  # one is missing, or there twice
                del seen[name]
        if gold is not None:
            labels.update(map(spelled, frame[gold].drop_nulls()))
    if first is None or not rows:
        raise ProjectError(f"{path} has no rows, so there is nothing to label")
    _refuse_votes(path, first.columns, rows)
    if gold is not None:
        _check_labels(path, gold, labels)
    key = next(iter(seen), None)
    others = first.select(name for name in first.columns if name not in (key, gold))
    texts = _texts(others)
    sample = tuple(others[texts[0]].drop_nulls()) if texts else ()
    return ColumnGuesses(
        rows=rows,
        names=tuple(first.columns),
        id=key,
        texts=texts,
        numbers=_numbers(others),
        categories=_categories(others.drop(texts)),
        labels=tuple(label for label, _ in labels.most_common()),
        sample=sample,
    )


def _check_columns(path: Path | Url, names: Sequence[str], gold: str | None) -> None:
    if len(names) == 1 and path.suffix == ".csv" and "|" in names[0]:
        raise ProjectError(
            f"{path} has one column only, {names[0]!r}: its fields seem to be separated by vertical bars; "
            "save it as CSV with commas, in UTF-8"
        )
    if gold is None:
        return
    if gold not in names:
        raise ProjectError(f"{path} has no column {gold!r}. {near_miss(gold, names)}")
    if len(names) == 1:
        raise ProjectError(f"{path} has no column besides the labels in {gold!r}, so there is nothing to label")


def _refuse_votes(path: Path | Url, names: Sequence[str], rows: int) -> None:
    """Refuse a long table of votes: its rows are called as such, and several are about the same item."""
    if not looks_long(names):
        return
    item = item_column(names, "item")
    if item is None:
        return
    items: set[object] = set()
    for frame in frames(path, _ROWS_AT_A_TIME):
        items.update(frame[item].drop_nulls())
    if rows >= _VOTES_EACH * len(items):
        raise ProjectError(
            f"{path} looks like votes and not like items: it has an item, a worker and a label in each row, and its "
            f"{rows:,} rows are about {len(items):,} items of column {item!r}. To put votes together, run: assay "
            f"aggregate {path}. To use them beside other sources, make a project of the items, and name this file as "
            "a crowd in its sources.toml"
        )


def _check_labels(path: Path | Url, gold: str, labels: Counter[str]) -> None:
    """Refuse a column that cannot be one of labels."""
    told = sum(labels.values())
    if len(labels) < 2:
        raise ProjectError(f"the column {gold!r} of {path} has {len(labels)} different values; labels are two or more")
    if len(labels) > _MOST_LABELS or len(labels) > max(_FEW_VALUES, told / 2):
        raise ProjectError(
            f"the column {gold!r} of {path} has {len(labels):,} different values in {told:,} rows, which are too many "
            "for labels; is it the right column?"
        )


def _like_keys(frame: pl.DataFrame, gold: str | None) -> list[str]:
    """Columns that may name the items: those that are called so, and then the first of all."""
    able = [
        name
        for name in frame.columns
        if name.strip() and name != gold and (frame[name].dtype.is_integer() or _is_short(frame[name]))
    ]
    called = [name for name in able if _KEYS & set(re.findall(r"[a-z]+", re.sub("(?=[A-Z][a-z])", " ", name).lower()))]
    return list(dict.fromkeys([*called, *(able[:1] if able[:1] == frame.columns[:1] else [])]))


def _is_short(column: pl.Series) -> bool:
    if column.dtype != pl.String:
        return False
    is_key = ~column.str.contains(r"\s") & (column.str.len_chars() <= _LONGEST_KEY)
    return bool(is_key.all())


def _texts(frame: pl.DataFrame) -> tuple[str, ...]:
    """Columns of several words, the longest first; if there are none, the column of strings with most values."""
    strings = [name for name in frame.columns if name.strip() and frame[name].dtype == pl.String]
    length = {name: _mean(frame[name].str.len_chars()) for name in strings}
    long = [name for name in strings if _mean(frame[name].str.split(" ").list.len()) >= _WORDS_OF_A_TEXT]
    if not long:
        long = sorted(strings, key=lambda name: -frame[name].n_unique())[:1]
    return tuple(sorted(long, key=lambda name: -length[name]))


def _mean(column: pl.Series) -> float:
    found = column.mean()
    return float(found) if isinstance(found, int | float) else 0.0


def _numbers(frame: pl.DataFrame) -> dict[str, float]:
    found = {name: frame[name].median() for name in frame.columns if name.strip() and frame[name].dtype.is_numeric()}
    return {name: float(middle) for name, middle in found.items() if isinstance(middle, int | float)}


def _categories(frame: pl.DataFrame) -> dict[str, tuple[str, ...]]:
    found = {}
    for name in frame.columns:
        if name.strip() and frame[name].dtype in (pl.String, pl.Boolean):
            values = Counter(map(spelled, frame[name].drop_nulls()))
            if 2 <= len(values) <= _FEW_VALUES:
                found[name] = tuple(value for value, _ in values.most_common())
    return found
