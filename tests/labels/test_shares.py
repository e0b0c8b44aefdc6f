"""Shares with error bars: they cover the truth, whatever the predictions are like."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.gold import CheckedLabels
from assay.labels import Labels
from tests.support.checked import any_checked_labels, predictions, with_gold
from tests.support.strategies import task_graphs


def coverage(seed, items, draws, *, balance, signal, sharpness=1.0, chosen=None, population=4000):
    """In how many of the draws of gold the intervals hold the true shares; and the error relative to counting."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(len(balance), population, p=balance)
    joint = predictions(rng, truth, balance, signal=signal, sharpness=sharpness)
    tasks = assay.TaskGraph.flat("task", [f"label {number}" for number in range(len(balance))])
    true = np.bincount(truth, minlength=len(balance)) / population
    hits, errors, counted = [], [], []
    for _ in range(draws):
        if chosen is None:
            rows, weights = np.sort(rng.choice(population, items, replace=False)), None
        else:
            chances = chosen(joint)
            chances = np.minimum(1, chances * items / chances.sum())
            rows = np.flatnonzero(rng.random(population) < chances)
            weights = 1 / chances[rows]
        table = with_gold(tasks, joint, truth, rows, weights).balance()
        hits.append((table["low"] <= true) & (true <= table["high"]))
        errors.append(table["share"] - true)
        counted.append(np.bincount(truth[rows], weights, minlength=len(balance)) / np.sum(
            np.ones(len(rows)) if weights is None else weights) - true)  # fmt: skip
    return np.mean(hits, axis=0), np.sqrt(np.mean(np.square(errors)) / np.mean(np.square(counted)))


@pytest.mark.parametrize("items", [20, 50, 100, 500])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.5])
def test_intervals_cover_at_any_size_and_share(items, share):
    hits, error = coverage(int(1000 * share), items, 250, balance=[share, 1 - share], signal=1.5)
    assert hits.min() >= 0.9
    assert hits.max() <= 0.995
    assert error < 1


@pytest.mark.parametrize("sharpness", [0.3, 4])
def test_predictions_that_are_too_sure_or_not_sure_enough_do_no_harm(sharpness):
    hits, error = coverage(1, 50, 250, balance=[0.2, 0.5, 0.3], signal=1.5, sharpness=sharpness)
    assert (hits >= 0.9).all()
    assert error < 1


def test_useless_predictions_cost_nothing():
    hits, error = coverage(2, 100, 250, balance=[0.3, 0.7], signal=0.01)
    assert hits.min() >= 0.9
    assert error < 1.05


def test_good_predictions_are_worth_many_labels():
    _, error = coverage(3, 100, 250, balance=[0.3, 0.7], signal=2.5)
    assert error < 0.7  # as if there were twice as many


def test_items_that_were_chosen_for_their_doubt_count_by_how_they_were_chosen():
    hits, _ = coverage(4, 100, 250, balance=[0.2, 0.8], signal=1.5, chosen=lambda joint: 1.2 - joint.max(axis=1))
    assert hits.min() >= 0.9


@given(task_graphs(), st.integers(0, 99))
def test_shares_of_any_task_graph_add_up(tasks, seed):
    labels = any_checked_labels(tasks, 12, seed)
    table = labels.balance()
    for task in tasks:
        rows = table[table["task"] == task.name]
        assert rows["share"].sum() == pytest.approx(1)
        assert rows["label"].tolist()[: len(task.labels)] == list(task.labels)
        assert ((rows["low"] >= 0) & (rows["low"] <= rows["share"]) & (rows["share"] <= rows["high"])).all()
        assert (rows["high"] <= 1).all()
        assert ((rows["high"] > rows["low"]) | (rows["gold"] == len(labels))).all()


def test_no_item_of_a_label_does_not_mean_that_there_is_none(letters):
    joint = np.tile([1.0, 0, 0], (1000, 1))
    table = with_gold(letters, joint, np.zeros(1000, dtype=int), np.arange(20)).balance()
    assert table["share"].tolist() == [1, 0, 0]
    assert table["low"].tolist() == pytest.approx([0.84, 0, 0], abs=0.01)
    assert table["high"].tolist() == pytest.approx([1, 0.16, 0.16], abs=0.01)


def test_gold_for_all_items_leaves_no_doubt(letters):
    truth = np.array([0, 0, 1, 2])
    table = with_gold(letters, np.full((4, 3), 1 / 3), truth, np.arange(4)).balance()
    assert table[["share", "low", "high"]].to_numpy().tolist() == [[share] * 3 for share in (0.5, 0.25, 0.25)]


def test_gold_that_leaves_a_task_open_does_not_count_for_it(entities):
    joint = np.full((100, 4), 0.25)
    allowed = np.array([[True, True, False, False]] * 10 + [[False, False, True, False]] * 10)
    gold = CheckedLabels(np.arange(20), (allowed,), (joint[:20],), np.ones(20))
    table = Labels(entities, (joint,), gold=gold).balance().set_index(["task", "label"])
    assert table["gold"].groupby("task").first().to_dict() == {"entity": 20, "person": 10, "org": 20}
    assert table.loc[("entity", "Person"), "share"] == pytest.approx(0.5)


def test_without_gold_votes_alone_do_not_tell(letters):
    table = Labels(letters, (np.array([[0.2, 0.3, 0.5], [0.4, 0.3, 0.3]]),)).balance()
    assert table["share"].tolist() == pytest.approx([0.3, 0.3, 0.4])
    assert (table["low"] == 0).all()
    assert (table["high"] == 1).all()
    with pytest.raises(assay.AssayError, match="no items"):
        Labels(letters, (np.empty((0, 3)),)).balance()
