"""Votes as an Arrow table and a Parquet file: readable label names, and the schema in the metadata.

A table has one dictionary column per source, in which the empty text is an abstention: without nulls a column is
decoded five times as fast. Where most sources abstain, it has two list columns instead, ``source`` and ``vote``: for
each item who votes, and what. The scores of soft sources are in columns of their own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from assay._core.arrow_arrays import as_array, as_column, text_column
from assay._core.dictionary_pages import codes_of_texts
from assay._core.parquet import opened, read_parquet, rows_of
from assay._core.reading import reading
from assay._core.stored_arrays import of_type
from assay._core.texts import free_name
from assay.errors import VoteError
from assay.tasks import texts_of
from assay.votes.dense_codes import DenseCodes
from assay.votes.encoding import smallest
from assay.votes.names import stored_items
from assay.votes.schema import Schema
from assay.votes.sparse_codes import CodeArray, SparseCodes
from assay.votes.votes import Fault, Votes

_KEY = b"assay.votes"
_NULLS, _LISTED, _WIDE = 1, 2, 3
"""Format versions: one column per source, with nulls as earlier versions wrote them; two lists per row; one column per
source without nulls."""
_SOURCE, _VOTE = "source", "vote"
_ABSTAINS = ""
"""What stands in a source's column where it abstains; no label is called so."""


def to_arrow(votes: Votes) -> pa.Table:
    """Votes as a table. Item names, if any, come first."""
    schema = votes.schema
    columns = _list_columns(schema, votes.cast) if votes.is_sparse else _source_columns(schema, votes.store.columns())
    filled = set(columns)
    item_column = None
    if votes.items is not None:
        item_column = free_name("item", columns)
        filled.add(item_column)
        columns = {item_column: as_column(votes.items), **columns}
    score_columns = {name: free_name(f"{name} (confidence)", columns) for name in votes.scores}
    columns |= {score_columns[name]: as_column(scores, np.isnan(scores)) for name, scores in votes.scores.items()}
    metadata = {
        "version": _LISTED if votes.is_sparse else _WIDE,
        **schema.to_dict(),
        "items": item_column,
        "faults": [asdict(fault) for fault in votes.faults],
        **({"scores": score_columns} if score_columns else {}),
    }
    fields = [
        pa.field(name, column.type, nullable=name not in filled or pa.types.is_null(column.type))
        for name, column in columns.items()
    ]
    return pa.table(list(columns.values()), pa.schema(fields, {_KEY: json.dumps(metadata).encode()}))


def _source_columns(schema: Schema, columns: Iterator[CodeArray]) -> dict[str, Any]:
    made = {}
    for name, table, codes in zip(schema.names, schema.values, columns, strict=True):
        texts = [_ABSTAINS, *texts_of(table)]
        numbers = codes.astype(smallest(len(texts)), order="C") + 1
        made[name] = pa.DictionaryArray.from_arrays(as_column(numbers), text_column(texts))
    return made


def _list_columns(schema: Schema, cast: SparseCodes) -> dict[str, Any]:
    texts, number_of = _texts_of_values(schema)
    said = number_of[schema.offsets[cast.sources] + cast.codes]
    starts = as_column(cast.starts)
    # Plain strings: Parquet encodes them as a dictionary anyway, and cannot read lists of dictionaries in pieces.
    return {
        column: pa.LargeListArray.from_arrays(
            starts, pa.array(names, type=_text(names, numbers)).take(pa.array(numbers))
        )
        for column, numbers, names in ((_SOURCE, cast.sources, list(schema.names)), (_VOTE, said, texts))
    }


def _text(names: list[str], numbers: npt.NDArray[Any]) -> pa.DataType:
    """The type of a column of texts: plain strings hold 2 GB at most."""
    sizes = np.array([len(name.encode()) for name in names] or [0])
    return pa.large_string() if int(sizes.max()) * len(numbers) >= 2**31 else pa.string()


_Texts = tuple[list[str], npt.NDArray[np.int32]]


def _texts_of_values(schema: Schema) -> _Texts:
    """The distinct texts of all sources' values, and (values,) the index of each value's text."""
    texts = [text for table in schema.values for text in texts_of(table)]
    number_of = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return list(number_of), np.array([number_of[text] for text in texts], dtype=np.int32)


