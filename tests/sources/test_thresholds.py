"""Bounds on numbers of any type."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import assay
from tests.support.rules import labels

numbers = st.none() | st.floats(-5, 5) | st.sampled_from([math.inf, -math.inf, math.nan, 0.0, 1.0])
bounds = st.none() | st.sampled_from([-math.inf, -1.0, 0, 1, 2.5, math.inf])


@given(st.lists(numbers, max_size=8), st.tuples(bounds, bounds, bounds, bounds), st.booleans())
def test_threshold(column, limits, otherwise):
    names = ("above", "at_least", "below", "at_most")
    chosen = {name: bound for name, bound in zip(names, limits, strict=True) if bound is not None}
    if not chosen:
        return
    holds = {
        "above": lambda x, bound: x > bound,
        "at_least": lambda x, bound: x >= bound,
        "below": lambda x, bound: x < bound,
        "at_most": lambda x, bound: x <= bound,
    }
    expected = [
        None
        if x is None or math.isnan(x)
        else "A"
        if all(holds[name](x, bound) for name, bound in chosen.items())
        else "B"
        if otherwise
        else None
        for x in column
    ]
    rule = assay.threshold("x", "A", **chosen, otherwise="B" if otherwise else None)
    assert labels(rule, x=[*column, None]) == [*expected, None]


def test_threshold_reads_any_number():
    rule = assay.threshold("x", "A", at_least=np.int64(1), otherwise="B")
    expected = ["A", "B", None]
    for column in (
        pl.Series([2, 0, None], dtype=pl.UInt8),
        pl.Series([True, False, None]),
        pl.Series(["2.0", "0.5", None]).cast(pl.Decimal(10, 2)),
        pl.Series([2.5, 0.5, math.nan], dtype=pl.Float32),
    ):
        assert labels(rule, x=column) == expected
    assert labels(rule, x=[None]) == [None]
