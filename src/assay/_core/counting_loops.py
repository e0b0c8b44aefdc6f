"""Compiled loops over votes: counting co-votes, turning and listing votes.

Votes are given source by source, (sources, items), or as compressed sparse rows:
``starts`` (items + 1,) is where each item's votes start. All functions work in place,
release the GIL, and are compiled once and cached on disk.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit, types
from numba.extending import intrinsic

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
WordArray = npt.NDArray[np.uint64]

ROWS_AT_ONCE = 16_384
"""Rows whose bits are packed together; a multiple of 64. Their bits should fit into the L2 cache."""

_LOW_BITS = np.uint64(0x0101010101010101)
_SIGN_BIT = 7
_LISTED = 256
"""Rows that are listed together; they should fit into the L1 cache."""
_TURNED = 512
"""Rows that are turned into columns together; all their votes should fit into the L2 cache."""


_BYTE_STEPS = tuple(
    (np.uint64(8 * apart), np.uint64(mask))
    for apart, mask in ((1, 0x00FF00FF00FF00FF), (2, 0x0000FFFF0000FFFF), (4, 0x00000000FFFFFFFF))
)


def _count_ones(typing_context: Any, word: Any) -> Any:
    """The population count of a word: a single instruction, which LLVM can vectorise."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


ones_in: Any = intrinsic(_count_ones)


@njit(nogil=True, cache=True)
def _swapped(one: Any, other: Any, shift: Any, mask: Any) -> Any:
    """Two words in which the upper halves of the one and the lower halves of the other have changed places."""
    change = ((one >> shift) ^ other) & mask
    return one ^ (change << shift), other ^ change


