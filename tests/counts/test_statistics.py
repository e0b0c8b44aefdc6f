"""Counts of indicators are those that anyone would count."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.counts.cliques import Layout
from assay.counts.patterns import Patterns
from assay.counts.source_graph import SourceGraph
from assay.counts.statistics import Indicator, Statistics, clique_indicators, held, single_indicators
from assay.simulate import flat_world
from assay.votes.sparse_codes import SparseCodes
from tests.support.strategies import matrices
from tests.support.worlds import enumerated, written_out

CLASSES = 3


def layout_for(sources, dependencies=()):
    masks = tuple(np.eye(CLASSES, dtype=bool) for _ in range(sources))
    return Layout(masks, SourceGraph([str(j) for j in range(sources)], dependencies), CLASSES)


@given(matrices(max_rows=12, classes=CLASSES))
def test_counts_and_covariance_are_those_of_numpy(matrix):
    codes = np.array(matrix)
    m = codes.shape[1]
    indicators = clique_indicators(layout_for(m, [tuple(range(m))] if m > 1 else []))
    columns = np.array(
        [
            [all(row[s] == v for s, v in zip(i.sources, i.values, strict=True)) for i in indicators]
            for row in codes.tolist()
        ]
    ).astype(int)
    counted = Statistics.count(Patterns.of(codes), indicators)
    assert (counted.single == columns.sum(axis=0)).all()
    assert (counted.pair == columns.T @ columns).all()
    np.testing.assert_allclose(counted.covariance, np.cov(columns.T, bias=True).reshape(counted.pair.shape), atol=1e-14)
    assert (held(SparseCodes.of(codes), indicators).toarray() == columns).all()


@given(enumerated(max_sources=4))
def test_indicators_of_cliques_are_the_joint_votes_that_can_be_seen(world):
    found = clique_indicators(world.layout)
    assert len(set(found)) == len(found)
    # With abstaining as the reference, a complete clique has as many as it has configurations but one.
    for clique in world.layout.graph.cliques:
        inside = [i for i in found if set(i.sources) <= set(clique)]
        assert len(inside) == np.prod([len(world.layout.masks[s]) + 1 for s in clique]) - 1
    assert set(single_indicators(world.layout)) <= set(found)


@given(st.integers(0, 50))
def test_covariance_of_the_population_vanishes_between_independent_sources_given_the_truth(seed):
    world = written_out(flat_world(sources=3, balance=[0.3, 0.7], coverage=0.8, seed=seed))
    counted = Statistics.count(world.patterns(), single_indicators(world.layout))
    mean = [np.array([table[v] for table in world.conditionals for v in range(2)])[:, y] for y in range(2)]
    between = world.balance[0] * world.balance[1] * np.outer(mean[0] - mean[1], mean[0] - mean[1])
    source_of = np.array([indicator.sources[0] for indicator in counted.indicators])
    apart = source_of[:, None] != source_of
    np.testing.assert_allclose(counted.covariance[apart], between[apart], atol=1e-12)


def test_keeping_some_indicators():
    indicators = single_indicators(layout_for(2))
    counted = Statistics.count(Patterns.of(np.array([[0, 1], [0, 0], [-1, 2]])), indicators)
    kept = counted.keep(np.array([0, 4]))
    assert kept.indicators == (Indicator((0,), (0,)), Indicator((1,), (1,)))
    assert kept.single.tolist() == [2, 1]
    assert kept.pair.tolist() == [[2, 1], [1, 1]]


def test_no_items():
    empty = Statistics.count(Patterns.of(np.empty((0, 2), dtype=int)), single_indicators(layout_for(2)))
    assert empty.items == 0
    assert not empty.covariance.any()


def test_too_many_joint_votes_are_refused():
    layout = layout_for(8, list(combinations(range(8), 2)))
    masks = tuple(np.eye(CLASSES, dtype=bool)[:2] for _ in range(8))
    assert len(clique_indicators(Layout(masks[:6], layout.graph.restricted(range(6)), CLASSES))) == 3**6 - 1
    with pytest.raises(assay.VoteError, match="use method='em'"):
        clique_indicators(Layout(masks, layout.graph, CLASSES))
