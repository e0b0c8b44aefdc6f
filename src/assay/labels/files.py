"""Labels as Arrow tables and Parquet files.

Gold that checks labels is in a file's own metadata, since it is about a few items and known only at the end.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay._core.atomic_files import writing
from assay._core.reading import reading
from assay._core.stored_arrays import of_type, stored_array
from assay._core.texts import free_name
from assay.errors import VoteError
from assay.gold import CheckedLabels
from assay.labels.refined import KINDS, Refined
from assay.labels.subsets import subsets
from assay.tasks import TaskGraph, labels_of_questions
from assay.votes import stored_items

if TYPE_CHECKING:
    import pyarrow as pa

    from assay.labels.labels import Labels

FloatArray = npt.NDArray[np.float64]

_KEY = b"assay.labels"
_GOLD = "assay.labels.gold"
_VERSIONS = (1, 2)
_ROUNDING = 1e-5
"""How far the probabilities of an item may be from summing to one, as those of other tools are."""
_PIECE = 4_000_000
"""Readers refuse metadata with longer texts than 100 MB, so gold is cut into pieces of this size."""


def to_arrow(labels: Labels) -> pa.Table:
    """A table with a column for each task and label, and the outcomes of components with several tasks."""
    import pyarrow as pa

    columns: dict[str, Any] = {}
    tasks, names = labels.tasks, None
    named = column_names(tasks)
    if labels.items is not None:
        names = free_name("item", {*tasks.names, *tasks.multiple} | named.taken)
        columns[names] = pa.array(labels.items)
    for task in tasks.declared:
        if task.multiple:
            given = subsets(labels.joint, tasks, task.name)
            texts = pa.array(task.labels, type=pa.string()).take(pa.array(np.nonzero(given)[1]))
            starts = np.concatenate([[0], np.cumsum(given.sum(axis=1))]).astype(np.int32)
            columns[task.name] = pa.ListArray.from_arrays(pa.array(starts), texts)
            columns |= probability_columns(labels, task.name, named)
            continue
        index = tasks.label_space.component_of(task.name)
        component = tasks.label_space.components[index]
        chosen = component.label_of(task.name)[labels.joint[index].argmax(axis=1)].astype(np.int32)
        texts = pa.array(task.labels, type=pa.string())
        columns[task.name] = pa.DictionaryArray.from_arrays(pa.array(chosen, mask=chosen < 0), texts)
        columns |= probability_columns(labels, task.name, named)
    for index, joint in enumerate(labels.joint):
        for outcome, name in enumerate(named.outcomes[index]):
            columns.setdefault(name, joint[:, outcome])
    said: dict[str, Any] = {"version": 2, "tasks": tasks.to_dict(), "items": names}
    if labels.refined is not None:
        column = free_name("evidence", set(columns))
        numbers = pa.array(labels.refined.kinds.astype(np.int32))
        columns[column] = pa.DictionaryArray.from_arrays(numbers, pa.array(KINDS, type=pa.string()))
        said["refined"] = {"column": column, **labels.refined.to_dict()}
    stored = {_KEY: json.dumps(said).encode()}
    return pa.table(columns).replace_schema_metadata(stored)


@dataclass(frozen=True)
class ColumnNames:
    """The columns of probabilities, each with a name of its own, however tasks and labels are called.

    >>> from assay import Task, TaskGraph
    >>> column_names(TaskGraph([Task("t", ["x", "y"]), Task("t=x", ["z"])])).labels["t", "x"]
    't=x_'
    """

    labels: dict[tuple[str, str | None], str]
    """Per task and label; a label None is N/A, of tasks that may not apply."""
    outcomes: tuple[tuple[str, ...], ...]
    """Per component; the columns of its task, if outcomes are the task's labels."""

    @property
    def taken(self) -> set[str]:
        """All of them."""
        return {*self.labels.values(), *(name for names in self.outcomes for name in names)}


def column_names(tasks: TaskGraph) -> ColumnNames:
    """The names of the columns of labels; they depend on nothing but the tasks."""
    taken = {task.name for task in (*tasks.tasks, *tasks.declared)}

    def own(name: str) -> str:
        found = free_name(name, taken)
        taken.add(found)
        return found

    labels: dict[tuple[str, str | None], str] = {}
    for task in tasks.declared:
        labels |= {(task.name, label): own(f"{task.name}={label}") for label in task.labels}
        if task.multiple:
            continue
        component = tasks.label_space.components[tasks.label_space.component_of(task.name)]
        if (component.label_of(task.name) < 0).any():
            labels[task.name, None] = own(f"{task.name}=N/A")
    outcomes: list[tuple[str, ...]] = []
    asked = labels_of_questions(tasks.multiple)
    for index, component in enumerate(tasks.label_space.components):
        first = tasks[component.tasks[0]]
        if len(component.tasks) == 1 and len(component) == 2 and first.name in asked:
            outcomes.append((own(f"{asked[first.name][0]}={first.labels[0]}"), labels[asked[first.name]]))
        elif len(component.tasks) == 1 and np.array_equal(component.label_of(first.name), np.arange(len(first.labels))):
            outcomes.append(tuple(labels[first.name, label] for label in first.labels))
        else:
            outcomes.append(tuple(own(f"outcome {index}.{outcome}") for outcome in range(len(component))))
    return ColumnNames(labels, tuple(outcomes))


