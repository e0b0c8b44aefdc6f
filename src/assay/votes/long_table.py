"""Long tables, with one row per vote, as codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import VoteError, near_miss
from assay.tasks import LabelSet, TaskGraph
from assay.votes.columns import encode
from assay.votes.schema import Schema
from assay.votes.sparse_codes import SparseCodes


def long_votes(
    table: Any,
    tasks: TaskGraph | None,
    task: str | None,
    *,
    item: str,
    source: str,
    label: str,
    mapping: Mapping[Any, Any] | None = None,
) -> tuple[Schema, SparseCodes, npt.NDArray[Any]]:
    """The schema and the votes of a long table, and (items,) the names of its items.

    The parameters are those of :meth:`assay.Votes.from_long`.
    """
    import polars as pl

    from assay._core.rows import as_polars, positions_in

    frame = as_polars(table)
    for column in (item, source, label):
        if column not in frame.columns:
            raise VoteError(f"the table has no column {column!r}. {near_miss(column, frame.columns)}")
    frame = frame.select(item, source, label).drop_nulls(label)
    if frame[item].null_count() or frame[source].null_count():
        raise VoteError(f"some votes have no item or no source: {item!r} and {source!r} must not be null")
    workers = frame[source].cast(pl.String)
    items, names = frame[item].unique(maintain_order=True), workers.unique().sort()
    # Each distinct label is parsed once, not once per vote; except nested values, which polars cannot look up.
    if frame[label].dtype.is_nested() or frame[label].dtype == pl.Object:
        labels, which = frame[label].to_list(), np.arange(len(frame))
    else:
        kinds = frame[label].unique(maintain_order=True)
        labels, which = kinds.to_list(), positions_in(frame[label], kinds)
    if mapping is not None:
        labels = _mapped(labels, mapping, label)
    if tasks is None:
        labels = [value if value is None or isinstance(value, LabelSet) else str(value) for value in labels]
        named = {name for value in labels for name in (value.labels if isinstance(value, LabelSet) else [value])}
        tasks = TaskGraph.flat(task or "label", sorted(name for name in named if name is not None))
    try:
        kind_codes, values, scores = encode(tasks.label_space, labels, task)
    except VoteError:
        encode(tasks.label_space, [labels[number] for number in which], task)  # this error names the row
        raise
    if scores is not None:
        raise VoteError(f"column {label!r} holds probabilities; give those as Votes.from_columns or from_probabilities")
    codes = kind_codes[which]
    rows, columns = positions_in(frame[item], items), positions_in(workers, names)
    said = np.flatnonzero(codes >= 0)  # what is mapped to None abstains
    codes, rows, columns = codes[said], rows[said], columns[said]
    place = rows.astype(np.int64) * len(names) + columns
    order = np.argsort(place, kind="stable")
    again = place[order][1:] == place[order][:-1]
    clash = np.flatnonzero(again & (codes[order][1:] != codes[order][:-1]))
    if len(clash):
        one, other = order[clash[0]], order[clash[0] + 1]
        raise VoteError(
            f"source {names[int(columns[one])]!r} votes twice on item {items[int(rows[one])]!r}, "
            f"{str(values[codes[one]])!r} and {str(values[codes[other]])!r}; keep one of them"
        )
    order = order[np.concatenate([[True], ~again])] if len(order) else order
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows[order], minlength=len(items)))])
    schema = Schema(tasks, tuple(names), (values,) * len(names))
    emitted = codes[order].astype(schema.code_type)
    cast = SparseCodes(starts.astype(np.int64), columns[order].astype(np.int32), emitted, len(names))
    return schema, cast, items.to_numpy()


def _mapped(labels: list[Any], mapping: Mapping[Any, Any], column: str) -> list[Any]:
    unknown = next((value for value in labels if value not in mapping), None)
    if unknown is not None:
        raise VoteError(
            f"column {column!r} holds {unknown!r}, which its mapping lacks; map it to a label, or to None to abstain"
        )
    return [mapping[value] for value in labels]
