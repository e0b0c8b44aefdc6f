"""What all rules share: labels over several tasks, and what they refuse."""

from __future__ import annotations

import math
import re

import pytest

import assay
from assay import DataError, SourceError
from tests.support.rules import LETTERS


def test_rules_label_several_tasks_at_once(entities):
    both = {"entity": "Person", "person": "Doctor"}
    rules = [
        assay.keywords(["dr"], both, on="text"),
        assay.dictionary({"dr": both}, on="text"),
        assay.regex("dr", both, on="text"),
        assay.threshold("x", both, above=0, otherwise=("org", "Office")),
    ]
    votes = assay.apply(rules, {"text": ["dr", "no"], "x": [1, -1]}, entities)
    assert votes.tasks_of(0) == ("entity", "person")
    assert [row[0] >= 0 for row in votes.codes] == [True, False]
    assert votes.to_pandas().iloc[1, 3] == "org=Office"


@pytest.mark.parametrize(
    ("make", "advice"),
    [
        (lambda: assay.keywords([], "A", on="text"), "words that are non-empty strings"),
        (lambda: assay.keywords([" "], "A", on="text"), "words that are non-empty strings"),
        (lambda: assay.keywords([1], "A", on="text"), r"non-empty strings, but got \[1\]"),
        (lambda: assay.keywords(["a"], on="text"), r"keywords\(\) needs the label to vote for"),
        (lambda: assay.keywords({"A": ["a"]}, "A", on="text"), "dict of label -> keywords and the label 'A'"),
        (
            lambda: assay.keywords([f"word{i:07}" for i in range(60_000)], "A", on="text"),
            r"size limit.*dictionary\(\)",
        ),
        (lambda: assay.regex("(", "A", on="text"), r"cannot use the pattern '\(': unclosed group"),
        (lambda: assay.regex("late(", "A", on="text", case_sensitive=False), r"the pattern 'late\(': unclosed group"),
        (lambda: assay.regex("(?=a)", "A", on="text"), "look-around, .*@assay.source"),
        (lambda: assay.regex(re.compile("a"), "A", on="text"), "patterns that are strings, but got re.compile"),
        (lambda: assay.regex("a", on="text"), r"regex\(\) needs the label"),
        (lambda: assay.dictionary([], "A", on="text"), "has no entries"),
        (lambda: assay.dictionary([""], "A", on="text"), "non-empty strings"),
        (lambda: assay.dictionary(["a"], on="text"), "needs the label to vote for"),
        (lambda: assay.dictionary({"a": "A"}, "B", on="text"), "entries with labels and the label 'B'"),
        (lambda: assay.dictionary({"a": "A", "a ": "B"}, on="text"), "entry 'a' under two labels"),
        (
            lambda: assay.dictionary({"n": ["a", "a"], "l": ["A", "B"]}, on="text", entry="n", labels="l"),
            "entry 'a' under two labels; keep one",
        ),
        (lambda: assay.dictionary("no such file.txt", "A", on="text"), "cannot read no such file.txt"),
        (
            lambda: assay.dictionary({"nam": ["a"]}, "A", on="text", entry="name"),
            "no column 'name'. Did you mean 'nam'",
        ),
        (lambda: assay.dictionary(["a"], "A", on="text", match="fuzzy"), "'inside' or 'equal', but got match='fuzzy'"),
        (lambda: assay.threshold("x", "A"), "needs a bound: above="),
        (lambda: assay.threshold("x", "A", above="3"), "numbers as bounds, but got '3'"),
        (lambda: assay.threshold("x", "A", above=math.nan), "numbers as bounds, but got nan"),
    ],
)
def test_declarations_say_what_is_wrong(make, advice):
    with pytest.raises(SourceError, match=advice):
        make()


@pytest.mark.parametrize(
    ("rule", "data", "advice"),
    [
        (
            assay.keywords("a", "A", on="txt"),
            {"text": ["a"]},
            r"'keywords\(a\)': .*no column 'txt'. Did you mean 'text'",
        ),
        (
            assay.keywords("a", "A", on="text"),
            {"text": [1]},
            r"'keywords\(a\)' reads text, but column 'text' holds Int64",
        ),
        (assay.dictionary(["a"], "A", on="text"), {"text": [["a"]]}, "reads text, but"),
        (assay.threshold("x", "A", above=1), {"x": ["2"]}, "reads numbers, but column 'x' holds String"),
        (assay.column("x", confidence="c"), {"x": ["A"], "c": ["high"]}, "reads confidences, but 'c' holds String"),
        (assay.column("x", confidence="c"), {"x": ["A"]}, "no column 'c'"),
        (assay.column("x"), [{"x": "A"}, {"x": 1}], "reads labels, but column 'x' holds values of mixed types"),
    ],
)
def test_data_that_a_rule_cannot_read_is_refused(rule, data, advice):
    with pytest.raises(DataError, match=advice):
        assay.apply(rule, data, LETTERS)


DOCTOR = {"entity": "Person", "person": "Doctor"}
DOCTOR_TOO = dict(reversed(DOCTOR.items()))


def said(rule, rows, tasks):
    return assay.apply(rule, rows, tasks).to_pandas().iloc[:, 0].tolist()


def test_the_order_of_the_tasks_in_a_label_does_not_matter(entities):
    rule = assay.dictionary({"dr": DOCTOR, "surgeon": DOCTOR_TOO}, on="text")
    assert said(rule, {"text": ["a dr and surgeon", "dr"]}, entities) == ["entity=Person, person=Doctor"] * 2
    rule = assay.column("said", mapping={"dr": DOCTOR, "surgeon": DOCTOR_TOO, "?": None})
    assert said(rule, {"said": ["surgeon", "?", "dr"]}, entities) == [
        "entity=Person, person=Doctor",
        None,
        "entity=Person, person=Doctor",
    ]


def test_entries_with_different_joint_labels_cancel_out(entities):
    rule = assay.dictionary({"dr": DOCTOR, "lawyer": {"entity": "Person", "person": "Lawyer"}}, on="text")
    assert said(rule, {"text": ["dr and lawyer", "lawyer"]}, entities) == [None, "entity=Person, person=Lawyer"]
