"""How votes and data add up: slopes against finite differences, weights against known worlds."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import approx_fprime

from assay.endmodel.refinement.layers import (
    HeldOutVotes,
    Weights,
    _departure,
    _mixture_loss,
    independent_weights,
    log_chances,
    log_lift,
    settled_balance,
    softmax,
)
from tests.support.refining import said_of

FloatArray = npt.NDArray[np.float64]


def test_slopes_are_those_of_finite_differences() -> None:
    rng = np.random.default_rng(0)
    parts = [rng.normal(size=(30, 3)), rng.normal(size=(30, 3))]
    likelihood = rng.random((30, 3))
    at = np.array([0.7, 1.9])

    def loss(weights: FloatArray) -> float:
        return _mixture_loss(sum(w * p for w, p in zip(weights, parts, strict=True)), likelihood, parts)[0]

    slope = _mixture_loss(sum(w * p for w, p in zip(at, parts, strict=True)), likelihood, parts)[1]
    np.testing.assert_allclose(slope, approx_fprime(at, loss, 1e-7), atol=1e-5)
    guess = np.array([1.0, 2.5])
    np.testing.assert_allclose(
        _departure(at, guess)[1], approx_fprime(at, lambda w: _departure(w, guess)[0], 1e-7), atol=1e-5
    )


def test_what_is_independent_and_calibrated_counts_once() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 20_000)
    votes, data = said_of(truth, 3, 1.2, rng), said_of(truth, 3, 1.0, rng)
    found = independent_weights(votes, [log_lift(data)], np.full(3, 1 / 3))
    assert found.votes == 1
    assert found.data[0] == pytest.approx(1, abs=0.1)


def test_a_flattened_view_is_sharpened_again() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 20_000)
    votes, data = said_of(truth, 2, 1.5, rng), said_of(truth, 2, 1.2, rng)
    flat = softmax(0.4 * log_chances(data))
    found = independent_weights(votes, [log_lift(flat)], np.full(2, 0.5))
    assert found.data[0] == pytest.approx(2.5, abs=0.3)


def test_held_out_votes_tell_that_data_repeats_the_votes() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 20_000)
    votes, witness = said_of(truth, 2, 1.2, rng), said_of(truth, 2, 1.2, rng)
    balance = np.log(np.full((len(truth), 2), 0.5))
    copied = HeldOutVotes(balance, log_lift(votes), (log_lift(votes),), witness)
    fresh = HeldOutVotes(balance, log_lift(votes), (log_lift(said_of(truth, 2, 1.2, rng)),), witness)
    guess = Weights(1.0, (1.0,))
    of_copy, of_fresh = copied.best_weights(guess, len(truth)), fresh.best_weights(guess, len(truth))
    assert of_copy.votes + of_copy.data[0] == pytest.approx(1, abs=0.15)
    assert of_fresh.votes == pytest.approx(1, abs=0.15)
    assert of_fresh.data[0] == pytest.approx(1, abs=0.15)


def test_votes_alone_give_their_own_labels() -> None:
    rng = np.random.default_rng(5)
    votes = said_of(rng.integers(0, 3, 50), 3, 1.2, rng)
    found = softmax(Weights(1.0, ()).log_posterior(np.log(votes.mean(axis=0)), log_lift(votes), []))
    np.testing.assert_allclose(found, votes)


@pytest.mark.parametrize("seed", range(3))
def test_the_balance_is_found_although_votes_are_wrong_about_it(seed: int) -> None:
    """Labels that are too often the first outcome, and data that says nothing of shares: together they tell them."""
    rng = np.random.default_rng(seed)
    shares = np.array([0.6, 0.3, 0.1])
    truth = rng.choice(3, 5_000, p=shares)
    votes, data = said_of(truth, 3, 1.0, rng), said_of(truth, 3, 1.5, rng)
    parts = [log_chances(part) for part in (votes, data)]  # of even classes, so lifts up to a constant
    start = np.log([0.3, 0.3, 0.4])
    found = settled_balance(Weights(1.0, (1.0,)), start, parts[0], parts[1:])
    np.testing.assert_allclose(np.exp(found), shares, atol=0.03)
    agreed = softmax(found + parts[0] + parts[1]).mean(axis=0)
    np.testing.assert_allclose(agreed, np.exp(found), atol=0.01)


def test_a_few_items_do_not_make_a_class_run_away() -> None:
    nothing = np.zeros((5, 2))
    nothing[:, 0] = 3.0
    found = settled_balance(Weights(1.0, (1.0,)), np.log([0.5, 0.5]), nothing, [nothing])
    assert np.exp(found[1]) > 0.4
