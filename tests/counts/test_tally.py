"""Counts that add: the same integers from any partition, in any order, dense or listed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.counts import tally as tallies
from assay.counts.patterns import Sketch
from assay.counts.tally import Tally, count, count_part
from assay.votes.votes import Votes
from tests.support.counted import CLASSES, as_list, bulk, same, votes_of
from tests.support.strategies import matrices


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
    assert np.array_equal(by_source.overlaps(0).overlap, by_value.overlaps(0).overlap)
    assert np.array_equal(by_source.overlaps(0).agreement, by_value.overlaps(0).agreement)
    assert np.array_equal(by_source.single, by_value.single)
    assert np.array_equal(by_source.covered, by_value.covered)
    merged = count_part(votes.block(0, 1_000)) + count_part(votes.block(1_000, 5_000))
    assert np.array_equal(merged.overlaps(0).agreement, by_value.overlaps(0).agreement)
    assert assay.LabelModel().fit(votes).check_.codes == assay.check(votes).codes


def test_nothing_to_count():
    empty = Tally.of(Votes.from_matrix(np.empty((0, 3), dtype=int)))
    assert empty.items == 0
    assert empty.sketch.patterns().items == 0
    votes = votes_of([[0, 1, -1], [2, 2, 0]])
    assert same(Tally.zero(Tally.of(votes).schema) + Tally.of(votes), Tally.of(votes))
    with pytest.raises(assay.VoteError, match="nothing to count"):
        count(list)
    assert Sketch.zero(3).items == 0


def test_counts_of_other_sources_cannot_be_added():
    one, other = Tally.of(votes_of([[0, 1]])), Tally.of(votes_of([[0, 1, 2]]))
    with pytest.raises(assay.VoteError, match="only counts of the same"):
        one + other
