"""The names of items: integers or texts, unique, and found again by whoever refers to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from assay._core.texts import unwritable
from assay.errors import VoteError, listing
from assay.votes.encoding import is_missing

Names = npt.NDArray[Any]
_LONGEST_INTEGER = 2**63
_AT_ONCE = 2**20
"""So many names are looked up at a time, in little memory."""
_WITHOUT_NAMES = "call .reset_index(drop=True) for items that are only numbered"


def matched_rows(one: Names, other: Names) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The items that are in both, in the order of the other: their rows in the one, and in the other.

    >>> [rows.tolist() for rows in matched_rows(np.array(["a", "b", "c"]), np.array(["c", "x", "a"]))]
    [[2, 0], [0, 2]]
    """
    if np.array_equal(one, other):
        return np.arange(len(one)), np.arange(len(one))
    _, left, right = np.intersect1d(one, other, return_indices=True)
    order = np.argsort(right)
    return left[order], right[order]


def item_names(values: Any, what: str = "item names") -> Names:
    """(items,): names as integers if all of them are, else as texts; missing and repeated ones are refused.

    ``what`` says where they come from, in errors.

    >>> item_names(["a", 7]).tolist(), item_names([2.0, 1.0]).tolist()
    (['a', '7'], [2, 1])
    >>> item_names(["a", "b", "a"], "the column 'id'")
    Traceback (most recent call last):
    assay.errors.VoteError: the column 'id' must have a value of its own for each item, but rows 0 and 2 are both 'a'
    """
    names = _plain(values, what)
    check_unique(names, what)
    return names


def _plain(values: Any, what: str) -> Names:
    numbers = getattr(values, "dtype", None)
    if isinstance(numbers, np.dtype) and numbers.kind in "iu":
        found = np.asarray(values)
        if found.dtype.kind == "i" or not len(found) or int(found.max()) < _LONGEST_INTEGER:
            return found.astype(np.int64)
    given = list(values.tolist() if hasattr(values, "tolist") else values)
    if _are_texts(given):
        broken = unwritable(given)
        if broken is not None:
            raise VoteError(f"{what}: {broken!r} has half of a character in it, which no file can hold")
        return np.array(given, dtype=object)
    missing = next((row for row, value in enumerate(given) if is_missing(value)), None)
    if missing is not None:
        raise VoteError(f"{what} must have a value for each item, but row {missing} has none")
    whole = [_integer(value) for value in given]
    if None not in whole and given:
        return np.array(whole, dtype=np.int64)
    texts = np.empty(len(given), dtype=object)
    texts[:] = [str(value) for value in given]
    return texts


def _are_texts(values: list[Any]) -> bool:
    """Whether there are some, and all are strings."""
    kinds = set(map(type, values))  # mostly one
    return bool(kinds) and all(issubclass(kind, str) for kind in kinds)


def _integer(value: object) -> int | None:
    """A value as an integer, if it is one; pandas makes floats of integers as soon as one of them is missing."""
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        return None
    number = int(value) if isinstance(value, int | float | np.integer) else _LONGEST_INTEGER
    return number if abs(number) < _LONGEST_INTEGER else None


def check_unique(names: Names, what: str = "item names", advice: str = "") -> None:
    """Refuse names that two items share; the error says which two rows."""
    # Each is far quicker than to look for those that repeat.
    if names.dtype.kind == "O" and len(set(names.tolist())) == len(names):
        return
    if names.dtype.kind in "iu" and (names[1:] > names[:-1]).all():
        return
    import pandas as pd

    again = pd.Index(names).duplicated()
    if again.any():
        second = int(np.argmax(again))
        first = int(np.argmax(names == names[second]))
        raise VoteError(
            f"{what} must have a value of its own for each item, but rows {first} and {second} are both "
            f"{names.tolist()[second]!r}{advice}"
        )


def stored_items(table: Any, column: str) -> Names:
    """(items,): the names of items in a column of an Arrow table, of any type; each has one of its own."""
    if table.column(column).null_count:
        raise VoteError(f"the column {column!r} must name each item, but has nulls")
    from assay._core.arrow_arrays import as_array

    names = as_array(table.column(column))
    check_unique(names, f"the column {column!r}")
    return names


def index_of(data: Any) -> Any:
    """The index of a pandas table or series; None for anything else, and for an index that only numbers the rows."""
    if not (hasattr(data, "iloc") and hasattr(data, "index")):
        return None
    index = data.index
    only_numbers = type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
    return None if only_numbers else index


def index_names(data: Any) -> Names | None:
    """(items,): the names that a pandas index gives to items, or None if it only numbers them."""
    index = index_of(data)
    if index is None:
        return None
    names = _plain(index, "the index")
    check_unique(names, "the index", f"; {_WITHOUT_NAMES}")
    return names


def common_index(columns: Sequence[Any]) -> Names | None:
    """(items,): the names that the indexes of pandas columns give; they must not differ."""
    found = [column for column in columns if index_of(column) is not None]
    for other in found[1:]:
        if not other.index.equals(found[0].index):
            raise VoteError(
                "the columns have different indexes, so that it is open which values belong to the same item; "
                "align them, for instance in one DataFrame, or give lists"
            )
    return index_names(found[0]) if found else None


def rows_named(names: Names | None, count: int, wanted: Sequence[Any] | Names) -> npt.NDArray[np.int64]:
    """(wanted,): the rows of items by their names, −1 where there is none; without names, row numbers are the names.

    >>> rows_named(np.array(["a", "b"], dtype=object), 2, ["b", "x"]).tolist(), rows_named(None, 2, [1, 2]).tolist()
    ([1, -1], [1, -1])
    """
    if names is None:
        numbers = [_integer(value) for value in wanted]
        known = [-1 if number is None or not 0 <= number < count else number for number in numbers]
        return np.array(known, dtype=np.int64)
    keys = [_integer(value) for value in wanted] if names.dtype.kind in "iu" else list(wanted)
    rows: dict[Any, int] = {}
    for row in _rows_among(names, keys):
        name = names[row : row + 1].tolist()[0]
        if name in rows:
            raise VoteError(f"several items are called {name!r}, so that it is open which one is meant")
        rows[name] = row
    return np.array([rows.get(key, -1) for key in keys], dtype=np.int64)


def _rows_among(names: Names, keys: Sequence[Any]) -> list[int]:
    """The rows whose names are among a few. Those few are put in order, not the names, which may be very many."""
    if names.dtype.kind not in "iu":
        wanted = {key for key in keys if isinstance(key, str)}
        return [row for row, name in enumerate(names.tolist()) if name in wanted]
    sought: Names = np.unique(np.array([key for key in keys if key is not None], dtype=np.int64))
    if not len(sought):
        return []
    found = []
    for start in range(0, len(names), _AT_ONCE):
        part = names[start : start + _AT_ONCE]
        nearest = sought[np.minimum(np.searchsorted(sought, part), len(sought) - 1)]
        found += (start + np.flatnonzero(part == nearest)).tolist()
    return found


def unknown_items(unknown: Sequence[Any], names: Names | None, count: int, what: str) -> VoteError:
    """The error for names that no item has: which ones, and what items are called instead."""
    if names is None:
        called = f"items have no names, only row numbers from 0 to {count - 1}"
    else:
        called = f"items are called {listing(names[:3].tolist())}" + (" and so on" if count > 3 else "")
    return VoteError(f"{what} is about items that are not there: {listing(unknown, most=3)}; {called}")
