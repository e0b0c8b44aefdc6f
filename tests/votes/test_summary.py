from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

import assay.votes.summary
from assay import Votes
from assay.votes.summary import compare_with_gold, contradictions, overlaps_and_conflicts, summarize, wilson
from tests.support.oracles import allowed, meaning, spoken
from tests.support.strategies import partial_vectors, said


def laid_out(votes, flags):
    """(items, sources): flags of the votes that were cast, where these are."""
    return [votes.cast.keep(flag).dense() >= 0 for flag in flags]


@given(said())
def test_company_and_contradictions_are_those_of_sets(given_votes):
    accompanied, contradicted = laid_out(given_votes.votes, overlaps_and_conflicts(given_votes.votes))
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
    right, wrong = laid_out(votes, compare_with_gold(votes, votes.gold(gold)))
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
    accompanied, contradicted = laid_out(votes, overlaps_and_conflicts(votes))
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
        told = [meaning(given_votes.tasks, vote) or {} for row in given_votes.rows for vote in row]
        emitted = {label for vote in told for label in vote.get(task.name, ())}
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


@given(said(min_rows=1))
def test_pairs_of_votes_that_contradict_each_other_are_counted(given_votes):
    votes = given_votes.votes
    sets = [
        [component.allows(values[code]) if code >= 0 else None for values, code in zip(votes.values, row, strict=True)]
        for component in votes.label_space.components
        for row in votes.codes
    ]
    pairs = [
        sum(not (a & b).any() for a, b in combinations([mask for mask in row if mask is not None], 2)) for row in sets
    ]
    by_component = np.array(pairs).reshape(len(votes.label_space.components), len(votes))
    assert contradictions(votes).tolist() == by_component.sum(axis=0).tolist()


@given(said(min_rows=1))
def test_a_summary_of_patterns_with_weights_is_that_of_the_items(given_votes):
    votes = given_votes.votes
    repeats = 1 + np.arange(len(votes)) % 3
    everything = votes.take(np.repeat(np.arange(len(votes)), repeats))
    for by in ("source", "task", "overall"):
        weighted = summarize(votes, None, by, repeats.astype(float))
        whole = summarize(everything, None, by)
        numbers = whole.select_dtypes("number").columns
        np.testing.assert_allclose(weighted[numbers].to_numpy(float), whole[numbers].to_numpy(float))
