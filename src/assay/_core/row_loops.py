"""Compiled loops over votes that lie in memory row by row, a byte each: 64 votes at a time, as the bits of a word.

Rows are (items, sources) codes below 128, −1 for abstain. So many bytes are read at once that the last rows would be
left behind: these come padded, as :func:`edge_of` makes them. All functions work in place, release the GIL, and are
compiled once and cached on disk.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from assay._core.counting_loops import ones_in
from assay._core.hash_loops import mixed

Bytes = npt.NDArray[np.int8]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
WordArray = npt.NDArray[np.uint64]

ROWS_AT_ONCE = 16_384
"""Rows whose votes are counted together: their bits should fit into the L2 cache."""

_NEAR = 256
"""Rows that are read before the first of them is listed."""
_LANES = 64
_GROUP = 8
"""Words of 64 rows that are turned together, in one vector."""
_HALVES = tuple(
    (1 << step, np.uint64(1 << step), np.uint64(mask))
    for step, mask in (
        (5, 0x00000000FFFFFFFF),
        (4, 0x0000FFFF0000FFFF),
        (3, 0x00FF00FF00FF00FF),
        (2, 0x0F0F0F0F0F0F0F0F),
        (1, 0x3333333333333333),
        (0, 0x5555555555555555),
    )
)
"""To turn 64 words of 64 bits: how far apart the words are whose halves, quarters, … change places, and which bits."""


def edge_of(rows: Bytes) -> Bytes:
    """The last of some rows, each padded with abstentions to whole words: those behind which too few bytes follow."""
    items, width = rows.shape
    padded = _LANES * -(-width // _LANES)
    inner = max((items * width - padded) // max(width, 1) + 1, 0)
    edge = np.full((items - min(inner, items), padded), -1, dtype=np.int8)
    edge[:, :width] = rows[items - len(edge) :]
    return edge


def _bytes_at(builder: Any, address: Any) -> tuple[Any, Any]:
    kind = ir.VectorType(ir.IntType(8), _LANES)
    return builder.load(builder.inttoptr(address, kind.as_pointer()), align=1), kind


def _cast_at(typing_context: Any, address: Any) -> Any:
    """Which of the 64 bytes at an address are not negative: an instruction or two where there are such vectors."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        found, kind = _bytes_at(builder, arguments[0])
        return builder.bitcast(builder.icmp_signed(">=", found, ir.Constant(kind, None)), ir.IntType(64))

    return types.uint64(types.intp), generate


def _bit_at(typing_context: Any, address: Any, bit: Any) -> Any:
    """In which of the 64 bytes at an address a bit is set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        found, kind = _bytes_at(builder, arguments[0])
        mask = builder.shl(ir.Constant(ir.IntType(8), 1), builder.trunc(arguments[1], ir.IntType(8)))
        nothing, number = ir.Constant(kind, ir.Undefined), ir.IntType(32)
        first = builder.insert_element(nothing, mask, ir.Constant(number, 0))
        everywhere = builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(number, _LANES), None))
        found = builder.icmp_unsigned("!=", builder.and_(found, everywhere), ir.Constant(kind, None))
        return builder.bitcast(found, ir.IntType(64))

    return types.uint64(types.intp, types.int64), generate


def _lowest_one(typing_context: Any, word: Any) -> Any:
    """The number of the lowest bit that is set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


def _everywhere(builder: Any, number: Any) -> Any:
    """A vector of eight times the same number."""
    nothing = ir.Constant(ir.VectorType(number.type, _GROUP), ir.Undefined)
    first = builder.insert_element(nothing, number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), _GROUP), None))


