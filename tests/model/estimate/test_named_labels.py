"""Labels that sources name: silence is evidence, and few sources stay close to a vote."""

import numpy as np

from assay import LabelModel, Tally, Task, TaskGraph, Votes
from assay.counts import Evidence, SourceGraph, layout_of
from assay.model.estimate.named_labels import equally_accurate, told_share, with_silence
from assay.model.scoring import Scoring, softmax

TASKS = TaskGraph([Task("topics", ["a"], multiple=True)])


def evidence(columns):
    votes = Votes.from_columns(TASKS, columns)
    tally = Tally.of(votes)
    return Evidence.of(tally, layout_of(tally.schema, 0, SourceGraph(tally.names)))


def test_equally_accurate_sources_are_a_distribution_and_a_vote_is_right_as_often_as_is_assumed():
    found = equally_accurate(evidence({"s": ["a"] * 3 + [None] * 97, "t": ["a"] + [None] * 99}))
    assert np.allclose([table.sum(axis=0) for table in found.conditionals], 1)
    vote = found.conditionals[0][0] * found.balance
    assert np.isclose(vote[1] / vote.sum(), 0.8)


def test_an_item_without_votes_gets_the_posterior_given_silence():
    parameters = equally_accurate(evidence({"s": ["a"] * 30 + [None] * 70}))
    scoring = with_silence(Scoring.bayes(parameters))
    silent = parameters.balance * parameters.silence
    assert np.allclose(scoring.without_votes, silent / silent.sum())
    assert np.allclose(scoring.without_votes, softmax(scoring.base[None])[0][0])


def test_departures_from_a_vote_are_earned_by_sources():
    shares = [told_share(evidence({f"s{at}": ["a", None] for at in range(count)})) for count in (2, 3, 4, 6, 9)]
    assert shares == [0.0, 0.25, 0.5, 1.0, 1.0]


def test_shares_are_recovered_from_sources_that_only_name():
    rng = np.random.default_rng(0)
    truth = rng.random(20_000) < 0.05
    columns = {}
    for at in range(7):
        hit = np.where(truth, rng.random(len(truth)) < 0.5, rng.random(len(truth)) < 0.01)
        columns[f"s{at}"] = [["a"] if one else None for one in hit]
    model = LabelModel().fit(votes := Votes.from_columns(TASKS, columns))
    chances = model.label(votes)["topics"][:, 0]
    assert abs(chances.mean() - truth.mean()) < 0.005
    assert chances[~votes.voted].max() < 0.01
    assert (model.sources_["low"] <= 0.73).all(), "half of a twentieth beside a hundredth of the rest"
    assert (model.sources_["high"] >= 0.71).all()
