"""Loops over votes that lie row by row, against those over columns and against NumPy."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay._core import hash_loops, row_loops, scoring_loops
from assay.counts.patterns import multipliers
from assay.votes.sparse_codes import SparseCodes

WIDTHS = st.sampled_from([1, 2, 7, 8, 9, 63, 64, 65, 130])
LENGTHS = st.sampled_from([0, 1, 2, 63, 64, 65, 511, 512, 700, row_loops.ROWS_AT_ONCE + 3])


VALUES = st.integers(1, 5)


@st.composite
def matrices(draw, values=VALUES):
    """(items, sources) codes of so many values that lie row by row, inside of a larger matrix."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    length, width, size = draw(LENGTHS), draw(WIDTHS), draw(values)
    whole = rng.integers(-1, size, (length + 5, width)).astype(np.int8)
    whole[rng.random(whole.shape) < draw(st.sampled_from([0.0, 0.5, 1.0]))] = -1
    return whole[3 : 3 + length], size


@given(matrices())
def test_the_last_rows_are_padded_where_reading_words_would_go_beyond_them(drawn):
    rows, _ = drawn
    edge = row_loops.edge_of(rows)
    words = edge.shape[1]
    inner = len(rows) - len(edge)
    assert words % 64 == 0
    assert 0 <= words - rows.shape[1] < 64
    assert all(row * rows.shape[1] + words <= rows.size for row in range(max(inner - 1, 0), inner))
    np.testing.assert_array_equal(edge[:, : rows.shape[1]], rows[inner:])
    assert (edge[:, rows.shape[1] :] == -1).all()


@given(matrices())
def test_hashes_are_those_of_columns(drawn):
    rows, _ = drawn
    factors = multipliers([str(j) for j in range(rows.shape[1])])
    found, expected = np.empty(len(rows), np.uint64), np.empty(len(rows), np.uint64)
    row_loops.hash_bytes(rows, factors, found)
    hash_loops.hash_rows(np.asfortranarray(rows).T, factors, expected)
    np.testing.assert_array_equal(found, expected)


@given(matrices())
def test_counts_are_those_of_one_hot_products(drawn):
    rows, size = drawn
    total = rows.shape[1] * size
    pair = np.zeros((total, total), np.int64)
    covered = row_loops.count_rows(rows, row_loops.edge_of(rows), size, pair)
    hot = (rows[:, :, None] == np.arange(size)).reshape(len(rows), total).astype(np.int64)
    source = np.repeat(np.arange(rows.shape[1]), size)
    apart = (source[:, None] < source[None]) | np.eye(total, dtype=bool)
    np.testing.assert_array_equal(pair, (hot.T @ hot) * apart)
    assert covered == (rows >= 0).any(axis=1).sum()


@given(matrices(), st.integers(0, 10**6))
def test_votes_are_listed_in_the_order_asked_for(drawn, seed):
    rows, _ = drawn
    edge, chosen = row_loops.edge_of(rows), np.random.default_rng(seed).permutation(len(rows))[: len(rows) // 2 + 1]
    votes = np.empty(len(chosen), np.int64)
    row_loops.count_cast(rows, edge, chosen, votes)
    starts = np.concatenate([[0], np.cumsum(votes)]).astype(np.int64)
    sources, said = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int8)
    row_loops.list_rows(rows, edge, chosen, starts, sources, said)
    assert SparseCodes(starts, sources, said, rows.shape[1]).same_as(SparseCodes._of_few(rows[chosen]))


@pytest.mark.parametrize("outcomes", [2, 3])
@given(matrices(), st.integers(0, 10**6))
def test_scores_are_those_of_columns_bit_for_bit(outcomes, drawn, seed):
    rows, size = drawn
    rng, width = np.random.default_rng(seed), rows.shape[1]
    leads, base = rng.normal(size=(outcomes - 1, width * (size + 1))), rng.normal(size=outcomes - 1)
    ends = np.arange(width + 1, dtype=np.int64) * (size + 1)
    leads[:, ends[:-1]] = 0.0
    none = np.empty(0, np.int64)
    expected, voted = np.tile(base[:, None], (1, len(rows))), np.zeros(len(rows), np.int32)
    alone = np.arange(width, dtype=np.int64)
    columns = np.asfortranarray(rows).T
    scoring_loops.add_votes(columns, alone, ends, none, ends[:1], none, none, leads, none, expected, voted)
    found, count = np.empty_like(expected), np.empty_like(voted)
    row_loops.add_rows(rows, row_loops.edge_of(rows), 0, base, leads, ends, found, count)
    assert found.tobytes() == expected.tobytes()
    np.testing.assert_array_equal(count, voted)


@given(matrices(st.just(2)).filter(lambda drawn: drawn[0].shape[1] <= 8))
def test_rows_are_told_apart_by_their_numbers(drawn):
    rows, size = drawn
    width = rows.shape[1]
    factors = (size + 1) ** np.arange(width, dtype=np.int64)
    every = np.array([code[::-1] for code in product(range(-1, size), repeat=width)])
    counts, first = (np.zeros((size + 1) ** width, np.int64) for _ in range(2))
    row_loops.count_numbers(rows, 0, len(rows), factors, counts, first)
    same = (rows[:, None] == every[None]).all(axis=2)
    np.testing.assert_array_equal(counts, same.sum(axis=0))
    there = counts > 0
    np.testing.assert_array_equal(first[there], same.argmax(axis=0)[there] if len(rows) else [])
    found = np.empty((len(rows), width))
    row_loops.take_by_number(rows, 0, len(rows), factors, every.astype(float), found)
    np.testing.assert_array_equal(found, rows)
