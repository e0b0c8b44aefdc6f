"""Votes as an Arrow table and a Parquet file: label names for anyone, the rest in the metadata."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from assay._core.parquet import damaged, opened
from assay.errors import AssayError, VoteError
from assay.tasks import TaskGraph, Vote, texts_of
from assay.votes.encoding import smallest

_KEY = b"assay.votes"
_VERSION = 1


def to_arrow(
    tasks: TaskGraph,
    codes: npt.NDArray[Any],
    names: Sequence[str],
    values: Sequence[Sequence[Vote]],
    items: npt.NDArray[Any] | None,
    faults: Sequence[Any],
) -> pa.Table:
    """One dictionary column a source; abstentions are nulls. Item names, if any, come first."""
    columns: dict[str, Any] = {}
    item_column = None
    if items is not None:
        item_column = next(name for name in ("item", "item_", "item__", "_item_") if name not in names)
        columns[item_column] = pa.array(items)
    for j, name in enumerate(names):
        column = np.ascontiguousarray(codes[:, j])
        columns[name] = pa.DictionaryArray.from_arrays(
            pa.array(column, mask=column < 0), pa.array(texts_of(values[j]), type=pa.string())
        )
    metadata = {
        "version": _VERSION,
        "tasks": tasks.to_dict(),
        "sources": [{"name": n, "values": [dict(v.labels) for v in vs]} for n, vs in zip(names, values, strict=True)],
        "items": item_column,
        "faults": [asdict(fault) for fault in faults],
    }
    return pa.table(columns).replace_schema_metadata({_KEY: json.dumps(metadata).encode()})


@dataclass(frozen=True)
class Header:
    """What a file says about its votes: everything but the votes."""

    tasks: TaskGraph
    names: tuple[str, ...]
    values: tuple[tuple[Vote, ...], ...]
    item_column: str | None
    faults: tuple[Mapping[str, Any], ...]

    def codes(self, table: pa.Table, where: str) -> tuple[npt.NDArray[Any], npt.NDArray[Any] | None]:
        """(items, sources), and (items,) names of items, from rows of a table; ``where`` that is, is for errors."""
        dtype = smallest(max(map(len, self.values), default=0))
        codes = np.empty((table.num_rows, len(self.names)), dtype=dtype, order="F")
        try:
            for j, name in enumerate(self.names):
                codes[:, j] = _codes(table.column(name), texts_of(self.values[j]), name)
            items = None if self.item_column is None else table.column(self.item_column).to_numpy()
        except (KeyError, TypeError, ValueError, pa.ArrowException, AssayError) as error:
            raise VoteError(f"{where} is not a sound file of votes: {error}") from error
        return codes, items


def header_of(schema: pa.Schema, where: str) -> Header:
    """The header of a table that :func:`to_arrow` made."""
    stored = (schema.metadata or {}).get(_KEY)
    if stored is None:
        raise VoteError(
            f"{where} holds no votes that Assay wrote; for a table of labels use Votes.from_columns or from_long"
        )
    try:
        metadata = json.loads(stored)
        if metadata["version"] != _VERSION:
            raise VoteError(f"{where} was written by another version of Assay (votes format {metadata['version']})")
        tasks = TaskGraph.from_dict(metadata["tasks"])
        names = tuple(source["name"] for source in metadata["sources"])
        values = tuple(tuple(tasks.label_space.vote(v) for v in source["values"]) for source in metadata["sources"])
        return Header(tasks, names, values, metadata["items"], tuple(metadata["faults"]))
    except (KeyError, TypeError, ValueError, AssayError) as error:
        raise VoteError(f"{where} is not a sound file of votes: {error}") from error


def _codes(column: Any, texts: list[str], name: str) -> npt.NDArray[Any]:
    """Codes by label text, since other programs may have reordered the dictionary."""
    if not len(column):
        return np.empty(0, dtype=np.int8)
    encoded = column.combine_chunks()
    if not pa.types.is_dictionary(encoded.type):
        encoded = encoded.dictionary_encode()
    known = {text: code for code, text in enumerate(texts)}
    found = encoded.dictionary.to_pylist()
    unknown = [text for text in found if text not in known]
    if unknown:
        raise VoteError(f"source {name!r} has the value {unknown[0]!r}, which its table does not list")
    # Small integers are filled several times as fast.
    dtype = pa.from_numpy_dtype(smallest(len(found)))
    numbers: npt.NDArray[Any] = encoded.indices.cast(dtype).fill_null(-1).to_numpy()
    if found == texts[: len(found)]:
        return numbers
    lookup = np.array([*(known[text] for text in found), -1], dtype=smallest(len(texts)))
    codes: npt.NDArray[Any] = lookup[numbers]
    return codes


def stored_rows(path: Path, groups: Sequence[int], at_once: Callable[[int], int]) -> Iterator[tuple[Header, pa.Table]]:
    """Some row groups of a file of votes, at most so many rows at a time as is right for its number of sources."""
    with opened(path) as file:
        header = header_of(file.schema_arrow, str(path))
        batches = file.iter_batches(batch_size=at_once(len(header.names)), row_groups=list(groups))
        while True:
            try:
                batch = next(batches, None)
            except (pa.ArrowException, OSError) as error:
                raise damaged(path, error) from error
            if batch is None:
                return
            yield header, pa.Table.from_batches([batch])