@njit(nogil=True, cache=True)
def transpose_bytes(
    rows: npt.NDArray[np.int8],
    columns: npt.NDArray[np.int8],
    low: npt.NDArray[np.int8],
    high: npt.NDArray[np.int8],
) -> None:
    """Write (items, sources) bytes to (sources, items), and the lowest and highest of each source.

    Eight rows of eight bytes are turned at once, in eight words: by swapping bytes, pairs and fours of them.
    """
    items, width = rows.shape
    words = (width + 7) // 8
    padded = np.zeros((_TURNED, 8 * words), np.int8)
    turned = np.empty((8 * words, _TURNED), np.int8)
    from_words, to_words = padded.view(np.uint64), turned.view(np.uint64)
    (by_1, mask_1), (by_2, mask_2), (by_4, mask_4) = _BYTE_STEPS
    for start in range(0, items, _TURNED):
        count = min(_TURNED, items - start)
        for i in range(count):
            for j in range(width):
                padded[i, j] = rows[start + i, j]
        for group in range((count + 7) // 8):
            i = 8 * group
            for word in range(words):
                a, b, c, d = (
                    from_words[i, word],
                    from_words[i + 1, word],
                    from_words[i + 2, word],
                    from_words[i + 3, word],
                )
                i_4 = i + 4
                e, f, g, h = (
                    from_words[i_4, word],
                    from_words[i_4 + 1, word],
                    from_words[i_4 + 2, word],
                    from_words[i_4 + 3, word],
                )
                a, b = _swapped(a, b, by_1, mask_1)
                c, d = _swapped(c, d, by_1, mask_1)
                e, f = _swapped(e, f, by_1, mask_1)
                g, h = _swapped(g, h, by_1, mask_1)
                a, c = _swapped(a, c, by_2, mask_2)
                b, d = _swapped(b, d, by_2, mask_2)
                e, g = _swapped(e, g, by_2, mask_2)
                f, h = _swapped(f, h, by_2, mask_2)
                a, e = _swapped(a, e, by_4, mask_4)
                b, f = _swapped(b, f, by_4, mask_4)
                c, g = _swapped(c, g, by_4, mask_4)
                d, h = _swapped(d, h, by_4, mask_4)
                j = 8 * word
                to_words[j, group], to_words[j + 1, group] = a, b
                to_words[j + 2, group], to_words[j + 3, group] = c, d
                to_words[j + 4, group], to_words[j + 5, group] = e, f
                to_words[j + 6, group], to_words[j + 7, group] = g, h
        for j in range(width):
            source = turned[j]
            target = columns[j, start : start + count]
            least, most = low[j], high[j]
            for i in range(count):
                target[i] = source[i]
                least = min(least, source[i])
                most = max(most, source[i])
            low[j], high[j] = least, most


@njit(nogil=True, cache=True)
def _plane(words: WordArray, bit: int, packed: WordArray) -> None:
    """One bit of each of 64 · s bytes, packed into s words.

    The bytes are given as 8 · s words, and word o of the result takes its bits from the
    words o, o + s, …, so that memory is read in order. Which row ends up at which bit
    does not matter, as long as it is the same for all sources.
    """
    size = len(packed)
    shift = np.uint64(bit)
    for o in range(size):
        gathered = np.uint64(0)
        for p in range(8):
            gathered |= ((words[o + p * size] >> shift) & _LOW_BITS) << np.uint64(p)
        packed[o] = gathered


@njit(nogil=True, cache=True)
def _pack(words: WordArray, planes: WordArray, bits: WordArray) -> None:
    """The planes of one source: (values, s) words in which a bit is set where a row has the value."""
    values, size = planes.shape
    _plane(words, _SIGN_BIT, bits[_SIGN_BIT])
    needed = 0
    while (1 << needed) < values:
        _plane(words, needed, bits[needed])
        needed += 1
    for value in range(values):
        plane = planes[value]
        for o in range(size):
            plane[o] = ~bits[_SIGN_BIT, o]
        for bit in range(needed):
            if (value >> bit) & 1:
                for o in range(size):
                    plane[o] &= bits[bit, o]
            else:
                for o in range(size):
                    plane[o] &= ~bits[bit, o]


@njit(nogil=True, cache=True)
def count_packed(
    codes: npt.NDArray[np.int8], first: IntArray, groups: IntArray, pair: IntArray, covered: IntArray
) -> None:
    """Count votes and co-votes by packing the votes for each value into bits, and counting the bits in common.

    Parameters
    ----------
    codes
        (sources, items), contiguous for each source.
    first
        (sources + 1,): where each source's values start.
    groups
        (groups, values): ones for the values that belong to each group.
    pair
        (values, values): co-votes are added, on and above the diagonal.
    covered
        (groups,): the number of items with a vote of each group is added.
    """
    sources, items = codes.shape
    values = first[sources]
    size = ROWS_AT_ONCE // 64
    planes = np.empty((values, size), np.uint64)
    bits = np.empty((8, size), np.uint64)
    padded = np.empty(ROWS_AT_ONCE, np.int8)
    for start in range(0, items, ROWS_AT_ONCE):
        rows = min(ROWS_AT_ONCE, items - start)
        for source in range(sources):
            own = planes[first[source] : first[source + 1]]
            padded[:rows] = codes[source, start : start + rows]
            padded[rows:] = -1
            _pack(padded.view(np.uint64), own, bits)
        for i in range(values):
            one = planes[i]
            total = np.int64(0)
            for o in range(size):
                total += np.int64(ones_in(one[o]))
            pair[i, i] += total
        for source in range(sources):
            for i in range(first[source], first[source + 1]):
                one = planes[i]
                for j in range(first[source + 1], values):
                    other = planes[j]
                    total = np.int64(0)
                    for o in range(size):
                        total += np.int64(ones_in(one[o] & other[o]))
                    pair[i, j] += total
        for group in range(len(groups)):
            union = bits[0]
            union[:] = np.uint64(0)
            for i in range(values):
                if groups[group, i]:
                    for o in range(size):
                        union[o] |= planes[i, o]
            total = np.int64(0)
            for o in range(size):
                total += np.int64(ones_in(union[o]))
            covered[group] += total


@njit(nogil=True, cache=True)
def count_listed(
    starts: IntArray, listed: npt.NDArray[np.int32], groups: IntArray, pair: IntArray, covered: IntArray
) -> None:
    """The same from the values of each item, ``listed`` in ascending order."""
    seen = np.zeros(len(groups), np.int64)
    for row in range(len(starts) - 1):
        seen[:] = 0
        for a in range(starts[row], starts[row + 1]):
            i = listed[a]
            pair[i, i] += 1
            for group in range(len(groups)):
                seen[group] |= groups[group, i]
            for b in range(a + 1, starts[row + 1]):
                pair[i, listed[b]] += 1
        for group in range(len(groups)):
            covered[group] += seen[group]


@njit(nogil=True, cache=True)
def count_overlaps(
    starts: IntArray,
    sources: npt.NDArray[np.int32],
    says: npt.NDArray[np.int32],
    overlap: IntArray,
    agreement: IntArray,
) -> int:
    """Count how often two sources vote on the same item, and how often they agree.

    ``says`` is −1 where a vote says nothing about the component. Counts are added
    on and above the diagonal. Returns the number of items with a vote.
    """
    covered = 0
    for row in range(len(starts) - 1):
        any_vote = 0
        for a in range(starts[row], starts[row + 1]):
            if says[a] < 0:
                continue
            any_vote = 1
            for b in range(a, starts[row + 1]):
                if says[b] >= 0:
                    overlap[sources[a], sources[b]] += 1
                    if says[a] == says[b]:
                        agreement[sources[a], sources[b]] += 1
        covered += any_vote
    return covered


@njit(nogil=True, cache=True)
def count_sets(says: npt.NDArray[np.int32], counts: npt.NDArray[np.int32]) -> None:
    """Add to (rows, sets) counts how many sources vote for each set, from (sources, rows); −1 is no vote."""
    for source in range(len(says)):
        for row in range(says.shape[1]):
            if says[source, row] >= 0:
                counts[row, says[source, row]] += 1


@njit(nogil=True, cache=True)
def list_votes(
    codes: npt.NDArray[Any], rows: IntArray, starts: IntArray, sources: npt.NDArray[np.int32], said: npt.NDArray[Any]
) -> None:
    """List the votes cast in the given rows of (sources, items): where each row's start, who voted, and what.

    ``sources`` and ``said`` must be large enough for all votes, cast or not.
    """
    block = np.empty((_LISTED, len(codes)), codes.dtype)
    at = 0
    for begin in range(0, len(rows), len(block)):
        taken = min(len(block), len(rows) - begin)
        for source in range(len(codes)):
            column = codes[source]
            for i in range(taken):
                block[i, source] = column[rows[begin + i]]
        for i in range(taken):
            starts[begin + i] = at
            for source in range(len(codes)):
                # Written whether it is a vote or not: a branch would be mispredicted too often.
                sources[at] = source
                said[at] = block[i, source]
                at += block[i, source] >= 0
    starts[len(rows)] = at


@njit(nogil=True, cache=True)
def take_votes(
    starts: IntArray,
    sources: npt.NDArray[np.int32],
    codes: npt.NDArray[Any],
    rows: IntArray,
    at: IntArray,
    of_source: npt.NDArray[np.int32],
    said: npt.NDArray[Any],
) -> None:
    """Copy the votes of some sparse rows to where each is to start: ``at`` (rows,) in ``of_source`` and ``said``."""
    for i in range(len(rows)):
        first, last = starts[rows[i]], starts[rows[i] + 1]
        to = at[i]
        for a in range(first, last):
            of_source[to] = sources[a]
            said[to] = codes[a]
            to += 1
