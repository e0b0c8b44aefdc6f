"""What dependencies are learned from: the vote patterns of one component."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import networkx as nx
import numpy as np
import numpy.typing as npt

from assay.counts import Design, Layout, Patterns, SourceGraph, Statistics, single_indicators
from assay.model.estimate.em import EMSettings, Evidence, expectation_maximization
from assay.model.estimate.residuals import first_values, meetings
from assay.model.estimate.start import from_majority
from assay.model.parameters import Parameters, independent

FloatArray = npt.NDArray[np.float64]
Pair = tuple[int, int]

_MOST_DECLARED = 5_000
"""A group may have so many joint votes if values count that are never emitted."""

_COPY_VOTES = 30
"""So many votes must be the same for sources to be copies."""

_BLOCK = 20_000


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
    def design(self) -> Design:
        """(patterns, values): which values each pattern has."""
        return self.layout.design(self.patterns.rows)

    @property
    def items(self) -> float:
        """How many items were looked at; fewer than there are if the patterns are a sample."""
        return float(self.seen.sum())

    @cached_property
    def seen(self) -> FloatArray:
        """(patterns,): how many items each was seen on."""
        spread = self.patterns.spread
        return self.patterns.counts if spread is None else self.patterns.counts / np.maximum(spread, 1.0)

    @cached_property
    def statistics(self) -> Statistics:
        """Counts of single values, alone and together."""
        pair = np.zeros((self.design.width, self.design.width))
        for start in range(0, len(self.design), _BLOCK):
            rows = slice(start, start + _BLOCK)
            held = self.design.matrix[rows].toarray()
            pair += (held * self.patterns.counts[rows, None]).T @ held
        whole = np.rint(pair).astype(np.int64)
        return Statistics(single_indicators(self.layout), round(self.patterns.items), whole.diagonal().copy(), whole)

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
        spread = self.patterns.spread
        counts = seen[chosen].astype(np.float64)
        if spread is not None:
            spread = spread[chosen]
            counts *= np.maximum(spread, 1.0)
        part = Patterns(self.patterns.rows.take(chosen), counts, spread)
        return replace(self, patterns=part)

    def evidence(self, layout: Layout) -> Evidence:
        """The patterns for a layout of the same sources."""
        design = layout.design(self.patterns.rows) if layout.graph.edges else self.design
        return Evidence(design, self.patterns.counts, None, self.patterns.spread)

    def layout_with(self, edges: Sequence[Pair]) -> Layout:
        """The layout with dependencies."""
        graph = SourceGraph(self.layout.graph.names, edges)
        return Layout(self.layout.masks, graph, self.layout.outcomes)

    def first_fit(self) -> tuple[Parameters, Evidence]:
        """Independent sources, as if a majority vote were true.

        With a single step of expectation-maximization a strong group of dependent sources begins to become the truth.
        """
        signs = np.ones(self.sources)
        start = from_majority(self.layout, self.patterns, self.design, EMSettings(), signs, False)
        return start, self.evidence(self.layout)

    def refit(self, edges: Sequence[Pair], start: Parameters, max_steps: int) -> tuple[Parameters, Evidence]:
        """Sources with dependencies, from what was learned with others."""
        layout = self.layout_with(edges)
        evidence = self.evidence(layout)
        begin = independent(layout, start.balance, list(start.conditionals))
        settings = EMSettings(max_steps=max_steps, no_gain=0.1, patience=3)
        return expectation_maximization(begin, evidence, settings)[0], evidence

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
        first = first_values(self.layout)[:-1]
        return np.asarray(np.add.reduceat((self.statistics.single > 0).astype(np.int64), first))

    def copies(self) -> list[Pair]:
        """Sources that vote on the same items and say the same, each with the next one like it."""
        met, agreed = meetings(self.statistics.pair, self.layout)
        votes = met.diagonal()
        same = (agreed == votes[:, None]) & (met == votes[None]) & (votes >= _COPY_VOTES)[:, None]
        # Sources that always say one thing are no copies of each other.
        varies = (self.used > 1) | (votes < self.statistics.items)
        same &= varies[:, None]
        upper = np.triu(same, 1)
        return [(i, int(np.flatnonzero(row)[0])) for i, row in enumerate(upper) if row.any()]
