"""Labels as Arrow tables and Parquet files.

A file has for each item its name, its labels, how sure they are and whether there are votes, and of the probabilities
what cannot be derived, in single precision: those of outcomes, and of two outcomes the second. Gold that checks labels
is in a file's own metadata, since it is about a few items and known only at the end.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay._core.atomic_files import writing
from assay._core.reading import reading
from assay._core.stored_arrays import of_type, stored_array
from assay._core.texts import free_name
from assay._core.threads import overlapped
from assay.errors import VoteError
from assay.gold import CheckedLabels
from assay.labels.label_subsets import subsets
from assay.labels.refined import KINDS, Refined
from assay.tasks import TaskGraph, labels_of_questions
from assay.votes import smallest, stored_items

if TYPE_CHECKING:
    import pyarrow as pa

    from assay.labels.labels import Labels

FloatArray = npt.NDArray[np.float64]

BoolArray = npt.NDArray[np.bool_]
Names = npt.NDArray[Any] | None

_KEY = b"assay.labels"
_GOLD = "assay.labels.gold"
_KIND = "labels file"
_VERSION = 3
_IN_FULL = (1, 2)
"""Earlier versions, whose files have a column in double precision for every outcome."""
_VERSIONS = (*_IN_FULL, _VERSION)
_ROUNDING = 1e-5
"""How far the probabilities of an item may be from summing to one, as those of other tools are."""
_PIECE = 4_000_000
"""Readers refuse metadata with longer texts than 100 MB, so gold is cut into pieces of this size."""


def to_arrow(labels: Labels) -> pa.Table:
    """A table with the label of each task, how sure it is and whether there are votes, and the outcomes' probabilities.

    What follows from other columns is left out: what tasks' labels have of a component with several tasks, and the
    first of two outcomes.
    """
    import pyarrow as pa

    tasks = labels.tasks
    named = column_names(tasks)
    columns: dict[str, tuple[Any, bool]] = {}
    best = [_Best.of(joint) for joint in labels.joint]
    if labels.items is not None:
        columns[named.item] = pa.array(labels.items), False
    for task in tasks.declared:
        if task.multiple:
            given = subsets(labels.joint, tasks, task.name)
            texts = pa.array(task.labels, type=pa.string()).take(pa.array(np.nonzero(given)[1]))
            starts = np.concatenate([[0], np.cumsum(given.sum(axis=1))]).astype(np.int32)
            columns[task.name] = pa.ListArray.from_arrays(pa.array(starts), texts), True
            continue
        index = tasks.label_space.component_of(task.name)
        label_of = tasks.label_space.components[index].label_of(task.name)
        chosen = best[index].labels(label_of)
        may_not_apply = bool((label_of < 0).any())
        numbers = pa.array(chosen, mask=chosen < 0) if may_not_apply else pa.array(chosen)
        texts = pa.array(task.labels, type=pa.string())
        columns[task.name] = pa.DictionaryArray.from_arrays(numbers, texts), may_not_apply
    confidence = reduce(np.minimum, [part.confidence for part in best])
    columns[named.confidence] = pa.array(confidence), False
    if labels.has_votes is not None:
        columns[named.has_votes] = pa.array(labels.has_votes), False
    if labels.refined is not None:
        kinds = pa.DictionaryArray.from_arrays(pa.array(labels.refined.kinds.astype(np.int8)), pa.array(KINDS))
        columns[named.evidence] = kinds, False
    for part, names in zip(best, named.stored, strict=True):
        columns |= {name: (pa.array(part.rounded[:, at]), False) for at, name in names}
    fields = [
        pa.field(name, column.type, nullable=nullable or pa.types.is_null(column.type))
        for name, (column, nullable) in columns.items()
    ]
    said = {
        "version": _VERSION,
        "tasks": tasks.to_dict(),
        "items": None if labels.items is None else named.item,
        "has_votes": None if labels.has_votes is None else named.has_votes,
        "refined": None if labels.refined is None else labels.refined.to_dict(),
    }
    return pa.table([column for column, _ in columns.values()], pa.schema(fields, {_KEY: json.dumps(said).encode()}))


@dataclass(frozen=True)
class _Best:
    """The labels of one component as they go into a file."""

    chosen: npt.NDArray[np.signedinteger[Any]]
    """(items,): the most probable outcome, the first in a tie."""
    confidence: npt.NDArray[np.float32]
    """(items,): its probability."""
    rounded: npt.NDArray[np.float32]
    """(items, outcomes): all of them; of two, only the second."""

    @classmethod
    def of(cls, joint: FloatArray) -> _Best:
        from assay._core import scoring_loops

        items, outcomes = joint.shape
        chosen, confidence = np.empty(items, dtype=smallest(outcomes)), np.empty(items, dtype=np.float32)
        rounded = np.empty((items, outcomes), dtype=np.float32, order="F")
        scoring_loops.to_single_precision(np.ascontiguousarray(joint), chosen, confidence, rounded)
        return cls(chosen, confidence, rounded)

    def labels(self, label_of: npt.NDArray[np.integer]) -> npt.NDArray[np.signedinteger[Any]]:
        """(items,): the number of a task's label, −1 for N/A, given that of each outcome."""
        if np.array_equal(label_of, np.arange(len(label_of))):
            return self.chosen
        found: npt.NDArray[np.signedinteger[Any]] = label_of.astype(smallest(len(label_of)))[self.chosen]
        return found


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
    item: str
    """The names of items."""
    confidence: str
    """How probable the label is."""
    has_votes: str
    """Whether anyone voted on the item."""
    evidence: str
    """What a refined label rests on."""

    @property
    def stored(self) -> tuple[list[tuple[int, str]], ...]:
        """Per component the outcomes whose probabilities are in a file, and their columns: of two, the second."""
        return tuple([(at, name) for at, name in enumerate(names) if at or len(names) > 2] for names in self.outcomes)


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
    return ColumnNames(labels, tuple(outcomes), own("item"), own("confidence"), own("has_votes"), own("evidence"))


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
        # The next parts are made, and turned into tables, while one is written.
        for part, table in overlapped(lambda part: (part, to_arrow(part)), parts):
            if file is None:
                file = open_files.enter_context(parquet_parts(unfinished, table.schema, **_encoding(table.schema)))
            elif not table.schema.equals(file.schema):
                if table.schema.names != file.schema.names and part.refined is not None:
                    raise VoteError("labels in one file must all have been refined, or none")
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


