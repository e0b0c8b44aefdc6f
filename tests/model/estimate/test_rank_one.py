"""Rank-one completion: exact where the entries are, with the signs that are expected on average."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.estimate.rank_one import complete


@st.composite
def problems(draw, min_size=3, max_size=8):
    """A vector, a factor, and known entries that hold an odd cycle through everything."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    size = draw(st.integers(min_size, max_size))
    vector = rng.uniform(0.1, 1.0, size) * np.where(rng.random(size) < 0.3, -1, 1)
    factor = rng.uniform(0.05, 0.3, (size, size)) * rng.choice([-1, 1], (size, size))
    known = rng.random((size, size)) < 0.5
    known[0, 1:] = known[1, 2] = True
    known |= known.T
    np.fill_diagonal(known, False)
    return vector, np.triu(factor) + np.triu(factor, 1).T, known, rng


@given(problems())
def test_exact_entries_give_the_vector_back(problem):
    vector, factor, known, rng = problem
    noise = np.where(known, 0.0, rng.normal(size=known.shape))
    target = factor * np.outer(vector, vector) + noise + noise.T
    deviation = rng.uniform(0.01, 0.1, known.shape)
    found, outcome = complete(target, factor, deviation + deviation.T, known, vector)
    np.testing.assert_allclose(found, vector, atol=1e-4)
    assert outcome.converged
    assert outcome.objective < 1e-8


@given(problems())
def test_the_expected_sign_decides(problem):
    vector, factor, known, _ = problem
    target = factor * np.outer(vector, vector)
    found, _ = complete(target, factor, np.ones_like(target), known, -vector)
    np.testing.assert_allclose(found, -vector, atol=1e-4)


@given(problems(max_size=5), problems(max_size=5))
def test_parts_that_do_not_meet_are_turned_by_themselves(one, other):
    size = len(one[0])
    both = np.concatenate([one[0], other[0]])
    factor, known = np.ones((len(both),) * 2), np.zeros((len(both),) * 2, dtype=bool)
    for part, at in ((one, 0), (other, size)):
        inside = slice(at, at + len(part[0]))
        factor[inside, inside], known[inside, inside] = part[1], part[2]
    expected = np.concatenate([one[0], -other[0]])
    found, _ = complete(factor * np.outer(both, both), factor, np.ones_like(factor), known, expected)
    np.testing.assert_allclose(found, expected, atol=1e-4)


@given(problems(min_size=5), st.data())
def test_scale_does_not_matter(problem, data):
    vector, factor, known, _ = problem
    scale = 10.0 ** data.draw(st.integers(-4, 4))
    target = factor * np.outer(vector, vector)
    found, _ = complete(target * scale, factor * scale, np.full_like(target, scale), known, vector)
    np.testing.assert_allclose(found, vector, atol=1e-4)


def test_an_entry_that_nothing_tells_of():
    vector = np.array([0.5, 0.6, 0.7, 0.8])
    known = np.ones((4, 4), dtype=bool) & ~np.eye(4, dtype=bool)
    known[3] = known[:, 3] = False
    found, outcome = complete(np.outer(vector, vector), np.ones((4, 4)), np.ones((4, 4)), known, np.ones(4))
    np.testing.assert_allclose(found[:3], vector[:3], atol=1e-4)
    assert outcome.status == "too_few_sources"
    assert "fewer than three" in outcome.advice


def test_two_sides_trade_off():
    vector = np.array([0.5, 0.6, 0.7, 0.8])
    known = np.zeros((4, 4), dtype=bool)
    known[:2, 2:] = known[2:, :2] = True
    found, outcome = complete(np.outer(vector, vector), np.ones((4, 4)), np.ones((4, 4)), known, np.ones(4))
    np.testing.assert_allclose(np.outer(found[:2], found[2:]), np.outer(vector[:2], vector[2:]), atol=1e-4)
    assert outcome.status == "too_few_sources"


@pytest.mark.parametrize("size", [0, 1, 2])
def test_too_little_to_complete_is_no_crash(size):
    everything = np.ones((size, size), dtype=bool) & ~np.eye(size, dtype=bool)
    found, _ = complete(
        np.full((size, size), 0.1), np.ones((size, size)), np.ones((size, size)), everything, np.ones(size)
    )
    assert found.shape == (size,)
    assert np.isfinite(found).all()


def test_zeros_everywhere():
    known = ~np.eye(4, dtype=bool)
    found, _ = complete(np.zeros((4, 4)), np.ones((4, 4)), np.ones((4, 4)), known, np.ones(4))
    assert np.abs(found).max() < 1e-3
