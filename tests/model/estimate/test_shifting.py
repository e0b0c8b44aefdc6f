"""Labels are brought to a class balance by one factor for each outcome."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.estimate.shifting import shift_to
from assay.model.scoring import softmax


@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(1, 40), st.floats(0.1, 6.0))
def test_the_mean_posterior_is_the_wanted_balance(seed, outcomes, patterns, sureness):
    rng = np.random.default_rng(seed)
    logs = sureness * rng.standard_normal((patterns, outcomes))
    effective = rng.uniform(0.3, 1.0, patterns)
    shares, wanted = rng.dirichlet(np.ones(patterns)), rng.dirichlet(np.full(outcomes, 2.0)) * 0.98 + 0.02 / outcomes
    shift = shift_to(logs, effective, shares, wanted)
    mean = shares @ softmax((logs + shift) * effective[:, None])[0]
    np.testing.assert_allclose(mean, wanted, atol=1e-5)
    assert shift.sum() == pytest.approx(0, abs=1e-6)


def test_what_is_balanced_already_is_left_alone():
    logs = np.log([[0.7, 0.3], [0.3, 0.7]])
    np.testing.assert_allclose(shift_to(logs, np.ones(2), np.full(2, 0.5), np.full(2, 0.5)), 0, atol=1e-6)
