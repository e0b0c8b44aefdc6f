"""Items and their labels, part by part: from files that may be larger than memory, or as a program makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from assay._core.readers import decoded_bytes
from assay._core.rows import batches
from assay.endmodel.texts import texts_of
from assay.errors import AssayError, DataError
from assay.gold import CheckedLabels
from assay.labels import Labels, StoredLabels
from assay.labels import label_parts as stored_parts
from assay.votes import item_names

_AT_ONCE = 16_384
"""As many rows are worked on at a time."""
LARGE = 40_000_000
"""Files with more bytes than this, decoded, are streamed unless something else is asked for: hashed n-grams, and what
calibrating takes, are some fifty times as large as the texts."""


@dataclass(frozen=True, eq=False)
class Part:
    """Some consecutive rows."""

    start: int
    """The number of the first of them among all rows."""
    texts: list[str]
    rows: npt.NDArray[np.int64]
    """(labels,): which of the texts have labels to learn from."""
    labels: Labels
    """Those."""


@dataclass(frozen=True, eq=False)
class LabelStream:
    """Labels that a function gives part by part, with what is known of all of them."""

    parts: Callable[[], Iterable[Labels]]
    """Where some were left out, ``kept`` of each part tells which rows of that part it is about."""
    rows: int | None = None
    """How many rows of data they are about."""
    gold: CheckedLabels | None = None
    """What gold says of some; its rows are those of the data."""


def is_stream(data: Any) -> bool:
    """Whether data comes part by part: a function that gives parts, or a large file."""
    if isinstance(data, str | Path):
        path = Path(data)
        return path.is_file() and decoded_bytes(path) > LARGE
    return callable(data)


def text_parts(data: Any, column: str) -> Iterator[list[str]]:
    """The texts of a file, a table or rows, or of the parts that a function gives, so many at a time."""
    if callable(data):
        for part in data():
            texts = texts_of(part, column)
            yield from (texts[at : at + _AT_ONCE] for at in range(0, len(texts), _AT_ONCE))
    elif isinstance(data, list | tuple | np.ndarray):
        texts = texts_of(data, column)
        yield from (texts[at : at + _AT_ONCE] for at in range(0, len(texts), _AT_ONCE))
    else:
        for batch in batches(data, _AT_ONCE):
            yield texts_of(batch.column(column), column)


def row_parts(data: Any, id: str | None) -> Iterator[tuple[Any, npt.NDArray[Any] | None]]:
    """Any data as parts that an encoder reads, with the names of items if there are any."""
    if callable(data):
        yield from (found for part in data() for found in row_parts(part, id))
    elif isinstance(data, list | tuple | np.ndarray) and id is None:
        yield from ((data[at : at + _AT_ONCE], None) for at in range(0, len(data), _AT_ONCE))
    else:
        for batch in batches(data, _AT_ONCE):
            rows = batch.rows if batch.frame is None else batch.frame
            if id is None or not len(batch) or id not in batch.record(0):
                yield rows, None
                continue
            names = batch.column(id)
            if names.null_count():
                raise DataError(f"the column {id!r} must have a value for each item, but in some rows it has none")
            is_small = names.dtype.is_integer() and names.dtype != pl.Int128
            yield rows, item_names(names.to_numpy() if is_small else names.to_list(), f"the column {id!r}")


def label_parts(labels: Any) -> Iterator[Labels]:
    """Labels part by part: of a file, of labels in memory, or as a function gives them.

    Where some were left out, ``kept`` of each part tells which rows of that part it is about.
    """
    if isinstance(labels, str | Path):
        yield from stored_parts(Path(labels))
    elif callable(labels) or isinstance(labels, LabelStream):
        for part in labels.parts() if isinstance(labels, LabelStream) else labels():
            yield from label_parts(part)
    elif isinstance(labels, Labels):
        kept = np.ones(len(labels), dtype=bool) if labels.kept is None else labels.kept
        before = np.concatenate([[0], np.cumsum(kept)])
        for start in range(0, len(kept), _AT_ONCE):
            own = kept[start : start + _AT_ONCE]
            inside = slice(before[start], before[start + len(own)])
            yield Labels(labels.tasks, tuple(joint[inside] for joint in labels.joint), kept=own)
    else:
        raise AssayError(
            "streamed training takes labels as assay.Labels, as a path to a file of labels, or as a function that "
            f"gives parts of them, but got {type(labels).__name__}"
        )


def row_total(labels: Any) -> int | None:
    """How many rows of data labels are about, where that is known before they are read."""
    if isinstance(labels, Labels):
        return _rows(labels)
    if isinstance(labels, LabelStream):
        return labels.rows
    return StoredLabels.of(Path(labels)).items if isinstance(labels, str | Path) else None


def gold_of(labels: Any) -> CheckedLabels | None:
    """The gold that labels carry, its rows among those of the data."""
    if isinstance(labels, LabelStream):
        return labels.gold
    if isinstance(labels, str | Path):
        return StoredLabels.of(Path(labels)).gold
    if not isinstance(labels, Labels) or labels.gold is None:
        return None
    if labels.kept is None:
        return labels.gold
    return replace(labels.gold, rows=np.flatnonzero(labels.kept)[labels.gold.rows])


def aligned(texts: Iterable[list[str]], labels: Iterable[Labels]) -> Iterator[Part]:
    """Texts and labels of the same rows, however each of them is cut."""
    start = 0
    ours, theirs = _Pieces(texts, len, lambda part, own: part[own]), _Pieces(labels, _rows, _cut)
    while True:
        count = min(ours.left(), theirs.left())
        if not count:
            break
        some, told = ours.take(count), theirs.take(count)
        rows = np.arange(count) if told.kept is None else np.flatnonzero(told.kept)
        yield Part(start, some, rows, told)
        start += count
    if ours.left() or theirs.left():
        texts_left, labels_left = ours.count(), theirs.count()
        raise DataError(
            f"expected a row of data for each label, but there are {start + texts_left:,} rows and labels of "
            f"{start + labels_left:,}; give the data that the labels were made for, in the same order"
        )


class _Pieces:
    """A sequence that comes in parts, taken in pieces of any length."""

    def __init__(self, parts: Iterable[Any], size: Callable[[Any], int], cut: Callable[[Any, slice], Any]) -> None:
        self._parts, self._size, self._cut = iter(parts), size, cut
        self._part: Any = None
        self._at = 0

    def left(self) -> int:
        """How much is left of the part, or of the next one; 0 at the end."""
        while self._part is None or self._at == self._size(self._part):
            self._part, self._at = next(self._parts, None), 0
            if self._part is None:
                return 0
        return self._size(self._part) - self._at

    def take(self, count: int) -> Any:
        """The next so many."""
        found = self._cut(self._part, slice(self._at, self._at + count))
        self._at += count
        return found

    def count(self) -> int:
        """How much is left in all."""
        total = 0
        while left := self.left():
            total += left
            self._at += left
        return total


def _rows(labels: Labels) -> int:
    return len(labels) if labels.kept is None else len(labels.kept)


def _cut(labels: Labels, own: slice) -> Labels:
    if labels.kept is None:
        return Labels(labels.tasks, tuple(joint[own] for joint in labels.joint))
    before = int(labels.kept[: own.start].sum())
    kept = labels.kept[own]
    inside = slice(before, before + int(kept.sum()))
    return Labels(labels.tasks, tuple(joint[inside] for joint in labels.joint), kept=kept)
