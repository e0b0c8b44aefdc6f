"""Votes as compressed sparse rows: who votes, and what. Compact where most sources abstain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from assay._core.threads import parallel_map, ranges, thread_count
from assay.errors import VoteError
from assay.votes.schema import Schema

IntArray = npt.NDArray[np.int64]
CodeArray = npt.NDArray[np.signedinteger[Any]]

MAX_DENSE = 2**32
"""The most codes in one dense table."""

_WORTH_LISTING = 0.1
"""Votes are stored as a list if they fill less than this share of the table of codes."""

_AT_ONCE = 2**18
"""So many codes are listed without compiled loops."""


@dataclass(frozen=True, eq=False)
class SparseCodes:
    """The votes that were cast, row by row; sources that are not listed abstain.

    Has the same methods as :class:`DenseCodes`. A store of :class:`assay.Votes`, and
    the form in which vote patterns are stored.
    """

    starts: IntArray
    """(rows + 1,): where each row's votes start."""
    sources: npt.NDArray[np.int32]
    """(votes,): who votes, in ascending order within a row. Several times only where any subset of labels may apply."""
    codes: CodeArray
    """(votes,): the value; never negative. In ascending order where a source votes several times."""
    width: int
    """The number of sources."""

    is_sparse: ClassVar[bool] = True
    by_row: ClassVar[bool] = False

    @classmethod
    def of(cls, codes: CodeArray, rows: IntArray | None = None) -> Self:
        """The votes of some rows, or all, of (items, sources) codes in which −1 abstains.

        >>> cast = SparseCodes.of(np.array([[0, -1], [-1, -1], [1, 0]]))
        >>> cast.starts.tolist(), cast.sources.tolist(), cast.codes.tolist()
        ([0, 1, 1, 3], [0, 0, 1], [0, 1, 0])
        """
        if codes.size <= _AT_ONCE:
            return cls._of_few(codes if rows is None else codes[rows])
        from assay._core import counting_loops

        chosen = np.arange(len(codes), dtype=np.int64) if rows is None else rows
        room = len(chosen) * codes.shape[1] + 1
        starts = np.empty(len(chosen) + 1, dtype=np.int64)
        sources, said = np.empty(room, dtype=np.int32), np.empty(room, dtype=codes.dtype)
        counting_loops.list_votes(codes.T, chosen, starts, sources, said)
        # Copied, so that the unused part of the buffers is freed.
        return cls(starts, sources[: starts[-1]].copy(), said[: starts[-1]].copy(), codes.shape[1])

    @classmethod
    def _of_few(cls, codes: CodeArray) -> Self:
        """The same without compiled loops, which take longer to load than few codes take to list."""
        row, sources = np.nonzero(codes >= 0)
        starts = np.searchsorted(row, np.arange(len(codes) + 1)).astype(np.int64)
        return cls(starts, sources.astype(np.int32), codes[row, sources], codes.shape[1])

    @classmethod
    def checked(
        cls, schema: Schema, starts: npt.NDArray[Any], sources: npt.NDArray[Any], codes: npt.NDArray[Any]
    ) -> Self:
        """Votes from a file, if they fit a schema.

        Raises
        ------
        VoteError
            If rows do not start one after the other, sources are unknown or not in order, or codes are out of range.
        """
        if any(part.ndim != 1 or part.dtype.kind != "i" for part in (starts, sources, codes)):
            raise VoteError("votes must be lists of integers, but are not")
        if not len(starts) or starts[0] or (np.diff(starts) < 0).any() or not starts[-1] == len(sources) == len(codes):
            raise VoteError("the rows of its votes do not follow each other, or have more votes than there are")
        made = cls(starts.astype(np.int64), sources.astype(np.int32), codes.astype(schema.code_type), len(schema.names))
        sizes = np.diff(schema.offsets)
        if len(sources) and not (sources.min() >= 0 and sources.max() < made.width):
            raise VoteError(f"its votes are of sources {sources.min()} to {sources.max()}, but there are {made.width}")
        if len(codes) and not ((codes >= 0) & (codes < sizes[sources])).all():
            raise VoteError("some of its votes have a value that their source cannot emit")
        ascending = (np.diff(made.sources) > 0) | (np.diff(made.row) > 0)
        if schema.has_several:
            ascending |= (np.diff(made.sources) == 0) & (np.diff(made.codes.astype(np.int64)) > 0)
        if not ascending.all():
            raise VoteError("the sources of an item are not in order, or one votes twice")
        return made

    @classmethod
    def empty(cls, width: int, dtype: npt.DTypeLike = np.int8) -> Self:
        """No rows."""
        return cls(np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0, dtype=dtype), width)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def cast(self) -> Self:
        """The votes that were cast: these."""
        return self

    @property
    def row(self) -> IntArray:
        """(votes,): the row that each vote belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @property
    def is_worth_listing(self) -> bool:
        """Whether the votes are few enough for a list to be smaller and faster than a table."""
        return len(self.codes) < _WORTH_LISTING * len(self) * self.width

    @property
    def mean_votes(self) -> float:
        """The mean number of votes per row."""
        return len(self.sources) / max(len(self), 1)

    def same_as(self, other: SparseCodes) -> bool:
        """Whether both hold the same votes."""
        return (
            np.array_equal(self.starts, other.starts)
            and np.array_equal(self.sources, other.sources)
            and np.array_equal(self.codes, other.codes)
        )

    # Selection

    def take(self, rows: IntArray) -> Self:
        """The given rows, in that order."""
        chosen = np.asarray(rows, dtype=np.int64)
        lengths = np.diff(self.starts)[chosen]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        if starts[-1] <= _AT_ONCE:
            votes = np.arange(starts[-1]) + np.repeat(self.starts[chosen] - starts[:-1], lengths)
            return type(self)(starts, self.sources[votes], self.codes[votes], self.width)
        from assay._core import counting_loops

        sources, codes = (np.empty(starts[-1], dtype=known.dtype) for known in (self.sources, self.codes))

        def copy(some: slice) -> None:
            counting_loops.take_votes(self.starts, self.sources, self.codes, chosen[some], starts[some], sources, codes)

        parallel_map(copy, ranges(len(chosen), thread_count()))
        return type(self)(starts, sources, codes, self.width)

    def listed(self, rows: IntArray) -> Self:
        """The votes cast in the given rows, in that order."""
        return self.take(rows)

    def by_column(self) -> Self:
        """The same: what lies row by row is only told of tables."""
        return self

    def block(self, start: int, stop: int) -> Self:
        """Consecutive rows, without copying their votes."""
        votes = slice(self.starts[start], self.starts[stop])
        starts = self.starts[start : stop + 1] - self.starts[start]
        return type(self)(starts, self.sources[votes], self.codes[votes], self.width)

    def keep(self, kept: npt.NDArray[np.bool_]) -> Self:
        """The same rows with only some of their votes."""
        before = np.concatenate([[0], np.cumsum(kept)])
        return type(self)(before[self.starts].astype(np.int64), self.sources[kept], self.codes[kept], self.width)

    def select(self, columns: Sequence[int] | IntArray) -> Self:
        """The votes of some distinct sources, renumbered in the given order."""
        chosen = np.asarray(columns, dtype=np.int64)
        if len(chosen) == self.width and (chosen == np.arange(self.width)).all():
            return self
        place = np.full(self.width, -1, dtype=np.int32)
        place[chosen] = np.arange(len(chosen), dtype=np.int32)
        kept = self.keep(place[self.sources] >= 0)
        made = type(self)(kept.starts, place[kept.sources], kept.codes, len(chosen))
        return made if (np.diff(chosen) > 0).all() else made.ordered()

    def ordered(self) -> Self:
        """The same votes, sorted by source and code within each row."""
        order = np.lexsort((self.codes, self.sources, self.row))
        return type(self)(self.starts, self.sources[order], self.codes[order], self.width)

    def recoded(self, lookups: Sequence[npt.NDArray[np.signedinteger[Any]]]) -> Self:
        """Codes replaced source by source: ``lookups[j][code]``, where −1 drops the vote.

        Each lookup ends with the entry for abstain, −1.
        """
        offsets = np.cumsum([0, *map(len, lookups)], dtype=np.int64)
        said = np.concatenate([*lookups, np.empty(0, dtype=np.int8)])[offsets[self.sources] + self.codes]
        if (said >= 0).all():
            return type(self)(self.starts, self.sources, said, self.width)
        kept = self.keep(said >= 0)
        return type(self)(kept.starts, kept.sources, said[said >= 0], kept.width)

    # Conversion

    def voted(self) -> npt.NDArray[np.bool_]:
        """(rows,): whether any source votes."""
        return np.diff(self.starts) > 0

    def check_dense(self) -> None:
        """Raise if there are too many items and sources for a dense table of them."""
        if len(self) * self.width > MAX_DENSE:
            raise VoteError(
                f"{len(self):,} items × {self.width:,} sources are too many for a dense table of codes; "
                "take some of them: votes.take(slice(0, 100_000)).codes"
            )

    def dense(self, dtype: npt.DTypeLike | None = None) -> CodeArray:
        """(rows, sources), in which −1 abstains; column-major.

        Raises
        ------
        VoteError
            If that would be more than ``MAX_DENSE`` codes.
        """
        self.check_dense()
        codes = np.full((len(self), self.width), -1, dtype=dtype or self.codes.dtype, order="F")
        if self.has_several:
            raise VoteError(
                "some sources cast several votes on one item, for which a table of codes has no room; "
                "look at votes.cast, or at one component: votes.of_component(0).codes"
            )
        codes[self.row, self.sources] = self.codes
        return codes

    @property
    def has_several(self) -> bool:
        """Whether some source casts several votes on one row."""
        again = self.sources[1:] == self.sources[:-1]
        again[self.starts[1:-1][(self.starts[1:-1] > 0) & (self.starts[1:-1] <= len(again))] - 1] = False
        return bool(again.any())

    def columns(self) -> Iterator[CodeArray]:
        """The (rows,) codes of each source in turn, in which −1 abstains."""
        by_source = np.argsort(self.sources, kind="stable")
        ends = np.cumsum([0, *np.bincount(self.sources, minlength=self.width)])
        row = self.row
        for source in range(self.width):
            own = by_source[ends[source] : ends[source + 1]]
            column = np.full(len(self), -1, dtype=self.codes.dtype)
            column[row[own]] = self.codes[own]
            yield column

    def hashes(self, factors: npt.NDArray[np.uint64], hashes: npt.NDArray[np.uint64]) -> None:
        """Write the hash of each row to (rows,) ``hashes``; ``factors`` (sources,) are the sources' multipliers."""
        from assay._core import hash_loops

        hash_loops.hash_listed(self.starts, self.sources, self.codes, factors, hashes)

    @classmethod
    def concat(cls, parts: Sequence[SparseCodes]) -> Self:
        """The rows of all parts, one after the other."""
        ends = np.cumsum([0, *(part.starts[-1] for part in parts)])
        starts = np.concatenate([[0], *(part.starts[1:] + end for part, end in zip(parts, ends, strict=False))])
        return cls(
            starts.astype(np.int64),
            np.concatenate([part.sources for part in parts]),
            np.concatenate([part.codes for part in parts]),
            parts[0].width,
        )
