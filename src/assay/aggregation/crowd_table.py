"""What people give for a crowd: a long table of votes, and true labels of some items, each in the shapes that occur."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assay._core.rows import as_polars
from assay.annotations import Annotations, is_mturk
from assay.errors import VoteError, listing, near_miss
from assay.votes import index_names, is_missing, item_column, long_columns, looks_long

_TRUE_LABELS = ("gold", "truth", "true_label", "label", "gold_label", "true", "answer")
"""What a column of true labels is called, the surest first."""


def crowd_frame(
    table: Any, item: str | None, worker: str | None, label: str | None
) -> tuple[pl.DataFrame, dict[str, str]]:
    """A table of votes, and which of its columns has the items, the workers (``source``) and the labels.

    Items and workers that are numbers and texts become texts. What is no long table is refused with what to do.
    """
    if isinstance(table, Annotations):
        table = _one_question(table)
    if isinstance(table, str | Path) and Path(table).suffix == ".json":
        raise VoteError(_EXPORT.format(given=repr(str(table))))
    frame = as_polars(table)
    if worker is None and label is None:
        if is_mturk(frame.columns):
            raise VoteError(_EXPORT.format(given=repr(str(table)) if isinstance(table, str | Path) else "path"))
        _refuse_wide(table, frame)
    columns = long_columns(frame.columns, {"item": item, "source": worker, "label": label})
    mixed = [name for name in (columns["item"], columns["source"]) if frame[name].dtype == pl.Object]
    texts = [
        pl.Series(name, [None if is_missing(value) else str(value) for value in frame[name]], dtype=pl.String)
        for name in mixed
    ]
    frame = frame.with_columns(texts)
    frame = frame.with_columns(pl.selectors.float().fill_nan(None))  # as in tables of pandas, where it is no value
    if frame[columns["label"]].is_null().all():
        raise VoteError("the table has no votes: expected rows with an item, a worker and a label")
    return frame, columns


_EXPORT = (
    "expected a table with an item, a worker and a label in each row, but this looks like the export of an annotation "
    "tool; give assay.read_annotations({given})"
)


def _one_question(said: Annotations) -> Any:
    """The table of annotations; those that answer several questions are refused."""
    asked = sorted({str(one.task) for one in said.said if not one.is_skipped})
    if len(asked) > 1:
        raise VoteError(
            f"the annotations answer several questions, {listing(asked)}; give those of one, as in "
            f"table = said.to_pandas(); assay.aggregate(table[table['task'] == {asked[0]!r}], item='item')"
        )
    return said.to_pandas()


def _refuse_wide(table: Any, frame: pl.DataFrame) -> None:
    """Refuse a table with a row an item and a column a worker, as pivot makes it."""
    rows = getattr(getattr(table, "index", None), "name", None)
    if rows is not None and getattr(getattr(table, "columns", None), "name", None) is not None:
        raise VoteError(_WIDE.format(how="table.stack().rename('label').reset_index()"))
    if looks_long(frame.columns) or len(frame.columns) <= _FEW_COLUMNS:
        return
    key = item_column(frame.columns, "task") or frame.columns[0]
    said = [set(frame[name].drop_nulls().to_list()) for name in frame.columns if name != key and _is_plain(frame[name])]
    every = set().union(*said)
    if len(said) == len(frame.columns) - 1 and 2 <= len(every) <= _MOST_LABELS and 2 * max(map(len, said)) > len(every):
        melted = f"table.melt({key!r}, var_name='worker', value_name='label').dropna()"
        raise VoteError(_WIDE.format(how=f"{melted}, of a table of pandas"))


_FEW_COLUMNS = 3
_MOST_LABELS = 20
_WIDE = (
    "this looks like a wide table, with a row an item and one column a worker; expected a row for each vote: give {how}"
)


def _is_plain(column: pl.Series) -> bool:
    return column.dtype in (pl.String, pl.Boolean) or column.dtype.is_integer()


def gold_by_item(gold: Any, item: str, label: str) -> Any:
    """True labels that are a table or a file as a pandas Series by item; anything else as it is.

    ``item`` and ``label`` are columns of the crowd's table, which gold may have too.

    >>> gold_by_item({"task": ["a", "b"], "truth": ["cat", "dog"]}, "task", "label").to_dict()
    {'a': 'cat', 'b': 'dog'}
    """
    named = isinstance(gold, Mapping) and item in gold and all(isinstance(one, list | tuple) for one in gold.values())
    if isinstance(gold, str | Path | pl.DataFrame) or named:
        gold = as_polars(gold).to_pandas()
    if not (hasattr(gold, "iloc") and hasattr(gold, "columns")):
        return gold
    names = list(map(str, gold.columns))
    key = item_column(names, item) if len(names) > 1 else None
    if key is None and index_names(gold[~gold.index.duplicated()]) is None:
        # By position, as gold of all items may be.
        return gold[names[0]] if len(names) == 1 and names[0] != label else gold
    truth = _true_labels([name for name in names if name != key], label)
    found = gold[truth] if key is None else gold.set_index(key)[truth]
    return _one_each(found[found.notna()], item if key is None else key)


def _true_labels(columns: list[str], label: str) -> str:
    """The column of true labels: the only one, or the one that is called so."""
    if len(columns) == 1:
        return columns[0]
    known = next((name for name in (*_TRUE_LABELS, label) if name in columns), None)
    if known is None:
        raise VoteError(
            f"gold is a table of items with columns {listing(columns)}, and none of these is known to hold the true "
            f"labels; call it 'label', or give one column, as in gold.set_index(...)[{columns[0]!r}]"
        )
    return known


def _one_each(gold: Any, item: str) -> Any:
    """Gold without rows that are there twice; two labels of an item are refused."""
    again = gold.index.duplicated()
    for name, label in zip(gold.index[again].tolist(), gold[again].tolist(), strict=True):
        first = gold[gold.index == name].iloc[0]
        if first != label:
            raise VoteError(f"gold has two labels of {item} {name!r}, {first!r} and {label!r}; keep one of them")
    return gold[~again]


def check_gold(gold: Any, labels: Collection[Any]) -> None:
    """Refuse true labels by item that no worker says: which item has one, and what labels there are."""
    if isinstance(gold, Mapping):
        pairs = list(gold.items())
    elif hasattr(gold, "iloc") and not hasattr(gold, "columns"):
        pairs = list(zip(gold.index.tolist(), gold.tolist(), strict=True))
    else:
        return
    are_texts = all(isinstance(one, str) for one in labels)
    kinds = (str,) if are_texts else (str, int, float, np.generic)
    for name, label in pairs:
        if not isinstance(label, kinds) or is_missing(label) or label in labels or label == -1:  # −1 is no gold
            continue
        known = near_miss(label, labels) if are_texts else f"Known: {listing(labels)}."
        raise VoteError(f"gold says {label!r} of item {name!r}, which no worker says of any. {known}")


def in_words_of_crowds(message: str, numbers: Collection[str]) -> str:
    """A message that speaks of workers, and in which the table's numbers, texts in votes, stand without quotes.

    >>> in_words_of_crowds("only sources '7' and '8' vote on task 'source'", {"7", "8"})
    "only workers 7 and 8 vote on task 'source'"
    """

    def said(found: re.Match[str]) -> str:
        if found[0].startswith("'"):
            return found[0][1:-1] if found[0][1:-1] in numbers else found[0]
        return found[0].replace("source", "worker")

    return re.sub(r"'[^'\n]*'|\bsources?\b", said, message)
