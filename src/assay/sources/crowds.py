"""The workers of a crowd, each a source of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay._core.rows import Batch, as_polars, positions_in
from assay.errors import DataError, SourceError, near_miss
from assay.sources.base import Emission, Source
from assay.sources.rule import Codes, Rule, place_of


@dataclass(frozen=True, kw_only=True)
class WorkerRule(Rule):
    """One worker's labels, by item."""

    items: pl.Series
    labels: Codes

    def emit(self, batch: Batch) -> Emission:
        keys = self.column(batch)
        if keys.dtype != self.items.dtype:
            try:
                keys = keys.cast(self.items.dtype)
            except pl.exceptions.PolarsError as error:
                raise DataError(
                    f"source {self.name!r} knows items as {self.items.dtype}, "
                    f"but {place_of(self.on)} holds {keys.dtype}"
                ) from error
        codes = np.append(self.labels, np.int32(-1))[positions_in(keys, self.items)]
        return Emission(codes, self.values, self.failures(batch))


def crowd(
    table: Any,
    *,
    key: str,
    item: str = "item",
    worker: str = "worker",
    label: str = "label",
    task: str | None = None,
    prefix: str = "",
) -> list[Source]:
    """Every worker of a crowd as a source of its own, from a long table of item, worker, label.

    Parameters
    ----------
    table
        A dataframe, a dict of columns, or a path, with a row for each vote.
    key
        The column of the data that holds the item's name.
    item, worker, label
        The columns of the table.
    task
        As in :func:`keywords`.
    prefix
        Put before a worker's name to make the source's.

    >>> long = {"item": [1, 1, 2], "worker": ["ann", "bob", "bob"], "label": ["Person", "Person", "Organization"]}
    >>> [worker.name for worker in crowd(long, key="id")]
    ['ann', 'bob']
    """
    frame = as_polars(table)
    for name in (item, worker, label):
        if name not in frame.columns:
            raise SourceError(f"the crowd's table has no column {name!r}. {near_miss(name, frame.columns)}")
    frame = frame.select(item, worker, label).drop_nulls().unique(maintain_order=True)
    repeated = frame.filter(frame.select(item, worker).is_duplicated())
    if len(repeated):
        where = repeated.row(0)
        raise SourceError(f"worker {where[1]!r} labels item {where[0]!r} in two ways; keep one of them")
    values = frame[label].cast(pl.String).unique().sort()
    sources: list[Source] = []
    for (who,), votes in sorted(frame.group_by(worker), key=lambda group: str(group[0][0])):
        sources.append(
            WorkerRule(
                given_name=f"{prefix}{who}",
                task=task,
                on=key,
                values=tuple(values),
                title=str(who),
                items=votes[item],
                labels=positions_in(votes[label].cast(pl.String), values).astype(np.int32),
            )
        )
    return sources
