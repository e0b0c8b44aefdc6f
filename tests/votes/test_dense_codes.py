"""Votes as one table of codes, and as a list of those that were cast: the same answers from every method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import TaskGraph, VoteError
from assay.counts.patterns import multipliers
from assay.votes.dense_codes import _ROWS_AT_ONCE, DenseCodes
from assay.votes.schema import Schema
from assay.votes.sparse_codes import SparseCodes
from tests.support.strategies import stores

both_stores = stores()


@dataclass(frozen=True)
class Held:
    """What a store says that it holds, in every way that it can be asked."""

    shape: tuple[int, int]
    dense: list[list[int]]
    columns: list[list[int]]
    cast: tuple[list[int], list[int], list[int]]
    hashes: list[int]

    @classmethod
    def by(cls, store) -> Held:
        hashes = np.empty(len(store), dtype=np.uint64)
        store.hashes(multipliers([str(j) for j in range(store.width)]), hashes)
        cast = store.cast
        return cls(
            (len(store), store.width),
            store.dense().tolist(),
            [column.tolist() for column in store.columns()],
            (cast.starts.tolist(), cast.sources.tolist(), cast.codes.tolist()),
            hashes.tolist(),
        )


def expect(stores_found, codes):
    """Both hold these codes, and nothing tells them apart."""
    codes = np.asarray(codes)
    table, listed = stores_found
    assert isinstance(table, DenseCodes)
    assert isinstance(listed, SparseCodes)
    said = Held.by(table)
    assert said == Held.by(listed)
    assert said.shape == codes.shape
    assert said.dense == codes.tolist()
    assert said.columns == codes.T.tolist()
    rows, sources = np.nonzero(codes >= 0)
    starts = np.searchsorted(rows, np.arange(len(codes) + 1)).tolist()
    assert said.cast == (starts, sources.tolist(), codes[rows, sources].tolist())


@given(both_stores)
def test_both_hold_the_same(given_stores):
    expect(given_stores, given_stores[0].codes)


@given(both_stores)
def test_which_is_which(given_stores):
    table, listed = given_stores
    assert (table.is_sparse, listed.is_sparse) == (False, True)
    assert table.mean_votes == table.width
    assert listed.mean_votes == (table.codes >= 0).sum() / max(len(table), 1)


@given(both_stores)
def test_rows_with_the_same_votes_have_the_same_hash_and_others_do_not(given_stores):
    rows = [tuple(row) for row in given_stores[0].codes.tolist()]
    hashes = Held.by(given_stores[1]).hashes
    for one, first in zip(rows, hashes, strict=True):
        for other, second in zip(rows, hashes, strict=True):
            assert (one == other) == (first == second)


@given(both_stores, st.data())
def test_taking_rows(given_stores, data):
    codes = given_stores[0].codes
    rows = data.draw(st.lists(st.integers(0, max(len(codes) - 1, 0)), max_size=9 if len(codes) else 0))
    chosen = np.array(rows, dtype=np.int64)
    expect([store.take(chosen) for store in given_stores], codes[chosen])


@given(both_stores, st.data())
def test_blocks(given_stores, data):
    codes = given_stores[0].codes
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(codes))] * 2)))
    blocks = [store.block(start, stop) for store in given_stores]
    expect(blocks, codes[start:stop])
    # Of a block as of the whole, and without copying the votes.
    expect([block.block(0, len(block)) for block in blocks], codes[start:stop])
    assert np.shares_memory(blocks[0].codes, codes) or not blocks[0].codes.size
    assert np.shares_memory(blocks[1].codes, given_stores[1].codes) or not len(blocks[1].codes)


@given(both_stores, st.data())
def test_selecting_sources_in_any_order(given_stores, data):
    codes = given_stores[0].codes
    columns = data.draw(st.lists(st.integers(0, codes.shape[1] - 1), min_size=1, unique=True))
    expect([store.select(columns) for store in given_stores], codes[:, columns])
    expect([store.select(np.array(columns)) for store in given_stores], codes[:, columns])


@given(both_stores, st.data())
def test_recoding(given_stores, data):
    """Any code may become any other, or an abstention; abstaining stays abstaining."""
    codes = given_stores[0].codes
    dtype = data.draw(st.sampled_from([np.int8, np.int16, np.int32]))
    lookups = [
        np.array([*data.draw(st.lists(st.integers(-1, 100), min_size=3, max_size=3)), -1], dtype=dtype)
        for _ in range(codes.shape[1])
    ]
    expected = [[int(lookups[j][code]) for j, code in enumerate(row)] for row in codes.tolist()]
    found = [store.recoded(lookups) for store in given_stores]
    expect(found, np.array(expected, dtype=dtype).reshape(codes.shape))
    assert found[0].codes.dtype == found[1].codes.dtype == dtype


@given(both_stores, st.data())
def test_one_after_the_other(given_stores, data):
    """Selecting, taking and recoding commute, as they do on a table."""
    codes = given_stores[0].codes
    columns = data.draw(st.permutations(range(codes.shape[1])))
    rows = np.array(data.draw(st.permutations(range(len(codes)))), dtype=np.int64)
    swap = [np.array([1, 0, -1, -1], dtype=np.int8)] * len(columns)
    one = [store.select(columns).take(rows).recoded(swap) for store in given_stores]
    other = [store.recoded(swap).take(rows).select(columns) for store in given_stores]
    expected = swap[0][codes][rows][:, columns]
    expect(one, expected)
    expect(other, expected)


@given(both_stores)
def test_a_table_cannot_be_written_to(given_stores):
    table, _ = given_stores
    with pytest.raises(ValueError, match="read-only"):
        table.codes[...] = 0


SCHEMA = Schema(TaskGraph.flat("letter", list("ABC")), ("s", "t"), ((), ()))
VOTES = tuple(SCHEMA.label_space.vote(label) for label in "ABC")
SCHEMA = Schema(SCHEMA.tasks, ("s", "t"), (VOTES, VOTES[:1]))


def test_checked_codes_are_a_copy_in_the_smallest_integers():
    given_codes = np.array([[2, 0], [-1, -1], [0, 0]], dtype=np.int64)
    table = DenseCodes.checked(given_codes, SCHEMA)
    assert table.codes.dtype == np.int8
    assert table.codes.flags.f_contiguous
    given_codes[0, 0] = 1
    assert table.codes.tolist() == [[2, 0], [-1, -1], [0, 0]]


@pytest.mark.parametrize("row", [0, _ROWS_AT_ONCE - 1, _ROWS_AT_ONCE, 2 * _ROWS_AT_ONCE])
@pytest.mark.parametrize(("code", "column", "says"), [(3, 0, "'s' has codes from 0 to 3, but 3 values"), (1, 1, "'t'")])
def test_a_code_that_is_none_of_its_sources_is_found_wherever_it_is(row, code, column, says):
    codes = np.zeros((2 * _ROWS_AT_ONCE + 1, 2), dtype=np.int32)
    DenseCodes.checked(codes, SCHEMA)
    codes[row, column] = code
    if row == 2 * _ROWS_AT_ONCE:
        says = says.replace("from 0", f"from {code}")  # it is alone in the last block
    with pytest.raises(VoteError, match=says):
        DenseCodes.checked(codes, SCHEMA)
    codes[row, column] = -2
    with pytest.raises(VoteError, match="has codes from -2"):
        DenseCodes.checked(codes, SCHEMA)


@pytest.mark.parametrize("shape", [(2,), (2, 1), (2, 3), (2, 2, 1)])
def test_one_column_a_source(shape):
    with pytest.raises(VoteError, match=r"items × sources with 2 columns, but their shape is \(2"):
        DenseCodes.checked(np.zeros(shape, dtype=int), SCHEMA)


@given(both_stores, st.integers(0, 3))
def test_bytes_that_lie_row_by_row_are_the_same_votes(given_stores, padding):
    """As in a matrix of somebody else's, of which they may be a part."""
    codes = given_stores[0].codes.astype(np.int8)
    whole = np.concatenate([codes, np.zeros((padding, codes.shape[1]), dtype=np.int8)])
    expect([DenseCodes(whole[: len(codes)]), SparseCodes.of(codes)], codes)


@given(both_stores, st.data())
def test_listing_rows_is_taking_their_votes(given_stores, data):
    codes = given_stores[0].codes.astype(np.int8)
    rows = data.draw(st.lists(st.integers(0, max(len(codes) - 1, 0)), max_size=9 if len(codes) else 0))
    chosen = np.array(rows, dtype=np.int64)
    expected = SparseCodes.of(codes).take(chosen)
    for store in (DenseCodes(np.ascontiguousarray(codes)), DenseCodes(np.asfortranarray(codes)), SparseCodes.of(codes)):
        assert store.listed(chosen).same_as(expected)
        assert store.voted().tolist() == (codes >= 0).any(axis=1).tolist()


def test_a_lent_matrix_is_looked_at_where_it_is_and_left_as_it_is():
    matrix = np.random.default_rng(0).integers(-1, 3, (1_000, 20)).astype(np.int8)
    store, lowest, highest = DenseCodes.lent(matrix)
    assert (lowest, highest) == (-1, 2)
    assert store.by_row
    assert np.shares_memory(store.codes, matrix)
    assert matrix.flags.writeable
    turned = store.by_column()
    assert not turned.by_row
    assert not np.shares_memory(turned.codes, matrix)
    expect([turned, store.cast], matrix)
