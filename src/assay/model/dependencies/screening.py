"""Strong dependencies, found cheaply in counted votes: what a label model looks for unless it is told not to."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from assay.checks import Learnability
from assay.counts import MAX_VALUES, Layout, SourceGraph, Statistics, Tally, layout_of
from assay.model.dependencies.learned import LearnedDependencies, LearnedEdge
from assay.model.dependencies.problem import MOST_DECLARED
from assay.model.dependencies.stepwise import MAX_JOINT_VOTES
from assay.model.estimate.near_copies import Group, NearCopies, near_copies

_LEAST_SOURCES = 4
"""With fewer sources a dependency would make accuracies unidentifiable."""


def strong_dependencies(tally: Tally) -> LearnedDependencies:
    """Groups of near-copies in counted votes, as pairs; none if that would make accuracies unidentifiable."""
    names = tally.names
    counted_parts = list(tally.each_component())
    if all(part.pair is None for part, _, _ in counted_parts):
        note = (
            f"near-copies are looked for among sources with up to {MAX_VALUES:,} values in all, "
            f"but there are {tally.schema.value_count:,}"
        )
        return LearnedDependencies(names, (), np.empty((0, 0)), (note,), strong=True)
    # A table of all sources, of which most meet no others, would be too large.
    residuals = np.eye(len(names)) if tally.schema.value_count <= MAX_VALUES else np.empty((0, 0))
    edges: dict[tuple[str, str], LearnedEdge] = {}
    for component, (counted, at, columns) in zip(tally.tasks.label_space.components, counted_parts, strict=True):
        if counted.pair is None:
            continue
        layout = layout_of(counted.schema, at, SourceGraph(counted.names))
        if len(component) < 2 or len(layout.masks) < _LEAST_SOURCES:
            continue
        statistics = Statistics.of(counted, layout)
        found = near_copies(layout.without_levels, statistics.without_levels(layout))
        place = columns[layout.sources]
        if residuals.size:
            residuals[np.ix_(place, place)] = np.where(np.eye(len(place)) > 0, 1.0, found.excess)
        agreement = counted.overlaps(at, compatible=True, among=layout.sources).agreement
        for group in found.groups:
            for i, j in _pairs(group, found, layout, statistics):
                if not agreement[i, j]:
                    continue  # rules for opposite labels that exclude each other: related, but no copies
                one, other = sorted((int(place[i]), int(place[j])))
                strength = float(np.clip(found.excess[i, j], -1.0, 1.0))
                surprise = strength * float(np.sqrt(found.meetings[i, j]))
                pair = names[one], names[other]
                edge = LearnedEdge(pair, strength, surprise, None)
                edges[pair] = max(edges.get(pair, edge), edge, key=lambda edge: edge.surprise)
    ordered = sorted(edges.values(), key=lambda edge: (-edge.surprise, edge.sources))
    return learnable(LearnedDependencies(names, tuple(ordered), residuals, strong=True), tally)


def learnable(found: LearnedDependencies, tally: Tally) -> LearnedDependencies:
    """The same without the weakest dependencies, as many as would make the accuracies unidentifiable."""
    if not found.pairs:
        return found
    problem = Learnability.of(tally)
    if not problem.ok():
        return found
    kept = found.pairs
    while kept and not problem.ok(kept):
        kept.pop()
    return found.only(kept, "accuracies would no longer be identifiable")


def _pairs(group: Group, found: NearCopies, layout: Layout, statistics: Statistics) -> Iterator[tuple[int, int]]:
    """All pairs of a group; a spanning tree of the strongest if their joint votes would be too many to estimate."""
    every = list(combinations(group, 2))
    listed = np.array([len(layout.masks[source]) for source in group])
    first = layout.value_offsets
    used = np.array([np.count_nonzero(statistics.single[first[source] : first[source + 1]]) for source in group])
    if (used + 1.0).prod() <= MAX_JOINT_VOTES and (listed + 1.0).prod() <= MOST_DECLARED:
        yield from every
        return
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    graph.add_weighted_edges_from((i, j, float(found.excess[i, j])) for i, j in every)
    for i, j in nx.maximum_spanning_tree(graph).edges:
        yield min(i, j), max(i, j)
