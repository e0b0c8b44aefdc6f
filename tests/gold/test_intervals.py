"""Intervals of shares: Wilson's where items are merely counted, and never sure of what a few items say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.gold import effective_size, score_interval
from assay.votes import wilson

shares = st.floats(0, 1)


@given(st.integers(0, 50), st.integers(1, 50))
def test_of_counts_it_is_wilsons(correct, more):
    total = correct + more
    share = correct / total
    answers = np.arange(total) < correct
    size = effective_size(share, answers - share, np.ones(total))
    assert size == pytest.approx(total)
    assert score_interval(share, size) == pytest.approx(wilson(correct, total))


@given(shares, st.floats(0.5, 1e6))
def test_an_interval_holds_its_share_and_is_within_zero_and_one(share, size):
    low, high = score_interval(share, size)
    assert 0 <= low <= share <= high <= 1
    assert low < high


def test_a_whole_population_leaves_nothing_to_err_in():
    assert effective_size(0.5, np.array([0.5, -0.5]), np.ones(2), population=2) == np.inf
    assert score_interval(0.5, np.inf) == (0.5, 0.5)


@given(st.integers(1, 40), st.floats(0, 1), st.integers(0, 99))
def test_smaller_errors_never_make_a_sample_smaller(items, factor, seed):
    rng = np.random.default_rng(seed)
    answers, weights = rng.integers(0, 2, items), rng.random(items) + 0.1
    share = float(np.average(answers, weights=weights))
    plain, better = (effective_size(share, scale * (answers - share), weights) for scale in (1, factor))
    assert better >= plain * (1 - 1e-9)
    assert plain <= effective_size(share, answers - share, weights, population=2 * items) * (1 + 1e-9)


def test_what_a_few_items_do_not_show_is_not_believed():
    """Without any item of the rarer kind nothing is known of the errors, however small they look."""
    assert effective_size(0.0, np.zeros(20), np.ones(20)) == pytest.approx(20)
    assert effective_size(0.05, np.zeros(20), np.ones(20)) < 2 * 20
    assert effective_size(0.5, np.zeros(1000), np.ones(1000)) > 100 * 1000


def test_uneven_weights_count_for_less():
    weights = np.array([10.0] + [1.0] * 9)
    assert effective_size(0.0, np.zeros(10), weights) == pytest.approx(19**2 / 109)
