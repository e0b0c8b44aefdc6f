"""Votes as a list: for each row who votes, and what. Small where most sources abstain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
Codes = npt.NDArray[np.signedinteger[Any]]


@dataclass(frozen=True, eq=False)
class Listed:
    """The votes that were cast, row by row."""

    starts: IntArray
    """(rows + 1,): where each row's votes begin."""
    sources: npt.NDArray[np.int32]
    """(votes,): who votes, in rising order within a row."""
    codes: Codes
    """(votes,): what; never negative."""
    width: int
    """How many sources there are."""

    @classmethod
    def of(cls, codes: Codes, rows: IntArray | None = None) -> Self:
        """The votes of some rows, or all, of (items, sources) codes in which −1 abstains.

        >>> listed = Listed.of(np.array([[0, -1], [-1, -1], [1, 0]]))
        >>> listed.starts.tolist(), listed.sources.tolist(), listed.codes.tolist()
        ([0, 1, 1, 3], [0, 0, 1], [0, 1, 0])
        """
        from assay._core import counting_loops

        chosen = np.arange(len(codes), dtype=np.int64) if rows is None else rows
        room = len(chosen) * codes.shape[1] + 1
        starts = np.empty(len(chosen) + 1, dtype=np.int64)
        sources, said = np.empty(room, dtype=np.int32), np.empty(room, dtype=codes.dtype)
        counting_loops.list_votes(codes.T, chosen, starts, sources, said)
        # Copied, so that the room for votes that were not cast is given back.
        return cls(starts, sources[: starts[-1]].copy(), said[: starts[-1]].copy(), codes.shape[1])

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def nbytes(self) -> int:
        """How much memory it takes."""
        return self.starts.nbytes + self.sources.nbytes + self.codes.nbytes

    def take(self, rows: IntArray) -> Self:
        """The given rows, in that order."""
        from assay._core import counting_loops

        chosen = np.asarray(rows, dtype=np.int64)
        lengths = np.diff(self.starts)[chosen]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        sources, codes = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1], dtype=self.codes.dtype)
        counting_loops.take_listed(self.starts, self.sources, self.codes, chosen, starts, sources, codes)
        return type(self)(starts, sources, codes, self.width)

    def slice(self, start: int, stop: int) -> Self:
        """Neighbouring rows, without copying their votes."""
        votes = slice(self.starts[start], self.starts[stop])
        starts = self.starts[start : stop + 1] - self.starts[start]
        return type(self)(starts, self.sources[votes], self.codes[votes], self.width)

    def keep(self, kept: npt.NDArray[np.bool_]) -> Self:
        """The same rows with only some of their votes."""
        before = np.concatenate([[0], np.cumsum(kept)])
        return type(self)(before[self.starts].astype(np.int64), self.sources[kept], self.codes[kept], self.width)

    def select(self, columns: Sequence[int] | IntArray) -> Self:
        """The votes of some sources, which are numbered as given."""
        chosen = np.asarray(columns, dtype=np.int64)
        if len(chosen) == self.width and (chosen == np.arange(self.width)).all():
            return self
        place = np.full(self.width, -1, dtype=np.int32)
        place[chosen] = np.arange(len(chosen), dtype=np.int32)
        kept = self.keep(place[self.sources] >= 0)
        made = type(self)(kept.starts, place[kept.sources], kept.codes, len(chosen))
        return made if (np.diff(chosen) > 0).all() else made.ordered()

    def ordered(self) -> Self:
        """The same votes with those of each row in the order of the sources."""
        row = np.repeat(np.arange(len(self)), np.diff(self.starts))
        order = np.lexsort((self.sources, row))
        return type(self)(self.starts, self.sources[order], self.codes[order], self.width)

    def dense(self, dtype: npt.DTypeLike | None = None) -> Codes:
        """(rows, sources), in which −1 abstains; source by source in memory."""
        codes = np.full((len(self), self.width), -1, dtype=dtype or self.codes.dtype, order="F")
        codes[np.repeat(np.arange(len(self)), np.diff(self.starts)), self.sources] = self.codes
        return codes

    @classmethod
    def concat(cls, parts: Sequence[Listed]) -> Self:
        """The rows of all parts, one after the other."""
        ends = np.cumsum([0, *(part.starts[-1] for part in parts)])
        starts = np.concatenate([[0], *(part.starts[1:] + end for part, end in zip(parts, ends, strict=False))])
        return cls(
            starts.astype(np.int64),
            np.concatenate([part.sources for part in parts]),
            np.concatenate([part.codes for part in parts]),
            parts[0].width,
        )
