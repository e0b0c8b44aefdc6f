"""Intervals of scores hold the scores of all items, from a sample of any size, however it was chosen."""

import numpy as np
import pytest

import assay
from assay.evaluation.figures import LEAST_CHANCE, ratio
from tests.support.checked import predictions, with_gold

BALANCES = {"even": [0.5, 0.5], "rare": [0.9, 0.1], "three": [0.6, 0.3, 0.1]}


def coverage(seed, items, balance, draws=120, *, sharpness=1.0, weighted=False, population=8000):
    """Per figure: in how many of the draws of gold its interval holds what all items would give."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(len(balance), population, p=balance)
    joint = predictions(rng, truth, balance, sharpness=sharpness)
    tasks = assay.TaskGraph.flat("task", [f"label {number}" for number in range(len(balance))])
    true = assay.evaluate(assay.Labels(tasks, (joint,)), truth).intervals["value"]
    hits = []
    for _ in range(draws):
        chances = 1.1 - joint.max(axis=1) if weighted else np.ones(population)
        chances = np.minimum(1, chances * items / chances.sum())
        rows = np.flatnonzero(rng.random(population) < chances)
        found = assay.evaluate(with_gold(tasks, joint, truth, rows, 1 / chances[rows])).intervals
        assert ((found["low"] <= found["value"]) & (found["value"] <= found["high"]) | found["value"].isna()).all()
        hits.append((found["low"] <= true) & (true <= found["high"]))
    return np.mean(hits, axis=0), true.index


@pytest.mark.parametrize("items", [30, 100, 500])
@pytest.mark.parametrize("balance", BALANCES)
@pytest.mark.parametrize("weighted", [False, True])
def test_intervals_of_scores_cover(items, balance, weighted):
    hits, names = coverage(items, items, BALANCES[balance], weighted=weighted)
    found = dict(zip(names, hits, strict=True))
    assert 0.9 <= found["accuracy"] <= 1
    assert min(found["log_loss"], found["calibration_error"]) >= 0.88
    # F1s of labels with a handful of items are rough.
    assert found["task macro_f1"] >= (0.85 if items < 100 else 0.88)


def test_intervals_are_not_merely_wide():
    hits, names = coverage(7, 100, BALANCES["even"], draws=600)
    assert 0.9 <= dict(zip(names, hits, strict=True))["accuracy"] <= 0.98


def test_labels_that_are_too_sure_are_found_out():
    hits, _ = coverage(1, 100, BALANCES["even"], sharpness=3.0)
    assert hits.min() >= 0.88


def test_log_loss_is_that_of_the_true_outcome(letters):
    joint = np.array([[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]])
    found = assay.evaluate(assay.Labels(letters, (joint,)), [0, 1])
    assert found.log_loss == pytest.approx(-(np.log(0.5) + np.log(LEAST_CHANCE)) / 2)
    assert found.figures()["log_loss"] == found.log_loss


def test_nothing_to_count_tells_nothing():
    found = ratio(np.zeros(3), np.zeros(3), np.ones(3))
    assert np.isnan(found.value)
    assert (found.low, found.high) == (0, 1)


def test_sure_figures_of_few_items_are_not_sure(letters):
    found = assay.evaluate(assay.Labels(letters, (np.eye(3)[[0, 0, 0, 1]],)), [0, 0, 0, 1]).intervals
    assert found.loc["accuracy"].tolist() == pytest.approx([1, 0.51, 1], abs=0.01)
    assert found.loc["letter=B f1"].tolist() == pytest.approx([1, 0.21, 1], abs=0.01)
    assert np.isnan(found.loc["letter=C f1", "value"])
    assert found.loc["letter macro_f1", "low"] < 0.7
    assert found.loc["log_loss", "high"] > 0.5