def _swapped_at(typing_context: Any, one: Any, other: Any, by: Any, mask: Any) -> Any:
    """Exchange the upper bits of eight words at an address and the lower bits of eight others, as a mask tells."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.VectorType(ir.IntType(64), _GROUP).as_pointer()
        first, second = (builder.inttoptr(address, kind) for address in arguments[:2])
        shift, bits = (_everywhere(builder, number) for number in arguments[2:])
        upper, lower = builder.load(first, align=8), builder.load(second, align=8)
        change = builder.and_(builder.xor(builder.lshr(upper, shift), lower), bits)
        builder.store(builder.xor(upper, builder.shl(change, shift)), first, align=8)
        builder.store(builder.xor(lower, change), second, align=8)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, types.uint64, types.uint64), generate


def _added_at(typing_context: Any, numbers: Any, where: Any, more: Any) -> Any:
    """Add to those of eight numbers at an address whose bit is set in the byte at another; zero to the others."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, flags = ir.VectorType(ir.DoubleType(), _GROUP), ir.VectorType(ir.IntType(1), _GROUP)
        place = builder.inttoptr(arguments[0], kind.as_pointer())
        byte = builder.load(builder.inttoptr(arguments[1], ir.IntType(8).as_pointer()))
        chosen = builder.select(
            builder.bitcast(byte, flags), _everywhere(builder, arguments[2]), ir.Constant(kind, [0.0] * _GROUP)
        )
        builder.store(builder.fadd(builder.load(place, align=8), chosen), place, align=8)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp, types.float64), generate


_swap_in: Any = intrinsic(_swapped_at)
_add_where: Any = intrinsic(_added_at)
_cast_in: Any = intrinsic(_cast_at)
_bit_in: Any = intrinsic(_bit_at)
_first_in: Any = intrinsic(_lowest_one)


@njit(nogil=True, cache=True)
def _lanes(left: int) -> Any:
    """The bits of the sources that are left, of at most 64."""
    return ~np.uint64(0) if left >= _LANES else (np.uint64(1) << np.uint64(left)) - np.uint64(1)


@njit(nogil=True, cache=True)
def hash_bytes(rows: Bytes, multipliers: WordArray, hashes: WordArray) -> None:
    """Write a 64-bit hash of each row to (items,) ``hashes``: that of :func:`assay._core.hash_loops.hash_rows`."""
    items, width = rows.shape
    for i in range(items):
        row = rows[i]
        found = np.uint64(0)
        for j in range(width):
            found += multipliers[j] * np.uint64(np.int64(row[j]) + 1)
        hashes[i] = found
    for i in range(items):
        hashes[i] = mixed(hashes[i])


@njit(nogil=True, cache=True)
def _number(row: Bytes, factors: IntArray) -> Any:
    found = 0
    for j in range(len(row)):
        found += factors[j] * (np.int64(row[j]) + 1)
    return found


@njit(nogil=True, cache=True)
def count_numbers(rows: Bytes, begin: int, stop: int, factors: IntArray, counts: IntArray, first: IntArray) -> None:
    """Count some rows by their number, Σ factor · (code + 1), and write the first row that has each."""
    numbers = np.empty(_NEAR, np.int64)
    for start in range(begin, stop, _NEAR):
        count = min(_NEAR, stop - start)
        for i in range(count):
            numbers[i] = _number(rows[start + i], factors)
        for i in range(count):
            number = numbers[i]
            if counts[number] == 0:
                first[number] = start + i
            counts[number] += 1


@njit(nogil=True, cache=True)
def take_by_number(rows: Bytes, begin: int, stop: int, factors: IntArray, table: FloatArray, found: FloatArray) -> None:
    """Write to (items, …) ``found`` the row of a table that has the number of each of some rows of votes."""
    numbers = np.empty(_NEAR, np.int64)
    for start in range(begin, stop, _NEAR):
        count = min(_NEAR, stop - start)
        for i in range(count):
            numbers[i] = _number(rows[start + i], factors)
        for i in range(count):
            for y in range(table.shape[1]):
                found[start + i, y] = table[numbers[i], y]


@njit(nogil=True, cache=True)
def _turn(words: WordArray, wanted: int) -> None:
    """Turn (64, 8) words by 64 rows: bit j of row i becomes bit i of row j. Only of the wanted rows, the first."""
    at = words.ctypes.data
    size = 8 * _GROUP
    for apart, by, mask in _HALVES:
        for base in range(0, min(wanted, _LANES), 2 * apart):
            for i in range(base, base + apart):
                _swap_in(at + size * i, at + size * (i + apart), by, mask)


