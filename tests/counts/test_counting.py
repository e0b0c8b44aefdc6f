"""Counting votes wherever they are; that it is the same everywhere is in laws/test_streaming.py."""

import pytest

import assay
from assay import AssayError
from assay.votes.votes import Votes
from tests.support.counted import bulk


def test_few_items_seen_once_are_all_stood_for():
    votes = Votes.from_matrix(bulk(3_000, 7, seed=5, classes=3))
    parts = [votes.block(start, start + 1_000) for start in range(0, 3_000, 1_000)]
    assert assay.count(iter(parts), size=2_048).sketch.patterns().items == pytest.approx(3_000)


@pytest.mark.parametrize("size", [0, -1, 2.5, "large"])
def test_a_sketch_has_a_size(votes, size):
    with pytest.raises(AssayError, match="size must be a positive integer"):
        assay.count(votes, size=size)


@pytest.mark.parametrize("given", [5, None, [0, 1], []], ids=str)
def test_only_votes_can_be_counted(given):
    with pytest.raises(AssayError, match="expected a matrix of items × sources"):
        assay.count(given)
