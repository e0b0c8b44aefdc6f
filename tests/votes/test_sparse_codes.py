"""Votes row by row: what only a list of them has; what it shares with a table is in test_dense_codes.py."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import VoteError
from assay.votes import sparse_codes
from assay.votes.sparse_codes import SparseCodes
from tests.support.strategies import stores


@given(stores(), st.data())
def test_some_rows_of_a_table(given_stores, data):
    codes = given_stores[0].codes
    rows = data.draw(st.lists(st.integers(0, len(codes) - 1), max_size=9)) if len(codes) else []
    chosen = np.array(rows, dtype=np.int64)
    assert SparseCodes.of(codes, chosen).same_as(SparseCodes.of(codes[chosen]))


@given(stores())
def test_many_codes_are_listed_as_few_are(given_stores):
    codes = given_stores[0].codes
    few = SparseCodes.of(codes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse_codes, "_AT_ONCE", -1)
        many = SparseCodes.of(codes)
    assert many.same_as(few)
    assert many.codes.dtype == few.codes.dtype
    assert many.starts.dtype == few.starts.dtype
    assert many.sources.dtype == few.sources.dtype


@given(st.lists(stores(max_sources=3), min_size=1, max_size=4))
def test_concatenated_rows_come_one_after_the_other(several):
    width = min(listed.width for _, listed in several)
    parts = [listed.select(range(width)) for _, listed in several]
    whole = SparseCodes.concat(parts)
    np.testing.assert_array_equal(whole.dense(), np.vstack([table.codes[:, :width] for table, _ in several]))
    edges = np.cumsum([0, *map(len, parts)])
    for part, start, stop in zip(parts, edges, edges[1:], strict=False):
        assert whole.block(start, stop).same_as(part)


@given(stores(), st.data())
def test_keeping_some_votes(given_stores, data):
    table, listed = given_stores
    kept = np.array([data.draw(st.booleans()) for _ in listed.codes], dtype=bool)
    expected = table.codes.copy()
    expected[listed.row[~kept], listed.sources[~kept]] = -1
    np.testing.assert_array_equal(listed.keep(kept).dense(), expected)


@given(stores(), stores())
def test_the_same_votes_and_no_others(one, other):
    assert one[1].same_as(SparseCodes.of(one[0].codes))
    if one[0].codes.shape[1] == other[0].codes.shape[1]:
        assert one[1].same_as(other[1]) == np.array_equal(one[0].codes, other[0].codes)


@given(stores())
def test_the_row_of_each_vote(given_stores):
    table, listed = given_stores
    assert listed.row.tolist() == np.nonzero(table.codes >= 0)[0].tolist()


def test_no_rows():
    empty = SparseCodes.empty(3, np.int16)
    assert (len(empty), empty.width, empty.dense().shape, empty.codes.dtype) == (0, 3, (0, 3), np.int16)
    assert SparseCodes.concat([empty, empty]).same_as(empty)
    assert empty.mean_votes == 0


def test_laid_out_in_another_type():
    assert SparseCodes.of(np.array([[0, -1]], dtype=np.int8)).dense(np.int64).dtype == np.int64


def test_few_votes_are_worth_listing():
    codes = np.full((20, 10), -1, dtype=np.int8)
    codes[:19, 0] = 0
    assert SparseCodes.of(codes).is_worth_listing
    codes[19, 0] = 0
    assert not SparseCodes.of(codes).is_worth_listing
    assert not SparseCodes.empty(5).is_worth_listing


def test_as_much_as_is_allowed_is_laid_out_and_no_more(monkeypatch):
    monkeypatch.setattr(sparse_codes, "MAX_DENSE", 6)
    listed = SparseCodes.of(np.array([[0, 1, -1]] * 3))
    assert listed.block(0, 2).dense().shape == (2, 3)
    with pytest.raises(VoteError, match=r"3 items × 3 sources are too many .*; take some of them: votes\.take"):
        listed.dense()


def test_many_rows_are_taken_as_few_are(monkeypatch):
    rng = np.random.default_rng(0)
    codes = rng.integers(-1, 3, (500, 7)).astype(np.int8)
    rows = rng.integers(0, 500, 900)
    few = SparseCodes.of(codes).take(rows)
    monkeypatch.setattr("assay.votes.sparse_codes._AT_ONCE", 0)
    many = SparseCodes.of(codes).take(rows)
    assert many.same_as(few)
    assert (many.dense() == codes[rows]).all()
    assert len(many.take(np.zeros(0, dtype=np.int64))) == 0
