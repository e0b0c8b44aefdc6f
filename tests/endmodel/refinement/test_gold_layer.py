"""What gold shows of votes and data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from assay.endmodel.refinement.gold_layer import LEVELS, GoldEvidence, GoldLayer, learned_on_gold, levels_of
from assay.endmodel.refinement.layers import Weights, log_lift
from tests.support.refining import said_of

FloatArray = npt.NDArray[np.float64]


def _evidence(count: int, rng: np.random.Generator, shift: float = 0.0) -> tuple[GoldEvidence, FloatArray]:
    truth = rng.integers(0, 3, count)
    votes, data = log_lift(said_of(truth, 3, 1.0, rng)), log_lift(said_of(truth, 3, 1.3, rng))
    votes[:, 0] -= shift
    level = levels_of([data], Weights(1.0, (1.0,)))
    even, allowed = np.log(np.full(3, 1 / 3)), np.eye(3, dtype=bool)[truth]
    return GoldEvidence(even, votes, (data,), level, allowed, np.ones(count)), truth


def test_gold_finds_what_weights_and_outcomes_are_worth() -> None:
    rng = np.random.default_rng(4)
    gold, _ = _evidence(2_000, rng, shift=1.0)
    layer, _ = learned_on_gold(gold, Weights(0.3, (2.5,)), seed=0)
    assert layer.weights.votes == pytest.approx(1, abs=0.25)
    assert layer.step == "outcomes"
    assert layer.shift[0] - layer.shift[1:].mean() == pytest.approx(1, abs=0.3)


def test_few_gold_items_teach_nothing() -> None:
    gold, _ = _evidence(10, np.random.default_rng(5))
    start = Weights(0.3, (2.5,))
    layer, said = learned_on_gold(gold, start, seed=0)
    assert layer.weights == start
    np.testing.assert_array_equal(said, gold.said(GoldLayer(start, np.zeros(LEVELS), np.zeros(3))))


def test_what_is_said_of_gold_items_does_not_know_their_gold() -> None:
    rng = np.random.default_rng(6)
    gold, truth = _evidence(60, rng)
    _, said = learned_on_gold(gold, Weights(1.0, (1.0,)), seed=0)
    other = np.eye(3, dtype=bool)[(truth + 1) % 3]
    changed = gold.allowed.copy()
    changed[7] = other[7]
    _, again = learned_on_gold(replace(gold, allowed=changed), Weights(1.0, (1.0,)), seed=0)
    # How far up the ladder it goes may hang on one item; what is said of that item at a given step may not.
    assert np.abs(said[7] - again[7]).max() < 0.05
