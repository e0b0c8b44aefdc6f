"""What to train on: the interval of a paired difference holds, and advice goes no further than it."""

import json

import numpy as np
import pytest

import assay
from assay.evaluation import BOTH, HAND_LABELS, LABELS, TrainingComparison
from assay.evaluation.training_comparison import paired_difference
from tests.support.checked import with_gold

MAIL = assay.TaskGraph.flat("mail", ["ham", "spam"])


def said(right):
    """Labels of items that are all ham, right or wrong as told."""
    joint = np.where(np.asarray(right)[:, None], [0.9, 0.1], [0.2, 0.8])
    return with_gold(MAIL, joint, np.zeros(len(joint), dtype=int), np.arange(len(joint)))


def compared(**right):
    names = {"hand": HAND_LABELS, "labels": LABELS, "both": BOTH}
    labels = {names[name]: said(flags) for name, flags in right.items()}
    return TrainingComparison.of(labels, folds=5, trained_on=dict.fromkeys(labels, 80))


def first(count, of=100):
    return np.arange(of) < count


@pytest.mark.parametrize(("ahead", "behind"), [(0.1, 0.1), (0.15, 0.05), (0.03, 0.01)])
@pytest.mark.parametrize("size", [50, 200])
def test_the_interval_of_a_paired_difference_covers_it(ahead, behind, size):
    rng = np.random.default_rng(0)
    draws = rng.choice([1.0, -1.0, 0.0], p=[ahead, behind, 1 - ahead - behind], size=(1_000, size))
    found = [paired_difference(draw, np.ones(size), np.ones(size)) for draw in draws]
    covered = np.mean([figure.low <= ahead - behind <= figure.high for figure in found])
    assert covered >= 0.93


def test_items_that_stand_for_more_count_for_more_and_tell_less():
    differences = np.array([1.0] * 10 + [0.0] * 90)
    alike = paired_difference(differences, np.ones(100), np.ones(100))
    weights = np.where(np.arange(100) < 10, 5.0, 1.0)
    weighed = paired_difference(differences, np.ones(100), weights)
    assert alike.value == pytest.approx(0.1)
    assert weighed.value == pytest.approx(50 / 140)
    assert weighed.high - weighed.low > alike.high - alike.low
    # Twice the weights are the same weights.
    assert paired_difference(differences, np.ones(100), 2 * weights).low == pytest.approx(weighed.low)


def test_it_says_what_to_take_if_the_difference_is_beyond_chance():
    found = compared(hand=first(60), labels=first(70), both=first(85))
    assert found.ranked == (BOTH, LABELS, HAND_LABELS)
    assert found.best == BOTH
    assert found.advice.startswith("Train on both: 15.0 points (+7.6 to +21.8) more accurate than on labels alone and")
    assert found.items == 100


def test_it_says_so_if_it_is_not():
    found = compared(hand=first(50), labels=first(80), both=first(82))
    assert found.best is None
    assert "100 hand labels do not tell which to take" in found.advice
    assert "on labels alone by 2.0 points (−1.3 to +5.3), which may be chance" in found.advice
    assert "on hand labels alone by 32.0 points (+22.2 to +40.6), beyond chance" in found.advice


def test_accuracies_are_those_of_the_evaluation():
    found = compared(hand=first(50), labels=first(80), both=first(82))
    table = found.to_pandas()
    for name, right in ((HAND_LABELS, 50), (LABELS, 80), (BOTH, 82)):
        score = assay.evaluate(said(first(right)))
        assert table.loc[name, ["accuracy", "low", "high"]].tolist() == [score.accuracy, *score.interval()]


def test_it_is_stored_as_json():
    found = compared(hand=first(60), both=first(85))
    assert TrainingComparison.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    for damaged in ({}, {**found.to_dict(), "gains": 3}, {**found.to_dict(), "accuracy": []}):
        with pytest.raises(assay.AssayError, match="not a stored comparison"):
            TrainingComparison.from_dict(damaged)
