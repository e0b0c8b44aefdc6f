"""All rows of votes that can occur, where they are far fewer than the items: these are then worked out once each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from assay._core.threads import parallel_map, ranges, thread_count
from assay.votes.dense_codes import DenseCodes
from assay.votes.sparse_codes import SparseCodes

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_MOST = 2**17
"""The most rows that are told apart by a table: it should fit into the L2 cache."""
_FEWER = 4
"""How many times as many items there must be."""


@dataclass(frozen=True, eq=False)
class PossibleRows:
    """The numbers of possible rows: Σ factor · (code + 1), for votes that lie row by row."""

    factors: IntArray
    """(sources,)."""
    count: int

    @classmethod
    def of(cls, store: DenseCodes | SparseCodes, sizes: Sequence[int]) -> Self | None:
        """Of sources with so many values each; None if there are too many, or votes do not lie row by row."""
        if not store.by_row or len(store) < _FEWER * 2 ** len(sizes):
            return None
        ends = np.cumprod([1, *(float(size + 1) for size in sizes)])
        if ends[-1] > min(_MOST, len(store) / _FEWER):
            return None
        return cls(ends[:-1].astype(np.int64), int(ends[-1]))

    @property
    def rows(self) -> DenseCodes:
        """(possible rows, sources) codes, row by row."""
        digits = np.arange(self.count)[:, None] // self.factors
        sizes = np.append(self.factors, self.count)[1:] // self.factors
        return DenseCodes((digits % sizes - 1).astype(np.int8))

    def counted(self, store: DenseCodes) -> tuple[IntArray, IntArray]:
        """How many items have each row that occurs, and the first that has it; both in the order of their numbers."""
        from assay._core import row_loops

        pieces = ranges(len(store), thread_count())
        counts, first = (np.zeros((len(pieces), self.count), dtype=np.int64) for _ in range(2))

        def count(piece: tuple[int, slice]) -> None:
            part, rows = piece
            row_loops.count_numbers(store.codes, rows.start, rows.stop, self.factors, counts[part], first[part])

        parallel_map(count, enumerate(pieces))
        total = counts.sum(axis=0)
        there = np.flatnonzero(total)
        return total[there], first[(counts > 0).argmax(axis=0)[there], there]

    def look_up(self, table: FloatArray, store: DenseCodes) -> FloatArray:
        """(items, …): of each item what a (possible rows, …) table says of its row."""
        from assay._core import row_loops

        found = np.empty((len(store), table.shape[1]))

        def take(rows: slice) -> None:
            row_loops.take_by_number(store.codes, rows.start, rows.stop, self.factors, table, found)

        parallel_map(take, ranges(len(store), thread_count()))
        return found