@dataclass(frozen=True)
class Header:
    """The metadata of a votes file: everything but the votes."""

    schema: Schema
    is_sparse: bool
    item_column: str | None
    faults: tuple[Fault, ...]
    score_columns: Mapping[str, str]
    """Soft source -> the column of its scores."""

    @cached_property
    def _texts(self) -> _Texts:
        """What values are called in lists of votes; of a hundred thousand sources that takes a while."""
        return _texts_of_values(self.schema)

    def of_sources(self, sources: list[str]) -> Header:
        """The same of some sources; of all where votes are in lists."""
        chosen = self.schema.select([self.schema.position(name) for name in sources])
        if self.is_sparse:
            return self
        faults = tuple(fault for fault in self.faults if fault.source in chosen.names)
        scores = {name: column for name, column in self.score_columns.items() if name in chosen.names}
        return Header(chosen, self.is_sparse, self.item_column, faults, scores)

    @property
    def columns(self) -> list[str]:
        """The columns to read."""
        return [*([_SOURCE, _VOTE] if self.is_sparse else self.schema.names), *self.columns_beside]

    @property
    def columns_beside(self) -> list[str]:
        """The columns to read besides those of the sources."""
        return [*([] if self.item_column is None else [self.item_column]), *self.score_columns.values()]

    def votes(self, table: pa.Table, where: str, codes: npt.NDArray[np.int8] | None = None) -> Votes:
        """The votes in the rows of a table; ``where`` names the file in errors.

        With ``codes``, (rows, sources), the table needs to have no more than :attr:`columns_beside`.
        """
        with reading(where, "votes file", VoteError):
            if codes is not None:
                store: DenseCodes | SparseCodes = DenseCodes(codes)
            elif self.is_sparse:
                store = _from_lists(self.schema, self._texts, table)
            else:
                store = _from_source_columns(self.schema, table)
            items = None if self.item_column is None else stored_items(table, self.item_column)
            scores = {name: _scores(table, column) for name, column in self.score_columns.items()}
            return Votes(self.schema, store, items, self.faults, scores)


def _scores(table: pa.Table, column: str) -> npt.NDArray[np.float64]:
    """(items,): how sure a soft source is; NaN where it abstains."""
    scores: npt.NDArray[np.float64] = as_array(table.column(column)).astype(np.float64)
    if ((scores < 0) | (scores > 1)).any():
        raise VoteError(f"column {column!r} holds numbers that are not probabilities")
    return scores


def header_of(schema: pa.Schema, where: str) -> Header:
    """The header of a table that :func:`to_arrow` made."""
    stored = (schema.metadata or {}).get(_KEY)
    if stored is None:
        raise VoteError(
            f"{where} is not a votes file written by Assay; for a table of labels use Votes.from_columns or from_long"
        )
    with reading(where, "votes file", VoteError):
        return _header(stored, where)


@lru_cache(maxsize=8)
def _header(stored: bytes, where: str) -> Header:
    """A header from its JSON; that of one file is asked for by each of its pieces."""
    metadata = json.loads(stored)
    if metadata["version"] not in (_NULLS, _LISTED, _WIDE):
        raise VoteError(f"{where} was written by another version of Assay (votes format {metadata['version']})")
    faults = tuple(of_type(Fault, fault) for fault in metadata["faults"])
    items = of_type(str | None, metadata["items"])
    scores = of_type(dict[str, str], metadata.get("scores", {}))
    return Header(Schema.from_dict(metadata), metadata["version"] == _LISTED, items, faults, scores)


def _from_source_columns(schema: Schema, table: pa.Table) -> DenseCodes:
    codes = np.empty((table.num_rows, len(schema.names)), dtype=schema.code_type, order="F")
    for j, (name, values) in enumerate(zip(schema.names, schema.values, strict=True)):
        texts, start = [_ABSTAINS, *texts_of(values)], 0
        for part in table.column(name).chunks:
            numbers = _numbers(part, texts, f"source {name!r} has the value")
            if part.null_count:
                numbers = np.maximum(numbers, 0)  # abstentions in a file by an earlier version, or by another tool
            np.subtract(numbers, 1, out=codes[start : start + len(part), j], casting="unsafe")
            start += len(part)
    return DenseCodes(codes)


def _from_lists(schema: Schema, known: _Texts, table: pa.Table) -> SparseCodes:
    if not table.num_rows:
        return SparseCodes.empty(len(schema.names), schema.code_type)
    who, what = (_lists(table, name) for name in (_SOURCE, _VOTE))
    starts = as_array(who.offsets).astype(np.int64)
    if not np.array_equal(starts - starts[0], as_array(what.offsets).astype(np.int64) - what.offsets[0].as_py()):
        raise VoteError("its lists of sources and of votes differ in length")
    texts, number_of = known
    sources = _numbers(who.flatten(), list(schema.names), "a vote is by source").astype(np.int64)
    said = _numbers(what.flatten(), texts, "a vote has the value").astype(np.int64)
    if (sources < 0).any() or (said < 0).any():
        raise VoteError("some of its votes lack a source or a value")
    # A value is identified by its source and its text, so look up the two together.
    wanted = schema.source_of_value * len(texts) + number_of
    order = np.argsort(wanted)
    found = order[np.minimum(np.searchsorted(wanted[order], sources * len(texts) + said), len(order) - 1)]
    unknown = np.flatnonzero(wanted[found] != sources * len(texts) + said)
    if len(unknown):
        name, text = schema.names[sources[unknown[0]]], texts[said[unknown[0]]]
        raise VoteError(f"source {name!r} has the value {text!r}, which its table does not list")
    codes = (found - schema.offsets[sources]).astype(schema.code_type)
    return SparseCodes.checked(schema, starts - starts[0], sources, codes)


