"""Counts of votes and co-votes: all that the moment methods need, and it adds up exactly.

Counts from any partition of the items, merged in any order, are the same
integers as counts from all of them at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
from scipy import sparse

from assay.cliques import Layout
from assay.errors import VoteError
from assay.graph import SourceGraph

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_MOST = 2**62

MAX_INDICATORS = 6_000
"""The most indicators whose co-votes are counted at once."""


@dataclass(frozen=True, eq=False)
class Patterns:
    """The distinct rows of votes, and how often each occurs. They add."""

    codes: npt.NDArray[np.int32]
    """(patterns, sources), in lexical order."""
    counts: IntArray
    """(patterns,)."""

    @classmethod
    def zero(cls, sources: int) -> Patterns:
        """No items."""
        return cls(np.empty((0, sources), dtype=np.int32), np.empty(0, dtype=np.int64))

    @classmethod
    def of(cls, codes: npt.NDArray[np.integer]) -> Patterns:
        """The patterns of a matrix of votes, (items, sources).

        >>> Patterns.of(np.array([[0, 1], [1, 1], [0, 1]])).counts.tolist()
        [2, 1]
        """
        return cls._merged(codes.astype(np.int32), np.ones(len(codes), dtype=np.int64))

    @classmethod
    def _merged(cls, codes: npt.NDArray[np.int32], counts: IntArray) -> Patterns:
        if not codes.shape[1]:
            return cls(codes[:1], counts.sum(keepdims=True)[: len(codes)])
        first, group = _distinct_rows(codes)
        return cls(codes[first], np.bincount(group, weights=counts, minlength=len(first)).astype(np.int64))

    def __add__(self, other: Patterns) -> Patterns:
        return self._merged(np.concatenate([self.codes, other.codes]), np.concatenate([self.counts, other.counts]))

    @property
    def items(self) -> int:
        """How many items there are."""
        return int(self.counts.sum())


def _distinct_rows(codes: npt.NDArray[np.int32]) -> tuple[IntArray, IntArray]:
    """Where each distinct row, in lexical order, first stands; and the number of each row's.

    Rows are read as numbers, as many columns at a time as fit into one, which sorts
    an order of magnitude faster than rows of bytes.
    """
    sizes = codes.max(axis=0, initial=-1).astype(np.int64) + 2
    group = np.zeros(len(codes), dtype=np.int64)
    first = np.zeros(min(len(codes), 1), dtype=np.int64)
    at = 0
    while at < codes.shape[1]:
        key, capacity = group, max(len(first), 1)
        while at < codes.shape[1] and capacity <= _MOST // int(sizes[at]):
            key = key * sizes[at] + (codes[:, at] + 1)
            capacity *= int(sizes[at])
            at += 1
        if capacity <= max(4 * len(codes), 1_000):
            seen = np.full(capacity, -1, dtype=np.int64)
            seen[key[::-1]] = np.arange(len(key) - 1, -1, -1)
            present = np.flatnonzero(seen >= 0)
            first = seen[present]
            seen[present] = np.arange(len(present))
            group = seen[key]
        else:
            _, first, group = np.unique(key, return_index=True, return_inverse=True)
    return first, group


@dataclass(frozen=True)
class Indicator:
    """The event that some sources, all in one clique, emit certain values."""

    sources: tuple[int, ...]
    values: tuple[int, ...]


def single_indicators(layout: Layout) -> tuple[Indicator, ...]:
    """One for each value of each source."""
    return tuple(
        Indicator((source,), (value,)) for source, masks in enumerate(layout.masks) for value in range(len(masks))
    )


def clique_indicators(layout: Layout) -> tuple[Indicator, ...]:
    """Those of single sources, and of the joint votes of all cliques that are observable (the paper's O)."""
    found = dict.fromkeys(single_indicators(layout))
    for clique in layout.cliques:
        for size in range(2, len(clique.sources) + 1):
            for members in combinations(clique.sources, size):
                for values in product(*(range(len(layout.masks[source])) for source in members)):
                    found[Indicator(members, values)] = None
    if len(found) > MAX_INDICATORS:
        raise VoteError(
            f"the cliques of dependent sources have {len(found):,} joint votes, more than the {MAX_INDICATORS:,} that "
            "moments are taken of; declare fewer dependencies, or use method='em'"
        )
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Statistics:
    """How often indicators hold, alone and together."""

    indicators: tuple[Indicator, ...]
    items: int
    single: IntArray
    """(indicators,)."""
    pair: IntArray
    """(indicators, indicators); the diagonal repeats ``single``."""

    @classmethod
    def zero(cls, indicators: Sequence[Indicator]) -> Statistics:
        """No items."""
        size = len(indicators)
        return cls(tuple(indicators), 0, np.zeros(size, dtype=np.int64), np.zeros((size, size), dtype=np.int64))

    @classmethod
    def count(cls, patterns: Patterns, indicators: Sequence[Indicator]) -> Statistics:
        """Count indicators in vote patterns."""
        holds = sparse.csc_array(held(patterns.codes, indicators))
        weighted = holds.multiply(patterns.counts[:, None]).tocsc()
        pair = np.asarray((holds.T @ weighted).toarray(), dtype=np.int64)
        return cls(tuple(indicators), patterns.items, pair.diagonal().copy(), pair)

    def __add__(self, other: Statistics) -> Statistics:
        if self.indicators != other.indicators:
            raise VoteError("only counts of the same sources, values and dependencies can be added")
        return Statistics(self.indicators, self.items + other.items, self.single + other.single, self.pair + other.pair)

    @property
    def rates(self) -> FloatArray:
        """(indicators,): how often each holds, as a share."""
        return self.single / max(self.items, 1)

    @property
    def covariance(self) -> FloatArray:
        """(indicators, indicators): their covariance over the items."""
        return self.pair / max(self.items, 1) - np.outer(self.rates, self.rates)

    def keep(self, chosen: IntArray) -> Statistics:
        """The counts of some indicators."""
        return Statistics(
            tuple(self.indicators[index] for index in chosen),
            self.items,
            self.single[chosen],
            self.pair[np.ix_(chosen, chosen)],
        )


def omega_of(indicators: Sequence[Indicator], graph: SourceGraph) -> BoolArray:
    r"""(d, d): :math:`\Omega`, the pairs of indicators that share no maximal clique."""
    member = np.zeros((len(indicators), len(graph.names)))
    for row, indicator in enumerate(indicators):
        member[row, list(indicator.sources)] = 1
    joined = np.eye(len(graph.names), dtype=bool)
    for i, j in graph.edges:
        joined[i, j] = joined[j, i] = True
    return np.asarray(member @ ~joined @ member.T > 0)


def minimal(statistics: Statistics) -> IntArray:
    """The indicators that vary and are not determined by the others of the same sources.

    The last value of a source that never abstains is determined by its other values.
    """
    total: dict[int, int] = {}
    last: dict[int, int] = {}
    for indicator, count in zip(statistics.indicators, statistics.single, strict=True):
        if len(indicator.sources) == 1 and count:
            (source,), (value,) = indicator.sources, indicator.values
            total[source] = total.get(source, 0) + int(count)
            last[source] = value
    implied = {(source, last[source]) for source in total if total[source] == statistics.items}
    chosen = [
        index
        for index, (indicator, count) in enumerate(zip(statistics.indicators, statistics.single, strict=True))
        if 0 < count < statistics.items and implied.isdisjoint(zip(indicator.sources, indicator.values, strict=True))
    ]
    return np.array(chosen, dtype=np.int64)


def held(codes: npt.NDArray[np.int32], indicators: Sequence[Indicator]) -> sparse.coo_array:
    """(patterns, indicators): ones where an indicator holds."""
    rows, columns = [], []
    for column, indicator in enumerate(indicators):
        holds = np.ones(len(codes), dtype=bool)
        for source, value in zip(indicator.sources, indicator.values, strict=True):
            holds &= codes[:, source] == value
        found = np.flatnonzero(holds)
        rows.append(found)
        columns.append(np.full(len(found), column))
    row, column_of = np.concatenate([*rows, []]), np.concatenate([*columns, []])
    return sparse.coo_array(
        (np.ones(len(row), dtype=np.int64), (row.astype(np.int64), column_of.astype(np.int64))),
        shape=(len(codes), len(indicators)),
    )
