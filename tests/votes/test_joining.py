"""Votes side by side: of the same items, by sources of both."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import TaskGraph, VoteError, Votes
from assay.votes import side_by_side
from tests.support.counted import as_list
from tests.support.strategies import said


@given(said(min_rows=1), st.data(), st.booleans(), st.booleans())
def test_parts_side_by_side_are_the_whole(given_votes, data, is_listed, other_is_listed):
    votes = given_votes.votes
    names = list(votes.names)
    one = data.draw(st.lists(st.sampled_from(names), unique=True, min_size=1))
    other = [name for name in names if name not in one]
    if not other:
        return
    parts = votes.select(one), votes.select(other)
    joined = side_by_side(*(as_list(part) if lists else part
                            for part, lists in zip(parts, (is_listed, other_is_listed), strict=True)))  # fmt: skip
    assert joined.names == (*one, *other)
    assert joined.is_sparse == (is_listed or other_is_listed)
    assert joined.select(names).codes.tolist() == votes.codes.tolist()
    assert joined.select(names).values == votes.values
    assert np.array_equal(joined.voted, votes.voted)


@given(said(min_rows=1))
def test_the_lists_of_votes_cast_are_in_the_order_of_rows_and_sources(given_votes):
    votes = given_votes.votes
    if len(votes.names) < 2:
        return
    first, *rest = votes.names
    joined = side_by_side(as_list(votes.select(first)), as_list(votes.select(rest))).cast
    places = list(zip(joined.row.tolist(), joined.sources.tolist(), strict=True))
    assert places == sorted(places)


def test_names_of_items_are_kept():
    one = Votes.from_matrix([[0], [1]]).take([1, 0])
    joined = side_by_side(one, Votes.from_matrix([[1], [1]], names=["new"]))
    assert joined.items is one.items or joined.items.tolist() == one.items.tolist()


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (Votes.from_matrix([[0], [1], [1]], names=["b"]), "same items"),
        (Votes.from_matrix([[0], [1]], names=["b"], labels=["x", "y"]), "same tasks"),
    ],
)
def test_what_does_not_stand_side_by_side_is_refused(other, told):
    with pytest.raises(VoteError, match=told):
        side_by_side(Votes.from_matrix([[0], [1]], names=["a"]), other)


def test_a_source_cannot_stand_beside_itself():
    votes = Votes.from_columns(TaskGraph.flat("letter", ["A", "B"]), {"a": ["A", None]})
    with pytest.raises(VoteError, match="a"):
        side_by_side(votes, votes)
