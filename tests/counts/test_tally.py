"""Counts that add: the same integers from any partition, in any order, dense or listed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.counts import tally as tallies
from assay.counts.patterns import Patterns, Sketch
from assay.counts.tally import Tally, count, count_part
from assay.votes.votes import Votes
from tests.support.strategies import matrices

CLASSES = 3


def votes_of(matrix):
    return Votes.from_matrix(np.array(matrix), cardinality=CLASSES)


def as_list(votes):
    """The same votes, kept as a list of those that were cast."""
    return votes._with(votes.listed)


def same_sketch(one, other):
    same = np.array_equal(one.keys, other.keys) and np.array_equal(one.counts, other.counts)
    same &= np.array_equal(one.rows.dense(), other.rows.dense()) and one.limit == other.limit
    return same and (one.buckets is None) == (other.buckets is None)


def same(one, other):
    return (
        one.items == other.items
        and np.array_equal(one.single, other.single)
        and np.array_equal(one.covered, other.covered)
        and (one.pair is None or np.array_equal(one.pair, other.pair))
        and same_sketch(one.sketch, other.sketch)
    )


def bulk(items, sources, *, seed=0, coverage=0.4, classes=2):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, (items, sources)).astype(np.int8)
    codes[rng.random((items, sources)) > coverage] = -1
    return codes


@given(matrices(max_rows=12, classes=CLASSES), st.data())
def test_any_partition_gives_identical_counts(matrix, data):
    whole = votes_of(matrix)
    part_of = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(whole), max_size=len(whole))))
    order = data.draw(st.permutations(range(4)))
    size = data.draw(st.sampled_from([3, 10, 2**21]))
    parts = [whole.take(part_of == part) for part in order]
    merged = sum((count_part(part, size) for part in parts[1:]), count_part(parts[0], size))
    assert same(merged, count_part(whole, size))
    assert same(count_part(whole.take(data.draw(st.permutations(range(len(whole))))), size), count_part(whole, size))


@given(matrices(max_rows=12, classes=CLASSES))
def test_counts_are_those_of_numpy_and_the_same_from_a_list(matrix):
    votes = votes_of(matrix)
    columns = (votes.codes[:, :, None] == np.arange(CLASSES)).reshape(len(votes), -1).astype(int)
    found = Tally.of(votes)
    assert np.array_equal(found.pair, columns.T @ columns)
    assert np.array_equal(found.single, columns.sum(axis=0))
    assert found.covered.tolist() == [int(columns.any(axis=1).sum())]
    assert same(Tally.of(as_list(votes)), found)


@given(matrices(max_rows=12, classes=CLASSES))
def test_patterns_are_the_distinct_rows(matrix):
    votes = votes_of(matrix)
    rows = [tuple(row) for row in matrix]
    expected = sorted((row, float(rows.count(row))) for row in set(rows))
    for patterns in (Patterns.of(votes.codes), Tally.of(votes).sketch.patterns()):
        assert sorted(zip(map(tuple, patterns.codes.tolist()), patterns.counts.tolist(), strict=True)) == expected
        assert patterns.items == len(matrix)


@pytest.mark.parametrize("shape", [(70_000, 12), (40_000, 3), (16_384, 5), (16_385, 5), (63, 4)], ids=str)
@pytest.mark.parametrize("classes", [2, 5, 9])
def test_every_way_of_counting_agrees(shape, classes, monkeypatch):
    votes = Votes.from_matrix(bulk(*shape, classes=classes), cardinality=classes)
    packed = Tally.of(votes)
    assert same(Tally.of(as_list(votes)), packed)
    monkeypatch.setattr(tallies, "_PACKED_COST", 1e9)
    assert same(Tally.of(votes), packed)
    monkeypatch.setenv("ASSAY_THREADS", "1")
    assert same(Tally.of(votes), packed)


def test_meetings_are_the_same_counted_by_source(monkeypatch):
    votes = Votes.from_matrix(bulk(5_000, 8, classes=3))
    by_value = Tally.of(votes)
    monkeypatch.setattr(tallies, "MAX_VALUES", 3)
    by_source = Tally.of(votes)
    assert by_source.pair is None
    assert np.array_equal(by_source.meetings(0).overlap, by_value.meetings(0).overlap)
    assert np.array_equal(by_source.meetings(0).agreement, by_value.meetings(0).agreement)
    assert np.array_equal(by_source.single, by_value.single)
    assert np.array_equal(by_source.covered, by_value.covered)
    merged = count_part(votes.block(0, 1_000)) + count_part(votes.block(1_000, 5_000))
    assert np.array_equal(merged.meetings(0).agreement, by_value.meetings(0).agreement)
    assert assay.LabelModel().fit(votes).check_.codes == assay.check(votes).codes


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


def test_few_items_seen_once_are_all_stood_for():
    votes = Votes.from_matrix(bulk(3_000, 7, seed=5, classes=3))
    parts = [votes.block(start, start + 1_000) for start in range(0, 3_000, 1_000)]
    assert assay.count(iter(parts), size=2_048).sketch.patterns().items == pytest.approx(3_000)


def test_thinning_keeps_the_total_and_the_frequent():
    codes = bulk(20_000, 12, seed=4)
    codes[::4] = 1
    patterns = Patterns.of(codes)
    thin = patterns.thinned(patterns.size // 5)
    assert thin.size <= patterns.size // 5 + 1
    assert thin.items == pytest.approx(patterns.items)
    assert thin.counts.max() == patterns.counts.max()
    assert patterns.thinned(patterns.size) is patterns


def test_nothing_to_count():
    empty = Tally.of(Votes.from_matrix(np.empty((0, 3), dtype=int)))
    assert empty.items == 0
    assert empty.sketch.patterns().items == 0
    votes = votes_of([[0, 1, -1], [2, 2, 0]])
    assert same(Tally.zero(Tally.of(votes).nothing) + Tally.of(votes), Tally.of(votes))
    with pytest.raises(assay.VoteError, match="nothing to count"):
        count(list)
    assert Sketch.zero(3).items == 0


def test_counts_of_other_sources_cannot_be_added():
    one, other = Tally.of(votes_of([[0, 1]])), Tally.of(votes_of([[0, 1, 2]]))
    with pytest.raises(assay.VoteError, match="only counts of the same"):
        one + other