@njit(nogil=True, cache=True)
def _read(
    address: int, apart: int, count: int, at: int, lanes: np.uint64, needed: int, words: WordArray, spoke: WordArray
) -> None:
    """Read 64 votes each of rows that lie so many bytes apart, as words: who votes, and the bits of what they say.

    How many of them are cast is added to ``spoke`` (rows,).
    """
    for i in range(count):
        here = address + i * apart
        row = at + i
        voting = _cast_in(here) & lanes
        spoke[row] += ones_in(voting)
        words[0, row % _LANES, row // _LANES] = voting
        for bit in range(needed):
            words[bit + 1, row % _LANES, row // _LANES] = _bit_in(here, bit) & voting


@njit(nogil=True, cache=True)
def _who_says(value: int, words: WordArray, j: int, plane: WordArray) -> None:
    """Write the bits of the rows in which a source, number j of the turned words, says a value."""
    for k in range(_GROUP):
        plane[k] = words[0, j, k]
    for bit in range(len(words) - 1):
        other = np.uint64(0) if (value >> bit) & 1 else ~np.uint64(0)
        for k in range(_GROUP):
            plane[k] &= words[bit + 1, j, k] ^ other


@njit(nogil=True, cache=True)
def count_rows(rows: Bytes, edge: Bytes, values: int, pair: IntArray) -> int:
    """Count votes and co-votes, as :func:`assay._core.counting_loops.count_packed` does.

    Parameters
    ----------
    rows, edge
        The votes, and the last of them padded.
    values
        How many values every source has.
    pair
        (values of all sources, values of all sources): co-votes are added, on and above the diagonal.

    Returns the number of items with a vote.
    """
    items, width = rows.shape
    total = width * values
    size = ROWS_AT_ONCE // _LANES
    needed = 0
    while (1 << needed) < values:
        needed += 1
    planes = np.empty((total, size), np.uint64)
    words = np.empty((1 + needed, _LANES, _GROUP), np.uint64)
    together = _LANES * _GROUP
    spoke = np.empty(together, np.uint64)
    inner, padded = items - len(edge), edge.shape[1]
    from_rows, from_edge = rows.ctypes.data, edge.ctypes.data
    covered = 0
    for tile in range(0, items, ROWS_AT_ONCE):
        for start in range(tile, tile + ROWS_AT_ONCE, together):
            count = max(min(together, items - start), 0)
            plain = max(min(count, inner - start), 0)
            at = (start - tile) // _LANES
            spoke[:] = np.uint64(0)
            for first in range(0, width, _LANES):
                left = min(width - first, _LANES)
                lanes = _lanes(left)
                if count < together:
                    words[:] = np.uint64(0)
                _read(from_rows + start * width + first, width, plain, 0, lanes, needed, words, spoke)
                if plain < count:
                    begin = from_edge + (start + plain - inner) * padded + first
                    _read(begin, padded, count - plain, plain, lanes, needed, words, spoke)
                for bit in range(1 + needed):
                    _turn(words[bit], left)
                for j in range(left):
                    for value in range(values):
                        _who_says(value, words, j, planes[(first + j) * values + value, at : at + _GROUP])
            for i in range(count):
                covered += spoke[i] != np.uint64(0)
        for i in range(total):
            one = planes[i]
            alone = np.int64(0)
            for o in range(size):
                alone += np.int64(ones_in(one[o]))
            pair[i, i] += alone
            for j in range((i // values + 1) * values, total):
                other_plane = planes[j]
                both = np.int64(0)
                for o in range(size):
                    both += np.int64(ones_in(one[o] & other_plane[o]))
                pair[i, j] += both
    return covered


@njit(nogil=True, cache=True)
def _where(rows: Bytes, edge: Bytes, row: int) -> int:
    """The address of a row behind which enough bytes follow."""
    inner = len(rows) - len(edge)
    if row < inner:
        return int(rows.ctypes.data + row * rows.shape[1])
    return int(edge.ctypes.data + (row - inner) * edge.shape[1])


@njit(nogil=True, cache=True)
def count_cast(rows: Bytes, edge: Bytes, chosen: IntArray, votes: IntArray) -> None:
    """Write the number of votes cast in each of the chosen rows to (chosen,) ``votes``."""
    width = rows.shape[1]
    for i in range(len(chosen)):
        here = _where(rows, edge, chosen[i])
        found = np.uint64(0)
        for first in range(0, width, _LANES):
            found += ones_in(_cast_in(here + first) & _lanes(width - first))
        votes[i] = np.int64(found)


@njit(nogil=True, cache=True)
def list_rows(
    rows: Bytes, edge: Bytes, chosen: IntArray, starts: IntArray, sources: npt.NDArray[np.int32], said: Bytes
) -> None:
    """List the votes cast in the chosen rows, from where ``starts`` (chosen,) says: who voted, and what."""
    width = rows.shape[1]
    words = (width + _LANES - 1) // _LANES
    casts = np.empty((_NEAR, words), np.uint64)
    for begin in range(0, len(chosen), _NEAR):
        count = min(_NEAR, len(chosen) - begin)
        # Rows far apart come from memory: these are read at once, and not each when the one before is listed.
        for i in range(count):
            here = _where(rows, edge, chosen[begin + i])
            for word in range(words):
                casts[i, word] = _cast_in(here + _LANES * word)
        for i in range(count):
            row = rows[chosen[begin + i]]
            to = starts[begin + i]
            for word in range(words):
                voting = casts[i, word] & _lanes(width - _LANES * word)
                while voting:
                    source = _LANES * word + np.int64(_first_in(voting))
                    sources[to] = source
                    said[to] = row[source]
                    to += 1
                    voting &= voting - np.uint64(1)


@njit(nogil=True, cache=True)
def add_rows(
    rows: Bytes,
    edge: Bytes,
    begin: int,
    base: FloatArray,
    leads: FloatArray,
    ends: IntArray,
    scores: FloatArray,
    voted: npt.NDArray[np.int32],
) -> None:
    """Sum the log-odds of votes for each outcome, as :func:`assay._core.scoring_loops.add_votes` does.

    Parameters
    ----------
    rows, edge
        The votes, and the last of them padded.
    begin
        The first of the rows that are scored.
    base
        (outcomes − 1,): the log-odds of an item without votes.
    leads, ends
        (outcomes − 1, values): the log-odds of a vote; and (sources + 1,) where those of each source start and end: of
        abstaining, which is zero, and then of its values.
    scores, voted
        (outcomes − 1, items) log-odds and (items,) the number of votes: both are written.
    """
    width, outcomes = rows.shape[1], len(base)
    needed = 0
    while (1 << needed) < (np.diff(ends).max() if width else 1) - 1:
        needed += 1
    words = np.empty((1 + needed, _LANES, _GROUP), np.uint64)
    together = _LANES * _GROUP
    spoke, plane, found = np.empty(together, np.uint64), np.empty(_GROUP, np.uint64), np.empty((outcomes, together))
    inner, padded = len(rows) - len(edge), edge.shape[1]
    from_rows, from_edge = rows.ctypes.data, edge.ctypes.data
    to_found, from_plane = found.ctypes.data, plane.ctypes.data
    for start in range(0, len(voted), together):
        count = min(together, len(voted) - start)
        row = begin + start
        plain = max(min(count, inner - row), 0)
        spoke[:] = np.uint64(0)
        for y in range(outcomes):
            found[y] = base[y]
        for first in range(0, width, _LANES):
            left = min(width - first, _LANES)
            if count < together:
                words[:] = np.uint64(0)
            _read(from_rows + row * width + first, width, plain, 0, _lanes(left), needed, words, spoke)
            if plain < count:
                at = from_edge + (row + plain - inner) * padded + first
                _read(at, padded, count - plain, plain, _lanes(left), needed, words, spoke)
            for bit in range(1 + needed):
                _turn(words[bit], left)
            for j in range(left):
                for number in range(ends[first + j] + 1, ends[first + j + 1]):
                    _who_says(number - ends[first + j] - 1, words, j, plane)
                    for y in range(outcomes):
                        into, lead = to_found + 8 * together * y, leads[y, number]
                        for eight in range(_LANES):
                            _add_where(into + 64 * eight, from_plane + eight, lead)
        for i in range(count):
            voted[start + i] = np.int32(spoke[i])
            for y in range(outcomes):
                scores[y, start + i] = found[y, i]
