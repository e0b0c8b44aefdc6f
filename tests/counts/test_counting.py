"""Counting votes wherever they are; that it is the same everywhere is in laws/test_streaming.py."""

import numpy as np
import pytest

import assay
from assay import AssayError, Tally
from assay.counts.patterns import Sketch
from assay.votes import pieces
from assay.votes.votes import Votes
from tests.support.counted import bulk
from tests.support.sameness import same_counts


def test_few_items_seen_once_are_all_stood_for():
    votes = Votes.from_matrix(bulk(3_000, 7, seed=5, classes=3))
    parts = [votes.block(start, start + 1_000) for start in range(0, 3_000, 1_000)]
    assert assay.count(iter(parts), size=2_048).sketch.patterns().items == pytest.approx(3_000)


@pytest.mark.parametrize("repeats", [1, 3, 500])
def test_a_wrong_guess_of_how_many_patterns_there_will_be_does_not_show(tmp_path, monkeypatch, repeats):
    """The first piece has hardly a row twice, and tells how many patterns to look for in the others."""
    monkeypatch.setattr(pieces, "ITEMS_AT_ONCE", 2_000)
    codes = bulk(2_000, 12, seed=5, classes=3)
    later = bulk(8_000 // repeats, 12, seed=6, classes=3).repeat(repeats, axis=0)
    votes = Votes.from_matrix(np.vstack([codes, later]))
    guesses = []
    limit = Sketch.expected_limit
    monkeypatch.setattr(Sketch, "expected_limit", lambda *given: guesses.append(limit(*given)) or guesses[-1])
    found = assay.count(votes.to_parquet(tmp_path / "votes.parquet"), size=4_096)
    assert same_counts(found, Tally.of(votes, size=4_096))
    assert (found.sketch.limit > guesses[0]) == (repeats == 500)


@pytest.mark.parametrize("size", [0, -1, 2.5, "large"])
def test_a_sketch_has_a_size(votes, size):
    with pytest.raises(AssayError, match="size must be a positive integer"):
        assay.count(votes, size=size)


@pytest.mark.parametrize("given", [5, None, [0, 1], []], ids=str)
def test_only_votes_can_be_counted(given):
    with pytest.raises(AssayError, match="expected a matrix of items × sources"):
        assay.count(given)
