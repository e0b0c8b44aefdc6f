"""Texts in whatever shape they are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay._core.rows import Batch, batches
from assay.errors import DataError


def texts_of(data: Any, column: str) -> list[str]:
    """The texts of a list of them, or of a column of a table, a file, or rows; ``""`` for those that are missing.

    >>> texts_of(["one", None], "text"), texts_of({"text": ["one"]}, "text")
    (['one', ''], ['one'])
    """
    if isinstance(data, Sequence | np.ndarray) and not isinstance(data, str) and all(_may_be_text(e) for e in data):
        found = list(data)
    elif hasattr(data, "to_list"):  # a series
        found = data.to_list()
    else:
        found = [text for batch in batches(data) for text in _column(batch, column)]
    for row, text in enumerate(found):
        if text is None or (isinstance(text, float) and text != text):
            found[row] = ""
        elif not isinstance(text, str):
            raise DataError(f"expected a text or nothing in every row, but row {row} has {text!r}")
    return found


def _may_be_text(value: Any) -> bool:
    return isinstance(value, str | float) or value is None


def _column(batch: Batch, column: str) -> list[Any]:
    return batch.column(column).to_list()
