"""The planner: error bars at another number of items, there and back, and against measured ones."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

import assay
from assay.planner import half_width_with, items_needed, plan

probabilities = st.floats(0.02, 0.98)
widths = st.floats(0.01, 2.0)


def interval(accuracy: float, width: float) -> tuple[float, float, float]:
    return accuracy, float(expit(logit(accuracy) - width)), float(expit(logit(accuracy) + width))


def table(*rows: tuple) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["source", "value", "accuracy", "low", "high"])


@given(probabilities, widths, st.integers(100, 10**6), st.floats(0.002, 0.4))
def test_there_and_back(accuracy, width, items, target):
    bars = interval(accuracy, width)
    needed = items_needed(*bars, items, target)
    assert half_width_with(*bars, items, needed) <= target * (1 + 1e-9)
    if needed > 1:
        assert half_width_with(*bars, items, needed - 1) >= target * (1 - 1e-9)


@given(probabilities, widths, st.integers(1, 10**6))
def test_what_is_reached_needs_what_there_is(accuracy, width, items):
    accuracy, low, high = interval(accuracy, width)
    assert items_needed(accuracy, low, high, items, (high - low) / 2) == pytest.approx(items, abs=1)
    assert half_width_with(accuracy, low, high, items, items) == pytest.approx((high - low) / 2)


@given(probabilities, st.floats(0.05, 2.0), st.floats(1.0, 50.0))
def test_an_interval_on_the_logit_scale_is_never_wider_than_foretold(accuracy, width, factor):
    bars = interval(accuracy, width)
    _, low, high = interval(accuracy, width / math.sqrt(factor))
    assert half_width_with(*bars, 10_000, 10_000 * factor) >= (high - low) / 2 - 1e-9


@given(probabilities, st.floats(0.005, 0.05))
def test_narrow_bars_follow_the_plain_rule(accuracy, width):
    accuracy, low, high = interval(accuracy, width)
    needed = items_needed(accuracy, low, high, 10_000, (high - low) / 4)
    assert needed == pytest.approx(40_000, rel=0.01)


@given(probabilities, widths)
def test_a_narrower_target_needs_more(accuracy, width):
    bars = interval(accuracy, width)
    needed = [items_needed(*bars, 1000, target) for target in (0.2, 0.1, 0.05, 0.01)]
    assert needed == sorted(needed)


@pytest.mark.parametrize("accuracy", [0.55, 0.8, 0.95])
def test_measured_binomial_bars_at_four_times_the_items_are_as_foretold(accuracy):
    """Intervals on the logit scale from 200 draws of n and of 4 n votes."""
    rng = np.random.default_rng(0)
    n = 500

    def measured(items: int) -> list[tuple[float, float, float]]:
        shares = rng.binomial(items, accuracy, size=200) / items
        return [interval(p, 1.96 / math.sqrt(items * p * (1 - p))) for p in shares]

    foretold = np.mean([half_width_with(*bars, n, 4 * n) for bars in measured(n)])
    half = np.mean([(high - low) / 2 for _, low, high in measured(4 * n)])
    assert foretold == pytest.approx(half, rel=0.03)
    needed = np.mean([items_needed(*bars, n, half) for bars in measured(n)])
    assert needed == pytest.approx(4 * n, rel=0.05)


def test_near_one_the_plain_rule_keeps_the_promise_modest():
    assert items_needed(0.999999, 0.9, 1.0, 100, 0.01) == 2500
    assert items_needed(1.0, 0.9, 1.0, 100, 0.01) == 2500


def test_no_interval_is_no_number_and_no_knowledge_is_infinite():
    assert math.isnan(items_needed(math.nan, math.nan, math.nan, 10, 0.01))
    assert items_needed(0.5, 0.0, 1.0, 10, 0.01) == math.inf
    assert half_width_with(0.5, 0.0, 1.0, 10, 1000) == 0.5


def test_a_table_keeps_its_rows_and_ignores_other_columns():
    sources = table(("kb", "Doctor", 0.7, 0.68, 0.72), ("never", "Lawyer", None, None, None))
    sources["coverage"] = [0.5, 0.0]
    sources.index = [7, 9]
    planned = plan(sources, 10_000, 0.01)
    assert planned.columns.tolist() == ["source", "value", "accuracy", "low", "high", "now", "items_needed", "factor"]
    assert planned["source"].tolist() == ["kb", "never"]
    assert planned["factor"][0] == pytest.approx(4, rel=0.01)
    assert planned["items_needed"].isna().tolist() == [False, True]
    assert sources.columns.tolist() == ["source", "value", "accuracy", "low", "high", "coverage"]
    assert plan(sources.assign(task="person"), 10_000).columns.tolist()[:3] == ["source", "task", "value"]


def test_sources_and_values_may_be_the_index():
    sources = table(("kb", "Doctor", 0.7, 0.68, 0.72))
    assert plan(sources.set_index(["source", "value"]), 100).equals(plan(sources, 100))


@pytest.mark.parametrize(
    ("rows", "summary"),
    [
        (
            [("kb", "Doctor", 0.7, 0.68, 0.72), ("a", "b", 0.7, 0.69, 0.71)],
            "needs about 40,000 items, 4.0 times as many",
        ),
        ([("kb", "Doctor", 0.7, 0.68, 0.72)], "the widest is kb (Doctor)"),
        ([("kb", "Doctor", 0.7, 0.4, 0.9)], "needs about 7,200,000 items, 720 times as many as now"),
        ([("kb", "Doctor", 0.7, 0.699, 0.701)], "is reached: about 100 of the 10,000 items were enough"),
        ([("kb", "Doctor", 0.5, 0.0, 1.0)], "is out of reach: the votes say nothing about kb (Doctor)"),
        ([("kb", "Doctor", None, None, None)], "there is no interval to plan from"),
        ([], "there is no interval to plan from"),
    ],
)
def test_the_summary_says_what_it_comes_to(rows, summary):
    said = plan(table(*rows), 10_000, 0.01).attrs["summary"]
    assert said.startswith("±0.01 for every source")
    assert summary in said


def test_missing_columns_are_named():
    with pytest.raises(assay.DataError, match=r"needs the columns 'source', .*'high', but 'low', 'high' is missing"):
        plan(pd.DataFrame({"source": [], "value": [], "accuracy": []}), 10)


@pytest.mark.parametrize(
    ("row", "items", "target", "message"),
    [
        ((0.7, 0.6, 0.8), 0, 0.01, "positive integer"),
        ((0.7, 0.6, 0.8), 10, 0.0, "half-width"),
        ((0.7, 0.6, 0.8), 10, 0.5, "half-width"),
        ((0.7, 0.8, 0.6), 10, 0.1, "low before high"),
        ((1.7, 0.6, 0.8), 10, 0.1, "between 0 and 1"),
        (("high", 0.6, 0.8), 10, 0.1, "must hold numbers"),
    ],
)
def test_what_does_not_fit_is_refused(row, items, target, message):
    with pytest.raises(assay.DataError, match=message):
        plan(table(("kb", "Doctor", *row)), items, target)
