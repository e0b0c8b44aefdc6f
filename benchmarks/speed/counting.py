"""Counting co-votes alone, for speed/run.py: Assay's way and others, one in a process of its own; prints JSON.

How often do two sources vote for these two classes? For every pair of (source, class),
exactly, from int8 codes in memory. The other ways are what one would write without
Assay, on as many threads as there are processors, with votes source by source,
which suits them best. They must all count the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.support import measuring, stored_votes

THREADS = os.cpu_count() or 1
_POOL = ThreadPoolExecutor(THREADS)
_WORDS = 512
"""Words of bits that all planes are compared in at a time: what fits the processor's cache."""

BySource = npt.NDArray[np.int8]
"""(sources, items) in C order."""
Planes = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int64]


def in_threads(function: Callable[[int], Any], numbers: Iterable[int]) -> list[Any]:
    return list(_POOL.map(function, numbers))


def read_once(by_source: BySource) -> None:
    """The least that any way of counting has to do: look at all votes."""
    parts = np.array_split(by_source.reshape(-1), THREADS)
    in_threads(lambda thread: parts[thread].max(), range(THREADS))


def packed(by_source: BySource, classes: int) -> Planes:
    """(sources · classes, words): a bit for each item, set where the source votes for the class."""
    sources, items = by_source.shape
    planes = np.zeros((sources * classes, 8 * -(-items // 64)), dtype=np.uint8)

    def pack(source: int) -> None:
        for label in range(classes):
            bits = np.packbits(by_source[source] == label)
            planes[source * classes + label, : len(bits)] = bits

    in_threads(pack, range(sources))
    return planes.view(np.uint64)


def popcounts(planes: Planes) -> Counts:
    count, words = planes.shape

    def counted(start: int) -> Counts:
        block = np.ascontiguousarray(planes[:, start : start + _WORDS])
        found = np.zeros((count, count), dtype=np.int64)
        for first in range(count):
            found[first, first:] = np.bitwise_count(block[first] & block[first:]).sum(axis=1)
        return found

    total = np.zeros((count, count), dtype=np.int64)
    for part in _POOL.map(counted, range(0, words, _WORDS)):
        total += part
    return total


def by_sparse_product(by_source: BySource, classes: int) -> Counts:
    from scipy import sparse

    voters = [np.flatnonzero(codes == label).astype(np.int32) for codes in by_source for label in range(classes)]
    starts = np.concatenate([[0], np.cumsum([len(one) for one in voters])])
    ones = np.ones(starts[-1], dtype=np.int32)
    chosen = sparse.csc_array((ones, np.concatenate(voters), starts), shape=(by_source.shape[1], len(voters)))
    counts: Counts = np.triu((chosen.T @ chosen).toarray()).astype(np.int64)
    return counts


def by_one_hot(by_source: BySource, classes: int) -> Counts:
    """By the matrix product of the processor's library; float32 counts exactly to sixteen million."""
    sources, items = by_source.shape
    hot = np.empty((sources * classes, items), dtype=np.float32)
    for source, codes in enumerate(by_source):
        for label in range(classes):
            np.equal(codes, label, out=hot[source * classes + label], casting="unsafe")
    return np.triu(hot @ hot.T).astype(np.int64)


ASSAY, SKETCH = "Assay", "Assay, and a sketch of patterns"
READ, POPCOUNT, PACK = "reading the votes once", "popcount, bits already packed", "pack + popcount"
ONE_HOT, SPARSE = "BLAS one-hot", "scipy.sparse product"
WAYS = (READ, POPCOUNT, PACK, ASSAY, SKETCH, ONE_HOT, SPARSE)
BANDWIDTH = "bandwidth"


def bytes_needed(way: str, items: int, sources: int, classes: int) -> float:
    """About how much memory a way takes besides the votes."""
    votes = items * sources
    if way == ONE_HOT:
        return 4.0 * votes * classes
    # Per vote a position and a one, held three times: column by column, their transpose, and the latter by rows.
    return 24.0 * stored_votes.COVERAGE * votes if way == SPARSE else votes * classes / 8


def prepared(way: str, folder: Path) -> Callable[[], Any]:
    """What is timed, with its votes already in the container that it needs."""
    stored, matrix = stored_votes.described(folder), stored_votes.raw_votes(folder)
    if way in (ASSAY, SKETCH):
        from assay.counts.tally import Tally
        from assay.votes.votes import Votes

        votes = Votes.from_matrix(matrix, cardinality=stored.classes)
        return lambda: Tally.of(votes) if way == SKETCH else np.triu(Tally.of(votes, size=0).pair)
    by_source: BySource = np.ascontiguousarray(np.asarray(matrix).T)
    if way == POPCOUNT:
        planes = packed(by_source, stored.classes)
        return lambda: popcounts(planes)
    return {
        READ: lambda: read_once(by_source),
        PACK: lambda: popcounts(packed(by_source, stored.classes)),
        ONE_HOT: lambda: by_one_hot(by_source, stored.classes),
        SPARSE: lambda: by_sparse_product(by_source, stored.classes),
    }[way]


def measured(way: str, folder: Path, repeats: int, enough: float) -> dict[str, Any]:
    run = prepared(way, folder)
    seconds: list[float] = []
    counts: Any = None
    while len(seconds) < repeats and sum(seconds) < enough:
        taken, counts = measuring.seconds_of(run)
        seconds.append(taken)
    digest = hashlib.sha256(counts.tobytes()).hexdigest()[:16] if isinstance(counts, np.ndarray) else None
    return {"seconds": min(seconds), "first": seconds[0], "repeats": len(seconds), "checksum": digest}


def bandwidth(size: int, repeats: int) -> dict[str, float]:
    """Bytes a second that all threads together read, and copy (read and written bytes both counted)."""
    piece = size // THREADS // 8
    arrays = [np.ones(piece, dtype=np.int64) for _ in range(THREADS)]
    copies = [np.zeros_like(array) for array in arrays]
    runs: dict[str, tuple[int, Callable[[int], Any]]] = {
        "read": (1, lambda thread: arrays[thread].max()),
        "copy": (2, lambda thread: np.copyto(copies[thread], arrays[thread])),
    }
    found = {}
    for name, (passes, run) in runs.items():
        everywhere = partial(in_threads, run, range(THREADS))
        seconds = min(measuring.seconds_of(everywhere)[0] for _ in range(repeats))
        found[name] = passes * 8.0 * piece * THREADS / seconds
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("way", choices=[*WAYS, BANDWIDTH])
    arguments.add_argument("folder", type=Path, nargs="?")
    arguments.add_argument("--repeats", type=int, required=True)
    arguments.add_argument("--enough", type=float, default=20.0)
    arguments.add_argument("--bytes", type=int, default=2**30, help="how much memory is read for the bandwidth")
    given = arguments.parse_args()
    measuring.die_first()
    if given.way == BANDWIDTH:
        print(json.dumps(bandwidth(given.bytes, given.repeats)))
    else:
        print(json.dumps(measured(given.way, given.folder, given.repeats, given.enough)))


if __name__ == "__main__":
    main()
