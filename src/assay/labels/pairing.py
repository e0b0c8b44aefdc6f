"""Which row of the data belongs to which label: by the names of items, and by position only where there are none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.errors import AssayError, listing

Record = Mapping[str, Any]

_NAMING = ("item", "id")
"""Columns that are there to name items; others may hold the names too."""


def rows_by_name(
    names: Sequence[Any], rows: Sequence[Record], index: Sequence[Any] | None, column: str | None = None
) -> list[int] | None:
    """For each name the row of the data that has it, in its index or in a column; None if nothing names the rows.

    ``column`` is the one that has them, if that is known. Else one that is not called ``item`` or ``id`` only counts
    if it has every name, and names are texts: numbers may be those of anything.

    >>> rows_by_name(["b", "a"], [{"url": "a"}, {"url": "b"}, {"url": "c"}], None)
    [1, 0]
    >>> rows_by_name(["b", "a"], [{"item": "a"}, {"item": "x"}], None)
    Traceback (most recent call last):
    assay.errors.AssayError: labels and data go together by the names of items, but 1 of 2 labels is of an item that
    is not in the column 'item', such as 'b'; it has 'a', 'x'. Give the rows of these items, or leave out what names
    the rows, to pair the two by position
    """
    naming = (_INDEX, *_NAMING) if column is None else (column,)
    are_texts = any(isinstance(name, str) for name in names)
    problems = []
    for place, values in _places(rows, index, naming).items():
        if place not in naming and (column is not None or not are_texts):
            continue
        found, problem = _looked_up(names, values, place if place == _INDEX else f"the column {place!r}")
        if not problem:
            return found
        if place in naming:
            problems.append(problem)
    if problems:
        raise AssayError(
            f"labels and data go together by the names of items, but {problems[0]}. Give the rows of these items, or "
            "leave out what names the rows, to pair the two by position"
        )
    _refuse_other_numbers(names, len(rows))
    return None


_INDEX = "the index"


def _places(rows: Sequence[Record], index: Sequence[Any] | None, naming: Sequence[str]) -> dict[str, list[Any]]:
    """What may hold the names, likely ones first, with the value of each row."""
    columns = list(rows[0] if rows else ())
    columns.sort(key=lambda name: naming.index(name) if name in naming else len(naming))
    found = {} if index is None else {_INDEX: list(index)}
    return found | {name: [row.get(name) for row in rows] for name in columns}


def _looked_up(names: Sequence[Any], values: Sequence[Any], where: str) -> tuple[list[int], str]:
    """Where each name is among some values; and why not, if it is not there once."""
    at: dict[str, int] = {}
    twice = {}
    for row, value in enumerate(values):
        if at.setdefault(_key(value), row) != row:
            twice[_key(value)] = value
    wanted = [_key(name) for name in names]
    absent = [name for name, key in zip(names, wanted, strict=True) if key not in at]
    if absent:
        one = len(absent) == 1
        return [], (
            f"{len(absent):,} of {len(names):,} label{'s' * (len(names) > 1)} {'is' if one else 'are'} of "
            f"{'an item that is' if one else 'items that are'} not in {where}, such as {listing(absent[:1])}; "
            f"it has {listing(values[:3])}"
        )
    repeated = [twice[key] for key in wanted if key in twice]
    return [at[key] for key in wanted], f"{where} has several rows of {listing(repeated[:1])}" if repeated else ""


def _refuse_other_numbers(names: Sequence[Any], rows: int) -> None:
    """Items that are called 2, 0, 1 and rows that are only numbered 0, 1, 2 would contradict each other silently."""
    if not any(isinstance(name, str) for name in names) and sorted(names) == list(range(rows)) != list(names):
        raise AssayError(
            f"items are called {listing(names[:3])} and so on, but nothing says which rows of the data these are: "
            "give the data a column 'item' with their names"
        )


def _key(name: Any) -> str:
    """A name as a text; integers that pandas has made floats, as it does beside missing ones, are integers again."""
    return str(int(name)) if isinstance(name, float) and name.is_integer() else str(name)
