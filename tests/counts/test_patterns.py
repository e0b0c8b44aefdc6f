"""Vote patterns: the distinct rows, and samples that stand for all items."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.counts.patterns import SKETCH_SIZE, Patterns, _ascending
from assay.counts.tally import Tally, count
from assay.votes.dense_codes import DenseCodes
from assay.votes.votes import Votes
from tests.support.counted import CLASSES, bulk, same, same_sketch, votes_of
from tests.support.strategies import matrices


@given(matrices(max_rows=12, classes=CLASSES))
def test_patterns_are_the_distinct_rows(matrix):
    votes = votes_of(matrix)
    rows = [tuple(row) for row in matrix]
    expected = sorted((row, float(rows.count(row))) for row in set(rows))
    for patterns in (Patterns.of(votes.codes), Tally.of(votes).sketch.patterns()):
        assert sorted(zip(map(tuple, patterns.codes.tolist()), patterns.counts.tolist(), strict=True)) == expected
        assert patterns.items == len(matrix)


def test_a_sample_stands_for_all_items_and_keeps_what_is_frequent():
    rng = np.random.default_rng(1)
    codes = bulk(30_000, 30, seed=1)
    codes[rng.random(len(codes)) < 0.3] = 1  # one pattern that a third of the items have
    codes[rng.random(len(codes)) < 0.1] = -1  # and another
    votes = Votes.from_matrix(codes)
    small = Tally.of(votes, size=2**15)
    assert not small.sketch.is_exact
    patterns = small.sketch.patterns()
    assert patterns.size <= 2**15 + 4_096
    assert patterns.items == pytest.approx(len(votes))
    dense = patterns.codes
    for value in (1, -1):
        (found,) = np.flatnonzero((dense == value).all(axis=1))
        assert patterns.counts[found] == (codes == value).all(axis=1).sum()
    counts = ((dense[:, :, None] == np.arange(2)) * patterns.counts[:, None, None]).sum(axis=0).ravel()
    np.testing.assert_allclose(counts, small.single, rtol=0.1)


def test_a_sample_depends_on_the_votes_alone():
    codes = bulk(20_000, 25, seed=2)
    codes[:4_000] = 0
    votes = Votes.from_matrix(codes)
    rows = np.random.default_rng(0).permutation(len(votes))
    parts = [votes.take(rows[:3_000]), votes.take(rows[3_000:3_001]), votes.take(rows[3_001:])]
    one, other = Tally.of(votes, size=2**14), count(lambda: parts, size=2**14)
    assert same(one, other)
    assert same_sketch(one.sketch.frequent, other.sketch.frequent)
    first, second = one.sketch.patterns(), other.sketch.patterns()
    assert np.array_equal(first.codes, second.codes)
    assert np.array_equal(first.counts, second.counts)
    swapped = votes.select(list(reversed(votes.names)))
    assert np.array_equal(Tally.of(swapped, size=2**14).sketch.keys, one.sketch.keys)


def test_frequent_patterns_survive_a_merge_without_a_second_look():
    codes = bulk(20_000, 25, seed=3)
    codes[::3] = 0
    votes = Votes.from_matrix(codes)
    days = [Tally.of(votes.block(0, 500), size=2**14), Tally.of(votes.block(500, 20_000), size=2**14)]
    merged = (days[0] + days[1]).sketch.patterns()
    (found,) = np.flatnonzero((merged.codes == 0).all(axis=1))
    assert merged.counts[found] == pytest.approx((codes == 0).all(axis=1).sum(), rel=0.02)
    assert merged.items == pytest.approx(len(votes))


def test_thinning_keeps_the_total_and_the_frequent():
    codes = bulk(20_000, 12, seed=4)
    codes[::4] = 1
    patterns = Patterns.of(codes)
    thin = patterns.thinned(patterns.size // 5)
    assert thin.size <= patterns.size // 5 + 1
    assert thin.items == pytest.approx(patterns.items)
    assert thin.counts.max() == patterns.counts.max()
    assert patterns.thinned(patterns.size) is patterns


@given(st.integers(0, 10**6), st.integers(1, 64))
def test_hashes_are_sorted_whatever_their_range(seed, bits):
    keys = np.unique(np.random.default_rng(seed).integers(0, 2**bits - 1, 20_000, dtype=np.uint64))
    np.random.default_rng(seed).shuffle(keys)
    np.testing.assert_array_equal(_ascending(keys), np.argsort(keys))


@pytest.mark.parametrize("sources", [3, 40])
def test_a_sketch_does_not_depend_on_how_votes_lie_in_memory(sources):
    codes = np.random.default_rng(sources).integers(-1, 2, (20_000, sources)).astype(np.int8)
    whole = Votes.from_matrix(codes, cardinality=2)
    lent = replace(whole, store=DenseCodes.lent(codes)[0])
    for size in (SKETCH_SIZE, 5_000):
        one, other = (Tally.of(votes, size).arrays() for votes in (whole, lent))
        assert one.keys() == other.keys()
        for name, counted in one.items():
            np.testing.assert_array_equal(counted, other[name], err_msg=name)
