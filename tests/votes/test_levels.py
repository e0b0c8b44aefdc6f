"""Levels of confidence, cut from scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import TaskGraph, VoteError
from assay.votes.levels import Levels, bare, coded, cut, given_levels, levelled, nearest, score_of, table_of

TASKS = TaskGraph.flat("person", ["Doctor", "Lawyer"])
DOCTOR, LAWYER = (TASKS.label_space.vote(label) for label in ("Doctor", "Lawyer"))
scores_of = st.lists(st.floats(0, 1) | st.sampled_from([0.5, 0.9, 1.0]), max_size=60)


def groups(scores, starts):
    """Which level each score is in."""
    return np.searchsorted(starts, scores, side="right") - 1 if starts else np.zeros(len(scores), dtype=int)


@given(scores_of, st.integers(2, 9), st.integers(1, 12))
def test_every_level_has_votes_enough_and_there_are_not_too_many(scores, most, fewest):
    starts = cut(np.array(scores), most, fewest)
    assert len(starts) <= most
    assert len(starts) != 1
    assert list(starts) == sorted(set(starts))
    if starts:
        assert starts[0] == 0
        assert np.bincount(groups(scores, starts), minlength=len(starts)).min() >= fewest


@given(scores_of, st.integers(2, 9), st.integers(1, 12), st.randoms())
def test_the_order_of_scores_does_not_matter(scores, most, fewest, random):
    shuffled = random.sample(scores, len(scores))
    assert cut(np.array(scores), most, fewest) == cut(np.array(shuffled), most, fewest)


@given(scores_of, st.integers(2, 9), st.integers(1, 12))
def test_only_the_order_of_scores_counts(scores, most, fewest):
    distinct = np.unique(scores)
    rank = (np.searchsorted(distinct, scores) + 1) / (len(distinct) + 1)
    one, other = (groups(some, cut(np.array(some), most, fewest)) for some in (scores, rank))
    assert one.tolist() == other.tolist()


@given(st.integers(2, 400))
def test_quantiles_of_distinct_scores(count):
    scores = np.arange(count) / count
    sizes = np.bincount(groups(scores, cut(scores, 8, 1)))
    assert len(sizes) == min(8, count)
    assert sizes.max() - sizes.min() <= 1


def test_starts_are_round_where_scores_leave_room():
    assert cut(np.array([0.612, 0.777, 0.7961, 0.8123, 0.95, 0.951]), 3, 2) == (0.0, 0.79, 0.9)


@pytest.mark.parametrize("scores", [[], [1.0] * 99, [0.7] * 99, [0.5, 0.6, 0.7]])
def test_no_levels_if_all_are_equally_sure_or_too_few(scores):
    assert cut(np.array(scores)) == ()


def test_certain_votes_that_are_many_are_the_bare_label():
    starts = cut(np.array([0.6] * 50 + [0.8] * 50 + [1.0] * 50))
    assert levelled(DOCTOR, starts)[-1] == DOCTOR
    assert [vote.level for vote in levelled(DOCTOR, starts)[:-1]] == [(0.0, 0.8), (0.8, 1.0)]


@given(scores_of, st.data())
def test_codes_say_the_label_and_a_level_that_holds_the_score(scores, data):
    said = np.array(data.draw(st.lists(st.integers(-1, 1), min_size=len(scores), max_size=len(scores))), dtype=int)
    sure = np.array(scores, dtype=float)
    labels = (DOCTOR, LAWYER)
    table = table_of(TASKS.label_space, labels, said, sure, data.draw(st.sampled_from([None, (0.3, 0.7), (0.0,)])))
    for code, label, score in zip(coded(table, labels, said, sure), said, sure, strict=True):
        if label < 0:
            assert code == -1
        elif code < 0:
            assert score < min(vote.level[0] for vote in table if bare(vote) == labels[label])
        else:
            assert bare(table[code]) == labels[label]
            low, high = table[code].level or (0.0, 1.0)
            assert low <= score < high or score == high == 1


def test_a_label_without_levels_takes_any_confidence():
    assert Levels.of([DOCTOR, LAWYER]).codes(LAWYER, np.array([0.0, 0.3, 1.0])).tolist() == [1, 1, 1]
    assert Levels.of([DOCTOR]).codes(LAWYER, np.array([0.3])).tolist() == [-1]


def test_a_level_that_is_lacking_becomes_the_one_its_middle_is_in():
    old, new = levelled(DOCTOR, (0.0, 0.5, 0.9)), [*levelled(DOCTOR, (0.0, 0.6)), LAWYER]
    assert nearest([*old, DOCTOR], new, np.int8).tolist() == [0, 1, 1, 1, -1]
    assert score_of(old[1]) == pytest.approx(0.7)


@pytest.mark.parametrize("wrong", [[0.5, 0.5], [0.8, 0.5], [-0.1], [0.5, 1.0], ["a"], [float("nan")], 0.5])
def test_levels_that_are_none(wrong):
    with pytest.raises(VoteError, match="levels must be where each level of confidence starts"):
        given_levels(wrong)
