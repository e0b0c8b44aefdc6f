"""Items with gold, apart from those without."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import VoteError, Votes
from assay.gold import GoldItems
from tests.support.counted import as_list
from tests.support.oracles import spoken
from tests.support.strategies import partial_vectors, said


@given(said(), st.data(), st.booleans())
def test_every_item_is_on_one_side_and_gold_allows_what_it_says(given_votes, data, listed):
    votes = as_list(given_votes.votes) if listed else given_votes.votes
    gold = [data.draw(st.none() | partial_vectors(given_votes.tasks)) for _ in range(len(votes))]
    known, others = GoldItems.split(votes, gold)
    rows = [row for row, truth in enumerate(gold) if truth is not None]
    assert known.votes == votes.take(rows)
    assert others == votes.take([row for row in range(len(votes)) if row not in rows])
    assert len(known) == len(known.truth) == len(rows)
    assert known.votes.is_sparse == others.is_sparse == listed
    for index, component in enumerate(votes.label_space.components):
        allowed = known.allowed(index)
        assert allowed.shape == (len(rows), len(component))
        for row, mask in zip(rows, allowed, strict=True):
            told = spoken(given_votes.tasks, gold[row])
            assert np.flatnonzero(mask).tolist() == sorted(told.get(index, range(len(component))))


@pytest.mark.parametrize(
    "gold", [[1, -1, 0], ["1", None, "0"], {"label": ["1", None, "0"]}, np.array([1, -1, 0])], ids=str
)
def test_gold_of_any_shape(gold):
    votes = Votes.from_matrix([[0], [1], [1]])
    known, others = GoldItems.split(votes, gold)
    assert known.votes.codes.tolist() == [[0], [1]]
    assert others.codes.tolist() == [[1]]
    assert known.allowed(0).tolist() == [[False, True], [True, False]]


def test_all_items_or_none():
    votes = Votes.from_matrix([[0], [1]])
    known, others = GoldItems.split(votes, [0, 1])
    assert (len(known), len(others)) == (2, 0)
    known, others = GoldItems.split(votes, [-1, -1])
    assert (len(known), len(others)) == (0, 2)
    assert known.allowed(0).shape == (0, 2)


def test_gold_for_another_number_of_items():
    with pytest.raises(VoteError, match=r"gold must have a label \(or None\) for each of the 2 items"):
        GoldItems.split(Votes.from_matrix([[0], [1]]), [0])
