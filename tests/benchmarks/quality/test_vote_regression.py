import numpy as np
import pytest

from benchmarks.quality.vote_regression import FOLDS, by_regression, folds, indicators, predicted


def drawn(items=600, classes=3, seed=0):
    """Two good sources that abstain at times, and one that votes at random."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, items)
    wild = rng.integers(0, classes, (items, 3))
    votes = np.where(rng.random((items, 3)) < [0.9, 0.8, 0.0], truth[:, None], wild)
    votes[:, :2][rng.random((items, 2)) < 0.2] = -1
    return votes, truth


def test_indicators_are_the_votes():
    votes = np.array([[0, 2], [-1, 2], [1, -1]])
    assert indicators(votes, 3).toarray().tolist() == [[1, 0, 1], [0, 0, 1], [0, 1, 0]]


def test_it_learns_whom_to_trust_from_the_items_with_gold():
    votes, truth = drawn()
    found = by_regression(votes, 3, gold=np.where(np.arange(600) < 100, truth, -1))
    assert found.sum(axis=1) == pytest.approx(np.ones(600))
    assert (found.argmax(axis=1) == truth)[100:].mean() > 0.85


def test_a_class_that_gold_does_not_show_keeps_a_small_chance():
    votes, truth = drawn()
    gold = np.where((np.arange(600) < 100) & (truth != 2), truth, -1)
    shown = (gold >= 0).sum()
    found = by_regression(votes, 3, gold)
    assert found[:, 2] == pytest.approx(np.full(600, 1 / (shown + 3)))
    assert found.sum(axis=1) == pytest.approx(np.ones(600))


@pytest.mark.parametrize("labels", [1, 2, 7])
def test_gold_of_a_single_class_is_no_error(labels):
    votes, _ = drawn()
    found = by_regression(votes, 3, np.where(np.arange(600) < labels, 1, -1))
    assert found[0] == pytest.approx(np.array([1, labels + 1, 1]) / (labels + 3))


def test_a_strong_penalty_leaves_the_shares_of_gold():
    votes, truth = drawn(classes=2)
    features = indicators(votes, 2)
    found = predicted(features, truth, features, 2, 1e-9)
    assert found == pytest.approx(np.tile(np.bincount(truth) / 600, (600, 1)), abs=1e-3)


def test_every_class_is_spread_over_the_folds():
    truth = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [41, 20, 3]))
    for label in range(3):
        counts = np.bincount(folds(truth)[truth == label], minlength=FOLDS)
        assert counts.max() - counts.min() <= 1
