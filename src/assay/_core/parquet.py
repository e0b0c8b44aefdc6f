"""Parquet files that are read or written whole, or an error that says why not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from assay._core.atomic_files import writing
from assay._core.reading import is_file
from assay.errors import VoteError


def write_parquet(table: pa.Table, path: Path) -> Path:
    """Write a Parquet file whole, or not at all."""
    with writing(path) as unfinished:
        pq.write_table(table, unfinished, compression="zstd")
    return path


def read_parquet(path: Path) -> pa.Table:
    """Read a Parquet file, or say why not."""
    with opened(path) as file:
        try:
            return file.read()
        except (pa.ArrowException, OSError) as error:
            raise damaged(path, error) from error


@contextmanager
def opened(path: Path) -> Iterator[pq.ParquetFile]:
    """A Parquet file to read from, or an error that says why not."""
    if not is_file(path):
        raise VoteError(f"there is no file {path}")
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise damaged(path, error) from error
    with file:
        yield file


def damaged(path: Path, error: Exception) -> VoteError:
    """The error for a file that is not what it should be."""
    return VoteError(f"{path} is not a valid Parquet file, or it is damaged: {error}")
