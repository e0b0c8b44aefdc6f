"""The workers of a crowd, each a source of its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assay._core.rows import Batch, as_polars, batches, positions_in
from assay.errors import DataError, SourceError, VoteError
from assay.sources.base import Emission, Source
from assay.sources.rule import Codes, Rule, place_of
from assay.votes import long_columns


@dataclass(frozen=True, kw_only=True)
class WorkerRule(Rule):
    """One worker's labels, by item."""

    items: pl.Series
    labels: Codes
    table: str = "the crowd's table"
    """Where they come from, for messages."""

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
    item: str | None = None,
    worker: str | None = None,
    label: str | None = None,
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
        The columns of the table; by default those that are called so, or as in crowd-kit: ``task``, ``worker``,
        ``label``.
    task
        As in :func:`keywords`.
    prefix
        Put before a worker's name to make the source's.

    >>> long = {"item": [1, 1, 2], "worker": ["ann", "bob", "bob"], "label": ["Person", "Person", "Organization"]}
    >>> [worker.name for worker in crowd(long, key="id")]
    ['ann', 'bob']
    """
    frame = as_polars(table)
    try:
        columns = long_columns(frame.columns, {"item": item, "source": worker, "label": label})
    except VoteError as error:
        raise SourceError(f"a crowd: {error}") from None
    item, worker, label = columns["item"], columns["source"], columns["label"]
    nobody = frame[worker].is_null() & frame[label].is_not_null()
    if nobody.any():
        raise SourceError(
            f"a crowd: every vote needs a worker, but column {worker!r} is empty in {nobody.sum():,} of {len(frame):,} "
            f"rows, the first of them row {nobody.arg_max():,}; fill it in, or drop these rows"
        )
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
                table=Path(table).name if isinstance(table, str | Path) else WorkerRule.table,
            )
        )
    return sources


def crowd_notes(sources: Iterable[Source], data: Any) -> list[str]:
    """What crowds say about items that the data does not have, a sentence for each table.

    Raises
    ------
    SourceError
        If none of the items that a table is about is in the data: they are called something else there.

    >>> long = {"item": ["a", "x"], "worker": ["ann", "bob"], "label": ["Person", "Person"]}
    >>> crowd_notes(crowd(long, key="id"), [{"id": "a"}, {"id": "b"}])
    ["1 of 2 items of the crowd's table are not in column 'id', such as 'x'; votes about them are left out"]
    """
    workers: dict[tuple[str, str], list[pl.Series]] = {}
    for source in sources:
        if isinstance(source, WorkerRule) and isinstance(source.on, str):
            workers.setdefault((source.table, source.on), []).append(source.items)
    notes = []
    for (table, key), said in workers.items():
        items = pl.concat(said).unique(maintain_order=True).cast(pl.String)
        there = [batch.column(key).cast(pl.String) for batch in batches(data)]
        known = pl.concat(there).drop_nulls() if there else pl.Series([], dtype=pl.String)
        unknown = items.filter(~items.is_in(known.implode()))
        if not len(known) or not len(unknown):
            continue
        if len(unknown) == len(items):
            raise SourceError(
                f"no item of {table} is in column {key!r}: e.g. {unknown[0]!r} there, {known[0]!r} here; name items "
                "alike in both, or choose another column as key"
            )
        notes.append(
            f"{len(unknown):,} of {len(items):,} items of {table} are not in column {key!r}, such as {unknown[0]!r}; "
            "votes about them are left out"
        )
    return notes
