"""Compiled loops over the pages of Parquet files."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

_RUN_BITS = 28
"""A run is no longer than can be told in so many bits."""


@njit(nogil=True, cache=True)
def unpack(
    packed: npt.NDArray[np.uint8], width: int, meaning: npt.NDArray[np.int8], unpacked: npt.NDArray[np.int8]
) -> bool:
    """Turn Parquet's hybrid of runs and packed bits into small integers.

    Parameters
    ----------
    packed
        Runs, each a header with its length and either one number that is repeated, or numbers of ``width`` bits.
    meaning
        (2 ** width, or more): what each number stands for.
    unpacked
        (rows,): written to.

    Returns whether there were as many numbers as rows; what has been written is worth nothing otherwise.
    """
    size, rows = len(packed), len(unpacked)
    mask = (1 << width) - 1
    at = row = 0
    while row < rows:
        header = shift = 0
        more = True
        while more:
            if at >= size or shift > _RUN_BITS:
                return False
            byte = int(packed[at])
            header |= (byte & 127) << shift
            more = byte > 127
            shift += 7
            at += 1
        if header & 1:
            bytes_taken = (header >> 1) * width
            if at + bytes_taken > size:
                return False
            here = min((header >> 1) * 8, rows - row)
            if width == 2:
                # Three texts, most often two labels and none: four of their numbers are a byte.
                for i in range(here // 4):
                    four = packed[at + i]
                    first = row + 4 * i
                    unpacked[first] = meaning[four & 3]
                    unpacked[first + 1] = meaning[(four >> 2) & 3]
                    unpacked[first + 2] = meaning[(four >> 4) & 3]
                    unpacked[first + 3] = meaning[four >> 6]
                for i in range(here // 4 * 4, here):
                    unpacked[row + i] = meaning[(packed[at + (i >> 2)] >> (2 * (i & 3))) & 3]
            else:
                bits = known = 0
                next_byte = at
                for i in range(here):
                    while known < width:
                        bits |= int(packed[next_byte]) << known
                        next_byte += 1
                        known += 8
                    unpacked[row + i] = meaning[bits & mask]
                    bits >>= width
                    known -= width
            at += bytes_taken
        else:
            here = header >> 1
            number = 0
            for k in range((width + 7) // 8):
                if at >= size:
                    return False
                number |= int(packed[at]) << (8 * k)
                at += 1
            if here > rows - row or number > mask:
                return False
            unpacked[row : row + here] = meaning[number]
        row += here
    return True