def _lists(table: pa.Table, name: str) -> Any:
    """A column of lists, one per item."""
    lists = table.column(name).combine_chunks()
    if not (pa.types.is_list(lists.type) or pa.types.is_large_list(lists.type)):
        raise VoteError(f"expected one list per item in its column {name!r}, but the type is {lists.type}")
    return lists


def _numbers(encoded: Any, texts: list[str], what: str) -> npt.NDArray[Any]:
    """(n,): the index of each text of a column, −1 where null; by text, since other tools may reorder dictionaries."""
    if not pa.types.is_dictionary(encoded.type):
        encoded = encoded.dictionary_encode()
    known = {text: code for code, text in enumerate(texts)}
    found = encoded.dictionary.to_pylist()
    unknown = [text for text in found if text not in known]
    if unknown:
        raise VoteError(f"{what} {unknown[0]!r}, which its table does not list")
    # On small integers all of this is several times as fast.
    indices = encoded.indices.cast(pa.from_numpy_dtype(smallest(len(found))))
    numbers: npt.NDArray[Any] = as_array(indices.fill_null(-1) if indices.null_count else indices)
    if found == texts[: len(found)]:
        return numbers
    places = np.array([*(known[text] for text in found), -1], dtype=smallest(len(texts)))
    codes: npt.NDArray[Any] = places[numbers]
    return codes


def read_votes(path: Path, sources: Sequence[str] | None = None) -> Votes:
    """The votes in a file, of all sources or of some; columns of others are not read."""
    with opened(path) as file:
        whole = header_of(file.schema_arrow, str(path))
    header = whole if sources is None else whole.of_sources(list(sources))
    found = header.votes(read_parquet(path, header.columns), str(path))
    # Lists of votes cannot be read by source.
    return found if sources is None or not header.is_sparse else found.select(sources)


def stored_rows(path: Path, groups: Sequence[int], at_once: Callable[[float], int]) -> Iterator[Votes]:
    """Some row groups of a votes file, in batches; ``at_once`` gives their size for a number of votes per item."""
    with opened(path) as file:
        header = header_of(file.schema_arrow, str(path))
        size = at_once(votes_per_item(file.metadata, header))
        codes = _decoded(path, file, header, groups, size)
        if codes is not None:
            yield header.votes(_read_groups(file, path, groups, header.columns_beside), str(path), codes)
            return
        # Pieces are read by a thread each, see _core/threads.py.
        for batch in rows_of(file, path, batch_size=size, row_groups=list(groups), use_threads=False):
            yield header.votes(pa.Table.from_batches([batch]), str(path))


def _decoded(
    path: Path, file: pq.ParquetFile, header: Header, groups: Sequence[int], most: int
) -> npt.NDArray[np.int8] | None:
    """(rows, sources): the codes in some row groups, if these have no more rows than that, and can be decoded fast."""
    rows = sum(file.metadata.row_group(group).num_rows for group in groups)
    if header.is_sparse or header.schema.code_type != np.int8 or rows > most:
        return None
    place_of = {name: number for number, name in enumerate(file.schema_arrow.names)}
    if not set(header.schema.names) <= set(place_of):
        return None
    texts = [
        (place_of[name], [_ABSTAINS, *texts_of(values)])
        for name, values in zip(header.schema.names, header.schema.values, strict=True)
    ]
    found = codes_of_texts(path, file.metadata, groups, texts)
    if found is not None:
        found -= 1
    return found


def _read_groups(file: pq.ParquetFile, path: Path, groups: Sequence[int], columns: list[str]) -> pa.Table:
    """Some columns of some row groups."""
    with reading(path, "votes file", VoteError):
        return file.read_row_groups(list(groups), columns=columns, use_threads=False)


def votes_per_item(footer: pq.FileMetaData, header: Header) -> float:
    """How many codes an item of a file has: one for each source, or in lists those that were cast, on average."""
    if not header.is_sparse:
        return len(header.schema.names)
    columns = [footer.schema.column(number).path.split(".")[0] for number in range(footer.num_columns)]
    number = columns.index(_SOURCE)
    cast: int = sum(footer.row_group(group).column(number).num_values for group in range(footer.num_row_groups))
    return cast / max(int(footer.num_rows), 1)


def stored_names(path: Path, groups: Sequence[int]) -> npt.NDArray[Any] | None:
    """The names of the items in some row groups of a votes file, if they have any; no votes are read."""
    with opened(path) as file:
        column = header_of(file.schema_arrow, str(path)).item_column
        if column is None:
            return None
        with reading(path, "votes file", VoteError):
            return stored_items(file.read_row_groups(list(groups), columns=[column]), column)
