import pytest

from benchmarks.quality.families import REPORTED
from benchmarks.quality.simulated import METHODS, judged, scored


def test_each_method_is_scored():
    found = scored("hierarchy", 300, REPORTED)
    assert set(found) == set(METHODS)
    assert all(25 < value <= 100 for value in found.values())


def test_cells_are_held_against_the_better_one_and_against_the_vote():
    cells = [
        {"family": "a", "items": 300, "vote": 80.0, "em": 90.0, "default": 89.6},
        {"family": "b", "items": 300, "vote": 80.0, "em": 50.0, "default": 77.0},
    ]
    near, worst = judged(cells)
    assert (near.figure, near.reached) == (50.0, False)
    assert worst.figure == pytest.approx(-3.0)
    assert "b" in worst.what
