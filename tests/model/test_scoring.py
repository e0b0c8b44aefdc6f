"""What votes add to the log-probability of outcomes, by brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from assay._core import scoring_loops
from assay.model.scoring import Scoring, effective_share, softmax
from assay.votes.sparse_codes import SparseCodes
from tests.support.worlds import enumerated


@given(enumerated())
def test_all_votes_and_outcomes_sum_to_one(world):
    chances = np.exp(Scoring.bayes(world.parameters()).log_joint(world.evidence().design))
    assert chances.sum() == pytest.approx(1, abs=1e-9)
    np.testing.assert_allclose(chances, world.chances * world.balance, atol=1e-10)


@given(enumerated())
def test_votes_sum_to_one_for_each_set_of_voters_if_abstentions_are_ignored(world):
    chances = np.exp(Scoring.bayes(world.parameters(ignore_abstentions=True)).log_joint(world.evidence().design))
    if world.layout.graph.has_singleton_separators:
        group = np.unique(world.rows >= 0, axis=0, return_inverse=True)[1].reshape(-1)
        np.testing.assert_allclose(np.bincount(group, chances.sum(axis=1)), 1, atol=1e-9)


def test_softmax_of_large_and_infinite_numbers():
    chances, total = softmax(np.array([[1000.0, 1000.0], [-np.inf, -2000.0]]))
    assert chances.tolist() == [[0.5, 0.5], [0.0, 1.0]]
    assert total.tolist() == [1000 + np.log(2), -2000.0]


@given(st.lists(st.integers(0, 1_000), min_size=1), st.floats(0, 1))
def test_votes_are_discounted_alike_in_the_compiled_loops(votes, correlation):
    expected = [scoring_loops.effective_share(correlation, count - 1) for count in votes]
    np.testing.assert_array_equal(effective_share(np.array(votes), correlation), expected)


@given(st.integers(1, 500), st.floats(0.001, 1))
def test_correlated_votes_together_are_worth_more_than_one_and_at_most_so_many(votes, correlation):
    """The effective number of votes n / (1 + ρ (n − 1)) rises with n, from 1 towards 1 / ρ."""
    worth = votes * effective_share(np.array([votes]), correlation)[0]
    assert 1 - 1e-12 <= worth <= min(votes, 1 / correlation) + 1e-9
    assert effective_share(np.array([votes]), 0.0)[0] == 1


@given(enumerated(max_sources=5))
def test_the_joint_of_votes_and_outcome_is_the_product_over_cliques(world):
    """Each clique given its separator, summed by hand from the distribution in full."""
    parameters = world.parameters()
    found = Scoring.bayes(parameters).log_joint(world.layout.design(SparseCodes.of(world.rows)))
    expected = np.tile(np.log(world.balance), (len(world.rows), 1))
    for clique in world.layout.cliques:
        for row, said in enumerate(world.rows[:, clique.sources]):
            alike = (world.rows[:, clique.sources] == said).all(axis=1)
            given_separator = (world.rows[:, clique.separator] == world.rows[row, clique.separator]).all(axis=1)
            expected[row] += np.log(world.chances[alike].sum(axis=0) / world.chances[given_separator].sum(axis=0))
    np.testing.assert_allclose(found, expected, atol=1e-8)


@given(enumerated(max_sources=4), st.booleans())
def test_base_and_gains_are_what_abstaining_and_speaking_add(world, ignored):
    scoring = Scoring.bayes(world.parameters(ignored))
    assert scoring.scores_silence == (not ignored)
    assert scoring.is_bayes
    assert scoring.gains.shape == (int(world.layout.offsets[-1]), len(world.balance))
    nobody = SparseCodes.of(np.full((1, len(world.layout.masks)), -1, dtype=np.int32))
    np.testing.assert_allclose(scoring.log_joint(world.layout.design(nobody))[0], scoring.base)
    np.testing.assert_array_equal(scoring.without_votes, world.balance)


@given(st.integers(0, 1_000))
def test_softmax_is_that_of_scipy(seed):
    logs = np.random.default_rng(seed).normal(scale=50, size=(6, 4))
    chances, total = softmax(logs)
    np.testing.assert_allclose(chances, special.softmax(logs, axis=1), atol=1e-15)
    np.testing.assert_allclose(total, special.logsumexp(logs, axis=1))
