"""P(outcome | votes) equals Bayes' theorem on the distribution written out in full."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from assay.counts.cliques import Layout
from assay.counts.source_graph import SourceGraph
from assay.model.parameters import Parameters, independent
from assay.model.scorer import BLOCK, Scorer
from assay.model.scorer import posterior as posterior_of
from assay.model.scoring import Scoring
from assay.votes import SparseCodes
from tests.support.worlds import enumerated


def posterior(parameters, codes):
    return posterior_of(Scoring.bayes(parameters), codes)


@given(enumerated())
@settings(max_examples=60)
def test_posterior_equals_enumeration(world):
    np.testing.assert_allclose(posterior(world.parameters(), world.rows), world.posterior, rtol=0, atol=1e-10)


@given(enumerated())
@settings(max_examples=60)
def test_posterior_that_ignores_abstentions_equals_enumeration(world):
    found = posterior(world.parameters(ignore_abstentions=True), world.rows)
    np.testing.assert_allclose(found, world.posterior_ignoring_abstentions(), rtol=0, atol=1e-10)


@given(enumerated(min_sources=2))
@settings(max_examples=60)
def test_those_asked_later_are_left_out_where_none_of_them_votes(world):
    """There it is Bayes' theorem for the others; where one votes, for all: their silence is evidence, too."""
    later = world.layout.graph.components[-1]
    cliques = tuple(at for at, clique in enumerate(world.layout.cliques) if clique.sources[0] in later)
    scoring = replace(Scoring.bayes(world.parameters()), asked_later=cliques)
    others = np.delete(world.rows, later, axis=1)
    of_others = world.balance * np.array([world.chances[(others == row).all(axis=1)].sum(axis=0) for row in others])
    asked = (world.rows[:, later] >= 0).any(axis=1, keepdims=True)
    expected = np.where(asked, world.posterior, of_others / of_others.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(posterior_of(scoring, world.rows), expected, rtol=0, atol=1e-10)
    listed = Scorer(scoring).sparse(SparseCodes.of(world.rows))[0]
    np.testing.assert_allclose(listed, expected, rtol=0, atol=1e-10)


def test_random_graphs_have_separators_beyond_the_truth():
    found = []

    @given(enumerated())
    @settings(max_examples=60)
    def collect(world):
        found.append(max((len(clique.separator) for clique in world.layout.cliques), default=0))

    collect()
    assert {0, 1, 2} <= set(found)


@given(enumerated())
def test_ignored_abstentions_are_the_same_for_all_outcomes(world):
    for found, expected in zip(world.parameters(True).conditionals, world.conditionals, strict=True):
        np.testing.assert_allclose(found.sum(axis=0), 1)
        assert np.ptp(found[-1]) < 1e-12
        assert found[-1, 0] == pytest.approx(expected[-1] @ world.balance)


@pytest.mark.parametrize("accuracy", [1e-15, 0.001, 0.5, 0.999, 1 - 1e-15])
@pytest.mark.parametrize("ignored", [False, True])
def test_five_hundred_sources_do_not_underflow(accuracy, ignored):
    m, r = 500, 3
    layout = Layout(tuple(np.eye(r, dtype=bool) for _ in range(m)), SourceGraph([str(j) for j in range(m)]), r)
    said = np.where(np.eye(r, dtype=bool), accuracy, (1 - accuracy) / (r - 1))
    tables = [np.vstack([0.9 * said, np.full((1, r), 0.1)])] * m
    parameters = independent(layout, np.array([0.98, 0.01, 0.01]), tables, ignored)
    codes = np.random.default_rng(0).integers(-1, r, size=(50, m))
    codes[0], codes[1], codes[2] = -1, 0, 1
    found = posterior(parameters, codes)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)
    if accuracy > 0.5:
        assert (found[1:3].argmax(axis=1) == [0, 1]).all()


def test_zeros_in_tables_and_in_the_balance_stay_finite():
    layout = Layout((np.eye(2, dtype=bool),) * 3, SourceGraph("abc"), 2)
    sure = np.vstack([np.eye(2), np.zeros((1, 2))])
    found = posterior(Parameters(layout, np.array([1.0, 0.0]), (sure,) * 3), np.array([[0, 0, 0], [1, 0, 1], [-1] * 3]))
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_blocks_do_not_show():
    layout = Layout((np.eye(2, dtype=bool),), SourceGraph("a"), 2)
    parameters = independent(layout, np.array([0.4, 0.6]), [np.array([[0.6, 0.1], [0.2, 0.7], [0.2, 0.2]])])
    codes = np.arange(BLOCK + 7)[:, None] % 3 - 1
    np.testing.assert_array_equal(
        posterior(parameters, codes), posterior(parameters, codes[:3])[np.arange(len(codes)) % 3]
    )
