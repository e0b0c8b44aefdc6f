"""What holds of a label model that has learned from hand labels, wherever votes and gold come from."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay import HandAnswer, HandLabels, LabelModel, Votes
from assay.gold import accuracy
from assay.simulate import flat_world, task_world
from tests.support.sameness import same_labels

ITEMS = 1_200
DRAWN = flat_world(sources=6, classes=3, coverage=0.6, seed=8).draw(ITEMS)
GOLD = np.where(np.arange(ITEMS) % 12 == 3, DRAWN.gold, -1)
KNOWN = GOLD >= 0


@pytest.fixture(scope="module")
def model() -> LabelModel:
    return LabelModel().fit(DRAWN.votes, GOLD)


def named(votes: Votes, names) -> Votes:
    return Votes.from_codes(votes.tasks, votes.codes, votes.names, votes.values, np.asarray(names))


def test_items_get_their_gold(model):
    assert (model.predict(DRAWN.votes)[KNOWN] == GOLD[KNOWN]).all()
    np.testing.assert_array_equal(model.predict_proba(DRAWN.votes)[KNOWN], np.eye(3)[GOLD[KNOWN]])
    np.testing.assert_array_equal(model.label(DRAWN.votes).joint[0], model.predict_proba(DRAWN.votes))


def test_labels_know_what_was_said_of_the_items_before(model):
    checked = model.label(DRAWN.votes).gold
    assert checked.rows.tolist() == np.flatnonzero(KNOWN).tolist()
    np.testing.assert_array_equal(checked.outcomes(), GOLD[KNOWN])
    np.testing.assert_allclose(checked.held_out[0].sum(axis=1), 1)
    assert 0.5 < accuracy(checked.held_out[0], GOLD[KNOWN]) < 1
    assert LabelModel().fit(DRAWN.votes).label(DRAWN.votes).gold is None


def test_other_votes_get_no_gold(model):
    other = DRAWN.votes.take(np.arange(ITEMS)[::-1])
    assert model.label(other).gold is None
    assert (model.predict(other)[::-1][KNOWN] != GOLD[KNOWN]).any()


def test_items_with_names_get_their_gold_wherever_they_stand():
    votes = named(DRAWN.votes, [f"item {row}" for row in range(ITEMS)])
    told = LabelModel().fit(votes, GOLD)
    order = np.random.default_rng(0).permutation(ITEMS)[:700]
    some = told.label(votes.take(order))
    assert (some.joint[0].argmax(axis=1)[KNOWN[order]] == GOLD[order][KNOWN[order]]).all()
    assert some.gold.rows.tolist() == np.flatnonzero(KNOWN[order]).tolist()


def test_every_form_of_gold_teaches_the_same(model):
    names = [f"item {row}" for row in range(ITEMS)]
    votes = named(DRAWN.votes, names)
    labels = [None if y < 0 else str(y) for y in GOLD]
    hand = HandLabels.of(
        HandAnswer(names[row], by="ann", answer={"label": str(GOLD[row])}) for row in np.flatnonzero(KNOWN)
    )
    expected = model.predict_proba(DRAWN.votes)
    for gold in (GOLD, labels, {"label": labels}, hand):
        np.testing.assert_array_equal(LabelModel().fit(votes, gold).predict_proba(votes), expected)


def test_the_order_of_items_does_not_matter(model):
    order = np.random.default_rng(3).permutation(ITEMS)
    shuffled = LabelModel().fit(DRAWN.votes.take(order), GOLD[order])
    found = shuffled.predict_proba(DRAWN.votes.take(order))
    np.testing.assert_allclose(found, model.predict_proba(DRAWN.votes)[order], atol=1e-6)


def test_saving_and_loading(model, tmp_path):
    again = LabelModel.load(model.save(tmp_path / "model.npz"))
    assert same_labels(again.label(DRAWN.votes), model.label(DRAWN.votes))
    np.testing.assert_array_equal(again.label(DRAWN.votes).gold.held_out[0], model.label(DRAWN.votes).gold.held_out[0])
    assert str(again.explain(DRAWN.votes, 1)) == str(model.explain(DRAWN.votes, 1))
    assert again.sources_.equals(model.sources_)


def test_gold_of_several_days_adds_up(model, tmp_path):
    half = ITEMS // 2
    days = LabelModel().partial_fit(DRAWN.votes.take(slice(0, half)), GOLD[:half])
    days = LabelModel.load(days.save(tmp_path / "model.npz"))
    days.partial_fit(DRAWN.votes.take(slice(half, ITEMS)), GOLD[half:])
    np.testing.assert_allclose(days.predict_proba(DRAWN.votes), model.predict_proba(DRAWN.votes), atol=1e-9)


def test_a_day_without_gold_keeps_what_gold_has_taught():
    half = ITEMS // 2
    days = LabelModel().partial_fit(DRAWN.votes.take(slice(0, half)), GOLD[:half])
    days.partial_fit(DRAWN.votes.take(slice(half, ITEMS)))
    once = LabelModel().fit(DRAWN.votes, np.where(np.arange(ITEMS) < half, GOLD, -1))
    np.testing.assert_allclose(days.predict_proba(DRAWN.votes), once.predict_proba(DRAWN.votes), atol=1e-9)


def test_the_explanation_adds_up_to_the_label(model):
    for row in np.flatnonzero(~KNOWN)[:20]:
        why = model.explain(DRAWN.votes, int(row))
        np.testing.assert_allclose(why.posterior, model.predict_proba(DRAWN.votes)[row], atol=1e-9)
        parts = why.table.drop(index="total")
        np.testing.assert_allclose(parts.sum(), why.table.loc["total"], atol=1e-9)
    assert "hand labels" in why.table.index
    without = LabelModel().fit(DRAWN.votes).explain(DRAWN.votes, int(row)).table
    # What votes alone tell stands there as it would without gold.
    np.testing.assert_allclose(why.table.loc[without.index.drop("total")], without.drop(index="total"))


def test_two_sources_are_enough_where_there_is_gold():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 1_000)
    codes = np.column_stack([np.where(rng.random(1_000) < right, truth, 1 - truth) for right in (0.9, 0.6)])
    with pytest.raises(assay.UnidentifiableError):
        LabelModel().fit(codes)
    for items in (60, 1_000):
        gold = np.where(np.arange(1_000) < items, truth, -1)
        told = LabelModel().fit(codes, gold)
        rest = np.arange(1_000) >= 60
        found = told.fitted_.components[0].scorer(told.fitted_.aligned(codes))
        assert (found.argmax(axis=1) == truth)[rest].mean() > 0.87


def test_a_hierarchy_with_gold_for_the_coarse_task_only(entities):
    drawn = task_world(entities, ["entity"] * 3 + ["person"] * 3 + ["org"] * 3, seed=2).draw(1_500)
    coarse = [
        {"entity": drawn.votes.label_space.outcomes[y]["entity"]} if row % 10 == 0 else None
        for row, y in enumerate(drawn.gold)
    ]
    told = LabelModel().fit(drawn.votes, coarse)
    names = told.label(drawn.votes).names("entity")
    assert [names[row] for row in range(0, 1_500, 10)] == [one["entity"] for one in coarse[::10]]
    before = LabelModel().fit(drawn.votes).predict(drawn.votes)
    rest = np.arange(1_500) % 10 > 0
    assert ((told.predict(drawn.votes) == drawn.gold)[rest]).mean() > (before == drawn.gold)[rest].mean() - 0.01


@pytest.mark.parametrize("seed", range(4))
def test_random_gold_of_votes_that_follow_the_model_does_no_harm(seed):
    drawn = flat_world(sources=8, classes=2 + seed % 3, coverage=0.5, seed=20 + seed).draw(2_000)
    rows = np.random.default_rng(seed).permutation(2_000)[:40]
    gold = np.full(2_000, -1)
    gold[rows] = drawn.gold[rows]
    rest = gold < 0
    with_gold, without = (
        accuracy(LabelModel().fit(drawn.votes, given).predict_proba(drawn.votes)[rest], drawn.gold[rest])
        for given in (gold, None)
    )
    assert with_gold > without - 0.006
