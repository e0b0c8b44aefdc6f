"""Work on rows that sources share: done once, and its failures told."""

from __future__ import annotations

import pytest

import assay
from assay import SourceError
from assay._core.rows import Batch
from assay.sources.preprocessing import memoised
from tests.support.rules import LETTERS


def test_rules_may_look_at_shared_preprocessing():
    @assay.preprocess
    def tail(row):
        return row.text[3:] or None

    data = {"text": ["x: one", "y: two", "z: "]}
    rules = [
        assay.keywords(["one"], "A", on=tail),
        assay.regex("wo$", "B", on=tail),
        assay.dictionary(["two"], "C", on=tail, match="equal"),
    ]
    assert assay.apply(rules, data, LETTERS).to_pandas().to_numpy().tolist() == [
        ["A", None, None],
        [None, "B", "C"],
        [None, None, None],
    ]
    assert [rule.name for rule in rules] == ["keywords(one)", "regex(wo$)", "dictionary(two)"]


def test_preprocessing_that_fails_is_a_fault_of_its_row():
    @assay.preprocess
    def size(row):
        return 10 // row.x

    data = {"x": [1, 0, 5, 0]}
    rules = [
        assay.threshold(size, "A", above=5, otherwise="B", name="threshold"),
        assay.column(size, mapping={10: "A", 2: "B"}, name="column"),
    ]
    with pytest.raises(SourceError, match="'threshold' failed on row 1: ZeroDivisionError"):
        assay.apply(rules, data, LETTERS)
    for batch_size in (1, 3, 10):
        votes = assay.apply(rules, data, LETTERS, on_error="abstain", batch_size=batch_size)
        assert votes.codes.tolist() == [[0, 0], [-1, -1], [1, 1], [-1, -1]]
        assert [(f.source, f.count, f.row) for f in votes.faults] == [("threshold", 2, 1), ("column", 2, 1)]
        assert "ZeroDivisionError" in votes.faults[0].error


def test_preprocessing_is_remembered_within_a_batch_only():
    seen = []

    @assay.preprocess
    def words(row):
        """Split it."""
        seen.append(row)
        return row.split()

    assert words("a b") == words("a b") == ["a", "b"]
    assert len(seen) == 2
    batch = Batch(objects=["a b", "c"])
    for _ in range(3):
        with memoised(batch):
            assert [words(row) for row in batch.rows] == [["a", "b"], ["c"]]
    assert len(seen) == 4
    with memoised(Batch(objects=batch.rows)):
        words(batch.rows[0])
    assert len(seen) == 5
    assert (words.__name__, words.__doc__) == ("words", "Split it.")
