"""Labels as Arrow tables and Parquet files.

Gold that checks labels is in a file's own metadata, since it is about a few items and known only at the end.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay._core.atomic_files import writing
from assay.errors import VoteError
from assay.gold import CheckedLabels
from assay.labels.subsets import subsets
from assay.tasks import TaskGraph, labels_of_questions

if TYPE_CHECKING:
    import pyarrow as pa

    from assay.labels.labels import Labels

FloatArray = npt.NDArray[np.float64]

_KEY = b"assay.labels"
_GOLD = "assay.labels.gold"
_PIECE = 4_000_000
"""Readers refuse metadata with longer texts than 100 MB, so gold is cut into pieces of this size."""


def to_arrow(labels: Labels) -> pa.Table:
    """A table with a column for each task and label, and the outcomes of components with several tasks."""
    import pyarrow as pa

    columns: dict[str, Any] = {}
    tasks, names = labels.tasks, None
    if labels.items is not None:
        names = next(name for name in ("item", "item_", "item__", "_item_") if name not in tasks.names)
        columns[names] = pa.array(labels.items)
    for task in tasks.declared:
        if task.multiple:
            given = subsets(labels.joint, tasks, task.name)
            texts = pa.array(task.labels, type=pa.string()).take(pa.array(np.nonzero(given)[1]))
            starts = np.concatenate([[0], np.cumsum(given.sum(axis=1))]).astype(np.int32)
            columns[task.name] = pa.ListArray.from_arrays(pa.array(starts), texts)
            columns |= probability_columns(labels, task.name)
            continue
        index = tasks.label_space.component_of(task.name)
        component = tasks.label_space.components[index]
        chosen = component.label_of(task.name)[labels.joint[index].argmax(axis=1)].astype(np.int32)
        texts = pa.array(task.labels, type=pa.string())
        columns[task.name] = pa.DictionaryArray.from_arrays(pa.array(chosen, mask=chosen < 0), texts)
        columns |= probability_columns(labels, task.name)
    for index, joint in enumerate(labels.joint):
        for outcome, name in enumerate(_outcome_columns(tasks, index)):
            columns.setdefault(name, joint[:, outcome])
    stored = {_KEY: json.dumps({"version": 2, "tasks": tasks.to_dict(), "items": names}).encode()}
    return pa.table(columns).replace_schema_metadata(stored)


def probability_columns(labels: Labels, task: str) -> dict[str, FloatArray]:
    """A column for each label of a task, and for N/A if the task may not apply."""
    if task in labels.tasks.multiple:
        chances = labels[task]
        return {f"{task}={label}": chances[:, at] for at, label in enumerate(labels.tasks.multiple[task])}
    index = labels.tasks.label_space.component_of(task)
    component = labels.tasks.label_space.components[index]
    marginal = labels[task]
    columns = {f"{task}={label}": marginal[:, at] for at, label in enumerate(labels.tasks[task].labels)}
    if (component.label_of(task) < 0).any():
        columns[f"{task}=N/A"] = marginal[:, -1]
    return columns


def write_labels(parts: Iterable[Labels], path: str | Path) -> Path:
    """Write labels to a Parquet file, part by part and atomically."""
    import pyarrow.parquet as pq

    target = Path(path)
    with ExitStack() as open_files:
        unfinished = open_files.enter_context(writing(target))
        writer = None
        gold, offsets, items = [], [], 0
        for part in parts:
            table = to_arrow(part)
            if writer is None:
                # Probabilities hardly ever repeat, so dictionary encoding would only cost space.
                texts = [name for name in table.column_names if name in part.tasks]
                writer = pq.ParquetWriter(unfinished, table.schema, compression="zstd", use_dictionary=texts)
                open_files.enter_context(writer)
            elif not table.schema.equals(writer.schema):
                first, other = (_kind_of_items(schema) for schema in (writer.schema, table.schema))
                raise VoteError(
                    "labels in one file must all have item names of the same type, or none, "
                    f"but some are {first} and others {other}"
                )
            writer.write_table(table)
            if part.gold is not None:
                gold.append(part.gold)
                offsets.append(items)
            items += len(part)
        if writer is None:
            raise VoteError("there are no labels to write")
        if gold:
            writer.add_key_value_metadata(_gold_to_metadata(CheckedLabels.concat(gold, offsets)))
    return target


def read_labels(
    path: Path,
) -> tuple[TaskGraph, tuple[FloatArray, ...], npt.NDArray[Any] | None, CheckedLabels | None]:
    """What a file that :func:`write_labels` wrote holds: tasks, joint, names of items, gold."""
    import pyarrow as pa

    from assay._core.parquet import opened, read_parquet

    table = read_parquet(path)
    stored = (table.schema.metadata or {}).get(_KEY)
    if stored is None:
        raise VoteError(f"{path} is not a labels file written by Assay")
    said = json.loads(stored)
    tasks = TaskGraph.from_dict(said["tasks"])
    with opened(path) as file:
        metadata = dict(file.metadata.metadata or {})
    try:
        joint = tuple(
            np.column_stack([table.column(name).to_numpy() for name in _outcome_columns(tasks, index)])
            for index in range(len(tasks.label_space.components))
        )
        gold = _gold_from_metadata(metadata, tasks, len(table))
    except (KeyError, ValueError, pa.ArrowException) as error:
        raise VoteError(f"{path} is not a valid labels file: {error}") from error
    return tasks, joint, table.column(said["items"]).to_numpy() if said["items"] else None, gold


def _outcome_columns(tasks: TaskGraph, index: int) -> list[str]:
    """The columns that hold a component's outcome probabilities; the task's own, if outcomes are its labels."""
    component = tasks.label_space.components[index]
    task = component.tasks[0]
    asked = labels_of_questions(tasks.multiple)
    if len(component) == 2 and len(component.tasks) == 1 and task in asked:
        return [f"{asked[task][0]}={answer}" for answer in tasks[task].labels]
    if len(component.tasks) == 1 and np.array_equal(component.label_of(task), np.arange(len(tasks[task].labels))):
        return [f"{task}={label}" for label in tasks[task].labels]
    return [f"outcome {index}.{outcome}" for outcome in range(len(component))]


def _kind_of_items(schema: pa.Schema) -> str:
    column = json.loads(schema.metadata[_KEY])["items"]
    return "missing" if column is None else str(schema.field(column).type)


def _gold_to_metadata(gold: CheckedLabels) -> dict[str, str]:
    """Gold as an Arrow table, its bytes written as text."""
    import pyarrow as pa

    columns = {"row": pa.array(gold.rows), "weight": pa.array(gold.weights)}
    for index, (allowed, held_out) in enumerate(zip(gold.allowed, gold.held_out, strict=True)):
        for name, part in (("allowed", allowed), ("held_out", held_out)):
            columns[f"{name} {index}"] = pa.FixedSizeListArray.from_arrays(pa.array(part.ravel()), part.shape[1])
    table = pa.table(columns)
    buffer = pa.BufferOutputStream()
    with pa.ipc.new_stream(buffer, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as stream:
        stream.write_table(table)
    text = b64encode(buffer.getvalue()).decode()
    pieces = [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
    return {f"{_GOLD}.{number}": piece for number, piece in enumerate(pieces)}


def _gold_from_metadata(metadata: Mapping[bytes, bytes], tasks: TaskGraph, items: int) -> CheckedLabels | None:
    import pyarrow as pa

    pieces: list[bytes] = []
    while (piece := metadata.get(f"{_GOLD}.{len(pieces)}".encode())) is not None:
        pieces.append(piece)
    if not pieces:
        return None
    with pa.ipc.open_stream(b64decode(b"".join(pieces), validate=True)) as stream:
        table = stream.read_all().combine_chunks()
    outcomes = [len(component) for component in tasks.label_space.components]

    def parts(name: str) -> tuple[npt.NDArray[Any], ...]:
        cells = [table.column(f"{name} {index}") for index in range(len(outcomes))]
        return tuple(
            pa.chunked_array([chunk.flatten() for chunk in part.chunks], type=part.type.value_type)
            .to_numpy(zero_copy_only=False)
            .reshape(-1, width)
            for part, width in zip(cells, outcomes, strict=True)
        )

    rows = table.column("row").to_numpy().astype(np.int64)
    if len(rows) and not (rows.min() >= 0 and rows.max() < items):
        raise ValueError(f"there is gold for rows up to {rows.max()}, but there are {items} items")
    return CheckedLabels(rows, parts("allowed"), parts("held_out"), table.column("weight").to_numpy())
