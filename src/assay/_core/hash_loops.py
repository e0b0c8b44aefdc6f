"""Compiled loops over hashes of rows of votes: making them, and finding the distinct ones.

Votes are given source by source, (sources, items), or as compressed sparse rows: ``starts`` (items + 1,) is where each
item's votes start. All functions work in place, release the GIL, and are compiled once and cached on disk.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

IntArray = npt.NDArray[np.int64]
WordArray = npt.NDArray[np.uint64]

_BLOCK = 2_048
"""Rows that are hashed together; they should fit into the L1 cache."""


@njit(nogil=True, cache=True)
def mixed(x: Any) -> Any:
    """A hash in which every bit depends on every bit of x (the finaliser of splitmix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(nogil=True, cache=True)
def hash_rows(codes: npt.NDArray[Any], multipliers: WordArray, hashes: WordArray) -> None:
    """Write a 64-bit hash of each row of votes, (sources, items), to (items,) ``hashes``."""
    sources, items = codes.shape
    for start in range(0, items, _BLOCK):
        rows = min(_BLOCK, items - start)
        found = hashes[start : start + rows]
        found[:] = np.uint64(0)
        for source in range(sources):
            said = codes[source, start : start + rows]
            multiplier = multipliers[source]
            for i in range(rows):
                found[i] += multiplier * np.uint64(np.int64(said[i]) + 1)
        for i in range(rows):
            found[i] = mixed(found[i])


@njit(nogil=True, cache=True)
def hash_listed(
    starts: IntArray, sources: npt.NDArray[np.int32], codes: npt.NDArray[Any], multipliers: WordArray, hashes: WordArray
) -> None:
    """The same from sparse rows."""
    for row in range(len(starts) - 1):
        found = np.uint64(0)
        for a in range(starts[row], starts[row + 1]):
            found += multipliers[sources[a]] * np.uint64(np.int64(codes[a]) + 1)
        hashes[row] = mixed(found)


@njit(nogil=True, cache=True)
def distinct(hashes: WordArray, limit: np.uint64, keys: WordArray, counts: IntArray, rows: IntArray) -> int:
    """Find the distinct hashes up to a limit, each with its count and the first row that has it.

    Returns how many there are; the arrays must be large enough.
    """
    slots = 1024
    while slots < len(keys) // 4:
        slots *= 2
    table = np.full(slots, -1, np.int32)
    found = 0
    for row in range(len(hashes)):
        key = hashes[row]
        if key > limit:
            continue
        if 2 * found >= slots:
            slots *= 4
            table = np.full(slots, -1, np.int32)
            for index in range(found):
                slot = np.int64(keys[index] & np.uint64(slots - 1))
                while table[slot] >= 0:
                    slot = (slot + 1) & (slots - 1)
                table[slot] = index
        slot = np.int64(key & np.uint64(slots - 1))
        while table[slot] >= 0 and keys[table[slot]] != key:
            slot = (slot + 1) & (slots - 1)
        index = table[slot]
        if index < 0:
            table[slot] = found
            keys[found] = key
            counts[found] = 1
            rows[found] = row
            found += 1
        else:
            counts[index] += 1
    return found


@njit(nogil=True, cache=True)
def order_by_hash(keys: WordArray, shift: int, ends: IntArray, order: IntArray) -> None:
    """Write the positions of distinct hashes, ascending by hash: as they are spread evenly, few share their first bits.

    ``ends`` (buckets + 1,) are zeros, one for each value of ``key >> shift`` and one more.
    """
    by = np.uint64(shift)
    for i in range(len(keys)):
        ends[(keys[i] >> by) + np.uint64(1)] += 1
    for bucket in range(1, len(ends)):
        ends[bucket] += ends[bucket - 1]
    for i in range(len(keys)):
        bucket = keys[i] >> by
        order[ends[bucket]] = i
        ends[bucket] += 1
    for at in range(1, len(order)):
        here = order[at]
        key = keys[here]
        while at > 0 and keys[order[at - 1]] > key:
            order[at] = order[at - 1]
            at -= 1
        order[at] = here


@njit(nogil=True, cache=True)
def count_into_buckets(hashes: WordArray, shift: int, buckets: IntArray) -> None:
    """Count hashes by their leading bits."""
    by = np.uint64(shift)
    for row in range(len(hashes)):
        buckets[hashes[row] >> by] += 1
