import numpy as np
import pytest

from benchmarks.quality.sets import VoteSet, clearly_behind, gap, score, scores, shares_right


def a_set(gold, classes=2, metric="acc"):
    return VoteSet("some", "lf", np.zeros((len(gold), 1), dtype=np.int16), np.array(gold), classes, metric)


@pytest.mark.parametrize("metric", ["acc", "f1"])
def test_shares_of_items_average_to_the_score(metric):
    rng = np.random.default_rng(0)
    probabilities, gold = rng.dirichlet(np.ones(2), 200), rng.integers(0, 2, 200)
    assert shares_right(probabilities, gold, metric).mean() == pytest.approx(score(probabilities, gold, metric))


def test_a_tie_counts_by_its_share():
    shares = shares_right(np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]), np.array([1, 1]), "acc")
    assert shares.tolist() == [0.5, 0.0]


@pytest.mark.parametrize("metric", ["acc", "f1"])
def test_the_error_of_a_gap_is_its_spread_over_samples_of_items(metric):
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 2, (400, 500))
    one, other = (np.where(rng.random(gold.shape) < right, gold, 1 - gold) for right in (0.8, 0.7))
    found = [gap(np.eye(2)[a], np.eye(2)[b], a_set(y), metric) for a, b, y in zip(one, other, gold, strict=True)]
    points, errors = np.array(found).T
    assert errors.mean() == pytest.approx(points.std(), rel=0.15)


def test_the_same_labels_have_no_gap():
    labels = np.random.default_rng(0).dirichlet(np.ones(3), 50)
    assert gap(labels, labels, a_set(np.arange(50) % 3, 3), "acc") == (0.0, 0.0)


def test_only_gaps_that_are_noticeable_and_no_chance_are_clear():
    assert clearly_behind(-1.0, 0.4)
    assert not clearly_behind(-1.0, 0.6)
    assert not clearly_behind(-0.4, 0.01)


def test_rows_that_are_no_probabilities_count_as_even():
    found = scores(np.array([[np.nan, 1.0], [0.0, 0.0], [0.0, 3.0]]), a_set([0, 1, 1]))
    assert found["unanswered"] == 2
    assert found["accuracy"] == pytest.approx(100 * 2 / 3)
