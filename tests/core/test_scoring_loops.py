"""The compiled E-step and posterior, against the formulas in NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp, softmax

from assay._core.scoring_loops import count_columns, expect, score_listed, to_single_precision


@st.composite
def problems(draw, outcomes):
    """Rows with ones in some columns, how often each occurs, and what each column says of the outcomes."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    columns = draw(st.integers(1, 6))
    design = rng.random((draw(st.integers(1, 8)), columns)) < 0.5
    starts = np.concatenate([[0], np.cumsum(design.sum(axis=1))])
    counts = rng.integers(1, 9, len(design)).astype(float)
    scale = draw(st.sampled_from([1.0, 300.0]))  # 300: probabilities beyond the range of floats
    leads, base = scale * rng.normal(size=(columns, outcomes - 1)), rng.normal(size=outcomes - 1)
    return design, starts, np.nonzero(design)[1].astype(np.int32), counts, leads, base


@given(st.integers(2, 4).flatmap(problems))
def test_expected_counts_and_likelihood_are_those_of_the_softmax(problem):
    design, starts, columns, counts, leads, base = problem
    spoken, totals = np.zeros_like(leads), np.zeros_like(base)
    likelihood = expect(starts, columns, counts, leads, base, spoken, totals)
    logs = np.column_stack([np.zeros(len(design)), design @ leads + base])
    weighted = softmax(logs, axis=1)[:, 1:] * counts[:, None]
    assert likelihood == pytest.approx(counts @ logsumexp(logs, axis=1))
    np.testing.assert_allclose(totals, weighted.sum(axis=0), atol=1e-9)
    np.testing.assert_allclose(spoken, design.T @ weighted, atol=1e-9)


@given(st.integers(2, 4).flatmap(problems), st.floats(0, 1))
def test_a_discount_divides_the_log_odds_by_how_many_spoke(problem, discount):
    design, starts, columns, _, leads, base = problem
    posterior = np.empty((len(design), len(base)))
    score_listed(starts, columns, leads, base, discount, posterior)
    worth = 1 / (1 + discount * np.maximum(design.sum(axis=1) - 1, 0))
    np.testing.assert_allclose(posterior, softmax((design @ leads + base) * worth[:, None], axis=1), atol=1e-9)


@given(problems(2))
def test_columns_are_counted_with_their_weights(problem):
    design, starts, columns, counts, *_ = problem
    seen = np.zeros(design.shape[1])
    count_columns(starts, columns, counts, seen)
    np.testing.assert_allclose(seen, counts @ design)


@st.composite
def rows_of_probabilities(draw):
    """(items, outcomes): any, with ties, and some that single precision can only just tell from 0, a half or 1."""
    outcomes = draw(st.integers(2, 4))
    corners = [0.0, 0.5, 1.0, 1e-60, 1 - 1e-12, 0.5 + 1e-12, 0.5 - 1e-12]
    first = np.array(draw(st.lists(st.sampled_from(corners) | st.floats(0, 1), min_size=1, max_size=40)))
    rest = np.random.default_rng(draw(st.integers(0, 99))).dirichlet(np.ones(outcomes - 1), len(first))
    joint = np.column_stack([rest * (1 - first)[:, None], first])
    return joint if draw(st.booleans()) else joint[:, ::-1].copy()


@given(rows_of_probabilities())
def test_rounding_keeps_what_is_most_probable_and_what_is_possible(joint):
    items, outcomes = joint.shape
    chosen, confidence = np.empty(items, dtype=np.int8), np.empty(items, dtype=np.float32)
    rounded = np.full((items, outcomes), np.nan, dtype=np.float32, order="F")
    to_single_precision(joint, chosen, confidence, rounded)
    assert np.array_equal(chosen, joint.argmax(axis=1))
    assert np.array_equal(confidence, joint.max(axis=1).astype(np.float32))
    if outcomes == 2:
        assert np.isnan(rounded[:, 0]).all()
        rounded[:, 0] = 1 - rounded[:, 1]
    assert np.array_equal(rounded.argmax(axis=1), chosen)
    stored = slice(1, None) if outcomes == 2 else slice(None)
    np.testing.assert_allclose(rounded[:, stored], joint[:, stored], atol=6e-8)
    assert np.array_equal(rounded[:, stored] == 0, joint[:, stored] == 0)
    assert np.array_equal(rounded[:, stored] == 1, joint[:, stored] == 1)
