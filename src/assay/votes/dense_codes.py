"""Votes as one table of codes, items × sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from assay._core.threads import parallel_map, ranges, thread_count
from assay.errors import VoteError
from assay.votes.encoding import ABSTAIN
from assay.votes.schema import Schema
from assay.votes.sparse_codes import CodeArray, IntArray, SparseCodes

_ROWS_AT_ONCE = 8_192
"""Rows that are checked and copied together, while they are in the cache."""

_LISTED_AT_ONCE = 2**14
"""Rows that are not worth listing in several threads."""


@dataclass(frozen=True, eq=False)
class DenseCodes:
    """(items, sources) codes in which −1 abstains; read-only, column-major.

    Or bytes as they lie in somebody else's matrix, row by row: see :meth:`lent`.
    """

    codes: CodeArray

    is_sparse: ClassVar[bool] = False

    def __post_init__(self) -> None:
        self.codes.flags.writeable = False

    @classmethod
    def checked(cls, codes: npt.NDArray[Any], schema: Schema) -> Self:
        """A copy, in the smallest integer type, of codes that fit a schema.

        Raises
        ------
        VoteError
            If there is not one column per source, or a code is out of range.
        """
        if codes.ndim != 2 or codes.shape[1] != len(schema.names):
            raise VoteError(
                f"codes must be items × sources with {len(schema.names)} columns, but their shape is {codes.shape}"
            )
        sizes = [len(table) for table in schema.values]
        # Votes are processed source by source, so each source's codes are contiguous.
        frozen = np.empty(codes.shape, dtype=schema.code_type, order="F")
        for start in range(0, len(codes), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            block = codes[rows]
            low, high = block.min(axis=0), block.max(axis=0)
            for name, size, least, most in zip(schema.names, sizes, low.tolist(), high.tolist(), strict=True):
                if least < ABSTAIN or most >= size:
                    raise VoteError(f"source {name!r} has codes from {least} to {most}, but {size} values")
            frozen[rows] = block
        return cls(frozen)

    @classmethod
    def of_bytes(cls, codes: npt.NDArray[np.int8]) -> tuple[Self, int, int]:
        """A copy of (items, sources) codes that lie row by row, and the lowest and the highest of them."""
        from assay._core import counting_loops

        items, width = codes.shape
        columns = np.empty((width, items), dtype=np.int8)

        def turn(rows: slice) -> tuple[int, int]:
            low, high = np.full(width, 127, dtype=np.int8), np.full(width, -128, dtype=np.int8)
            counting_loops.transpose_bytes(codes[rows], columns[:, rows], low, high)
            return int(low.min()), int(high.max())

        ends = parallel_map(turn, ranges(items, thread_count(), step=_ROWS_AT_ONCE))
        return cls(columns.T), min(low for low, _ in ends), max(high for _, high in ends)

    @classmethod
    def lent(cls, codes: npt.NDArray[np.int8]) -> tuple[Self, int, int]:
        """The same without a copy, for as long as nobody changes the matrix: to be counted or labeled, and not kept."""

        def look(rows: slice) -> tuple[int, int]:
            return int(codes[rows].min()), int(codes[rows].max())

        ends = parallel_map(look, ranges(len(codes), thread_count()))
        return cls(codes.view()), min(low for low, _ in ends), max(high for _, high in ends)

    @cached_property
    def by_row(self) -> bool:
        """Whether the codes are bytes that lie row by row, for which there are loops of their own."""
        flags = self.codes.flags
        return self.codes.dtype == np.int8 and bool(flags.c_contiguous and not flags.f_contiguous)

    def by_column(self) -> Self:
        """The same codes, column-major."""
        return self.of_bytes(self.codes)[0] if self.by_row else self

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def width(self) -> int:
        """The number of sources."""
        return int(self.codes.shape[1])

    @cached_property
    def cast(self) -> SparseCodes:
        """The votes that were cast, row by row."""
        return self.listed(np.arange(len(self))) if self.by_row else SparseCodes.of(self.codes)

    @property
    def mean_votes(self) -> float:
        """The number of codes per row."""
        return float(self.width)

    # Selection

    def take(self, rows: IntArray | slice) -> Self:
        """The given rows, in that order."""
        taken = self.codes[rows]
        return type(self)(taken if taken.flags.f_contiguous else np.asfortranarray(taken))

    def listed(self, rows: IntArray) -> SparseCodes:
        """The votes cast in the given rows, in that order."""
        pieces = ranges(len(rows), thread_count(), step=_LISTED_AT_ONCE)
        if not self.by_row:
            # Columns are read in order, and then put in the order asked for.
            near = np.argsort(rows)
            parts = parallel_map(lambda piece: SparseCodes.of(self.codes, rows[near[piece]]), pieces)
            found = SparseCodes.concat([SparseCodes.empty(self.width, self.codes.dtype), *parts])
            back = np.empty(len(near), dtype=np.int64)
            back[near] = np.arange(len(near))
            return found.take(back)
        from assay._core import row_loops

        edge = row_loops.edge_of(self.codes)
        votes = np.empty(len(rows), dtype=np.int64)
        parallel_map(lambda piece: row_loops.count_cast(self.codes, edge, rows[piece], votes[piece]), pieces)
        starts = np.concatenate([[0], np.cumsum(votes)]).astype(np.int64)
        sources, said = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1], dtype=np.int8)
        parallel_map(
            lambda piece: row_loops.list_rows(self.codes, edge, rows[piece], starts[piece], sources, said), pieces
        )
        return SparseCodes(starts, sources, said, self.width)

    def block(self, start: int, stop: int) -> Self:
        """Consecutive rows, without copying their votes."""
        return type(self)(self.codes[start:stop])

    def select(self, columns: Sequence[int] | IntArray) -> Self:
        """The votes of some sources, renumbered in the given order."""
        return type(self)(np.asfortranarray(self.codes[:, np.asarray(columns, dtype=np.int64)]))

    def recoded(self, lookups: Sequence[npt.NDArray[np.signedinteger[Any]]]) -> Self:
        """Codes replaced source by source: ``lookups[j][code]``; the last entry of each lookup is for abstain."""
        dtype = np.result_type(np.int8, *lookups)
        codes = np.empty(self.codes.shape, dtype=dtype, order="F")
        for source, lookup in enumerate(lookups):
            codes[:, source] = lookup[self.codes[:, source]]
        return type(self)(codes)

    # Conversion

    def voted(self) -> npt.NDArray[np.bool_]:
        """(items,): whether any source votes."""
        if self.by_row:
            from assay._core import row_loops

            votes, edge, rows = np.empty(len(self), dtype=np.int64), row_loops.edge_of(self.codes), np.arange(len(self))
            pieces = ranges(len(self), thread_count())
            parallel_map(lambda piece: row_loops.count_cast(self.codes, edge, rows[piece], votes[piece]), pieces)
            return votes > 0
        found = np.zeros(len(self), dtype=bool)
        for codes in self.columns():
            found |= codes >= 0
        return found

    def dense(self) -> CodeArray:
        """(items, sources): the codes."""
        return self.codes

    def columns(self) -> Iterator[CodeArray]:
        """Source by source (items,) codes."""
        return iter(self.codes.T)

    def hashes(self, factors: npt.NDArray[np.uint64], hashes: npt.NDArray[np.uint64]) -> None:
        """Write the hash of each row to (items,) ``hashes``; ``factors`` (sources,) are the sources' multipliers."""
        if self.by_row:
            from assay._core import row_loops

            row_loops.hash_bytes(self.codes, factors, hashes)
            return
        from assay._core import hash_loops

        hash_loops.hash_rows(self.codes.T, factors, hashes)
