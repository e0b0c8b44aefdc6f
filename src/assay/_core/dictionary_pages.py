"""Columns of few texts in a Parquet file, decoded straight to small integers.

Parquet keeps a column of texts that repeat as a dictionary, and for each row a number of a few bits. pyarrow makes
32-bit numbers of these, which then have to be made small again; here bits become bytes in one compiled loop, in half
the time. Only pages without nulls, such as Assay itself writes, are understood. All else, and whatever seems damaged,
is left to pyarrow, so that one reader decides what a file may hold, and says what is wrong with it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

Codes = npt.NDArray[np.int8]

_CODECS = {"ZSTD": "zstd", "SNAPPY": "snappy", "UNCOMPRESSED": None}
_ENCODINGS = {"PLAIN", "RLE", "PLAIN_DICTIONARY", "RLE_DICTIONARY"}
_NUMBERED = (2, 8)
"""Parquet's codes of the encodings in which a page holds numbers of a dictionary, the old and the new one."""
_SMALL = 2**16
"""Pages of fewer rows are left to pyarrow: what is done for each of them would keep other threads waiting."""
_WIDEST = 7
"""The most bits of a number that is a code in a byte."""
_NONE = np.int8(-128)
"""What stands for no text in a table of what numbers mean."""


class _UnusualError(Exception):
    """A column that pyarrow is to read."""


def codes_of_texts(
    path: Path, footer: pq.FileMetaData, groups: Sequence[int], texts: Sequence[tuple[int, Sequence[str]]]
) -> Codes | None:
    """(rows, columns), column by column: for each row the place of its text in a list, or None if pyarrow is to read.

    Parameters
    ----------
    path, footer
        The file, and what it says of itself.
    groups
        The row groups to read.
    texts
        For each column to read its number in the file, and the texts that it may hold: fewer than 128.
    """
    if footer.num_columns != len(footer.schema.to_arrow_schema()):
        return None
    rows = [footer.row_group(group).num_rows for group in groups]
    codes: Codes = np.empty((sum(rows), len(texts)), dtype=np.int8, order="F")
    try:
        # Chunks are read whole: a buffer would only copy them.
        with open(path, "rb", buffering=0) as file:
            first = 0
            for group, count in zip(groups, rows, strict=True):
                for column, (number, names) in enumerate(texts):
                    _check(footer.schema.column(number))
                    chunk = footer.row_group(group).column(number)
                    _decode(file, chunk, names, codes[first : first + count, column])
                first += count
    except (_UnusualError, IndexError, KeyError, ValueError, TypeError, OSError, pa.ArrowException):
        return None
    return codes


def _check(column: Any) -> None:
    """Raise unless the column is one of texts, of which none is missing."""
    is_flat = column.max_definition_level == 0 and column.max_repetition_level == 0
    if not is_flat or column.physical_type != "BYTE_ARRAY":
        raise _UnusualError


def _decode(file: BinaryIO, chunk: Any, texts: Sequence[str], codes: Codes) -> None:
    """Decode one column of one row group."""
    from assay._core import page_loops

    if chunk.compression not in _CODECS or not set(chunk.encodings) <= _ENCODINGS or not chunk.has_dictionary_page:
        raise _UnusualError
    row, meaning = 0, None
    for header, page in _pages(file, chunk):
        if 7 in header:
            meaning = _meaning(page, header[7][1], {text: place for place, text in enumerate(texts)})
            continue
        rows, encoding = header[5][1], header[5][2]
        left = len(codes) - row
        if meaning is None or encoding not in _NUMBERED or not min(_SMALL, left) <= rows <= left:
            raise _UnusualError
        some = codes[row : row + rows]
        width = int(page[0]) if len(page) else _WIDEST + 1
        if width > _WIDEST or not page_loops.unpack(page[1:], width, meaning, some) or some.min(initial=0) == _NONE:
            raise _UnusualError
        row += rows
    if row != len(codes):
        raise _UnusualError


def _pages(file: BinaryIO, chunk: Any) -> Iterator[tuple[dict[int, Any], npt.NDArray[np.uint8]]]:
    """The pages of a column in a row group: their headers, and their bytes, verified and decompressed."""
    file.seek(chunk.dictionary_page_offset)
    stored = file.read(chunk.total_compressed_size)
    codec = _CODECS[chunk.compression]
    unpacker = None if codec is None else pa.Codec(codec)
    at = 0
    while at < chunk.total_compressed_size:
        header, at = _struct(stored, at)
        size, whole = header[3], header[2]
        page = stored[at : at + size]
        if len(page) != size or size < 0 or not 0 <= whole <= chunk.total_uncompressed_size:
            raise _UnusualError
        if 4 in header and zlib.crc32(page) != header[4] % 2**32:
            raise _UnusualError
        at += size
        yield header, np.frombuffer(page if unpacker is None else unpacker.decompress(page, whole), dtype=np.uint8)


def _meaning(page: npt.NDArray[np.uint8], count: int, place_of: dict[str, int]) -> Codes:
    """What each number of a dictionary stands for: the place of its text; of numbers that it does not have, none."""
    stored = page.tobytes()
    meaning = np.full(2**_WIDEST, _NONE, dtype=np.int8)
    at = 0
    for number in range(count):
        size = int.from_bytes(stored[at : at + 4], "little")
        meaning[number] = place_of[stored[at + 4 : at + 4 + size].decode()]
        at += 4 + size
    return meaning


def _struct(stored: bytes, at: int) -> tuple[dict[int, Any], int]:
    """A structure in Thrift's compact protocol, by the numbers of its fields, and where it ends."""
    fields: dict[int, Any] = {}
    last = 0
    while stored[at]:
        step, kind = stored[at] >> 4, stored[at] & 15
        at += 1
        if step:
            last += step
        else:
            last, at = _integer(stored, at)
        if kind in (1, 2):
            fields[last] = kind == 1
        elif kind in (4, 5, 6):
            fields[last], at = _integer(stored, at)
        elif kind == 8:
            size, at = _number(stored, at)
            fields[last] = stored[at : at + size]
            at += size
        elif kind == 12:
            fields[last], at = _struct(stored, at)
        else:
            raise _UnusualError
    return fields, at + 1


def _number(stored: bytes, at: int) -> tuple[int, int]:
    """A number of as many bytes as it needs, and where it ends."""
    number = shift = 0
    while stored[at] > 127:
        number |= (stored[at] & 127) << shift
        shift += 7
        at += 1
    return number | stored[at] << shift, at + 1


def _integer(stored: bytes, at: int) -> tuple[int, int]:
    """The same with a sign, which is the last bit."""
    number, at = _number(stored, at)
    return (number >> 1) ^ -(number & 1), at
