"""Items with gold, apart from those without."""

from __future__ import annotations

import json

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
    known = GoldItems.among(votes, gold)
    rows = [row for row, truth in enumerate(gold) if truth is not None]
    assert known.votes == votes.take(rows)
    assert known.rows.tolist() == rows
    assert known.total == len(votes)
    assert len(known) == len(known.truth) == len(rows)
    assert known.votes.is_sparse == listed
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
    known = GoldItems.among(votes, gold)
    assert known.votes.codes.tolist() == [[0], [1]]
    assert known.allowed(0).tolist() == [[False, True], [True, False]]


def test_all_items_or_none():
    votes = Votes.from_matrix([[0], [1]])
    assert len(GoldItems.among(votes, [0, 1])) == 2
    none = GoldItems.among(votes, [-1, -1])
    assert len(none) == 0
    assert none.allowed(0).shape == (0, 2)


def named(codes, items):
    plain = Votes.from_matrix(codes)
    return Votes.from_codes(plain.tasks, plain.codes, plain.names, plain.values, np.array(items))


def test_items_with_names_are_found_wherever_they_stand():
    known = GoldItems.among(named([[0], [1], [1]], ["a", "b", "c"]), [0, -1, 1])
    here, rows = known.found_in(named([[1], [0]], ["c", "x"]))
    assert (here.tolist(), rows.tolist()) == ([1], [0])
    here, rows = known.found_between(7, np.array(["b", "a"]), 2, None)
    assert (here.tolist(), rows.tolist()) == ([0], [1])


def test_items_without_names_are_found_in_the_same_votes_only():
    votes = Votes.from_matrix([[0], [1], [1]])
    known = GoldItems.among(votes, [-1, 1, -1])
    assert known.found_in(votes)[1].tolist() == [1]
    assert known.found_in(Votes.from_matrix([[0], [0], [1]]))[1].tolist() == []
    assert known.found_in(votes.take([0, 1]))[1].tolist() == []
    assert known.found_between(1, None, 2, 3)[1].tolist() == [0]
    assert known.found_between(1, None, 2, 4)[1].tolist() == []


@given(said(), st.data())
def test_storing_and_restoring(given_votes, data):
    votes = given_votes.votes
    known = GoldItems.among(
        votes, [data.draw(st.none() | partial_vectors(given_votes.tasks)) for _ in range(len(votes))]
    )
    found = GoldItems.from_dict(votes.schema, json.loads(json.dumps(known.to_dict())), known.arrays())
    assert found.votes == known.votes
    assert found.truth == known.truth
    assert found.total == known.total
    np.testing.assert_array_equal(found.rows, known.rows)
    np.testing.assert_array_equal(found.weights, known.weights)


def test_gold_for_another_number_of_items():
    with pytest.raises(VoteError, match=r"gold must have a label \(or None\) for each of the 2 items"):
        GoldItems.among(Votes.from_matrix([[0], [1]]), [0])
