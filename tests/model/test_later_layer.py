"""Asking later, where the others are unsure, never spoils what is learned of the others; and files keep it."""

import numpy as np
import pytest

import assay
from assay import LabelModel, Votes
from assay.errors import AssayError
from assay.project import least_sure
from assay.simulate import flat_world

SIMULATION = flat_world(sources=6, seed=3).draw(4000)
CHEAP = SIMULATION.votes


def with_later(rows, count=2, accuracy=0.9, votes=CHEAP, gold=SIMULATION.gold):
    rng = np.random.default_rng(5)
    said = np.full((len(votes), count), -1)
    said[rows] = np.where(rng.random((len(rows), count)) < accuracy, gold[rows, None], 1 - gold[rows, None])
    later = Votes.from_matrix(said, cardinality=2)
    names = [*votes.names, *(f"p{number}" for number in range(count))]
    values = [*votes.values, *later.values]
    return Votes.from_codes(votes.tasks, np.hstack([votes.codes, later.codes]), names, values)


def accuracy(model, votes):
    return (model.predict(votes) == SIMULATION.gold).mean()


@pytest.fixture(scope="module")
def first():
    return LabelModel().fit(CHEAP)


@pytest.fixture(scope="module")
def asked(first):
    return least_sure(first.label(CHEAP), 0.1).rows


@pytest.fixture(scope="module")
def layered(asked):
    return LabelModel(asked_later=["p0", "p1"]).fit(with_later(asked))


def test_items_that_nobody_was_asked_about_keep_their_labels(first, asked, layered):
    votes = with_later(asked)
    rest = np.setdiff1d(np.arange(len(CHEAP)), asked)
    assert layered.predict_proba(votes)[rest] == pytest.approx(first.predict_proba(CHEAP)[rest], abs=1e-9)


def test_items_that_were_asked_about_are_labeled_better(first, asked, layered):
    votes = with_later(asked)
    right = {
        name: (model.predict(given) == SIMULATION.gold)[asked].mean()
        for name, model, given in (("without", first, CHEAP), ("with", layered, votes))
    }
    assert right["with"] > right["without"] + 0.15
    assert accuracy(layered, votes) > accuracy(first, CHEAP)


def test_what_is_learned_of_the_others_stays(first, layered):
    of_others = layered.sources_[layered.sources_["source"].isin(CHEAP.names)]
    assert of_others["accuracy"].to_numpy() == pytest.approx(first.sources_["accuracy"].to_numpy(), abs=1e-9)
    later = layered.sources_[layered.sources_["source"].isin(["p0", "p1"])]
    assert later["votes"].sum() == 800
    assert (later["low"] <= 0.9).all()
    assert (later["high"] >= 0.85).all()
    assert layered.check_.ok
    assert not any("p0" in problem.sources for problem in layered.check_.problems)


def test_a_file_keeps_it(layered, asked, tmp_path):
    votes = with_later(asked)
    again = LabelModel.load(layered.save(tmp_path / "model.npz"))
    assert np.array_equal(again.predict_proba(votes), layered.predict_proba(votes))
    assert again.sources_.equals(layered.sources_)


def test_explanations_add_up(layered, asked):
    votes = with_later(asked)
    table = layered.explain(votes, int(asked[0])).table
    assert any(str(name).startswith("p0") for name in table.index)
    total = table.loc["total"].to_numpy()
    assert np.exp(total) / np.exp(total).sum() == pytest.approx(layered.predict_proba(votes)[asked[0]], abs=1e-6)


def test_hand_labels_go_along(asked):
    votes = with_later(asked)
    gold = np.full(len(votes), -1)
    known = np.random.default_rng(0).choice(len(votes), 100, replace=False)
    gold[known] = SIMULATION.gold[known]
    model = LabelModel(asked_later=["p0", "p1"]).fit(votes, gold)
    labels = model.label(votes)
    assert (labels.joint[0][known].argmax(axis=1) == gold[known]).all()
    scored = assay.evaluate(labels)
    assert scored.cross_fitted == 100
    assert scored.accuracy > 0.8


def test_votes_that_are_not_independent_are_fitted_together():
    rng = np.random.default_rng(1)
    copies = np.column_stack([CHEAP.codes, *(CHEAP.codes[:, :1] for _ in range(6))])
    flips = rng.random(copies[:, 6:].shape) < 0.2
    copies[:, 6:] = np.where(flips, 1 - copies[:, 6:], copies[:, 6:])
    votes = with_later(np.arange(400), votes=Votes.from_matrix(copies))
    together = LabelModel(dependencies=()).fit(votes)
    if together.fitted_.components[0].fit.em_weight < 0.5:
        layers = LabelModel(dependencies=(), asked_later=["p0", "p1"]).fit(votes)
        assert np.array_equal(layers.predict_proba(votes), together.predict_proba(votes))
    else:
        pytest.fail("the votes were meant to be inconsistent with independent sources")


# Sources that name one label: their silence tells something where they were asked, and nowhere else.