def _encoding(schema: pa.Schema) -> dict[str, Any]:
    """How columns are written: probabilities hardly ever repeat, so that compressing them would save nothing.

    Only of item names is it worth noting the least and the greatest: every label is anywhere in the file.
    """
    numbers = {field.name for field in schema if str(field.type) == "float"}
    items = _item_column(schema)
    return {
        "use_dictionary": [field.name for field in schema if field.name not in numbers],
        "write_statistics": [] if items is None else [items],
        "compression": {field.name: "none" if field.name in numbers else "zstd" for field in schema},
    }


@dataclass(frozen=True)
class StoredLabels:
    """What a file of labels says of them: everything but the labels."""

    path: Path
    tasks: TaskGraph
    version: int
    item_column: str | None
    votes_column: str | None
    gold: CheckedLabels | None
    items: int
    weights: Mapping[str, Any] | None = None
    """What votes and data were worth, if the labels were refined."""

    @classmethod
    def of(cls, path: Path) -> StoredLabels:
        """The header of a file that :func:`write_labels` wrote."""
        from assay._core.parquet import opened

        with opened(path) as file, reading(path, _KIND, VoteError):
            stored = (file.schema_arrow.metadata or {}).get(_KEY)
            if stored is None:
                raise VoteError(f"{path} is not a labels file written by Assay")
            said = json.loads(stored)
            if said["version"] not in _VERSIONS:
                raise VoteError(f"{path} was written by another version of Assay (labels format {said['version']})")
            tasks, items = TaskGraph.from_dict(said["tasks"]), file.metadata.num_rows
            gold = _gold_from_metadata(dict(file.metadata.metadata or {}), tasks, items)
            item_column, votes_column = (of_type(str | None, said.get(column)) for column in ("items", "has_votes"))
            weights = of_type(dict[str, Any] | None, said.get("refined"))
            return cls(path, tasks, said["version"], item_column, votes_column, gold, items, weights)

    def refined(self) -> Refined | None:
        """What the labels rest on, if they were refined."""
        import pyarrow as pa
        import pyarrow.compute as pc

        from assay._core.arrow_arrays import as_array
        from assay._core.parquet import read_parquet

        if self.weights is None:
            return None
        column = column_names(self.tasks).evidence
        with reading(self.path, _KIND, VoteError):
            kinds = pc.index_in(read_parquet(self.path, [column]).column(column), pa.array(KINDS))
            if kinds.null_count:
                raise ValueError(f"the column {column!r} must say {', '.join(map(repr, KINDS))}")
            return Refined.from_dict(as_array(kinds).astype(np.uint8), self.weights)

    def columns(self) -> list[str]:
        """The columns that labels are made from; the others follow from these."""
        named = column_names(self.tasks)
        outcomes = named.outcomes if self.version in _IN_FULL else [[name for _, name in part] for part in named.stored]
        kept = [name for name in (self.item_column, self.votes_column) if name is not None]
        return [*kept, *(name for part in outcomes for name in part)]

    def parts(self, at_once: int = 2**18) -> Iterator[tuple[tuple[FloatArray, ...], Names, BoolArray | None]]:
        """The labels, so many items at once: their joint, the names of items, and whether there are votes."""
        import pyarrow as pa

        from assay._core.parquet import opened, rows_of

        with opened(self.path) as file:
            for batch in rows_of(file, self.path, batch_size=at_once, columns=self.columns()):
                yield self._read(pa.Table.from_batches([batch]))

    def whole(self) -> tuple[tuple[FloatArray, ...], Names, BoolArray | None]:
        """All labels at once."""
        from assay._core.parquet import read_parquet

        return self._read(read_parquet(self.path, self.columns()))

    def item_names(self) -> Names:
        """(items,): the names of items, if they have any; nothing else is read."""
        from assay._core.parquet import read_parquet

        if self.item_column is None:
            return None
        with reading(self.path, _KIND, VoteError):
            return stored_items(read_parquet(self.path, [self.item_column]), self.item_column)

    def _read(self, table: Any) -> tuple[tuple[FloatArray, ...], Names, BoolArray | None]:
        with reading(self.path, _KIND, VoteError):
            named = column_names(self.tasks)
            if self.version in _IN_FULL:
                joint = [np.column_stack([_numbers(table, name) for name in names]) for names in named.outcomes]
            else:
                joint = [
                    _completed(table, names, len(whole))
                    for names, whole in zip(named.stored, named.outcomes, strict=True)
                ]
            checked = tuple(_probabilities(part, exact=self.version in _IN_FULL) for part in joint)
            items = None if self.item_column is None else stored_items(table, self.item_column)
            voted = None
            if self.votes_column is not None:
                voted = stored_array(
                    {"has_votes": _array(table, self.votes_column)}, "has_votes", (len(table),), np.bool_
                )
            return checked, items, voted


