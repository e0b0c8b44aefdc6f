"""Scores against gold labels, by their definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import VoteError
from assay.gold import accuracy, micro_accuracy, outcome_numbers
from tests.support.oracles import spoken
from tests.support.strategies import partial_vectors, said


@st.composite
def judged(draw, items=12, outcomes=3):
    """Probabilities with many ties, and gold of which some is unknown."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    gold = rng.integers(-1, outcomes, items)
    gold[0] = 1
    points = rng.integers(1, 4, (items, outcomes)).astype(float)
    return points / points.sum(axis=1, keepdims=True), gold


@given(judged())
def test_ties_count_by_their_share_and_unknown_items_not_at_all(given_scores):
    probabilities, gold = given_scores
    shares = [
        (row[truth] == row.max()) / (row == row.max()).sum()
        for row, truth in zip(probabilities, gold, strict=True)
        if truth >= 0
    ]
    assert accuracy(probabilities, gold) == pytest.approx(np.mean(shares))


@given(judged(), judged(outcomes=2))
def test_over_components_it_is_the_accuracy_of_all_outcomes_together(one, other):
    known = [int((gold >= 0).sum()) for _, gold in (one, other)]
    expected = (known[0] * accuracy(*one) + known[1] * accuracy(*other)) / sum(known)
    assert micro_accuracy([one[0], other[0]], [one[1], other[1]]) == pytest.approx(expected)
    assert micro_accuracy([one[0], other[0]], [one[1], np.full(12, -1)]) == pytest.approx(accuracy(*one))


@given(said(min_rows=1), st.data())
def test_gold_has_a_number_where_it_leaves_one_outcome(given_votes, data):
    votes = given_votes.votes
    gold = [data.draw(st.none() | partial_vectors(given_votes.tasks)) for _ in range(len(votes))]
    for index, component in enumerate(given_votes.tasks.label_space.components):
        left = [spoken(given_votes.tasks, vector).get(index, frozenset(range(len(component)))) for vector in gold]
        expected = [min(outcomes) if len(outcomes) == 1 < len(component) else -1 for outcomes in left]
        assert outcome_numbers(votes.gold(gold), index).tolist() == expected


def test_nothing_to_score_against():
    with pytest.raises(VoteError, match="gold label"):
        accuracy(np.eye(2), np.array([-1, -1]))
    with pytest.raises(VoteError, match="determine the outcome of no item"):
        micro_accuracy([np.eye(2)], [np.array([-1, -1])])