LATER = ["yes", "also yes", "yes too", "yes again", "no"]
NAMED, HIT, SLIP = (1, 1, 1, 1, 0), 0.6, 0.2


def one_sided(rows):
    rng = np.random.default_rng(6)
    gold = SIMULATION.gold
    said = np.full((len(CHEAP), len(NAMED)), -1)
    for column, label in enumerate(NAMED):
        said[rows, column] = np.where(rng.random(len(rows)) < np.where(gold[rows] == label, HIT, SLIP), label, -1)
    later = Votes.from_matrix(said, cardinality=2)
    values = [*CHEAP.values, *later.values]
    return Votes.from_codes(CHEAP.tasks, np.hstack([CHEAP.codes, later.codes]), [*CHEAP.names, *LATER], values)


@pytest.fixture(scope="module")
def silent(asked):
    votes = one_sided(asked)
    return votes, LabelModel(asked_later=LATER).fit(votes)


def test_silence_tells_nothing_where_nobody_was_asked(first, asked, silent):
    votes, model = silent
    rest = np.setdiff1d(np.arange(len(CHEAP)), asked)
    assert model.predict_proba(votes)[rest] == pytest.approx(first.predict_proba(CHEAP)[rest], abs=1e-9)


def test_silence_is_evidence_where_somebody_was_asked(first, asked, silent):
    """Labels are better than those of Bayes' rule with the true tables of the votes, if it leaves out silence."""
    votes, model = silent
    codes = votes.codes[asked][:, -len(NAMED) :]
    spoke = (codes >= 0).any(axis=1)
    logs = np.log(first.predict_proba(CHEAP)[asked][spoke])
    for column, label in zip(codes[spoke].T, NAMED, strict=True):
        logs += np.where(column[:, None] >= 0, np.log(np.where(np.arange(2) == label, HIT, SLIP)), 0.0)
    truth = SIMULATION.gold[asked][spoke]
    right = [(labels == truth).mean() for labels in (model.predict(votes)[asked][spoke], logs.argmax(axis=1))]
    assert right[0] > right[1] + 0.03


def test_with_it_labels_add_up_and_are_kept(asked, silent, tmp_path):
    votes, model = silent
    again = LabelModel.load(model.save(tmp_path / "model.npz"))
    assert np.array_equal(again.predict_proba(votes), model.predict_proba(votes))
    assert again.sources_.equals(model.sources_)
    rest = np.setdiff1d(np.arange(len(CHEAP)), asked)
    for item in (int(asked[0]), int(rest[0])):
        total = model.explain(votes, item).table.loc["total"].to_numpy()
        assert np.exp(total) / np.exp(total).sum() == pytest.approx(model.predict_proba(votes)[item], abs=1e-6)


def test_dense_and_sparse_votes_are_labeled_alike(silent):
    votes, model = silent
    found = model.predict_proba(votes)
    cast = votes.cast
    assert model.fitted_.components[0].scorer.sparse(cast)[0] == pytest.approx(found, abs=1e-9)


def test_what_is_declared_of_both_kinds_of_sources_is_kept_too(asked, tmp_path):
    """A dependency across the two is none of either; a file must not come back with it."""
    votes = one_sided(asked)
    pairs = [("yes", "also yes"), (CHEAP.names[0], CHEAP.names[1]), (CHEAP.names[2], "no")]
    model = LabelModel(asked_later=LATER, dependencies=pairs).fit(votes)
    again = LabelModel.load(model.save(tmp_path / "model.npz"))
    assert np.array_equal(again.predict_proba(votes), model.predict_proba(votes))


def test_hand_labels_correct_what_silence_tells(asked):
    votes = one_sided(asked)
    gold = np.full(len(votes), -1)
    known = np.random.default_rng(0).choice(len(votes), 100, replace=False)
    gold[known] = SIMULATION.gold[known]
    labels = LabelModel(asked_later=LATER).fit(votes, gold).label(votes)
    assert (labels.joint[0][known].argmax(axis=1) == gold[known]).all()
    assert assay.evaluate(labels).cross_fitted == 100
    assert accuracy(LabelModel(asked_later=LATER).fit(votes, gold), votes) > 0.8


def test_what_cannot_be_is_refused(asked, tmp_path):
    votes = with_later(asked)
    with pytest.raises(AssayError, match="needs all votes at once"):
        LabelModel(asked_later=["p0"]).partial_fit(votes)
    with pytest.raises(AssayError, match="needs votes in memory"):
        LabelModel(asked_later=["p0"]).fit(votes.to_parquet(tmp_path / "votes.parquet"))
    with pytest.raises(AssayError, match="no source 'p7'"):
        LabelModel(asked_later=["p7"]).fit(votes)
    topics = assay.TaskGraph([assay.Task("topics", ["a", "b"], multiple=True)])
    many = Votes.from_columns(topics, {name: [["a"], ["b"], []] * 20 for name in ("x", "y", "z", "p")})
    with pytest.raises(AssayError, match="any subset of labels may apply"):
        LabelModel(asked_later=["p"], allow_unidentifiable=True).fit(many)
