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


def test_all_values_that_the_mapping_lacks_are_told_at_once_with_their_counts():
    rule = assay.column("said", mapping={"x": "A"})
    data = {"said": ["x", "y", "z z", "z z", None, "y", "y"]}
    for size in (1, 3, 9):
        with pytest.raises(SourceError) as told:
            assay.apply(rule, data, LETTERS, batch_size=size)
        first, *lines = str(told.value).split("\n")
        assert first.startswith("source 'column(said)' failed on row 1: column 'said' holds 2 values that its mapping")
        assert "None to abstain" in first
        assert lines == ["'y': None,  # 3 rows", "'z z': None,  # 2 rows"]


def test_values_that_are_labels_but_for_case_are_these():
    data = {"said": ["a", " B", "A", "x", None]}
    votes = assay.apply(assay.column("said", mapping={"x": "C"}), data, LETTERS)
    assert votes.to_pandas().iloc[:, 0].tolist() == ["A", "B", "A", "C", None]
    # What the mapping says of a value counts, also if a label is called like it.
    assert labels(assay.column("said", mapping={"a": "B", "x": None}), **data) == ["B", "B", "A", None, None]
    assert labels(assay.column("said", mapping={"x": "C"}, task="letter"), **data) == ["A", "B", "A", "C", None]
    assert labels(assay.column("said"), said=["a ", "b", None]) == ["A", "B", None]


def test_values_that_mean_nothing_can_be_passed_over():
    data = {"said": ["x", "junk", "a", None]}
    assert labels(assay.column("said", mapping={"x": "C"}, others="abstain"), **data) == ["C", None, "A", None]
    assert labels(assay.column("said", others="abstain"), **data) == [None, None, "A", None]
    with pytest.raises(SourceError, match="others must be 'raise' or 'abstain', but is 'ignore'"):
        assay.column("said", others="ignore")


class TestConfidence:
    def test_levels_are_cut_from_it(self):
        sure = [0.55] * 60 + [0.75] * 60 + [0.95] * 60
        votes = assay.apply(assay.column("llm", confidence="sure"), {"llm": ["A", "B"] * 90, "sure": [*sure]}, LETTERS)
        assert [str(vote) for vote in votes.values[0]] == ["A", "B"]  # too few for each label
        votes = assay.apply(assay.column("llm", confidence="sure"), {"llm": ["A"] * 180, "sure": sure}, LETTERS)
        assert [str(vote) for vote in votes.values[0]] == ["A, below 0.7", "A, 0.7 to 0.9", "A, 0.9 to 1"]

    def test_at_least_still_leaves_votes_out(self):
        data = {"llm": ["A"] * 180, "sure": [0.55] * 60 + [0.75] * 60 + [0.95] * 60}
        votes = assay.apply(assay.column("llm", confidence="sure", at_least=0.6), data, LETTERS)
        assert votes.codes[:, 0].tolist() == [-1] * 60 + [0] * 60 + [1] * 60
        given_levels = assay.column("llm", confidence="sure", at_least=0.6, levels=[0.5, 0.9])
        votes = assay.apply(given_levels, data, LETTERS)
        assert votes.codes[:, 0].tolist() == [-1] * 60 + [0] * 60 + [1] * 60

    def test_with_no_levels_any_scale_will_do(self):
        rule = assay.column("llm", confidence="sure", at_least=80, levels=[])
        assert labels(rule, llm=["A", "B", "C"], sure=[79, 80, 99]) == [None, "B", "C"]

    def test_another_scale_is_a_fault_of_its_row(self):
        rule = assay.column("llm", confidence="sure")
        with pytest.raises(SourceError, match=r"failed on row 1: expected a confidence from 0 to 1, .* holds 85"):
            assay.apply(rule, {"llm": ["A", "B"], "sure": [0.4, 85]}, LETTERS)
        votes = assay.apply(rule, {"llm": ["A", "B"], "sure": [0.4, 85]}, LETTERS, on_error="abstain")
        assert votes.codes[:, 0].tolist() == [0, -1]

    def test_a_mapping_keeps_it(self):
        rule = assay.column("llm", confidence="sure", mapping={"x": "A", "y": None}, levels=[0.0, 0.5])
        assert labels(rule, llm=["x", "y", "x"], sure=[0.2, 0.9, 0.6]) == ["A, below 0.5", None, "A, 0.5 to 1"]
