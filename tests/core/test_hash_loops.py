"""The compiled loops over hashes of rows, against NumPy."""

import numpy as np
import pytest
from hypothesis import given

from assay._core.hash_loops import count_into_buckets, distinct, hash_listed, hash_rows, order_by_hash
from tests.core.test_counting_loops import by_source, listed
from tests.support.strategies import matrices

EVERYTHING = np.uint64(2**64 - 1)
FACTORS = np.random.default_rng(0).integers(1, 2**63, size=8, dtype=np.uint64) | np.uint64(1)


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


@pytest.mark.parametrize("shift", [48, 56, 63], ids=str)  # from few hashes with the same first bits to half of them
def test_hashes_are_ordered_as_numpy_orders_them(shift):
    keys = np.random.default_rng(shift).integers(2**64, size=3_000, dtype=np.uint64)
    order = np.empty(len(keys), np.int64)
    order_by_hash(keys, shift, np.zeros(2 ** (64 - shift) + 1, np.int64), order)
    np.testing.assert_array_equal(order, np.argsort(keys))
