"""Asking again and again whether something can be learned, of counts that are worked out once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.checks import Learnability, check_tally, vote_counts
from assay.counts import Tally
from assay.model.dependencies import learn_dependencies
from assay.simulate import flat_world

GROUPS = st.lists(st.lists(st.integers(0, 5), min_size=2, max_size=4, unique=True), max_size=4)
ROWS = st.lists(st.lists(st.integers(-1, 2), min_size=6, max_size=6), min_size=1, max_size=8)


@given(ROWS, st.lists(GROUPS, max_size=3))
def test_it_is_ok_where_a_check_finds_no_error(matrix, asked):
    tally = Tally.of(assay.Votes.from_matrix(matrix, cardinality=3), size=0)
    learnable = Learnability.of(tally)
    for dependencies in [(), *asked]:
        assert learnable.ok(dependencies) == check_tally(tally, dependencies).ok


def test_large_groups_are_not():
    votes = flat_world(sources=20, classes=3).draw(200).votes
    assert not assay.check(votes, [range(12)]).ok
    assert not Learnability.of(Tally.of(votes)).ok([range(12)])


@pytest.fixture
def countings(monkeypatch):
    """The components whose votes were counted so far."""
    counted = []
    count = vote_counts._counts_of
    monkeypatch.setattr(vote_counts, "_counts_of", lambda tally, index: counted.append(index) or count(tally, index))
    return counted


def test_votes_are_counted_once(countings):
    learnable = Learnability.of(Tally.of(flat_world(sources=5).draw(300).votes))
    answers = [learnable.ok(pairs) for pairs in [(), [(0, 1)], [(0, 1), (1, 2)], [(0, 1, 2), (3, 4)], [range(5)]]]
    assert answers == [True, True, True, False, False]
    assert countings == [0]


def test_learning_dependencies_counts_once_however_many_are_dropped(countings):
    world = flat_world(sources=6, copies=[(0, 1, 2), (3, 4, 5)], copy_probability=0.7, seed=1)
    learned = learn_dependencies(world.draw(3_000).votes, resamples=0, progress=False)
    dropped = [edge for edge in learned.edges if edge.why_not == "accuracies would no longer be identifiable"]
    assert dropped
    assert countings == [0]
