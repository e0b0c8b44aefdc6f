"""What rules share: a source that decides a whole column at a time, at the speed of polars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from assay._core.rows import Batch
from assay.errors import DataError, SourceError
from assay.sources.base import Failure, Source
from assay.sources.preprocessing import Preprocessor, memoised

On = str | Preprocessor
"""Where a rule looks: a column's name, or shared preprocessing of the row."""
Codes = npt.NDArray[np.signedinteger[Any]]


@dataclass(frozen=True)
class Recipe:
    """What a rule was made from, so that it can be written down again."""

    kind: str
    """The function that makes such rules."""
    arguments: Mapping[str, Any]
    """What it was given, by name; its first argument is called after the kind."""


@dataclass(frozen=True, kw_only=True)
class Rule(Source):
    """A source that decides a whole column at a time."""

    on: On
    values: tuple[Any, ...]
    """The labels it may emit."""
    title: str
    recipe: Recipe | None = field(default=None, repr=False, compare=False)

    def default_name(self) -> str:
        return self.title

    @property
    def declared(self) -> tuple[Any, ...]:
        return self.values

    def column(self, batch: Batch, on: On | None = None) -> pl.Series:
        with memoised(batch):
            try:
                return batch.column(self.on if on is None else on)
            except DataError as error:
                raise DataError(f"source {self.name!r}: {error}") from error

    def failures(self, batch: Batch) -> list[Failure]:
        """The rows that shared preprocessing failed on; what it should have made is missing there."""
        failed = {} if isinstance(self.on, str) else batch.failed.get(self.on, {})
        return [Failure(row, error) for row, error in failed.items()]

    def places(self, text: str) -> list[tuple[int, int]]:
        """Where a text made the rule speak: first character, and one past the last. Nothing if no place did."""
        return []

    def text(self, batch: Batch) -> pl.Series:
        """The column as text, or an error if it is something else."""
        column = self.column(batch)
        if column.dtype == pl.String:
            return column
        if column.dtype in (pl.Null, pl.Categorical, pl.Enum):
            return column.cast(pl.String)
        raise DataError(f"source {self.name!r} reads text, but {place_of(self.on)} holds {column.dtype}")


def by_label(kind: str, what: Any, label: Any) -> list[tuple[Any, Any]]:
    """Pairs of a label and what it is voted for by, from a dict of these or from one of them and its label."""
    if isinstance(what, Mapping):
        if label is not None:
            raise SourceError(f"{kind}() got a dict of label -> {kind} and the label {label!r}; leave one out")
        return list(what.items())
    if label is None:
        raise SourceError(f"{kind}() needs the label to vote for: {kind}(..., 'Label', on='text')")
    return [(label, what)]


def name_of(on: On) -> str:
    """The column, or the function that computes it, by name."""
    return on if isinstance(on, str) else getattr(on, "__name__", "a function")


def place_of(on: On) -> str:
    """The same, as an error tells it."""
    return f"column {on!r}" if isinstance(on, str) else f"{name_of(on)}()"


def shortened(words: Iterable[str], most: int = 3) -> str:
    """The first few words, for the name of a rule that was given none."""
    shown = list(words)
    return ", ".join(shown[:most]) + (", …" if len(shown) > most else "")
