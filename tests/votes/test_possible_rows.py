"""Rows that can occur, told apart by number: the same counts, and the same rows, as by looking at each."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.votes.dense_codes import DenseCodes
from assay.votes.possible_rows import PossibleRows
from assay.votes.sparse_codes import SparseCodes


@st.composite
def stores(draw):
    sizes = draw(st.lists(st.integers(1, 3), min_size=2, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    codes = np.stack([rng.integers(-1, size, 2_000) for size in sizes], axis=1).astype(np.int8)
    return DenseCodes.lent(codes)[0], sizes


@given(stores())
def test_every_possible_row_has_a_number_of_its_own(drawn):
    store, sizes = drawn
    possible = PossibleRows.of(store, sizes)
    rows = possible.rows.codes
    assert len(rows) == possible.count == np.prod(np.array(sizes) + 1)
    np.testing.assert_array_equal((rows.astype(np.int64) + 1) @ possible.factors, np.arange(possible.count))
    assert (rows >= -1).all()
    assert (rows < np.array(sizes)).all()


@given(stores())
def test_rows_are_counted_as_numpy_counts_them(drawn):
    store, sizes = drawn
    counts, first = PossibleRows.of(store, sizes).counted(store)
    rows, where, times = np.unique(store.codes, axis=0, return_index=True, return_counts=True)
    found = {tuple(store.codes[at]): (at, count) for at, count in zip(first.tolist(), counts.tolist(), strict=True)}
    assert found == {tuple(row): (at, n) for row, at, n in zip(rows, where.tolist(), times.tolist(), strict=True)}


@given(stores())
def test_what_is_looked_up_is_that_of_the_own_row(drawn):
    store, sizes = drawn
    possible = PossibleRows.of(store, sizes)
    np.testing.assert_array_equal(possible.look_up(possible.rows.codes.astype(float), store), store.codes)


def test_there_are_none_where_they_would_not_pay():
    few = np.zeros((10, 3), dtype=np.int8)
    assert PossibleRows.of(DenseCodes.lent(few)[0], [2] * 3) is None
    assert PossibleRows.of(DenseCodes.lent(np.zeros((5_000, 40), dtype=np.int8))[0], [2] * 40) is None
    assert PossibleRows.of(DenseCodes(np.asfortranarray(np.zeros((500, 2), dtype=np.int8))), [2, 2]) is None
    assert PossibleRows.of(SparseCodes.empty(2), [2, 2]) is None
