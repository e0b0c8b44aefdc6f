"""Work on a row that several sources share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from assay._core.rows import Batch

_memo: ContextVar[dict[tuple[int, int], Any] | None] = ContextVar("memo", default=None)


class Preprocessor:
    """A function of a row whose result is shared by all sources. Made by :func:`preprocess`."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function
        functools.update_wrapper(self, function)

    def __call__(self, row: Any) -> Any:
        memo = _memo.get()
        if memo is None:
            return self.function(row)
        key = (id(self), id(row))
        if key not in memo:
            memo[key] = self.function(row)
        return memo[key]


def preprocess(function: Callable[[Any], Any]) -> Preprocessor:
    """Share the work that several sources need: computed once per row, not once per source.

    >>> from assay import source
    >>> @preprocess
    ... def words(row):
    ...     return row.text.lower().split()
    >>> @source(task="entity")
    ... def doctor(row):
    ...     return "Person" if "dr." in words(row) else None
    """
    return Preprocessor(function)


@contextmanager
def memoised(batch: Batch) -> Iterator[None]:
    """Inside this context, preprocessing remembers its results in the batch."""
    token = _memo.set(batch.memo)
    try:
        yield
    finally:
        _memo.reset(token)
