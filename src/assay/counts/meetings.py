"""How often two sources meet, and how often they agree: of the pairs that really meet, where there are many sources.

Of a hundred thousand workers who label a few items each, most never meet. A table of all pairs would not fit into
memory; a list of those that meet is never longer than the votes allow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]

_AT_ONCE = 2**22
"""How many meetings are listed at a time, before they are added up."""


@dataclass(frozen=True, eq=False)
class Meetings:
    """Counts of the pairs of sources that meet in one component. They add up exactly, in any order."""

    sources: int
    """How many there are."""
    pairs: IntArray
    """(pairs,), ascending: first source · sources + second source, where the first is not after the second."""
    overlap: IntArray
    """(pairs,): on how many items both vote; for a source and itself, how often it votes."""
    agreement: IntArray
    """(pairs,): on how many of those they say the same."""

    @classmethod
    def none(cls, sources: int) -> Self:
        """Nobody votes."""
        return cls(sources, *(np.empty(0, dtype=np.int64) for _ in range(3)))

    @classmethod
    def of(cls, sources: int, starts: IntArray, voter: npt.NDArray[np.int32], says: npt.NDArray[np.int32]) -> Self:
        """Count the votes of rows that begin at ``starts``: (votes,) voters, ascending in a row, and what each says.

        >>> met = Meetings.of(9, np.array([0, 2, 4]), np.array([3, 7, 3, 7]), np.array([1, 1, 0, 1]))
        >>> met.pairs.tolist(), met.overlap.tolist(), met.agreement.tolist()
        ([30, 34, 70], [2, 2, 2], [2, 1, 2])
        """
        total, waiting = cls.none(sources), [cls.none(sources)]
        for rows in _blocks(starts):
            first, last = int(starts[rows.start]), int(starts[rows.stop])
            waiting.append(
                cls._listed(sources, starts[rows.start : rows.stop + 1] - first, voter[first:last], says[first:last])
            )
            # A long list is added to only when as much has come together, so that adding takes no longer than listing.
            if sum(len(part.pairs) for part in waiting) > max(len(total.pairs), _AT_ONCE):
                total, waiting = cls._sum([total, *waiting]), []
        return cls._sum([total, *waiting])

    @classmethod
    def _listed(cls, sources: int, starts: IntArray, voter: npt.NDArray[np.int32], says: npt.NDArray[np.int32]) -> Self:
        ends = np.repeat(starts[1:], np.diff(starts))
        place = np.arange(len(voter))
        pairs, agree = [], []
        for apart in range(int(np.diff(starts).max(initial=0))):
            place = place[ends[place] > place + apart]
            pairs.append(voter[place].astype(np.int64) * sources + voter[place + apart])
            agree.append(says[place] == says[place + apart])
        found = np.concatenate([*pairs, np.empty(0, dtype=np.int64)])
        same = np.concatenate([*agree, np.empty(0, dtype=bool)])
        return cls._sum([cls(sources, found, np.ones(len(found), dtype=np.int64), same.astype(np.int64))])

    @classmethod
    def _sum(cls, parts: list[Self]) -> Self:
        pairs = np.concatenate([part.pairs for part in parts])
        if not len(pairs):
            return parts[0]
        order = np.argsort(pairs, kind="stable")
        pairs = pairs[order]
        first = np.flatnonzero(np.concatenate([[True], pairs[1:] != pairs[:-1]]))
        overlap, agreement = (
            np.add.reduceat(np.concatenate(counts)[order], first)
            for counts in ([part.overlap for part in parts], [part.agreement for part in parts])
        )
        return cls(parts[0].sources, pairs[first], overlap, agreement)

    def __add__(self, other: Self) -> Self:
        return self._sum([self, other])

    def table(self, counts: IntArray, among: IntArray) -> IntArray:
        """(among, among): ``overlap`` or ``agreement``, of some sources, ascending; zero for those that do not meet."""
        one, other, chosen = self._places(among)
        found = np.zeros((len(among), len(among)), dtype=np.int64)
        found[one, other] = found[other, one] = counts[chosen]
        return found

    def met(self, among: IntArray) -> tuple[IntArray, IntArray]:
        """(pairs,) each: the sources, as positions in ``among``, that meet, the first before the second."""
        one, other, _ = self._places(among)
        return one[one < other], other[one < other]

    def _places(self, among: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """The pairs within some sources: the places of both among those, and which pairs they are."""
        first, second = np.divmod(self.pairs, self.sources)
        place = np.full(self.sources, -1, dtype=np.int64)
        place[among] = np.arange(len(among))
        chosen = np.flatnonzero((place[first] >= 0) & (place[second] >= 0))
        return place[first[chosen]], place[second[chosen]], chosen


def most_meetings(starts: IntArray, sources: int) -> int:
    """No more pairs than this meet in rows that begin at ``starts``."""
    votes = np.diff(starts).astype(np.float64)
    return int(min((votes * (votes + 1) / 2).sum(), sources * (sources + 1) / 2))


def _blocks(starts: IntArray) -> Iterator[slice]:
    """Rows in blocks of few enough meetings."""
    votes = np.diff(starts)
    listed = np.concatenate([[0], np.cumsum(votes * (votes + 1) // 2)])
    row = 0
    while row < len(votes):
        stop = max(int(np.searchsorted(listed, listed[row] + _AT_ONCE, side="right")) - 1, row + 1)
        yield slice(row, stop)
        row = stop
