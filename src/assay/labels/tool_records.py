"""Labels as records for annotation tools: predictions for Label Studio, suggestions for Argilla."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay._core.atomic_files import writing
from assay._core.texts import free_name
from assay.errors import AssayError, near_miss
from assay.labels.pairing import rows_by_name
from assay.votes import index_names

if TYPE_CHECKING:
    from assay.labels.labels import Labels

Record = dict[str, Any]
AGENT = "assay"
"""Who made the labels, as tools show it."""
USUAL = "text"
"""The column that annotators read, if nothing else is said."""


def label_studio_tasks(labels: Labels, data: Any, on: str | None, item_column: str | None) -> list[Record]:
    """A task for each item, with a prediction that has a choice for each of the tasks that apply, and scores."""
    tasks: list[Record] = []
    rows = _data_rows(data)
    on = _column_read(rows, on, labels, item_column)
    for given, item, said in _rows(labels, data, rows, item_column):
        result = [
            {
                "from_name": task,
                "to_name": on,
                "type": "choices",
                "value": {"choices": chosen if isinstance(chosen, list) else [chosen]},
                "score": score,
            }
            for task, chosen, score in said
        ]
        score = min((score for _, _, score in said), default=0.0)
        prediction = {"model_version": AGENT, "score": score, "result": result}
        if on == "item" and given["item"] != item:
            raise AssayError(
                "answers find their items by the field 'item', but the column 'item', which annotators are to read, "
                "has other values; rename that column"
            )
        tasks.append({"data": _with_name(given, item), "predictions": [prediction]})
    return tasks


def argilla_records(labels: Labels, data: Any, on: str | None, item_column: str | None) -> list[Record]:
    """A record for each item, as ``argilla.Record.from_dict`` takes it, with a suggestion for each task."""
    records = []
    rows = _data_rows(data)
    on = _column_read(rows, on, labels, item_column)
    for given, item, said in _rows(labels, data, rows, item_column):
        suggestions = {task: {"value": chosen, "score": score, "agent": AGENT} for task, chosen, score in said}
        rest = {name: value for name, value in given.items() if name != on and isinstance(value, int | float | str)}
        records.append(
            {
                "id": str(item),
                "fields": {on: given[on]},
                "metadata": _with_name(rest, item),
                "suggestions": suggestions,
                "responses": {},
                "vectors": {},
            }
        )
    return records


def write_records(records: list[Record], path: str | Path) -> Path:
    """Write records to a JSON file, atomically."""
    target = Path(path)
    with writing(target) as unfinished:
        unfinished.write_text(json.dumps(records, ensure_ascii=False, indent=1), encoding="utf-8")
    return target


def _data_rows(data: Any) -> list[Record]:
    from assay._core.rows import batches

    if isinstance(data, str | Path) and Path(data).suffix == ".json":
        raise AssayError(
            f"expected the data whose labels these are, but got {str(data)!r}; the file to write comes after it, as in "
            f"to_label_studio(data, {str(data)!r}, on='text')"
        )
    return [_plain(batch.rows[at]) for batch in batches(data) for at in range(len(batch))]


def _column_read(rows: list[Record], on: str | None, labels: Labels, item_column: str | None) -> str:
    """The column that annotators read: as given, or ``text``, or the only one that does not just name items."""
    columns = list(rows[0]) if rows else [on or USUAL]
    if on is None:
        names = () if labels.items is None else ("item", "id", item_column)
        others = [name for name in columns if name not in names] or columns
        on = USUAL if USUAL in columns or len(others) != 1 else others[0]
    if on not in columns:
        raise AssayError(
            f"the data has no column {on!r} that annotators could read; say which one they do, as in "
            f"on={columns[-1]!r}. {near_miss(on, columns)}"
        )
    return on


def _rows(
    labels: Labels, data: Any, rows: list[Record], item_column: str | None
) -> Iterator[tuple[Record, Any, list[tuple[str, Any, float]]]]:
    """For each item what the data says of it, its name, and its labels with their probabilities."""
    if item_column is not None and rows and item_column not in rows[0]:
        raise AssayError(f"the data has no column {item_column!r} of names of items. {near_miss(item_column, rows[0])}")
    index = index_names(data)
    by_name = None
    if labels.items is not None:
        by_name = rows_by_name(labels.items.tolist(), rows, None if index is None else index.tolist(), item_column)
    if by_name is not None:
        rows = [rows[at] for at in by_name]
    elif labels.kept is not None and len(rows) == len(labels.kept):
        rows = [row for row, stays in zip(rows, labels.kept.tolist(), strict=True) if stays]
    if len(rows) != len(labels):
        named = "; a column 'item' with the names of items would pair them" if labels.items is not None else ""
        raise AssayError(f"the data has {len(rows):,} rows, but there are {len(labels):,} labels{named}")
    numbers = np.arange(len(labels)) if labels.kept is None else np.flatnonzero(labels.kept)
    names = (numbers if labels.items is None else labels.items).tolist()
    yield from zip(rows, names, _said(labels), strict=True)


def _with_name(given: Record, item: Any) -> Record:
    """A row with the name of its item as ``item``; a column of that name that says something else moves aside."""
    moved = {free_name("item", given): given["item"]} if given.get("item", item) != item else {}
    return {**given, **moved, "item": item}


def _plain(row: Any) -> Record:
    """A row of any kind as what JSON can hold."""
    if hasattr(row, "_names"):
        row = dict(zip(row._names, row, strict=True))
    if not isinstance(row, Mapping):
        raise AssayError(f"expected rows with named columns, but got {type(row).__name__}")
    return {str(name): value if _is_plain(value) else str(value) for name, value in row.items()}


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    return value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and np.isfinite(value))


def _said(labels: Labels) -> list[list[tuple[str, Any, float]]]:
    """Per item and task that applies: its label, or list of labels, and how probable that is."""
    found: list[list[tuple[str, Any, float]]] = [[] for _ in range(len(labels))]
    for task in labels.tasks.declared:
        shares = labels[task.name]
        for row, chosen in enumerate(labels.names(task.name)):
            if isinstance(chosen, list):
                sure = np.where(np.isin(task.labels, chosen), shares[row], 1 - shares[row])
                found[row].append((task.name, chosen, float(sure.min())))
            elif chosen is not None:
                found[row].append((task.name, chosen, float(shares[row, task.labels.index(chosen)])))
    return found
