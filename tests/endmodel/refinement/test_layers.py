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
    log_lift,
    log_votes,
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
    flat = softmax(0.4 * log_votes(data))
    found = independent_weights(votes, [log_lift(flat)], np.full(2, 0.5))
    assert found.data[0] == pytest.approx(2.5, abs=0.3)


def test_held_out_votes_tell_that_data_repeats_the_votes() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 20_000)
    votes, witness = said_of(truth, 2, 1.2, rng), said_of(truth, 2, 1.2, rng)
    copied = HeldOutVotes(log_votes(votes), (log_lift(votes),), witness)
    fresh = HeldOutVotes(log_votes(votes), (log_lift(said_of(truth, 2, 1.2, rng)),), witness)
    guess = Weights(1.0, (1.0,))
    of_copy, of_fresh = copied.best_weights(guess, len(truth)), fresh.best_weights(guess, len(truth))
    assert of_copy.votes + of_copy.data[0] == pytest.approx(1, abs=0.15)
    assert of_fresh.votes == pytest.approx(1, abs=0.15)
    assert of_fresh.data[0] == pytest.approx(1, abs=0.15)