def _completed(table: Any, names: list[tuple[int, str]], outcomes: int) -> FloatArray:
    """(items, outcomes) probabilities from those that are stored: what they leave belongs to the first outcome."""
    joint = np.empty((len(table), outcomes))
    for at, name in names:
        joint[:, at] = _numbers(table, name)
    if outcomes <= 2:
        joint[:, 0] = 1 - joint[:, 1:].sum(axis=1)
    return joint


def _array(table: Any, name: str) -> npt.NDArray[Any]:
    from assay._core.arrow_arrays import as_array

    column = table.column(name)
    if column.null_count:
        raise ValueError(f"the column {name!r} must have a value for each item, but has nulls")
    return as_array(column)


def _numbers(table: Any, name: str) -> npt.NDArray[Any]:
    """A column of probabilities; numbers of any other type, texts and nulls are refused."""
    column = table.column(name)
    if str(column.type) not in ("double", "float") or column.null_count:
        raise ValueError(f"the column {name!r} must hold probabilities, but is of {column.type}, or has nulls")
    return _array(table, name)


def _probabilities(joint: npt.NDArray[Any], *, exact: bool) -> FloatArray:
    """(items, outcomes), each row summing to one; ``exact`` ones are taken as they are, others lost some digits."""
    found = stored_array({"probabilities": joint.astype(np.float64, copy=False)}, "probabilities", (None, None))
    total = found.sum(axis=1)
    off = np.flatnonzero((np.abs(total - 1) > _ROUNDING) | (found < -_ROUNDING).any(axis=1))
    if len(off):
        raise ValueError(f"the probabilities of row {off[0]} do not sum to one, or are negative")
    if not exact and found.shape[1] > 2:
        found /= total[:, None]
    return found


def _item_column(schema: pa.Schema) -> str | None:
    column: str | None = json.loads(schema.metadata[_KEY])["items"]
    return column


def _kind_of_items(schema: pa.Schema) -> str:
    column = _item_column(schema)
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

    from assay._core.arrow_arrays import as_array

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
            as_array(pa.chunked_array([chunk.flatten() for chunk in part.chunks], type=part.type.value_type)).reshape(
                -1, width
            )
            for part, width in zip(cells, outcomes, strict=True)
        )

    columns = {"row": as_array(table.column("row")), "weight": as_array(table.column("weight"))}
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
