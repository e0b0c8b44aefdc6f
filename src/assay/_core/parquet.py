"""Parquet files that are read or written whole, or an error that says why not.

Each page has a checksum, and the file's own metadata has a digest of what the rest must be: the columns, the number of
rows and what Assay says of them. Both are verified when a file is read; files that have none can still be read.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache
from inspect import signature
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from assay._core.atomic_files import writing
from assay._core.reading import is_file, reading
from assay.errors import VoteError

_DIGEST = "assay.digest"
_OURS = b"assay."
_KIND = "Parquet file"
_ROWS_OF_A_PAGE = "max_rows_per_page"
_MAGIC = b"PAR1"
"""What a file begins and ends with."""


class ParquetParts:
    """A Parquet file that is written part by part."""

    def __init__(self, writer: pq.ParquetWriter) -> None:
        self._writer = writer
        self._rows = 0
        self._notes: dict[str, str] = {}

    @property
    def schema(self) -> pa.Schema:
        """The columns."""
        return self._writer.schema

    def write(self, table: pa.Table, row_group_size: int | None = None) -> None:
        """Append rows, in groups of at most so many."""
        self._writer.write_table(table, row_group_size=row_group_size)
        self._rows += len(table)

    def note(self, notes: Mapping[str, str]) -> None:
        """Add to the file's own metadata; what is known only at the end."""
        self._notes |= notes

    def _finish(self) -> None:
        noted = {key.encode(): text.encode() for key, text in self._notes.items()}
        digest = _digest(self.schema, self._rows, noted)
        self._writer.add_key_value_metadata({**self._notes, _DIGEST: digest})


@cache
def _whole_pages() -> dict[str, Any]:
    """Pages as large as they may be in bytes: to decode those of 20,000 rows, as pyarrow makes them, takes half longer.

    Versions that do not know the option do not limit the rows of a page.
    """
    return {_ROWS_OF_A_PAGE: 2**20} if _ROWS_OF_A_PAGE in signature(pq.ParquetWriter).parameters else {}


@contextmanager
def parquet_parts(path: Path, schema: pa.Schema, **options: Any) -> Iterator[ParquetParts]:
    """Write a Parquet file part by part; ``options`` are those of pyarrow's writer."""
    options = {"compression": "zstd"} | _whole_pages() | options
    with pq.ParquetWriter(path, schema, write_page_checksum=True, **options) as writer:
        parts = ParquetParts(writer)
        yield parts
        parts._finish()


def write_parquet(table: pa.Table, path: Path, row_group_size: int | None = None) -> Path:
    """Write a Parquet file whole, or not at all."""
    with writing(path) as unfinished, parquet_parts(unfinished, table.schema) as parts:
        parts.write(table, row_group_size)
    return path


def read_parquet(path: Path, columns: list[str] | None = None) -> pa.Table:
    """Read a Parquet file, or some of its columns, or say why not."""
    with opened(path) as file, reading(path, _KIND, VoteError):
        return file.read(columns)


@contextmanager
def opened(path: Path) -> Iterator[pq.ParquetFile]:
    """A Parquet file to read from, or an error that says why not."""
    if not is_file(path):
        raise VoteError(f"there is no file {path}")
    with reading(path, _KIND, VoteError):
        # The footer of a large file takes longer to parse than some of its row groups, and those are read one by one.
        footer = _footer(path)
        file = pq.ParquetFile(path, metadata=_verified(footer) if footer else None, page_checksum_verification=True)
    with file:
        yield file


def _footer(path: Path) -> bytes:
    """The bytes at the end of a Parquet file that describe it; none if it has no such end, as pyarrow will say."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - 8, 0))
        length, magic = int.from_bytes(file.read(4), "little"), file.read(4)
        if magic != _MAGIC or length > size - 12:
            return b""
        file.seek(size - 8 - length)
        return file.read()


@lru_cache(maxsize=8)
def _verified(footer: bytes) -> pq.FileMetaData:
    """What a footer says, if it is what was written."""
    with pq.ParquetFile(pa.BufferReader(_MAGIC + footer)) as file:
        _verify(file)
        return file.metadata


def rows_of(file: pq.ParquetFile, path: Path, **options: Any) -> Iterator[pa.RecordBatch]:
    """The rows of an opened file in batches; ``options`` are those of pyarrow's ``iter_batches``."""
    with reading(path, _KIND, VoteError):
        batches = file.iter_batches(**options)
    while True:
        with reading(path, _KIND, VoteError):
            batch = next(batches, None)
        if batch is None:
            return
        yield batch


def _verify(file: pq.ParquetFile) -> None:
    """Raise unless the columns, the number of rows and the notes are those that were written."""
    noted: dict[bytes, bytes] = dict(file.metadata.metadata or {})
    written = noted.pop(_DIGEST.encode(), None)
    schema = file.schema_arrow
    ours = {key: text for key, text in noted.items() if key.startswith(_OURS) and key not in (schema.metadata or {})}
    rows = file.metadata.num_rows
    if rows != sum(file.metadata.row_group(group).num_rows for group in range(file.metadata.num_row_groups)):
        raise ValueError("its row groups have more or fewer rows than the file")
    # What a schema says is in the file twice, and readers differ in which they take.
    said = {key: text for key, text in (schema.metadata or {}).items() if key.startswith(_OURS)}
    is_same = all(noted.get(key) == text for key, text in said.items() if key != _DIGEST.encode())
    if written is not None and not (is_same and written.decode() == _digest(schema, rows, ours)):
        raise ValueError("its columns, its number of rows or its metadata are not those that were written")


def _digest(schema: pa.Schema, rows: int, notes: Mapping[bytes, bytes]) -> str:
    said = {key: text for key, text in (schema.metadata or {}).items() if key.startswith(_OURS)}
    texts = [
        sorted((key.hex(), hashlib.sha256(text).hexdigest()) for key, text in part.items()) for part in (said, notes)
    ]
    columns = [[field.name, _type_text(field.type)] for field in schema]
    return hashlib.sha256(json.dumps([columns, rows, texts]).encode()).hexdigest()


def _type_text(kind: pa.DataType) -> str:
    """A type, without what Parquet calls the entries of its lists."""
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    return f"list<{_type_text(kind.value_type)}>" if is_list else str(kind)
