import numpy as np
import pytest

from benchmarks.quality.known_balance import DRAWS, SHIFT, WITH, Cell, behind, perturbed, true_balance
from benchmarks.quality.sets import VoteSet


def test_log_odds_of_two_classes_move_by_the_shift():
    for seed in range(DRAWS):
        moved = perturbed(np.array([0.8, 0.2]), seed)
        assert abs(np.log(moved[1] / moved[0]) - np.log(0.25)) == pytest.approx(SHIFT)


def test_draws_differ_and_sum_to_one():
    found = [perturbed(np.full(5, 0.2), seed) for seed in range(DRAWS)]
    assert all(one.sum() == pytest.approx(1) for one in found)
    assert len({tuple(one) for one in found}) > 1


def test_the_balance_is_that_of_known_gold_and_never_zero():
    given = VoteSet("some", "lf", np.zeros((4, 1), dtype=np.int16), np.array([0, 0, 1, -1]), 3, "acc")
    assert true_balance(given) == pytest.approx(np.array([2, 1, 0.5]) / 3.5)


def test_sets_that_lose_by_the_balance_are_found():
    cells = [Cell(WITH, "a", "lf", {}, over_default=(-3.0, 0.5)), Cell(WITH, "b", "lf", {}, over_default=(-3.0, 2.0))]
    assert behind(cells, [WITH], "over_default") == ["a"]
    assert behind(cells, [WITH], "over_majority") == []
