"""Files of rows, read piece by piece: memory stays bounded, and types are those of the whole file.

A column of numbers may hold a string on the last line, so text files are read twice:
once to learn the type of each column, and once for the rows.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from assay._core.reading import is_failure, is_file, reason
from assay._core.urls import Url
from assay.errors import DataError

BLOCK_BYTES = 16_000_000
"""About how much of a file is held at a time."""

_LONGEST_RECORD = 4 * BLOCK_BYTES
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SPREADSHEETS = (".xlsx", ".xls", ".ods", ".numbers", ".tsv", ".txt")
_NUMBER = r"\s*-?\d{1,18}\s*"
_FORMS: dict[type[pl.DataType], str] = {
    # Longer ones than these are identifiers rather than numbers, and do not fit.
    pl.Int64: f"^{_NUMBER}$",
    pl.Float64: rf"^(?:{_NUMBER}|\s*[-+]?(?:\d*\.\d+(?:[eE][-+]?\d+)?|\d+\.?(?:[eE][-+]?\d+)|\d+\.|inf)\s*|\s*NaN\s*)$",
    pl.Boolean: "^(?i:true|false)$",
}
"""What a CSV column may hold besides strings, in the order of preference, and the pattern of all its fields."""


def frames(path: Path | Url, rows: int) -> Iterator[pl.DataFrame]:
    """The rows of a CSV, JSONL or Parquet file, in frames of one schema and at most ``rows`` rows."""
    if path.suffix not in _READERS:
        saved = "; save it as CSV, with commas and in UTF-8" if path.suffix.lower() in _SPREADSHEETS else ""
        raise DataError(f"cannot read {path}: expected a file that ends in {', '.join(_READERS)}{saved}")
    read, find_fault = _READERS[path.suffix]
    try:
        if not (path.is_file() if isinstance(path, Url) else is_file(path)):
            raise DataError(f"there is no file {path}")
        if not (path.size if isinstance(path, Url) else path.stat().st_size):
            return
        for frame in read(path, rows):
            yield from frame.iter_slices(rows) if len(frame) else [frame]
    except DataError:
        raise
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from error
    except BaseException as error:
        if not is_failure(error):
            raise
        raise DataError(f"cannot read {path}: {find_fault(path) or reason(error).splitlines()[0]}") from error


def _parquet(path: Path | Url, rows: int) -> Iterator[pl.DataFrame]:
    # pyarrow rather than polars, which holds a whole row group: there may be only one.
    from pyarrow.parquet import ParquetFile

    place = path.open("rb") if isinstance(path, Url) else path
    with ParquetFile(place, buffer_size=2**20, pre_buffer=False) as file:
        size = _decompressed(file.metadata)
        within = BLOCK_BYTES * file.metadata.num_rows // max(size, 1)
        for batch in file.iter_batches(batch_size=max(1, min(rows, within))):
            batch.validate(full=True)  # texts that are not UTF-8, which polars takes as they are, and panics later
            frame = pl.from_arrow(batch)
            assert isinstance(frame, pl.DataFrame)
            yield frame


def decoded_bytes(path: Path) -> int:
    """How large a file is, and of a Parquet file how large it is once it is decompressed, as it says.

    Of a damaged file its size: whoever reads it says what is wrong.
    """
    from pyarrow import ArrowException
    from pyarrow.parquet import read_metadata

    size = path.stat().st_size
    if path.suffix != ".parquet":
        return size
    try:
        footer = read_metadata(path)
    except (OSError, ArrowException):
        return size
    return max(size, _decompressed(footer))


def _decompressed(footer: Any) -> int:
    return sum(footer.row_group(group).total_byte_size for group in range(footer.num_row_groups))


def parquet_rows(path: Url) -> int:
    """How many rows a Parquet file has that is elsewhere."""
    from pyarrow.parquet import ParquetFile

    with path.open("rb") as opened, ParquetFile(opened) as file:
        return int(file.metadata.num_rows)


def _csv(path: Path | Url, rows: int) -> Iterator[pl.DataFrame]:
    forms: dict[str, set[type[pl.DataType]]] = {}
    filled: set[str] = set()
    rows_found = False
    for text in _csv_texts(path):
        rows_found = rows_found or bool(len(text))
        for column in text.get_columns():
            possible = forms.setdefault(column.name, set(_FORMS))
            possible -= {form for form in possible if not column.str.contains(_FORMS[form]).all()}
            if column.null_count() < len(column):
                filled.add(column.name)
    types = {name: next((form for form in _FORMS if form in forms[name]), pl.String) for name in filled}
    # Without rows, nothing is known of a column's type.
    typed = [_typed(name, types.get(name, pl.String)) if rows_found else pl.col(name).cast(pl.Null) for name in forms]
    for text in _csv_texts(path):
        yield text.select(typed)


def _typed(name: str, dtype: type[pl.DataType]) -> pl.Expr:
    text = pl.col(name)
    if dtype == pl.String:
        return text
    return text.str.to_lowercase() == "true" if dtype == pl.Boolean else text.str.strip_chars().cast(dtype)


def _csv_texts(path: Path | Url) -> Iterator[pl.DataFrame]:
    """The fields of a CSV file as they are written, block by block; missing where there is nothing."""
    with path.open("rb") as file:
        first = next((line for line in file if line.strip()), b"")
        _check_header(first)
        header = _records(file, first)
        mark = _separator(header).decode()
        if header:
            # A file without rows still has columns.
            yield pl.read_csv(header, infer_schema_length=0, separator=mark)
        while chunk := file.read(BLOCK_BYTES):
            records = header + _records(file, chunk + file.readline())
            yield pl.read_csv(records, infer_schema_length=0, separator=mark)


def _separator(header: bytes) -> bytes:
    """What stands between fields: a comma, but where a header has none, the semicolons or tabs that it has instead.

    >>> _separator(b"id,text;x"), _separator(b'id;"a, b"'), _separator(b"id\\ttext"), _separator(b"id")
    (b',', b';', b'\\t', b',')
    """
    unquoted = b"".join(header.split(b'"')[::2])
    return next((mark for mark in (b",", b"\t", b";") if mark in unquoted), b",")


def starts_with_mark(path: Path | Url) -> bool:
    """Whether a CSV file begins with a byte order mark, as those do that spreadsheets write; False if it is gone."""
    if path.suffix != ".csv":
        return False
    try:
        with path.open("rb") as file:
            return bool(file.read(len(_BYTE_ORDER_MARK)) == _BYTE_ORDER_MARK)
    except OSError:
        return False


def csv_lines(path: Path | Url) -> list[int]:
    """The line that each row of a CSV file begins on; the header is on the first that is not empty."""
    with path.open(encoding="utf-8-sig", newline="") as text:
        records = csv.reader(text, delimiter=_separator_of(path))
        starts: list[int] = []
        start = 1
        for record in records:
            if record:
                starts.append(start)
            start = records.line_num + 1
    return starts[1:]


def _separator_of(path: Path | Url) -> str:
    with path.open("rb") as file:
        first = next((line for line in file if line.strip()), b"")
        try:
            return _separator(_records(file, first)).decode()
        except ValueError:  # a header without end; what is wrong is told by whoever reads it
            return _separator(first).decode()


def _check_header(line: bytes) -> None:
    """Refuse what would be read as a file of one line, or none."""
    if line.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in line:
        raise ValueError("it is not UTF-8 text: its first line has NUL bytes; save it as UTF-8")
    unquoted = b"".join(line.split(b'"')[::2])
    if b"\r" in unquoted.removesuffix(b"\n").removesuffix(b"\r"):
        raise ValueError("its lines end in a carriage return alone, as on old Macs; save it with line feeds")


def _records(file: BinaryIO, lines: bytes) -> bytes:
    """Some lines and as many more as it takes to end outside of quotation marks."""
    parts = [lines]
    is_open = lines.count(b'"') % 2
    size = 0
    while is_open and (line := file.readline()):
        parts.append(line)
        is_open ^= line.count(b'"') % 2
        size += len(line)
        if size > _LONGEST_RECORD:
            raise ValueError(f"a quotation mark is left open for more than {_LONGEST_RECORD:,} bytes")
    return b"".join(parts)


def _csv_fault(path: Path | Url) -> str | None:
    """Where a CSV file breaks, found line by line since the fast reader does not tell."""
    stray = None
    is_open = 0
    mark = _separator_of(path)
    begins_late = re.compile(rf'(?:^|{mark})[^"{mark}]+"'.encode())
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return f"line {number} is not UTF-8 text ({error}); save it as UTF-8"
            marks = line.count(b'"') % 2
            if marks and not is_open and stray is None and begins_late.search(line):
                stray = f"line {number} has a quotation mark within a field that does not begin with one"
            is_open ^= marks
    with path.open(encoding="utf-8-sig", newline="") as text:
        records = csv.reader(text, delimiter=mark, strict=True)
        fields, start = len(next(filter(None, records), [])), records.line_num + 1
        try:
            for record in records:
                if len(record) > fields:
                    return f"line {start} has {len(record)} fields, but the header has {fields}"
                start = records.line_num + 1
        except csv.Error as error:
            return stray or f"line {start} begins a record that is broken ({error}); is a quotation mark left open?"
    return stray


def _jsonl(path: Path | Url, rows: int) -> Iterator[pl.DataFrame]:
    schema: dict[str, Any] = {}
    for block in _line_blocks(path):
        schema = _merged_fields(schema, _json_schema(block))
    for block in _line_blocks(path):
        yield pl.read_ndjson(block, schema=schema)


def _line_blocks(path: Path | Url) -> Iterator[bytes]:
    with path.open("rb") as file:
        if file.read(len(_BYTE_ORDER_MARK)) != _BYTE_ORDER_MARK:
            file.seek(0)
        while chunk := file.read(BLOCK_BYTES):
            block = chunk + file.readline()
            if not block.isspace():
                yield block


def _json_schema(block: bytes) -> dict[str, Any]:
    """The columns of a block of JSON lines."""
    try:
        return dict(pl.read_ndjson(block, infer_schema_length=None).schema)
    except pl.exceptions.PolarsError:  # a broken line, or one column with numbers and lists, say
        rows = [json.loads(line) for line in block.splitlines() if line.strip()]
        whole = reduce(_merged, map(_json_type, rows))
        if not isinstance(whole, pl.Struct):
            raise
        return {field.name: field.dtype for field in whole.fields}


def _json_type(value: Any) -> Any:
    """The column type that holds a JSON value."""
    if value is None:
        return pl.Null()
    if isinstance(value, dict):
        return pl.Struct({name: _json_type(part) for name, part in value.items()})
    if isinstance(value, list):
        return pl.List(reduce(_merged, map(_json_type, value), pl.Null()))
    if isinstance(value, int) and not isinstance(value, bool):
        return pl.Int64() if -(2**63) <= value < 2**63 else pl.Int128()
    return {bool: pl.Boolean(), float: pl.Float64(), str: pl.String()}[type(value)]


def _merged(one: Any, other: Any) -> Any:
    """The type that holds values of both types: a string, as a last resort."""
    if one == other or other == pl.Null:
        return one
    if one == pl.Null:
        return other
    if isinstance(one, pl.List) and isinstance(other, pl.List):
        return pl.List(_merged(one.inner, other.inner))
    if isinstance(one, pl.Struct) and isinstance(other, pl.Struct):
        return pl.Struct(_merged_fields(_fields(one.fields), _fields(other.fields)))
    numbers = (pl.Int64, pl.Int128, pl.Float64)
    if one in numbers and other in numbers:
        return max(one, other, key=lambda number: numbers.index(number))
    return pl.String()


def _merged_fields(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {name: _merged(one.get(name, pl.Null()), other.get(name, pl.Null())) for name in {**one, **other}}


def _fields(fields: Iterable[pl.Field]) -> dict[str, Any]:
    return {field.name: field.dtype for field in fields}


def _jsonl_fault(path: Path | Url) -> str | None:
    """Where a JSONL file breaks, found line by line since the fast reader does not tell."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            text = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
            try:
                row = json.loads(text, parse_constant=_refuse) if text.strip() else {}
            except (ValueError, RecursionError) as error:
                return f"line {number} is not JSON ({error})"
            if not isinstance(row, dict):
                return f"line {number} is not a JSON object, but a {_KINDS[type(row)]}"
    return None


_KINDS: dict[type, str] = {
    list: "list",
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
}
"""JSON's own words for its values."""


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is Python's, not JSON's; write null")


def _no_lines(path: Path | Url) -> None:
    return None


_READERS: dict[str, tuple[Callable[[Path | Url, int], Iterator[pl.DataFrame]], Callable[[Path | Url], str | None]]] = {
    ".parquet": (_parquet, _no_lines),
    ".csv": (_csv, _csv_fault),
    ".jsonl": (_jsonl, _jsonl_fault),
    ".ndjson": (_jsonl, _jsonl_fault),
}
"""Per kind of file how it is read, and how to find the line that could not be."""
