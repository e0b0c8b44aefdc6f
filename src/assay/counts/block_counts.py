"""What is counted of one block of votes: how often values are emitted, and how often sources meet and agree."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from assay._core.threads import parallel_map, ranges, thread_count
from assay.counts.meetings import Meetings
from assay.counts.patterns import multipliers
from assay.votes import SparseCodes, Votes

IntArray = npt.NDArray[np.int64]

Number = TypeVar("Number", np.int64, np.float64)


@dataclass(frozen=True, eq=False)
class Overlaps:
    """How often two sources vote on the same item of one component, and how often they agree."""

    overlap: IntArray
    """(sources, sources); the diagonal is how often each votes."""
    agreement: IntArray
    """(sources, sources); the same diagonal."""


def emitted(votes: Votes) -> IntArray:
    """(values,): how often each value of each source was emitted."""
    if votes.is_sparse:
        numbers = numbered(votes.cast, votes.schema.offsets)
        return np.bincount(numbers, minlength=votes.schema.value_count).astype(np.int64)
    columns = zip(votes.values, votes.codes.T, strict=True)
    uses = [np.bincount(codes + np.int64(1), minlength=len(table) + 1)[1:] for table, codes in columns]
    return np.concatenate(uses).astype(np.int64)


def count_overlaps(votes: Votes, first: IntArray, component: int) -> tuple[Overlaps, int]:
    """How often sources meet and agree on a component, in tables, and how many items have a vote."""
    from assay._core import counting_loops

    cast = votes.cast
    says = votes.outcome_sets[component].of_value[numbered(cast, first)]
    overlap, agreement = (np.zeros((len(votes.names), len(votes.names)), dtype=np.int64) for _ in range(2))
    covered = counting_loops.count_overlaps(cast.starts, cast.sources, says, overlap, agreement)
    for counts in (overlap, agreement):
        counts += np.triu(counts, 1).T
    return Overlaps(overlap, agreement), covered


def count_meetings(votes: Votes, first: IntArray, component: int) -> tuple[Meetings, int]:
    """The pairs of sources that meet on a component, and how many items have a vote."""
    cast = votes.cast
    says = votes.outcome_sets[component].of_value[numbered(cast, first)]
    about = says >= 0
    starts = np.concatenate([[0], np.cumsum(about)])[cast.starts].astype(np.int64)
    met = Meetings.of(len(votes.names), starts, cast.sources[about], says[about])
    return met, int((np.diff(starts) > 0).sum())


def numbered(cast: SparseCodes, first: IntArray) -> npt.NDArray[np.int32]:
    """(votes,): the number of each one's value, in the consecutive numbering of all values."""
    numbers: npt.NDArray[np.int32] = first[:-1].astype(np.int32)[cast.sources] + cast.codes
    return numbers.astype(np.int32, copy=False)


def hashes_of(votes: Votes) -> npt.NDArray[np.uint64]:
    """(items,): the hashes of their rows, which identify patterns."""
    factors = multipliers(votes.names)
    hashes = np.empty(len(votes), dtype=np.uint64)

    def fill(rows: slice) -> None:
        votes.store.block(rows.start, rows.stop).hashes(factors, hashes[rows])

    parallel_map(fill, ranges(len(votes), thread_count(), step=2_048))
    return hashes


def sums_by_source(cells: npt.NDArray[Number], offsets: IntArray) -> npt.NDArray[Number]:
    """(sources, sources): sums of (values, values) cells; ``offsets`` are where the values of each source start.

    >>> sums_by_source(np.arange(9).reshape(3, 3), np.array([0, 2, 3])).tolist()
    [[8, 7], [13, 8]]
    """
    size, sources = int(offsets[1]) if len(offsets) > 1 else 0, len(offsets) - 1
    if size and cells.dtype.kind == "i" and (np.diff(offsets) == size).all():
        by_source = cells.reshape(sources, size, sources, size)
        total: npt.NDArray[Number] = np.zeros((sources, sources), dtype=cells.dtype)
        for i, j in product(range(size), repeat=2):
            total += by_source[:, i, :, j]
        return total
    sums = np.zeros((sources, sources), dtype=cells.dtype)
    some = np.flatnonzero(np.diff(offsets))  # reduceat cannot sum an empty range, as of a source without values
    if len(some):
        first = offsets[some]
        sums[np.ix_(some, some)] = np.add.reduceat(np.add.reduceat(cells, first, axis=0), first, axis=1)
    return sums
