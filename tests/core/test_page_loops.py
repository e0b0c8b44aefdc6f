"""Packed numbers and runs, as Parquet has them; what pyarrow writes is unpacked in test_dictionary_pages.py."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay._core import page_loops


def packed_by(numbers, width):
    """Numbers as bits, the lowest first, with the header of a run of eights."""
    groups = -(-len(numbers) // 8)
    filled = np.append(numbers, np.zeros(8 * groups - len(numbers), dtype=np.int64))
    bits = (filled[:, None] >> np.arange(width)) & 1
    header, size = [], groups << 1 | 1
    while size > 127:
        header.append(size & 127 | 128)
        size >>= 7
    return np.array([*header, size, *np.packbits(bits.ravel(), bitorder="little")], dtype=np.uint8)


@given(st.integers(1, 7), st.integers(1, 600), st.integers(0, 2**32))
def test_packed_numbers_are_what_they_mean(width, rows, seed):
    random = np.random.default_rng(seed)
    numbers, meaning = random.integers(0, 2**width, rows), random.integers(-128, 128, 2**width).astype(np.int8)
    unpacked = np.zeros(rows, dtype=np.int8)
    assert page_loops.unpack(packed_by(numbers, width), width, meaning, unpacked)
    assert np.array_equal(unpacked, meaning[numbers])


def test_packed_numbers_that_end_too_soon_are_refused():
    meaning, rows = np.arange(128, dtype=np.int8), np.zeros(16, dtype=np.int8)
    for packed in ([], [3], [0x80], [0x80] * 9, [5, 0b11_10_01_00], [40], [32]):
        assert not page_loops.unpack(np.array(packed, dtype=np.uint8), 2, meaning, rows)
    assert page_loops.unpack(np.array([32, 3], dtype=np.uint8), 2, meaning, rows)
    assert rows.tolist() == [3] * 16
    assert page_loops.unpack(np.array([5, 0b11_10_01_00] + [0] * 3, dtype=np.uint8), 2, meaning, rows)
    assert rows.tolist() == [0, 1, 2, 3] + [0] * 12
