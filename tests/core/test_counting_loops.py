"""The compiled loops over votes, against NumPy."""

import numpy as np
import pytest
from hypothesis import given

from assay._core.counting_loops import count_into_buckets, count_sets, distinct, hash_listed, hash_rows, list_votes
from tests.support.strategies import matrices

EVERYTHING = np.uint64(2**64 - 1)
FACTORS = np.random.default_rng(0).integers(1, 2**63, size=8, dtype=np.uint64) | np.uint64(1)


def by_source(matrix):
    return np.ascontiguousarray(np.array(matrix, dtype=np.int8).T)


def listed(codes):
    """The votes of (sources, items), cast one by one."""
    sources, items = codes.shape
    starts = np.empty(items + 1, np.int64)
    who, said = np.empty(sources * items + 1, np.int32), np.empty(sources * items + 1, np.int8)
    list_votes(codes, np.arange(items), starts, who, said)
    return starts, who[: starts[-1]], said[: starts[-1]]


@given(matrices(max_rows=12))
def test_votes_are_listed_row_by_row(matrix):
    rows = np.array(matrix)
    starts, who, said = listed(by_source(matrix))
    item, source = np.nonzero(rows >= 0)
    assert starts.tolist() == [0, *np.cumsum((rows >= 0).sum(axis=1))]
    assert who.tolist() == source.tolist()
    assert said.tolist() == rows[item, source].tolist()


@given(matrices(max_rows=12))
def test_rows_have_the_same_hash_exactly_if_they_are_the_same_dense_or_listed(matrix):
    codes = by_source(matrix)
    dense, sparse = (np.empty(len(matrix), np.uint64) for _ in range(2))
    hash_rows(codes, FACTORS[: len(codes)], dense)
    starts, who, said = listed(codes)
    hash_listed(starts, who, said, FACTORS[: len(codes)], sparse)
    assert dense.tolist() == sparse.tolist()
    assert len(set(dense.tolist())) == len({tuple(row) for row in matrix})


@pytest.mark.parametrize("kinds", [1, 40, 5_000], ids=str)  # the table grows twice on the way to 5,000
@pytest.mark.parametrize("limit", [EVERYTHING, np.uint64(2**63)], ids=["all", "half"])
def test_distinct_hashes_are_those_of_numpy(kinds, limit):
    rng = np.random.default_rng(kinds)
    hashes = rng.choice(rng.integers(2**64, size=kinds, dtype=np.uint64), 20_000)
    keys, counts, rows = (np.empty(len(hashes), kind) for kind in (np.uint64, np.int64, np.int64))
    found = distinct(hashes, limit, keys, counts, rows)
    order = np.argsort(keys[:found])
    expected = np.unique(hashes[hashes <= limit], return_counts=True)
    assert np.array_equal(keys[:found][order], expected[0])
    assert np.array_equal(counts[:found][order], expected[1])
    assert [int(np.flatnonzero(hashes == key)[0]) for key in keys[:found]] == rows[:found].tolist()


def test_buckets_are_leading_bits():
    hashes = np.random.default_rng(0).integers(2**64, size=1_000, dtype=np.uint64)
    buckets = np.zeros(16, np.int64)
    count_into_buckets(hashes, 60, buckets)
    assert buckets.tolist() == np.bincount((hashes >> np.uint64(60)).astype(int), minlength=16).tolist()


@given(matrices(max_rows=8))
def test_sets_are_counted_row_by_row(matrix):
    counts = np.zeros((len(matrix), 3), np.int32)
    count_sets(by_source(matrix).astype(np.int32), counts)
    assert counts.tolist() == [[row.count(said) for said in range(3)] for row in matrix]
