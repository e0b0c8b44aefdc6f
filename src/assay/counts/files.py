"""Counts on disk: plain arrays, and the schema as JSON."""

from __future__ import annotations

from pathlib import Path

from assay._core.atomic_files import Arrays, read_arrays, write_arrays
from assay._core.reading import reading
from assay.errors import AssayError
from assay.votes import Schema

_FORMAT = 1


def write_counts(path: str | Path, schema: Schema, arrays: Arrays) -> Path:
    """Write counts atomically."""
    return write_arrays(path, {"format": _FORMAT, "counts of": schema.to_dict()}, arrays)


def read_counts(path: str | Path) -> tuple[Schema, Arrays]:
    """The schema and the arrays that :func:`write_counts` wrote."""
    said, stored = read_arrays(path, "counts file")
    with reading(path, "counts file"):
        whose = said["counts of"]
        if said["format"] != _FORMAT:
            raise AssayError(f"{path} was written by another version of Assay (counts format {said['format']})")
        return Schema.from_dict(whose), stored
