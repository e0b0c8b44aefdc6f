"""Labels as records for annotation tools: predictions for Label Studio, suggestions for Argilla."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay._core.atomic_files import writing
from assay.errors import AssayError, near_miss

if TYPE_CHECKING:
    from assay.labels.labels import Labels

Record = dict[str, Any]
AGENT = "assay"
"""Who made the labels, as tools show it."""


def label_studio_tasks(labels: Labels, data: Any, on: str) -> list[Record]:
    """A task for each item, with a prediction that has a choice for each of the tasks that apply, and scores."""
    tasks: list[Record] = []
    for given, item, said in _rows(labels, data, on):
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
        shown: Record = {**given, "item": item}
        tasks.append({"data": shown, "predictions": [prediction]})
    return tasks


def argilla_records(labels: Labels, data: Any, on: str) -> list[Record]:
    """A record for each item, as ``argilla.Record.from_dict`` takes it, with a suggestion for each task."""
    records = []
    for given, item, said in _rows(labels, data, on):
        suggestions = {task: {"value": chosen, "score": score, "agent": AGENT} for task, chosen, score in said}
        rest = {name: value for name, value in given.items() if name != on and isinstance(value, int | float | str)}
        records.append(
            {
                "id": str(item),
                "fields": {on: given[on]},
                "metadata": {**rest, "item": item},
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


def _rows(labels: Labels, data: Any, on: str) -> Iterator[tuple[Record, Any, list[tuple[str, Any, float]]]]:
    """For each item what the data says of it, its name, and its labels with their probabilities."""
    from assay._core.rows import batches

    rows = [_plain(batch.rows[at]) for batch in batches(data) for at in range(len(batch))]
    if labels.kept is not None and len(rows) == len(labels.kept):
        rows = [row for row, stays in zip(rows, labels.kept.tolist(), strict=True) if stays]
    if len(rows) != len(labels):
        raise AssayError(f"the data has {len(rows):,} rows, but there are {len(labels):,} labels")
    if rows and on not in rows[0]:
        raise AssayError(f"the data has no column {on!r} that annotators could read. {near_miss(on, rows[0])}")
    numbers = np.arange(len(labels)) if labels.kept is None else np.flatnonzero(labels.kept)
    names = (numbers if labels.items is None else labels.items).tolist()
    yield from zip(rows, names, _said(labels), strict=True)


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
