"""The names of items, noted while their rows pass by."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import polars as pl

from assay._core.rows import Batch, batches
from assay.errors import DataError, VoteError
from assay.votes import Names, index_names, item_names


class NamesInPassing:
    """The names of the rows of any data, read from batches that are on their way to somewhere else.

    So data that can be read only once is read once, and names stay here, wherever the rows go.
    """

    def __init__(self, column: str | None, data: Any) -> None:
        if column is not None and not isinstance(column, str):
            raise DataError(f"id must be the name of a column, but got {column!r}")
        self.column = column
        self._parts: list[pl.Series] = []
        # The index of a table is at hand, so that what is wrong with it is said before any work is done.
        self._index = index_names(data) if column is None else None

    @property
    def _what(self) -> str:
        return f"the column {self.column!r}"

    def noted(self, rows: Iterator[Batch]) -> Iterator[Batch]:
        """The batches, unchanged."""
        for batch in rows:
            if self.column is not None:
                part = batch.column(self.column)
                if part.null_count():
                    row = batch.start + part.is_null().arg_max()  # type: ignore[operator]
                    raise VoteError(f"{self._what} must have a value for each item, but row {row} has none")
                self._parts.append(part)
            yield batch

    def of(self, row: int) -> int | str | None:
        """The name of a row that passed, if it has one."""
        if self.column is None:
            return None if self._index is None else self._index[row : row + 1].tolist()[0]
        for part in self._parts:
            if row < len(part):
                found: int | str = part[row]
                return found
            row -= len(part)
        return None

    def all(self) -> Names | None:
        """(items,): the names of all rows that passed; repeated ones are refused."""
        if self.column is None:
            return self._index
        if len({part.dtype for part in self._parts}) == 1:
            whole = pl.concat(self._parts)
            is_small = whole.dtype.is_integer() and whole.dtype != pl.Int128
            return item_names(whole.to_numpy() if is_small else whole.to_list(), self._what)
        return item_names([name for part in self._parts for name in part.to_list()], self._what)


def names_in(data: Any, column: str) -> Names | None:
    """(items,): the names of the rows of any data; None if it has no such column.

    >>> names_in([{"id": "a"}, {"id": "b"}], "id").tolist()
    ['a', 'b']
    """
    rows = batches(data)
    first = next(rows, None)
    if first is None or not len(first) or column not in first.record(0):
        return None
    names = NamesInPassing(column, data)
    for _ in names.noted(chain([first], rows)):
        pass
    return names.all()
