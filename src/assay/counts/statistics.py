"""Counts of votes and co-votes of one component: all that the moment methods need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from assay.counts.cliques import Layout
from assay.counts.patterns import Patterns
from assay.counts.source_graph import SourceGraph
from assay.counts.tally import Tally
from assay.errors import VoteError
from assay.votes import SparseCodes

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

MAX_INDICATORS = 6_000
"""The most indicators whose co-votes are counted at once."""
_DENSE = 0.02
"""If more than this share of indicators holds, dense products are faster than sparse ones."""
_BLOCK = 20_000
"""The number of patterns per dense product."""


@dataclass(frozen=True)
class Indicator:
    """The event that some sources, all in one clique, emit certain values."""

    sources: tuple[int, ...]
    values: tuple[int, ...]


def single_indicators(layout: Layout) -> tuple[Indicator, ...]:
    """One indicator for each value of each source."""
    return tuple(
        Indicator((source,), (value,)) for source, masks in enumerate(layout.masks) for value in range(len(masks))
    )


def clique_indicators(layout: Layout) -> tuple[Indicator, ...]:
    """The indicators of single sources, and of the joint votes of all observable cliques (the paper's O)."""
    found = dict.fromkeys(single_indicators(layout))
    for clique in layout.cliques:
        for size in range(2, len(clique.sources) + 1):
            for members in combinations(clique.sources, size):
                for values in product(*(range(len(layout.masks[source])) for source in members)):
                    found[Indicator(members, values)] = None
    if len(found) > MAX_INDICATORS:
        raise VoteError(
            f"the cliques of dependent sources have {len(found):,} joint votes, but moments are computed for at most "
            f"{MAX_INDICATORS:,}; declare fewer dependencies, or use method='em'"
        )
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Statistics:
    """Counts of indicators and of their co-occurrences."""

    indicators: tuple[Indicator, ...]
    items: int
    single: IntArray
    """(indicators,)."""
    pair: IntArray
    """(indicators, indicators); the diagonal repeats ``single``."""

    @classmethod
    def count(cls, patterns: Patterns, indicators: Sequence[Indicator]) -> Statistics:
        """Count indicators in vote patterns."""
        return cls.weighted(indicators, held(patterns.rows, indicators), patterns)

    @classmethod
    def weighted(cls, indicators: Sequence[Indicator], holds: Any, patterns: Patterns) -> Statistics:
        """The counts from a sparse matrix (patterns, indicators) of ones where an indicator holds."""
        if holds.nnz > _DENSE * holds.shape[0] * holds.shape[1]:
            rows = holds.tocsr()
            pair = np.zeros((len(indicators), len(indicators)))
            for start in range(0, len(patterns), _BLOCK):
                block = slice(start, start + _BLOCK)
                some = rows[block].toarray()
                pair += (some * patterns.counts[block, None]).T @ some
        else:
            pair = (holds.T @ holds.multiply(patterns.counts[:, None]).tocsc()).toarray()
        counts = np.rint(pair).astype(np.int64)
        return cls(tuple(indicators), round(patterns.items), counts.diagonal().copy(), counts)

    @classmethod
    def of(cls, tally: Tally, layout: Layout) -> Statistics:
        """The counts of single indicators over all items of a tally."""
        indicators = single_indicators(layout)
        assert tally.pair is not None
        if layout.translation is None:
            return cls(indicators, tally.items, tally.single, tally.pair)
        # Values with the same meaning share one indicator; those that say nothing about the component have none.
        gathered = np.zeros((len(indicators), len(tally.single)))
        first, offsets = layout.value_offsets, tally.schema.offsets
        for at, (source, values) in enumerate(
            zip(layout.translation.sources, layout.translation.value_of_code, strict=True)
        ):
            own = np.arange(offsets[source], offsets[source + 1])
            spoken = values[:-1] >= 0
            gathered[first[at] + values[:-1][spoken], own[spoken]] = 1.0
        pair = np.rint(gathered @ tally.pair.astype(float) @ gathered.T).astype(np.int64)
        return cls(indicators, tally.items, pair.diagonal().copy(), pair)

    def without_levels(self, layout: Layout) -> Statistics:
        """The counts of single indicators as if confidence did not count; ``layout`` is the one with levels."""
        if not layout.has_levels:
            return self
        pair = np.rint(by_label(by_label(self.pair, layout).T, layout)).astype(np.int64)
        # Two levels of one label never meet, so this is also right inside of a source.
        return Statistics(single_indicators(layout.without_levels), self.items, pair.diagonal().copy(), pair)

    @property
    def rates(self) -> FloatArray:
        """(indicators,): the share of the items for which each holds."""
        return self.single / max(self.items, 1)

    @property
    def covariance(self) -> FloatArray:
        """(indicators, indicators): their covariance over the items."""
        return self.pair / max(self.items, 1) - np.outer(self.rates, self.rates)

    def of_sources(self, sources: Sequence[int]) -> Statistics:
        """The counts of single indicators of some sources, renumbered in the given order."""
        place = {source: at for at, source in enumerate(sources)}
        chosen = [at for at, i in enumerate(self.indicators) if i.sources[0] in place]
        kept = self.keep(np.array(chosen, dtype=np.int64))
        renamed = tuple(Indicator((place[i.sources[0]],), i.values) for i in kept.indicators)
        return replace(kept, indicators=renamed)

    def keep(self, chosen: IntArray) -> Statistics:
        """The counts of some indicators."""
        return Statistics(
            tuple(self.indicators[index] for index in chosen),
            self.items,
            self.single[chosen],
            self.pair[np.ix_(chosen, chosen)],
        )


def by_label(table: npt.NDArray[Any], layout: Layout) -> FloatArray:
    """(labels, …): rows of a (values, …) table, summed over the levels of confidence of each label."""
    starts = np.flatnonzero(np.diff(layout.label_of_value, prepend=-1))
    return np.asarray(np.add.reduceat(table.astype(float), starts, axis=0)) if len(starts) else table.astype(float)


def omega_of(indicators: Sequence[Indicator], graph: SourceGraph) -> BoolArray:
    r"""(d, d): :math:`\Omega`, the pairs of indicators that share no maximal clique."""
    member = np.zeros((len(indicators), len(graph.names)))
    for row, indicator in enumerate(indicators):
        member[row, list(indicator.sources)] = 1
    return np.asarray(member @ ~graph.in_one_clique @ member.T > 0)


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


def held(rows: SparseCodes, indicators: Sequence[Indicator]) -> sparse.csc_array:
    """(patterns, indicators): ones where an indicator holds."""
    place = {}
    for at, indicator in enumerate(indicators):
        if len(indicator.sources) == 1:
            place[indicator.sources[0], indicator.values[0]] = at
    room = int(max((value for _, value in place), default=0)) + 1
    room = max(room, int(rows.codes.max(initial=0)) + 1)
    column_of = np.full(rows.width * room, -1, dtype=np.int64)
    for (source, value), at in place.items():
        column_of[source * room + value] = at
    found = column_of[rows.sources.astype(np.int64) * room + rows.codes]
    row = rows.row
    entries = [(row[found >= 0], found[found >= 0])]
    joint = [(at, i) for at, i in enumerate(indicators) if len(i.sources) > 1]
    if joint:
        members = sorted({source for _, indicator in joint for source in indicator.sources})
        codes = dict(zip(members, rows.select(members).dense().T, strict=True))
        for at, indicator in joint:
            holds = np.ones(len(rows), dtype=bool)
            for source, value in zip(indicator.sources, indicator.values, strict=True):
                holds &= codes[source] == value
            held_by = np.flatnonzero(holds)
            entries.append((held_by, np.full(len(held_by), at)))
    row, column = (np.concatenate(parts) for parts in zip(*entries, strict=True))
    return sparse.csc_array(sparse.coo_array((np.ones(len(row)), (row, column)), shape=(len(rows), len(indicators))))
