"""Decisions for a metric, compared with all decisions there are."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.labels import Labels
from assay.labels.decisions import best_for_f1, best_for_macro_f1, cheapest, expected_macro_f1
from tests.support.checked import any_checked_labels
from tests.support.strategies import task_graphs


def some_probabilities(items, labels, seed):
    return np.random.default_rng(seed).dirichlet(np.full(labels, 0.7), size=items)


def true_expected_f1(chances, given_to):
    """The expected F1 of a label over all truths there are, each with its probability."""
    total = 0.0
    for truth in product([False, True], repeat=len(chances)):
        true = np.array(truth)
        weight = np.prod(np.where(true, chances, 1 - chances))
        said = true.sum() + given_to.sum()
        total += weight * (2 * (true & given_to).sum() / said if said else 1.0)
    return total


@given(st.integers(1, 8), st.integers(0, 999))
def test_f1_of_a_label_is_the_highest_ratio_of_expectations(items, seed):
    chances = some_probabilities(items, 3, seed)
    given_to = best_for_f1(chances, 1) == 1
    scores = [
        2 * chances[list(chosen), 1].sum() / (len(chosen) + chances[:, 1].sum())
        for size in range(items + 1)
        for chosen in [np.argsort(-chances[:, 1])[:size]]
    ]
    found = 2 * chances[given_to, 1].sum() / (given_to.sum() + chances[:, 1].sum())
    assert found == pytest.approx(max(scores))


def test_f1_of_a_label_is_nearly_the_highest_there_is():
    losses = []
    for seed in range(40):
        chances = some_probabilities(9, 2, seed)
        best = max(true_expected_f1(chances[:, 1], np.argsort(np.argsort(-chances[:, 1])) < size) for size in range(10))
        losses.append(best - true_expected_f1(chances[:, 1], best_for_f1(chances, 1) == 1))
    assert max(losses) < 0.05
    assert np.mean(losses) < 0.01


@given(st.integers(0, 999))
def test_macro_f1_is_close_to_the_best_of_all_decisions(seed):
    chances = some_probabilities(5, 3, seed)
    found = expected_macro_f1(chances, best_for_macro_f1(chances))
    best = max(expected_macro_f1(chances, np.array(decided)) for decided in product(range(3), repeat=5))
    assert found >= best - 0.03


def test_macro_f1_is_usually_the_best_of_all_decisions():
    exact = []
    for seed in range(60):
        chances = some_probabilities(5, 3, seed)
        best = max(expected_macro_f1(chances, np.array(decided)) for decided in product(range(3), repeat=5))
        exact.append(expected_macro_f1(chances, best_for_macro_f1(chances)) > best - 1e-9)
    assert np.mean(exact) > 0.8


@pytest.mark.parametrize("seed", range(5))
def test_metrics_gain_on_what_they_are_for(seed):
    """Drawn truths, many items, a rare label: each decision is best, or nearly, by its own metric."""
    rng = np.random.default_rng(seed)
    chances = rng.dirichlet([4, 1.5, 0.2], size=20_000)
    truth = (rng.random(20_000)[:, None] > chances.cumsum(axis=1)).sum(axis=1)
    tasks = assay.TaskGraph.flat("letter", ["A", "B", "C"])
    labels = Labels(tasks, (chances,))
    decided = {
        "accuracy": labels.decide(),
        "f1": labels.decide(metric="f1", label="C"),
        "macro_f1": labels.decide(metric="macro_f1"),
    }
    scores = {}
    for name, chosen in decided.items():
        numbers = np.array([tasks["letter"].labels.index(label) for label in chosen])
        found = assay.evaluate(Labels(tasks, (np.eye(3)[numbers],)), truth)
        scores[name] = {
            "accuracy": found.accuracy,
            "f1": found.intervals.loc["letter=C f1", "value"],
            "macro_f1": found.tasks.loc["letter", "macro_f1"],
        }
    for metric in decided:
        assert scores[metric][metric] > max(found[metric] for found in scores.values()) - 0.002
    assert scores["f1"]["f1"] > scores["accuracy"]["f1"] + 0.05
    assert scores["macro_f1"]["macro_f1"] > scores["accuracy"]["macro_f1"] + 0.02


def test_many_items_are_as_good_as_few():
    """Beyond a number of items no single ones are moved; that does not show."""
    chances = some_probabilities(3000, 4, 0)
    exact = expected_macro_f1(chances[:2000], best_for_macro_f1(chances[:2000]))
    assert expected_macro_f1(chances, best_for_macro_f1(chances)) == pytest.approx(exact, abs=0.01)


@given(st.integers(0, 999))
def test_the_cheapest_decision_is_the_cheapest(seed):
    rng = np.random.default_rng(seed)
    chances, cost = some_probabilities(4, 3, seed), rng.random((3, 3))
    for row, decided in zip(chances, cheapest(chances, cost), strict=True):
        assert row @ cost[:, decided] == pytest.approx(min(row @ cost[:, other] for other in range(3)))


def test_distance_costs_give_the_median_of_ordered_labels():
    chances = some_probabilities(50, 5, 1)
    tasks = assay.TaskGraph.flat("urgency", list("abcde"))
    distance = np.abs(np.subtract.outer(range(5), range(5)))
    chosen = Labels(tasks, (chances,)).decide("urgency", cost=distance)
    median = (chances.cumsum(axis=1) < 0.5).sum(axis=1)
    assert chosen.tolist() == np.array(list("abcde"))[median].tolist()
    named = pd.DataFrame(distance, index=list("abcde"), columns=list("abcde"))
    shuffled = named.loc[list("ebdca"), list("cdabe")]
    assert Labels(tasks, (chances,)).decide(cost=shuffled).tolist() == chosen.tolist()


@given(task_graphs(), st.integers(0, 99))
def test_decisions_are_labels_of_their_task(tasks, seed):
    labels = any_checked_labels(tasks, 6, seed)
    for task in tasks:
        for chosen in (labels.decide(task.name), labels.decide(task.name, metric="macro_f1")):
            assert chosen.shape == (6,)
            assert set(chosen) <= {*task.labels, None}
        may_not_apply = (labels[task.name][:, -1] > 0).any()
        if not may_not_apply:
            assert None not in labels.decide(task.name, metric="macro_f1")


def test_one_task_decides_as_the_outcome_does(letters):
    labels = Labels(letters, (some_probabilities(20, 3, 3),))
    assert labels.decide().tolist() == labels.names("letter").tolist()


def test_bad_input(letters, entities):
    labels = Labels(letters, (np.eye(3),))
    for arguments, said in (
        ({"metric": "macro"}, "Did you mean 'macro_f1'"),
        ({"metric": "f1"}, "needs the label"),
        ({"metric": "accuracy", "label": "A"}, "other metrics take none"),
        ({"metric": "f1", "label": "a"}, "Did you mean 'A'"),
        ({"cost": np.eye(2)}, r"shape \(3, 3\)"),
        ({"cost": [["a"] * 3] * 3}, "made of numbers"),
        ({"cost": np.full((3, 3), np.nan)}, "finite"),
        ({"cost": pd.DataFrame(np.eye(2), index=["A", "B"], columns=["A", "B"])}, "none for"),
        ({"cost": np.eye(3), "metric": "macro_f1"}, "either by a cost matrix"),
        ({"task": "leter"}, "Did you mean 'letter'"),
    ):
        with pytest.raises(assay.AssayError, match=said):
            labels.decide(**arguments)
    with pytest.raises(assay.AssayError, match="several tasks"):
        Labels(entities, (np.eye(4),)).decide()
