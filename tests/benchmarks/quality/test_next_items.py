import pytest

from benchmarks.quality.next_items import CHOSEN, RANDOM, Curve, curves, judged, labels_to_reach, mean_curve


def both(name, kind, at_random, chosen, draw=0):
    sizes = {RANDOM: (20, 40, 60, 100), CHOSEN: (20, 40, 60, 80, 100)}
    found = {RANDOM: at_random, CHOSEN: chosen}
    return [Curve(name, kind, draw, way, dict(zip(sizes[way], found[way], strict=True))) for way in sizes]


def test_labels_to_reach_are_read_off_between_points():
    curve = {20: 70.0, 40: 74.0, 60: 73.0, 80: 76.0}
    assert labels_to_reach(curve, 69.0) == 20.0
    assert labels_to_reach(curve, 73.0) == 35.0
    assert labels_to_reach(curve, 75.5) == pytest.approx(76.67, abs=0.01)
    assert labels_to_reach(curve, 77.0) == float("inf")


def test_sets_count_alike_however_many_draws_they_have():
    found = [*both("a", "lf", [1.0] * 4, [1.0] * 5), *both("a", "lf", [1.0] * 4, [1.0] * 5, 1)]
    found += both("b", "lf", [4.0] * 4, [4.0] * 5)
    assert mean_curve(found, RANDOM) == dict.fromkeys((20, 40, 60, 100), 2.5)


@pytest.mark.parametrize(("at_60", "reached"), [(80.0, True), (79.0, False)])
def test_chosen_labels_are_to_be_as_good_as_more_random_ones(at_60, reached):
    found = both("a", "lf", [70.0, 75.0, 78.0, 80.0], [70.0, 76.0, at_60, 80.5, 81.0])
    found += both("b", "simulated", [70.0, 71.0, 72.0, 99.0], [70.0] * 5)
    real, simulated = judged(found)
    assert real.reached is reached
    assert simulated.figure == 101.0


def test_a_draw_labels_half_and_scores_the_other():
    at_random, chosen = curves("few sources", "simulated", 0)
    assert (at_random.way, chosen.way) == (RANDOM, CHOSEN)
    assert all(50 < right <= 100 for one in (at_random, chosen) for right in one.accuracy.values())
