import numpy as np
import pytest

import assay
from benchmarks.quality.coverage import MISS, MISSPECIFIED, MODEL, against_gold, judged, of_world, summed_up


def test_a_miss_costs_its_distance():
    row = summed_up(MISSPECIFIED, "some", [(100, 0.7, 0.6, 0.8), (100, 0.9, 0.6, 0.8), (99, 0.0, 0.6, 0.8)])
    assert row["intervals"] == 2
    assert row["inside"] == 50.0
    assert row["width"] == pytest.approx(0.2)
    assert row["score"] == pytest.approx(0.2 + MISS * 0.1 / 2)


def test_truth_is_counted_on_items_with_gold():
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 500)
    matrix = np.where(rng.random((500, 4)) < 0.8, gold[:, None], 1 - gold[:, None])
    known = np.where(np.arange(500) < 400, gold, -1)
    found = against_gold(assay.Votes.from_matrix(matrix, cardinality=2), known)
    said = matrix[:400, 0] == 0
    assert len(found) == 8
    assert found[0][:2] == (said.sum(), pytest.approx((gold[:400][said] == 0).mean()))


def test_most_intervals_hold_on_votes_from_the_model():
    row = summed_up(MODEL, "8 sources", of_world("8 sources", 0))
    assert row["intervals"] == 16
    assert row["inside"] > 75


def test_interval_scores_are_kept_where_the_baseline_holds():
    own = [{"kind": MODEL, "votes": name, "intervals": 10, "inside": 95.0, "score": 0.3} for name in "ab"]
    before = [own[0] | {"score": 0.2}, own[1] | {"inside": 50.0, "score": 0.1}]
    inside, kept = judged(own, before)
    assert inside.reached
    assert (kept.figure, kept.high, kept.reached) == (pytest.approx(0.3), pytest.approx(0.2), False)
