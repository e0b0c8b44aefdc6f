"""Which items are labeled by hand, and what is told of several draws."""

from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.experiments.hand_label_curve import GOLD_ONLY, Point, counts_of, drawn, points_of


def test_all_hand_labels_are_the_last_count_and_none_is_larger() -> None:
    assert counts_of(200) == [0, 25, 50, 100, 200]
    assert counts_of(350) == [0, 25, 50, 100, 200, 350]


def test_a_smaller_set_is_part_of_a_larger_one_of_the_same_draw() -> None:
    sets = [set(drawn(300, 1, count).tolist()) for count in counts_of(300)]
    assert [len(rows) for rows in sets] == counts_of(300)
    assert all(smaller <= larger for smaller, larger in pairwise(sets))
    assert sets[2] != set(drawn(300, 2, 50).tolist())


def test_a_point_is_the_mean_of_its_draws_with_their_range() -> None:
    found: list[dict[str, Any]] = [
        {"task": "t", "draw": 0, "count": 25, "predictions": {GOLD_ONLY: [0, 1, 1, 1]}},
        {"task": "t", "draw": 1, "count": 25, "predictions": {GOLD_ONLY: [0, 1, 0, 0]}},
    ]
    (point,) = points_of(found, np.array([0, 1, 0, 1]))
    assert point == Point("t", GOLD_ONLY, 25, 75.0, 75.0, 75.0, 2)
    (point,) = points_of(found[:1], np.array([0, 0, 0, 0]))
    assert str(point) == "25.0"
