"""The compiled loops that read n-grams: from the characters of texts to hashes, and from hashes to weighted features.

Texts are one array of code points, lowercased if they are to be, with the place where each text ends. Every loop
works on a range of texts, so that threads can share them.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
from numba import njit

Codes = npt.NDArray[np.uint32]
IntArray = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]

_MIX = np.uint64(0x9E3779B97F4A7C15)
_SPACE = np.uint32(32)
_MOST_CODES = 0x110000


@cache
def word_characters() -> npt.NDArray[np.bool_]:
    """(code points,): which of them words are made of, as ``\\w`` of a regular expression has it."""
    return np.array([chr(code).isalnum() or chr(code) == "_" for code in range(_MOST_CODES)])


@cache
def checksum_table() -> npt.NDArray[np.uint32]:
    """(256,): the table of CRC-32."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(0xEDB88320), table >> 1)
    return table


@njit(nogil=True, cache=True)
def _step(crc: np.uint32, byte: np.uint32, table: npt.NDArray[np.uint32]) -> np.uint32:
    return np.uint32(table[(crc ^ byte) & np.uint32(255)] ^ (crc >> np.uint32(8)))


@njit(nogil=True, cache=True)
def _word_hash(codes: Codes, start: int, end: int, table: npt.NDArray[np.uint32]) -> np.uint64:
    """CRC-32 of a word in UTF-8, mixed."""
    crc = np.uint32(0xFFFFFFFF)
    for at in range(start, end):
        code = codes[at]
        if code < 0x80:
            crc = _step(crc, code, table)
            continue
        if code < 0x800:
            crc = _step(crc, np.uint32(0xC0) | (code >> np.uint32(6)), table)
        else:
            if code < 0x10000:
                crc = _step(crc, np.uint32(0xE0) | (code >> np.uint32(12)), table)
            else:
                crc = _step(crc, np.uint32(0xF0) | (code >> np.uint32(18)), table)
                crc = _step(crc, np.uint32(0x80) | ((code >> np.uint32(12)) & np.uint32(0x3F)), table)
            crc = _step(crc, np.uint32(0x80) | ((code >> np.uint32(6)) & np.uint32(0x3F)), table)
        crc = _step(crc, np.uint32(0x80) | (code & np.uint32(0x3F)), table)
    return np.uint64(crc ^ np.uint32(0xFFFFFFFF)) * _MIX


@njit(nogil=True, cache=True)
def _mixed(left: np.uint64, right: np.uint64) -> np.uint64:
    """A hash of two in a row; which comes first matters."""
    mixed = (left ^ (left >> np.uint64(29))) * _MIX + right
    return np.uint64(mixed ^ (mixed >> np.uint64(32)))


@njit(nogil=True, cache=True)
def _many(units: int, fewest: int, most: int) -> int:
    """How many n-grams so many units in a row have."""
    found = 0
    for length in range(fewest, most + 1):
        found += max(0, units - length + 1)
    return found


@njit(nogil=True, cache=True)
def count_ngrams(
    codes: Codes, ends: IntArray, is_word: npt.NDArray[np.bool_], low: int, high: int,
    words: tuple[int, int], characters: tuple[int, int], out: IntArray,
) -> None:  # fmt: skip
    """How many n-grams each text has, repeated ones included; lengths (1, 0) stand for none."""
    for row in range(low, high):
        at = ends[row - 1] if row else 0
        end = ends[row]
        count = 0
        found = 0
        while at < end:
            if not is_word[codes[at]]:
                at += 1
                continue
            begin = at
            while at < end and is_word[codes[at]]:
                at += 1
            count += 1
            found += _many(at - begin + 2, characters[0], characters[1])
        out[row] = found + _many(count, words[0], words[1])


@njit(nogil=True, cache=True)
def hash_ngrams(
    codes: Codes, ends: IntArray, is_word: npt.NDArray[np.bool_], table: npt.NDArray[np.uint32], low: int, high: int,
    words: tuple[int, int], characters: tuple[int, int], buckets: int, starts: IntArray, hashes: IntArray,
    times: Floats, sizes: IntArray,
) -> None:  # fmt: skip
    """The n-grams of each text, ascending, and how often it has each; from ``starts`` on, as many as ``sizes`` says.

    Hashes from ``buckets`` on are of characters.
    """
    many = np.uint64(buckets)
    for row in range(low, high):
        at = ends[row - 1] if row else 0
        end = ends[row]
        place = starts[row]
        own = np.empty((end - at) // 2 + 1, dtype=np.uint64)
        count = 0
        while at < end:
            if not is_word[codes[at]]:
                at += 1
                continue
            begin = at
            while at < end and is_word[codes[at]]:
                at += 1
            own[count] = _word_hash(codes, begin, at, table)
            count += 1
            if characters[1] >= characters[0]:
                # A space on both sides.
                size = at - begin + 2
                for first in range(size):
                    code = np.uint64(0)
                    for length in range(1, min(characters[1], size - first) + 1):
                        inner = first + length - 1
                        letter = np.uint64(_SPACE if inner in (0, size - 1) else codes[begin + inner - 1])
                        unit = _mixed(letter * _MIX, letter)
                        code = unit if length == 1 else _mixed(code, unit)
                        if length >= characters[0]:
                            hashes[place] = buckets + np.int64(code % many)
                            place += 1
        for first in range(count):
            code = np.uint64(0)
            for length in range(1, min(words[1], count - first) + 1):
                unit = own[first + length - 1]
                code = unit if length == 1 else _mixed(code, unit)
                if length >= words[0]:
                    hashes[place] = np.int64(code % many)
                    place += 1
        begin = starts[row]
        ordered = np.sort(hashes[begin:place])
        kept = begin
        for number in range(len(ordered)):
            if number and ordered[number] == ordered[number - 1]:
                times[kept - 1] += 1
            else:
                hashes[kept] = ordered[number]
                times[kept] = 1
                kept += 1
        sizes[row] = kept - begin


@njit(nogil=True, cache=True)
def weigh_ngrams(
    starts: IntArray, found: Places, times: Floats, rarity: Floats, is_character: npt.NDArray[np.bool_],
    low: int, high: int, values: Floats,
) -> None:  # fmt: skip
    """Weigh the features of each text by TF-IDF, so that its words and its characters have length one each.

    ``found`` has the column of each n-gram, all known, and ``is_character`` tells of columns what they are of.
    """
    for row in range(low, high):
        squares = np.zeros(2)
        for at in range(starts[row], starts[row + 1]):
            value = times[at] * rarity[found[at]]
            values[at] = value
            squares[np.int64(is_character[found[at]])] += np.float64(value) * np.float64(value)
        norms = np.sqrt(squares)
        for at in range(starts[row], starts[row + 1]):
            values[at] = np.float32(values[at] / norms[np.int64(is_character[found[at]])])


@njit(nogil=True, cache=True)
def pack(
    starts: IntArray, sizes: IntArray, hashes: npt.NDArray[np.integer], times: Floats, packed: IntArray, low: int,
    high: int, own_hashes: IntArray, own_times: Floats,
) -> None:  # fmt: skip
    """Move what each text has, from ``starts`` on, to where ``packed`` says."""
    for row in range(low, high):
        for number in range(sizes[row]):
            own_hashes[packed[row] + number] = hashes[starts[row] + number]
            own_times[packed[row] + number] = times[starts[row] + number]
