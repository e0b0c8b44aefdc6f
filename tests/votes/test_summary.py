from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

import assay.votes.summary
from assay import TaskError, VoteError, Votes
from assay.votes.summary import company, judged, wilson
from tests.support.oracles import allowed, spoken
from tests.support.strategies import full_vectors, partial_vectors, said


def laid_out(votes, flags):
    """(items, sources): flags of the votes that were cast, where these are."""
    return [votes.listed.keep(flag).dense() >= 0 for flag in flags]


@given(said())
def test_company_and_contradictions_are_those_of_sets(given_votes):
    accompanied, contradicted = laid_out(given_votes.votes, company(given_votes.votes))
    for i, row in enumerate(given_votes.rows):
        for j, vote in enumerate(row):
            others = [other for k, other in enumerate(row) if k != j and other is not None]
            about = spoken(given_votes.tasks, vote)
            mine = allowed(given_votes.tasks, vote)
            assert accompanied[i, j] == any(about.keys() & spoken(given_votes.tasks, o).keys() for o in others)
            assert contradicted[i, j] == (
                vote is not None and any(not mine & allowed(given_votes.tasks, other) for other in others)
            )


@given(said(), st.data())
def test_votes_are_judged_by_the_outcomes_that_gold_leaves(given_votes, data):
    votes = given_votes.votes
    gold = [data.draw(st.none() | partial_vectors(given_votes.tasks)) for _ in range(len(votes))]
    right, wrong = laid_out(votes, judged(votes, votes.gold(gold)))
    everything = allowed(given_votes.tasks, None)
    for i, row in enumerate(given_votes.rows):
        truth = allowed(given_votes.tasks, gold[i])
        for j, vote in enumerate(row):
            mine = allowed(given_votes.tasks, vote)
            assert right[i, j] == (mine != everything and truth <= mine)
            assert wrong[i, j] == (not truth & mine)
    table = votes.summary(gold=gold)
    assert table["correct"].tolist() == right.sum(axis=0).tolist()
    assert table["incorrect"].tolist() == wrong.sum(axis=0).tolist()


@given(said(min_rows=1))
def test_fractions_are_counted_by_source_by_task_and_overall(given_votes):
    votes = given_votes.votes
    accompanied, contradicted = laid_out(votes, company(votes))
    by_source, by_task, overall = (votes.summary(by=by) for by in ("source", "task", "overall"))
    figures = ["coverage", "overlaps", "conflicts"]

    def shares(where):
        return [
            where.any(axis=1).mean(),
            (where & accompanied).any(axis=1).mean(),
            (where & contradicted).any(axis=1).mean(),
        ]

    voted = np.array([[vote is not None for vote in row] for row in given_votes.rows])
    for j, (name, column) in enumerate(given_votes.columns.items()):
        only = voted & (np.arange(len(votes.names)) == j)
        assert by_source.loc[name, figures].tolist() == pytest.approx(shares(only))
        spoken_of = {task for vote in column if vote for task in vote}
        assert by_source.loc[name, "task"] == ", ".join(t for t in given_votes.tasks.names if t in spoken_of)
    assert overall.loc["overall", figures].tolist() == pytest.approx(shares(voted))
    assert overall.loc["overall", "votes"] == voted.sum()
    for task in given_votes.tasks:
        about = np.array([[vote is not None and task.name in vote for vote in row] for row in given_votes.rows])
        emitted = {vote[task.name] for row in given_votes.rows for vote in row if vote and task.name in vote}
        row = by_task.loc[task.name]
        assert row[figures].tolist() == pytest.approx(shares(about))
        assert (row["votes"], row["sources"]) == (about.sum(), about.any(axis=0).sum())
        assert row["never voted"] == ", ".join(label for label in task.labels if label not in emitted)


@given(said(), st.data())
def test_the_summary_does_not_depend_on_the_order_of_rows_and_sources(given_votes, data):
    votes = given_votes.votes
    rows, names = data.draw(st.permutations(range(len(votes)))), data.draw(st.permutations(votes.names))
    shuffled = votes.take(rows).select(names).summary()
    pd.testing.assert_frame_equal(shuffled.loc[list(votes.names)], votes.summary())


def test_it_does_not_depend_on_the_block_size(monkeypatch):
    votes = Votes.from_matrix(np.random.default_rng(0).integers(-1, 3, (50, 4)))
    whole = votes.summary(gold=[0] * 50, by="overall"), assay.majority_vote(votes)
    monkeypatch.setattr(assay.votes.summary, "BLOCK", 7)
    pd.testing.assert_frame_equal(votes.summary(gold=[0] * 50, by="overall"), whole[0])
    np.testing.assert_array_equal(assay.majority_vote(votes), whole[1])


