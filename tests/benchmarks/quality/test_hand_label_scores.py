import pytest

from benchmarks.quality.hand_label_scores import TIMES, Row, Score, judged, pooled, summed_up


def a_row(holds, labels=50, others=50 * TIMES, draws=10):
    return Row("some", "lf", labels, others, draws, holds, bias=0.0, width=10.0)


def test_an_interval_holds_with_its_ends():
    assert Score(80.0, 70.0, 90.0, 90.0).holds
    assert not Score(80.0, 70.0, 90.0, 90.1).holds


def test_draws_are_summed_up():
    row = summed_up("some", "lf", 50, 400, [Score(80.0, 70.0, 90.0, 75.0), Score(84.0, 80.0, 88.0, 79.0)])
    assert (row.draws, row.holds, row.bias, row.width) == (2, 50.0, 5.0, 14.0)
    assert not row.counts


def test_sets_whose_truth_is_not_known_well_do_not_count():
    rows = [a_row(100.0, draws=30), a_row(80.0), a_row(0.0, others=50 * TIMES - 1)]
    assert pooled(rows, 50) == pytest.approx(95.0)


@pytest.mark.parametrize(("holds", "reached"), [(89.0, False), (95.0, True), (99.0, False)])
def test_intervals_may_miss_neither_often_nor_never(holds, reached):
    (target,) = judged([a_row(holds), a_row(0.0, labels=100, others=300)])
    assert target.reached is reached
