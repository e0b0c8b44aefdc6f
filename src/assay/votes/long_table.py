"""Long tables, with one row per vote, as codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay._core.warned import warn
from assay.errors import VoteError, listing, near_miss
from assay.tasks import LabelSet, TaskGraph
from assay.votes.columns import encode
from assay.votes.schema import Schema
from assay.votes.sparse_codes import SparseCodes

if TYPE_CHECKING:
    import polars as pl


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

    from assay._core.rows import positions_in

    frame = _checked_table(table, item, source, label)
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
        known = sorted(name for name in named if name is not None)
        _warn_of_likely_misspellings(known, label)
        tasks = TaskGraph.flat(task or "label", known)
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


def _warn_of_likely_misspellings(labels: Sequence[str], column: str) -> None:
    """Warn of labels that people may mean to be one: a blank more, or a capital, makes another label."""
    alike: dict[str, list[str]] = {}
    for name in labels:
        alike.setdefault(name.strip().casefold(), []).append(name)
    several = [names for names in alike.values() if len(names) > 1]
    if several:
        told = " and ".join(listing(names) for names in several[:4]) + (" and others" if len(several) > 4 else "")
        warn(
            UserWarning(
                f"of the labels in column {column!r}, {told} differ only in capitals or in blanks around them, and "
                "count as different labels; if they are meant to be one, correct the table"
            )
        )


def _mapped(labels: list[Any], mapping: Mapping[Any, Any], column: str) -> list[Any]:
    unknown = next((value for value in labels if value not in mapping), None)
    if unknown is not None:
        raise VoteError(
            f"column {column!r} holds {unknown!r}, which its mapping lacks; map it to a label, or to None to abstain"
        )
    return [mapping[value] for value in labels]


def long_lists(
    table: Any, *, item: str, source: str, label: str, mapping: Mapping[Any, Any] | None = None
) -> tuple[dict[str, list[Any]], npt.NDArray[Any]]:
    """Per source a list of labels, or None, for each item of a long table; and (items,) the names of the items."""
    frame = _checked_table(table, item, source, label)
    items = frame[item].unique(maintain_order=True)
    row_of = {name: row for row, name in enumerate(items.to_list())}
    found: dict[str, list[Any]] = {str(name): [None] * len(items) for name in sorted(map(str, frame[source].unique()))}
    labels = frame[label].to_list()
    if mapping is not None:
        labels = _mapped(labels, mapping, label)
    for one, name, said in zip(frame[item].to_list(), frame[source].to_list(), labels, strict=True):
        if said is not None:
            column, row = found[str(name)], row_of[one]
            column[row] = [*(column[row] or []), *(said if isinstance(said, list) else [said])]
    return found, items.to_numpy()


def _checked_table(table: Any, item: str, source: str, label: str) -> pl.DataFrame:
    """The three columns of a long table, without the rows that have no label."""
    from assay._core.rows import as_polars

    frame = as_polars(table)
    for column in (item, source, label):
        if column not in frame.columns:
            raise VoteError(f"the table has no column {column!r}. {near_miss(column, frame.columns)}")
    rows = len(frame)
    numbered = frame.select(item, source, label).with_row_index("row of the table").drop_nulls(label)
    for column in (item, source):
        without = numbered.filter(numbered[column].is_null())
        if len(without):
            raise VoteError(
                f"every vote needs an item and a worker, but column {column!r} is empty in {len(without):,} of "
                f"{rows:,} rows, the first of them row {without['row of the table'][0]:,}; "
                "fill it in, or drop these rows"
            )
    return numbered.drop("row of the table")
