"""The compiled E-step of two outcomes, against that of several, and its arithmetic against NumPy's."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from assay._core import two_outcome_loops
from assay._core.scoring_loops import expect
from assay._core.two_outcome_loops import expect_grouped, expect_two, number_groups
from tests.core.test_scoring_loops import problems


@given(problems(2))
def test_two_outcomes_are_a_case_of_several(problem):
    _, starts, columns, counts, leads, base = problem
    found = []
    for loop in (expect, expect_two):
        spoken, totals = np.zeros_like(leads), np.zeros_like(base)
        found.append((loop(starts, columns, counts, leads, base, spoken, totals), spoken, totals))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@given(st.integers(0, 10**6), st.lists(st.integers(0, 4), min_size=1, max_size=9), st.sampled_from([1, 40, 1_500]))
def test_groups_of_sources_are_the_sources(seed, values, patterns):
    rng = np.random.default_rng(seed)
    values = np.array(values, dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(values)])
    codes = np.stack([rng.integers(-1, size, patterns) if size else np.full(patterns, -1) for size in values], axis=1)
    voted = codes >= 0
    starts = np.concatenate([[0], np.cumsum(voted.sum(axis=1))]).astype(np.int64)
    columns = (offsets[:-1] + codes)[voted].astype(np.int32)
    counts, leads, base = rng.random(patterns), 3 * rng.normal(size=(offsets[-1], 1)), rng.normal(size=1)
    ends = np.array([end for end in (3, 6, len(values)) if end <= len(values)], dtype=np.int64)
    ends = np.unique(np.append(ends, len(values)))
    group, step = np.empty(offsets[-1], np.int64), np.empty(offsets[-1], np.uint8)
    for number, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        joint = 1
        for source in range(start, end):
            own = slice(offsets[source], offsets[source + 1])
            group[own], step[own] = number, joint * np.arange(1, values[source] + 1)
            joint *= values[source] + 1
    numbers = np.zeros((patterns, len(ends)), np.uint8)
    number_groups(starts, columns, group, step, numbers)
    spoken, totals, expected, in_all = np.zeros_like(leads), np.zeros(1), np.zeros_like(leads), np.zeros(1)
    likelihood = expect_grouped(numbers, counts, values, ends, leads, base, spoken, totals)
    reached = expect_two(starts, columns, counts, leads, base, expected, in_all)
    np.testing.assert_allclose(likelihood, reached, rtol=1e-12)
    np.testing.assert_allclose(spoken, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(totals, in_all, rtol=1e-12)


@njit
def _both(x, chances, logs):
    for i in range(len(x)):
        chances[i] = two_outcome_loops.exp_of_negative(x[i])
        logs[i] = two_outcome_loops._log_of_one_plus(chances[i])


def test_exponentials_and_logarithms_are_right_to_the_last_bits():
    rng = np.random.default_rng(0)
    x = -np.concatenate([[0.0, 1e-300, 1e-18, 708.0], rng.uniform(0, 1, 10_000), rng.uniform(0, 708, 10_000)])
    chances, logs = np.empty_like(x), np.empty_like(x)
    _both(x, chances, logs)
    np.testing.assert_allclose(chances, np.exp(x), rtol=5e-16)
    np.testing.assert_allclose(logs, np.log1p(chances), rtol=1e-15)


def test_what_is_next_to_impossible_stays_possible():
    chances, logs = np.empty(2), np.empty(2)
    _both(np.array([-1e4, -np.inf]), chances, logs)
    assert (chances > 0).all()
    assert (chances < 1e-300).all()
