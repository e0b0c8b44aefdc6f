"""Columns of labels that something else has made."""

from __future__ import annotations

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import SourceError
from tests.support.rules import LETTERS, labels


@given(
    st.lists(st.none() | st.sampled_from("ABx"), max_size=6),
    st.none() | st.sampled_from([0.0, 0.5]),
    st.booleans(),
    st.data(),
)
def test_column(column, at_least, mapped, data):
    sure = [data.draw(st.none() | st.sampled_from([0.0, 0.4, 0.5, 0.9, math.nan])) for _ in column]
    mapping = {"A": "B", "B": None, "x": "C"}
    expected = [
        None
        if said is None or (at_least is not None and (c is None or math.isnan(c) or c < at_least))
        else mapping[said]
        if mapped
        else said.replace("x", "C")
        for said, c in zip(column, sure, strict=True)
    ]
    rule = assay.column(
        "llm",
        mapping=mapping if mapped else None,
        confidence=None if at_least is None else "sure",
        at_least=at_least or 0.0,
    )
    written = column if mapped else [said and said.replace("x", "C") for said in column]
    assert labels(rule, llm=[*written, None], sure=[*sure, None]) == [*expected, None]


def test_column_maps_values_of_any_kind():
    for column, mapping in [
        (pl.Series([1, 2, None]), {1: "A", 2: "B"}),
        (pl.Series([1.0, 2.0, math.nan]), {1: "A", 2: "B"}),
        (pl.Series([True, False, None]), {True: "A", False: "B"}),
        (pl.Series(["x", "y", None], dtype=pl.Categorical), {"x": "A", "y": "B"}),
        (pl.Series(["x", "y", None]), {"x": ("letter", "A"), "y": {"letter": "B"}}),
    ]:
        assert labels(assay.column("said", mapping=mapping), said=column) == ["A", "B", None]


def test_column_takes_labels_over_several_tasks(entities):
    rule = assay.column("said", mapping={"dr": {"entity": "Person", "person": "Doctor"}, "?": None})
    votes = assay.apply(rule, {"said": ["dr", "?", None]}, entities)
    assert votes.to_pandas().iloc[:, 0].tolist() == ["entity=Person, person=Doctor", None, None]


def test_a_value_that_the_mapping_lacks_is_a_fault_of_its_row():
    rule = assay.column("said", mapping={"x": "A"})
    data = {"said": ["x", None, "y", "y"]}
    with pytest.raises(
        SourceError, match=r"'column\(said\)' failed on row 2: column 'said' holds 'y', which its mapping"
    ):
        assay.apply(rule, data, LETTERS)
    for size in (1, 2, 9):
        votes = assay.apply(rule, data, LETTERS, on_error="abstain", batch_size=size)
        assert votes.codes[:, 0].tolist() == [0, -1, -1, -1]
        assert [(fault.count, fault.row) for fault in votes.faults] == [(2, 2)]
