"""The benchmark of soft votes: its densities are those that its votes are drawn from."""

import numpy as np
import pytest

from benchmarks.quality.soft_votes import METHODS, MIXED, OVER, ROWS, Row, draw, judged, scored


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.name}, {row.classes}")
def test_bayes_is_as_sure_as_it_is_right(row):
    drawn = draw(row, 0, items=20_000)
    raised = np.exp(drawn.bayes - drawn.bayes.max(axis=1, keepdims=True))
    posterior = raised / raised.sum(axis=1, keepdims=True)
    right = posterior.argmax(axis=1) == drawn.gold
    for low, high in ((0.5, 0.7), (0.7, 0.9), (0.9, 1.0)):
        sure = (posterior.max(axis=1) >= low) & (posterior.max(axis=1) < high)
        assert right[sure].mean() == pytest.approx(posterior.max(axis=1)[sure].mean(), abs=0.04)


def test_distortion_changes_confidence_and_nothing_else():
    one, other = (draw(Row("label", 4, distortion), 1, items=500) for distortion in (MIXED, OVER))
    assert np.array_equal(one.bayes, other.bayes)
    assert np.array_equal(one.votes(soft=True).codes, other.votes(soft=True).codes)
    for mine, theirs in zip(one.probabilities, other.probabilities, strict=True):
        np.testing.assert_allclose(mine.sum(axis=1), 1)
        assert np.array_equal(mine.argmax(axis=1), theirs.argmax(axis=1))
    assert not np.allclose(one.probabilities[1], other.probabilities[1])


def test_targets_follow_from_the_figures():
    figures = {"bayes": 90.0, "soft": 89.8, "hard": 85.0, "average": 88.5, "vote": 80.0}
    told = judged([{"row": {"kind": "label", "classes": 2, "name": "x"}, **figures}])
    assert [(round(target.figure, 1), target.low, target.high) for target in told] == [
        (0.2, None, 0.5),
        (4.8, 2.0, None),
        (1.3, 1.0, None),
    ]


def test_all_methods_are_scored():
    assert set(scored(Row("margin", 2), 0)) == set(METHODS)
