"""The input of learning dependencies: the vote patterns of one component."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from assay.counts import Evidence, Layout, Patterns, SourceGraph, Statistics, single_indicators
from assay.model.estimate.em import expectation_maximization
from assay.model.estimate.knowledge import Knowledge
from assay.model.estimate.methods import EMSettings
from assay.model.estimate.residuals import overlaps
from assay.model.estimate.start import from_majority
from assay.model.parameters import Parameters, independent

FloatArray = npt.NDArray[np.float64]
Pair = tuple[int, int]

MOST_DECLARED = 5_000
"""The most joint votes of a group if values that are never emitted count too."""

_COPY_VOTES = 30
"""Sources with identical votes are copies if they cast at least this number."""


@dataclass(frozen=True, eq=False)
class Problem:
    """The votes of sources with unknown dependencies."""

    layout: Layout
    """Without dependencies."""
    patterns: Patterns

    @property
    def sources(self) -> int:
        """The number of sources."""
        return len(self.layout.masks)

    @cached_property
    def independent(self) -> Evidence:
        """The patterns for sources without dependencies."""
        return Evidence(self.layout, self.patterns)

    @property
    def items(self) -> float:
        """The number of items observed; fewer than there are if the patterns are a sample."""
        return float(self.seen.sum())

    @property
    def seen(self) -> FloatArray:
        """(patterns,): how many items each was observed on."""
        return self.patterns.seen

    @cached_property
    def statistics(self) -> Statistics:
        """Counts of single values and of their co-occurrences."""
        # Without dependencies the columns of the design are the single indicators.
        return Statistics.weighted(single_indicators(self.layout), self.independent.design.matrix, self.patterns)

    def half(self, rng: np.random.Generator) -> tuple[Problem, Problem]:
        """Two problems, with a random half of the items each."""
        whole = np.rint(self.seen).astype(np.int64)
        drawn = rng.binomial(whole, 0.5)
        return self._with(drawn), self._with(whole - drawn)

    def some(self, share: float, rng: np.random.Generator) -> Problem:
        """The problem of a random share of the items."""
        return self._with(rng.binomial(np.rint(self.seen).astype(np.int64), share))

    def _with(self, seen: npt.NDArray[np.int64]) -> Problem:
        chosen = np.flatnonzero(seen)
        weights = self.patterns.sampling_weights
        counts = seen[chosen].astype(np.float64)
        if weights is not None:
            weights = weights[chosen]
            counts *= np.maximum(weights, 1.0)
        part = Patterns(self.patterns.rows.take(chosen), counts, weights)
        return replace(self, patterns=part)

    def evidence(self, layout: Layout) -> Evidence:
        """The patterns for a layout of the same sources."""
        return Evidence(layout, self.patterns) if layout.graph.edges else self.independent

    def layout_with(self, edges: Sequence[Pair]) -> Layout:
        """The layout with dependencies."""
        return self.layout.with_graph(SourceGraph(self.layout.graph.names, edges))

    def first_fit(self) -> tuple[Parameters, Evidence]:
        """A fit of independent sources, as if a majority vote were true.

        After even one step of EM a strong group of dependent sources starts to take the place of the truth.
        """
        return from_majority(self.independent, Knowledge.none(self.layout), EMSettings()), self.independent

    def refit(self, edges: Sequence[Pair], start: Parameters, max_steps: int) -> tuple[Parameters, Evidence]:
        """A fit with dependencies, starting from one with others."""
        layout = self.layout_with(edges)
        evidence = self.evidence(layout)
        begin = independent(layout, start.balance, list(start.conditionals))
        settings = EMSettings(max_steps=max_steps, no_gain=0.1, patience=3)
        return expectation_maximization(begin, evidence, Knowledge.none(layout), settings)[0], evidence

    def has_room(self, edges: Sequence[Pair], max_joint_votes: int) -> bool:
        """Whether the group of the last pair has few enough joint votes."""
        import networkx as nx

        whole: nx.Graph[int] = nx.Graph(list(edges))
        group = sorted(nx.node_connected_component(whole, edges[-1][0]))
        place = {source: at for at, source in enumerate(group)}
        inside = [(place[i], place[j]) for i, j in edges if i in place]
        graph = SourceGraph([str(source) for source in group], inside)
        # Values that are never emitted take memory, but need no items to fit.
        used = self.used[group] + 1.0
        declared = np.array([len(self.layout.masks[source]) + 1.0 for source in group])
        return all(
            used[list(clique)].prod() <= max_joint_votes and declared[list(clique)].prod() <= MOST_DECLARED
            for clique in graph.cliques
        )

    @cached_property
    def used(self) -> npt.NDArray[np.int64]:
        """(sources,): the number of distinct values that each emits."""
        first = self.layout.value_offsets[:-1]
        return np.asarray(np.add.reduceat((self.statistics.single > 0).astype(np.int64), first))

    def copies(self) -> list[Pair]:
        """Sources with identical votes, each paired with the next one like it."""
        overlap, agreement = overlaps(self.statistics.pair, self.layout)
        votes = overlap.diagonal()
        same = (agreement == votes[:, None]) & (overlap == votes[None]) & (votes >= _COPY_VOTES)[:, None]
        # Sources that emit one value on every item are not copies of each other.
        varies = (self.used > 1) | (votes < self.statistics.items)
        same &= varies[:, None]
        upper = np.triu(same, 1)
        return [(i, int(np.flatnonzero(row)[0])) for i, row in enumerate(upper) if row.any()]