def probability_columns(labels: Labels, task: str, names: ColumnNames) -> dict[str, FloatArray]:
    """A column for each label of a task, and for N/A if the task may not apply."""
    if task in labels.tasks.multiple:
        chances = labels[task]
        return {names.labels[task, label]: chances[:, at] for at, label in enumerate(labels.tasks.multiple[task])}
    marginal = labels[task]
    named = names.labels
    columns = {named[task, label]: marginal[:, at] for at, label in enumerate(labels.tasks[task].labels)}
    if (task, None) in named:
        columns[named[task, None]] = marginal[:, -1]
    return columns


def write_labels(parts: Iterable[Labels], path: str | Path) -> Path:
    """Write labels to a Parquet file, part by part and atomically."""
    from assay._core.parquet import parquet_parts

    target = Path(path)
    with ExitStack() as open_files:
        unfinished = open_files.enter_context(writing(target))
        file = None
        gold, offsets, items = [], [], 0
        for part in parts:
            table = to_arrow(part)
            if file is None:
                # Probabilities hardly ever repeat, so dictionary encoding would only cost space.
                texts = [name for name in table.column_names if str(table.schema.field(name).type).startswith("dict")]
                file = open_files.enter_context(parquet_parts(unfinished, table.schema, use_dictionary=texts))
            elif not table.schema.equals(file.schema):
                if part.refined is not None or b'"refined"' in (file.schema.metadata or {}).get(_KEY, b""):
                    raise VoteError("labels in one file must all have been refined together, or none")
                first, other = (_kind_of_items(schema) for schema in (file.schema, table.schema))
                raise VoteError(
                    "labels in one file must all have item names of the same type, or none, "
                    f"but some are {first} and others {other}"
                )
            file.write(table)
            if part.gold is not None:
                gold.append(part.gold)
                offsets.append(items)
            items += len(part)
        if file is None:
            raise VoteError("there are no labels to write")
        if gold:
            file.note(_gold_to_metadata(CheckedLabels.concat(gold, offsets)))
    return target


def read_labels(
    path: Path,
) -> tuple[TaskGraph, tuple[FloatArray, ...], npt.NDArray[Any] | None, CheckedLabels | None, Refined | None]:
    """What a file that :func:`write_labels` wrote holds: tasks, joint, names of items, gold, what they rest on."""
    from assay._core.parquet import opened

    with opened(path) as file, reading(path, "labels file", VoteError):
        stored = (file.schema_arrow.metadata or {}).get(_KEY)
        if stored is None:
            raise VoteError(f"{path} is not a labels file written by Assay")
        said = json.loads(stored)
        if said["version"] not in _VERSIONS:
            raise VoteError(f"{path} was written by another version of Assay (labels format {said['version']})")
        tasks = TaskGraph.from_dict(said["tasks"])
        table = file.read()
        joint = tuple(
            _probabilities(np.column_stack([_numbers(table, name) for name in names]))
            for names in column_names(tasks).outcomes
        )
        items = None if said["items"] is None else stored_items(table, of_type(str, said["items"]))
        gold = _gold_from_metadata(dict(file.metadata.metadata or {}), tasks, len(table))
        return tasks, joint, items, gold, _refined(table, said.get("refined"))


def _refined(table: pa.Table, stored: Any) -> Refined | None:
    """What refined labels rest on, if they were refined."""
    if stored is None:
        return None
    texts = table.column(of_type(str, stored["column"])).to_pylist()
    kinds = np.array([KINDS.index(text) for text in texts], dtype=np.uint8)
    return Refined.from_dict(kinds, stored)


def _numbers(table: pa.Table, name: str) -> npt.NDArray[Any]:
    """A column of probabilities; numbers of any other type, texts and nulls are refused."""
    column = table.column(name)
    if str(column.type) not in ("double", "float") or column.null_count:
        raise ValueError(f"the column {name!r} must hold probabilities, but is of {column.type}, or has nulls")
    values: npt.NDArray[Any] = column.to_numpy()
    return values


def _probabilities(joint: npt.NDArray[Any]) -> FloatArray:
    """(items, outcomes), each row summing to one."""
    found = stored_array({"probabilities": joint.astype(np.float64, copy=False)}, "probabilities", (None, None))
    off = np.flatnonzero((np.abs(found.sum(axis=1) - 1) > _ROUNDING) | (found < -_ROUNDING).any(axis=1))
    if len(off):
        raise ValueError(f"the probabilities of row {off[0]} do not sum to one, or are negative")
    return found


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

    columns = {"row": table.column("row").to_numpy(), "weight": table.column("weight").to_numpy()}
    rows = stored_array(columns, "row", (None,), np.int64, low=0, high=items - 1)
    if (np.diff(rows) <= 0).any():
        raise ValueError("the rows with gold must be in ascending order, but are not")
    allowed, held_out = parts("allowed"), parts("held_out")
    for part, shares in zip(allowed, held_out, strict=True):
        stored_array({"gold": part}, "gold", (len(rows), part.shape[1]), np.bool_)
        stored_array({"gold": shares}, "gold", (len(rows), part.shape[1]), low=0, high=1 + _ROUNDING)
        if not part.any(axis=1).all():
            raise ValueError("gold must allow an outcome, but allows none")
    return CheckedLabels(rows, allowed, held_out, stored_array(columns, "weight", (len(rows),), low=0))
