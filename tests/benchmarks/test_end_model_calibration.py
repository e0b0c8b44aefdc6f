"""The test for calibration keeps what is calibrated, and finds what is not."""

import numpy as np

from benchmarks.quality.end_model_calibration import chance_of_as_large


def drawn(seed, items=200, power=1.0):
    rng = np.random.default_rng(seed)
    joint = rng.dirichlet(np.full(4, 0.5), items)
    truth = (rng.random((items, 1)) > joint.cumsum(axis=1)).sum(axis=1).clip(max=3)
    said = joint**power
    return said / said.sum(axis=1, keepdims=True), truth


def test_false_alarms_are_as_rare_as_they_are_to_be():
    alarms = np.mean([chance_of_as_large(*drawn(seed), draws=400) < 0.05 for seed in range(200)])
    assert 0.01 < alarms < 0.1


def test_labels_that_are_too_sure_are_found():
    assert np.mean([chance_of_as_large(*drawn(seed, power=3.0), draws=400) < 0.05 for seed in range(20)]) > 0.9
