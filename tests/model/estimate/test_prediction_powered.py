"""The class balance from gold and predictions."""

from __future__ import annotations

import numpy as np
import pytest

from assay.model.estimate.prediction_powered import effective_count, prediction_powered


class TestPredictionPowered:
    def test_useless_predictions_leave_the_counted_share(self):
        allowed = np.eye(2, dtype=bool)[[0, 0, 0, 1]]
        flat = np.full((4, 2), 0.5)
        found = prediction_powered(np.array([0.5, 0.5]), flat, allowed, np.ones(4))
        np.testing.assert_allclose(found, [0.75, 0.25])

    def test_perfect_predictions_tell_the_share_of_all_items(self):
        allowed = np.eye(2, dtype=bool)[[0, 1, 1]]
        found = prediction_powered(np.array([0.8, 0.2]), allowed.astype(float), allowed, np.ones(3))
        np.testing.assert_allclose(found, [0.8, 0.2])

    def test_weights_are_numbers_of_items(self):
        allowed = np.eye(2, dtype=bool)[[0, 1]]
        weighted = prediction_powered(np.full(2, 0.5), np.full((2, 2), 0.5), allowed, np.array([3.0, 1.0]))
        np.testing.assert_allclose(weighted, [0.75, 0.25])


@pytest.mark.parametrize(("weights", "items"), [([1.0, 1.0, 1.0], 3.0), ([1.0, 0.0], 1.0), ([3.0, 1.0], 1.6)])
def test_uneven_weights_are_worth_fewer_items(weights, items):
    assert effective_count(np.array(weights)) == pytest.approx(items)
