"""When votes determine accuracies and the class balance: against networkx, brute force and random accuracies."""

from itertools import combinations, product

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.identifiability import (
    View,
    independence_number,
    independent_groups,
    meets_kruskal,
    parts_of,
    rarely_separated,
)
from assay.counts.source_graph import SourceGraph


@st.composite
def adjacencies(draw, most=7):
    size = draw(st.integers(1, most))
    edges = draw(st.lists(st.sampled_from([*combinations(range(size), 2), (0, 0)]), max_size=12))
    joined = np.zeros((size, size), dtype=bool)
    for one, other in edges:
        joined[one, other] = joined[other, one] = one != other
    return joined


@given(adjacencies())
def test_parts_are_those_of_networkx(joined):
    graph = nx.from_numpy_array(joined)
    expected = {frozenset(part) for part in nx.connected_components(graph)}
    parts = parts_of(joined)
    assert {frozenset(part.members) for part in parts} == expected
    for part in parts:
        inside = graph.subgraph(part.members)
        assert (part.sides is not None) == nx.is_bipartite(inside)
        if part.sides is not None:
            assert not any(set(edge) <= set(side) for side in part.sides for edge in inside.edges)


@given(adjacencies())
def test_independent_sources_are_those_of_brute_force(joined):
    size = len(joined)
    graph = SourceGraph([str(j) for j in range(size)], [(int(i), int(j)) for i, j in np.argwhere(joined)])
    tied = np.zeros((size, size), dtype=bool)
    for one, other in graph.edges:
        tied[one, other] = tied[other, one] = True
    most = max(
        count
        for count in range(size + 1)
        for chosen in combinations(range(size), count)
        if not tied[np.ix_(chosen, chosen)].any()
    )
    assert independence_number(~tied & ~np.eye(size, dtype=bool)) == min(most, 3)
    found = independent_groups(tied)
    assert len(found) == most or len(found) >= 3
    for one, other in combinations(found, 2):
        assert not tied[np.ix_(one, other)].any()


@st.composite
def mask_lists(draw, outcomes):
    """What some sources say: sets of outcomes, neither none nor all of them."""
    sets = st.sets(st.integers(0, outcomes - 1), min_size=1, max_size=max(outcomes - 1, 1)).map(frozenset)
    said = draw(st.lists(st.lists(sets, min_size=1, max_size=3, unique=True), min_size=1, max_size=3))
    return [np.array([[y in one for y in range(outcomes)] for one in source]) for source in said]


@given(st.integers(2, 5).flatmap(mask_lists), st.integers(0, 99))
def test_kruskal_ranks_are_those_of_random_accuracies(sources, seed):
    rng = np.random.default_rng(seed)
    outcomes = sources[0].shape[1]
    table = np.ones((1, outcomes))
    for masks in sources:
        rates = rng.uniform(0.05, 0.15, len(masks))[:, None] + rng.uniform(0.05, 0.15, len(masks))[:, None] * masks
        own = np.vstack([rates, 1 - rates.sum(axis=0)])
        table = (table[:, None] * own[None]).reshape(-1, outcomes)
    table = table / table.max(axis=1, keepdims=True)
    expected = max(
        k
        for k in range(outcomes + 1)
        if all(np.linalg.matrix_rank(table[:, chosen], tol=1e-7) == k for chosen in combinations(range(outcomes), k))
    )
    views = [View.of(masks) for masks in sources]
    assert sum(views[1:], views[0]).kruskal_rank() == expected


@given(st.integers(2, 4).flatmap(lambda r: st.lists(mask_lists(r).map(lambda masks: masks[0]), min_size=1, max_size=5)))
def test_kruskals_condition_is_met_if_some_split_meets_it(sources):
    views = [View.of(masks) for masks in sources]
    outcomes = sources[0].shape[1]

    def rank(chosen):
        return sum(chosen[1:], chosen[0]).kruskal_rank() if chosen else 1

    expected = any(
        sum(rank([v for v, place in zip(views, places, strict=True) if place == p]) for p in range(3))
        >= 2 * outcomes + 2
        for places in product(range(3), repeat=len(views))
    )
    assert meets_kruskal(views) == expected
    if expected:
        assert not rarely_separated(views).any()
