"""From Arrow's columns to NumPy's arrays and back, without pandas.

pyarrow's own conversions load pandas as soon as it is installed, which takes longer than to read or write the votes
of a small project.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa


def as_array(column: Any) -> npt.NDArray[Any]:
    """(n,): an Arrow array, or the chunks of one, as NumPy has it.

    Where a number is missing there is NaN. Numbers of which none is missing are not copied, and cannot be written to.

    >>> as_array(pa.chunked_array([[1, 2], [3]])).tolist(), as_array(pa.array([0.5, None])).tolist()
    ([1, 2, 3], [0.5, nan])
    """
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    is_number = pa.types.is_floating(whole.type) or (pa.types.is_integer(whole.type) and not whole.null_count)
    if not is_number:
        found: npt.NDArray[Any] = whole.to_numpy(zero_copy_only=False)
        return found
    if not whole.null_count:
        return np.from_dlpack(whole)
    bits, numbers = whole.buffers()
    part = slice(whole.offset, whole.offset + len(whole))
    there = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little", count=part.stop)[part]
    stored = np.frombuffer(numbers, whole.type.to_pandas_dtype(), count=part.stop)[part]
    return np.where(there, stored, stored.dtype.type(np.nan))


def as_column(values: npt.NDArray[Any], missing: npt.NDArray[np.bool_] | None = None) -> pa.Array:
    """(n,) numbers, or anything else that Arrow has a type for, as a column; with nulls where some are missing.

    >>> as_column(np.array([1, 2, 3], dtype=np.int8), np.array([False, True, False])).to_pylist()
    [1, None, 3]
    """
    if values.dtype.kind not in "iuf":
        return pa.array(values, mask=missing)
    numbers = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
    bits = None if missing is None else pa.py_buffer(np.packbits(~missing, bitorder="little"))
    return pa.Array.from_buffers(pa.from_numpy_dtype(numbers.dtype), len(numbers), [bits, pa.py_buffer(numbers)])


def text_column(texts: Sequence[str]) -> pa.Array:
    """A few texts, such as the names of labels, as a column.

    >>> text_column(["a", "né"]).to_pylist()
    ['a', 'né']
    """
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(encoded), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded)))
