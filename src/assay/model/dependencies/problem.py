"""What dependencies are learned from: the vote patterns of one component."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import networkx as nx
import numpy as np
import numpy.typing as npt

from assay.counts import Evidence, Layout, Patterns, SourceGraph, Statistics, single_indicators
from assay.model.estimate.em import EMSettings, expectation_maximization
from assay.model.estimate.knowledge import Knowledge
from assay.model.estimate.residuals import overlaps
from assay.model.estimate.start import from_majority
from assay.model.parameters import Parameters, independent

FloatArray = npt.NDArray[np.float64]
Pair = tuple[int, int]

_MOST_DECLARED = 5_000
"""A group may have so many joint votes if values count that are never emitted."""

_COPY_VOTES = 30
"""So many votes must be the same for sources to be copies."""


@dataclass(frozen=True, eq=False)
class Problem:
    """The votes of sources between which nothing is known yet."""

    layout: Layout
    """Without dependencies."""
    patterns: Patterns

    @property
    def sources(self) -> int:
        """How many sources there are."""
        return len(self.layout.masks)

    @cached_property
    def independent(self) -> Evidence:
        """The patterns for sources without dependencies."""
        return Evidence(self.layout, self.patterns)

    @property
    def items(self) -> float:
        """How many items were looked at; fewer than there are if the patterns are a sample."""
        return float(self.seen.sum())

    @property
    def seen(self) -> FloatArray:
        """(patterns,): how many items each was seen on."""
        return self.patterns.seen

    @cached_property
    def statistics(self) -> Statistics:
        """Counts of single values, alone and together."""
        return Statistics.count(self.patterns, single_indicators(self.layout))

    def half(self, rng: np.random.Generator) -> tuple[Problem, Problem]:
        """Two problems that share the items between them, at random."""
        whole = np.rint(self.seen).astype(np.int64)
        drawn = rng.binomial(whole, 0.5)
        return self._with(drawn), self._with(whole - drawn)

    def some(self, share: float, rng: np.random.Generator) -> Problem:
        """The problem of a share of the items, drawn at random."""
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
        """Independent sources, as if a majority vote were true.

        With a single step of expectation-maximization a strong group of dependent sources begins to become the truth.
        """
        return from_majority(self.independent, Knowledge.none(self.layout), EMSettings()), self.independent

    def refit(self, edges: Sequence[Pair], start: Parameters, max_steps: int) -> tuple[Parameters, Evidence]:
        """Sources with dependencies, from what was learned with others."""
        layout = self.layout_with(edges)
        evidence = self.evidence(layout)
        begin = independent(layout, start.balance, list(start.conditionals))
        settings = EMSettings(max_steps=max_steps, no_gain=0.1, patience=3)
        return expectation_maximization(begin, evidence, Knowledge.none(layout), settings)[0], evidence

    def has_room(self, edges: Sequence[Pair], max_joint_votes: int) -> bool:
        """Whether the group of sources that the last pair is in has few enough joint votes."""
        whole: nx.Graph[int] = nx.Graph(list(edges))
        group = sorted(nx.node_connected_component(whole, edges[-1][0]))
        place = {source: at for at, source in enumerate(group)}
        inside = [(place[i], place[j]) for i, j in edges if i in place]
        graph = SourceGraph([str(source) for source in group], inside)
        # Values that are never emitted take room in the model, but no items to learn.
        used = self.used[group] + 1.0
        declared = np.array([len(self.layout.masks[source]) + 1.0 for source in group])
        return all(
            used[list(clique)].prod() <= max_joint_votes and declared[list(clique)].prod() <= _MOST_DECLARED
            for clique in graph.cliques
        )

    @cached_property
    def used(self) -> npt.NDArray[np.int64]:
        """(sources,): how many different values each emits."""
        first = self.layout.value_offsets[:-1]
        return np.asarray(np.add.reduceat((self.statistics.single > 0).astype(np.int64), first))

    def copies(self) -> list[Pair]:
        """Sources that vote on the same items and say the same, each with the next one like it."""
        met, agreed = overlaps(self.statistics.pair, self.layout)
        votes = met.diagonal()
        same = (agreed == votes[:, None]) & (met == votes[None]) & (votes >= _COPY_VOTES)[:, None]
        # Sources that always say one thing are no copies of each other.
        varies = (self.used > 1) | (votes < self.statistics.items)
        same &= varies[:, None]
        upper = np.triu(same, 1)
        return [(i, int(np.flatnonzero(row)[0])) for i, row in enumerate(upper) if row.any()]
