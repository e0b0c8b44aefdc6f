"""What one component is fitted on: its layout, its vote patterns, and its co-votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from assay._core.threads import ranges
from assay.counts.cliques import Design, Layout
from assay.counts.grouped_votes import GroupedVotes
from assay.counts.patterns import Patterns, sample_of
from assay.counts.statistics import Indicator, Statistics
from assay.counts.tally import Tally

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_PARTS = 4
"""The number of parts that sums over patterns are split into, whatever the number of threads."""
_MIN_PATTERNS_TO_SPLIT = 2_000
"""Fewer patterns are not worth splitting."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """The votes on one component, counted.

    >>> from assay import Tally, Votes
    >>> from assay.counts import SourceGraph, layout_of
    >>> tally = Tally.of(Votes.from_matrix([[0, 1], [0, 1], [1, -1]]))
    >>> evidence = Evidence.of(tally, layout_of(tally.schema, 0, SourceGraph(tally.names)))
    >>> evidence.items, evidence.seen.tolist()
    (3.0, [2.0, 1.0, 0.0, 2.0])
    """

    layout: Layout
    patterns: Patterns
    """In the values of the layout."""
    statistics: Statistics | None = None
    """Counts of single indicators over all items; None if only the patterns are known."""

    @classmethod
    def of(cls, tally: Tally, layout: Layout) -> Evidence:
        """The evidence of a tally for one component."""
        if layout.apart is not None and tally.parts is not None:
            return replace(cls.of(tally.parts[layout.apart.component], layout.taken_apart), layout=layout)
        found = tally.sketch.patterns()
        return cls(
            layout,
            replace(found, rows=layout.rows(found.rows)),
            None if tally.pair is None else Statistics.of(tally, layout),
        )

    @cached_property
    def counts(self) -> FloatArray:
        """(patterns,): how many items each represents."""
        return self.patterns.counts

    @property
    def items(self) -> float:
        """The number of items."""
        return self.patterns.items

    @cached_property
    def design(self) -> Design:
        """(patterns, configurations): which joint votes each pattern has."""
        return self.layout.design(self.patterns.rows)

    @cached_property
    def grouped(self) -> GroupedVotes | None:
        """The patterns in another form, in which an E-step of two outcomes is faster, if it would be."""
        return GroupedVotes.of(self.layout, self.design)

    @cached_property
    def by_column(self) -> sparse.csc_array:
        """The design matrix by columns, for column selection."""
        return self.design.matrix.tocsc()

    @cached_property
    def seen(self) -> FloatArray:
        """(configurations,): how often each occurs."""
        from assay._core import scoring_loops

        seen = np.zeros(self.design.width)
        scoring_loops.count_columns(self.design.starts, self.design.columns, self.counts, seen)
        return seen

    @cached_property
    def parts(self) -> list[slice]:
        """The patterns in fixed parts, so that sums do not depend on the number of threads."""
        return list(ranges(len(self.patterns), _PARTS if len(self.patterns) > _MIN_PATTERNS_TO_SPLIT else 1))

    @cached_property
    def voted_only(self) -> bool:
        """Whether every item has a vote: those without were left out, or there are none."""
        return bool(len(self.patterns)) and bool((np.diff(self.design.starts) > 0).all())

    @cached_property
    def silent_items(self) -> float:
        """The number of items without votes."""
        return float(self.counts[np.diff(self.design.starts) == 0].sum())

    @property
    def items_per_sampled(self) -> float:
        """The mean sampling weight of the items counted: above 1 if the patterns are a sample."""
        weights = self.patterns.sampling_weights
        if weights is None or not self.counts.sum():
            return 1.0
        return float(np.average(np.maximum(weights, 1.0), weights=self.counts))

    def count(self, indicators: Sequence[Indicator]) -> Statistics:
        """Counts of indicators: over all items for those of single sources, else from the patterns."""
        single = self.statistics
        if single is None or any(len(indicator.sources) > 1 for indicator in indicators):
            return Statistics.count(self.patterns, indicators)
        if tuple(indicators) == single.indicators:
            return single
        place = {indicator: at for at, indicator in enumerate(single.indicators)}
        return single.keep(np.array([place[indicator] for indicator in indicators], dtype=np.int64))

    # Selection

    def thinned(self, size: int) -> Evidence:
        """The same with a sample of the patterns, of at most about this size; see :meth:`Patterns.thinned`."""
        if self.patterns.size <= size:
            return self
        return replace(self, patterns=self.patterns.take(*self.patterns.sample(size)))

    def sample(self, patterns: int) -> Evidence:
        """A sample of at most about this number of patterns; frequent ones are all kept."""
        if len(self.patterns) <= patterns:
            return self
        often = self.counts > self.counts.sum() / patterns
        chosen, counts = sample_of(self.counts, np.ones(len(often), dtype=np.int64), often, patterns)
        return self.take(chosen, counts)

    def take(self, chosen: IntArray, counts: FloatArray) -> Evidence:
        """Some of the patterns, with new counts."""
        weights = self.patterns.sampling_weights
        some = Patterns(self.patterns.rows.take(chosen), counts, None if weights is None else weights[chosen])
        return replace(self, patterns=some)

    def of_sources(self, sources: Sequence[int]) -> Evidence:
        """The votes of some sources, renumbered in the given order."""
        if list(sources) == list(range(len(self.layout.masks))):
            return self
        single = None if self.statistics is None else self.statistics.of_sources(sources)
        return Evidence(self.layout.part(sources), self.patterns.select(sources), single)