@given(st.integers(0, 200), st.integers(0, 200))
def test_wilson_is_scipys(correct, incorrect):
    low, high = wilson(correct, correct + incorrect)
    assert 0 <= low <= high <= 1
    if correct + incorrect:
        interval = binomtest(correct, correct + incorrect).proportion_ci(method="wilson")
        assert (low, high) == pytest.approx((interval.low, interval.high), abs=1e-12)
    else:
        assert (low, high) == (0, 1)


def test_person_against_doctor_is_no_conflict(entities):
    votes = Votes.from_columns(
        entities, {"coarse": ["Person", "Person", None], "fine": ["Doctor", "Hospital", "Office"]}
    )
    assert votes.summary()["conflicts"].tolist() == pytest.approx([1 / 3, 1 / 3])
    assert votes.summary()["overlaps"].tolist() == pytest.approx([2 / 3, 2 / 3])
    assert votes.summary()["labels"].tolist() == ["Person", "Doctor, Hospital, Office"]


def test_gold_may_come_in_any_shape(entities):
    votes = Votes.from_columns(entities, {"coarse": ["Person", "Person", "Person"], "fine": ["Doctor", "Doctor", None]})
    outcomes = [0, 2, -1]
    shapes = [
        outcomes,
        np.array(outcomes),
        [np.int64(number) for number in outcomes],
        pd.Series(outcomes),
        ["Doctor", "Hospital", None],
        [entities.label_space.outcomes[0], entities.label_space.outcomes[2], None],
        {"entity": ["Person", "Organization", None], "person": ["Doctor", None, None]},
        {"entity": pd.Series(["Person", "Organization", None]), "person": np.array(["Doctor", None, None])},
        Votes.from_columns(entities, {"truth": ["Doctor", "Hospital", None]}),
    ]
    for gold in shapes:
        table = votes.summary(gold=gold)
        assert table["correct"].tolist() == [1, 1]
        assert table["incorrect"].tolist() == [1, 1]
        assert table["accuracy"].tolist() == [0.5, 0.5]
        assert table["accuracy_low"].tolist() == [wilson(1, 2)[0]] * 2


def test_gold_that_is_coarser_than_a_vote_leaves_it_open(entities):
    votes = Votes.from_columns(entities, {"fine": ["Doctor", "Office"]})
    table = votes.summary(gold=["Person", "Person"])
    assert table[["correct", "incorrect"]].to_numpy().tolist() == [[0, 1]]
    assert votes.summary(gold=[None, None])["accuracy"].isna().all()


def test_gold_may_speak_of_tasks_that_no_source_labels(pair):
    votes = Votes.from_columns(pair, {"s": ("mood", ["good", "bad"])})
    table = votes.summary(gold=[{"mood": "good", "food": "cold"}, {"food": "cold"}])
    assert table[["correct", "incorrect"]].to_numpy().tolist() == [[1, 0]]


def test_gold_that_does_not_fit_is_refused(entities, pair):
    votes = Votes.from_columns(entities, {"s": ["Person", None]})
    for gold, advice in [
        (["Person"], "each of the 2 items"),
        ([0, 4], "outcome numbers from 0 to 3, or -1, but got 4"),
        (["Person", "Dog"], "no task has the label 'Dog'"),
        ({"entity": ["Person"], "org": [None, None]}, "lengths are {'entity': 1, 'org': 2}"),
        ({"entiti": ["Person", None]}, "Did you mean 'entity'"),
        (Votes.from_columns(pair, {"s": ["bad", "bad"]}), "on the same tasks"),
        (Votes.from_columns(entities, {"a": [None, None], "b": [None, None]}), "votes of one source, but it has 2"),
    ]:
        with pytest.raises(VoteError, match=advice):
            votes.summary(gold=gold)
    with pytest.raises(TaskError, match="never made"):
        Votes.from_columns(pair, {"s": ["bad"]}).summary(gold=[0])


@given(said(min_rows=1), st.data())
def test_the_truth_is_always_right(given_votes, data):
    """A source that says part of the true outcome is never wrong."""
    truth = [data.draw(st.sampled_from(full_vectors(given_votes.tasks))) for _ in given_votes.rows]
    names = data.draw(st.lists(st.sampled_from(given_votes.tasks.names), min_size=1, unique=True))
    oracle = Votes.from_columns(given_votes.tasks, {"oracle": [{name: row[name] for name in names} for row in truth]})
    assert oracle.summary(gold=truth)["incorrect"].tolist() == [0]
