"""Scores of labels of which any subset may apply."""

import numpy as np
import pytest

import assay

LABELS = ["a", "b", "c"]


@pytest.fixture
def scored():
    rng = np.random.default_rng(0)
    chances, truth = rng.random((80, 3)), rng.random((80, 3)) < 0.4
    tasks = assay.TaskGraph([assay.Task("topics", LABELS, multiple=True)])
    labels = assay.Labels(tasks, tuple(np.column_stack([1 - column, column]) for column in chances.T))
    gold = [[label for label, there in zip(LABELS, row, strict=True) if there] for row in truth]
    return labels, gold, chances > 0.5, truth


def test_figures_are_those_of_scikit_learn(scored):
    from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score

    labels, gold, given, truth = scored
    row = assay.evaluate(labels, gold).subsets.loc["topics"]
    assert row["micro_f1"] == pytest.approx(f1_score(truth, given, average="micro"))
    assert row["macro_f1"] == pytest.approx(f1_score(truth, given, average="macro"))
    assert row["precision"] == pytest.approx(precision_score(truth, given, average="micro"))
    assert row["recall"] == pytest.approx(recall_score(truth, given, average="micro"))
    assert row["subset_accuracy"] == pytest.approx(accuracy_score(truth, given))
    assert row["items"] == 80


def test_intervals_and_names(scored):
    labels, gold, *_ = scored
    found = assay.evaluate(labels, gold)
    for name in ("micro_f1", "macro_f1", "precision", "recall", "subset_accuracy"):
        low, high = found.interval(f"topics {name}")
        assert low < found.figures()[f"topics {name}"] < high
    assert "micro_f1" in repr(found)


def test_items_that_gold_leaves_open_do_not_count(scored):
    labels, gold, given, truth = scored
    some = [one if at < 30 else {"a": True} for at, one in enumerate(gold)]
    row = assay.evaluate(labels, some).subsets.loc["topics"]
    assert row["items"] == 30
    assert row["subset_accuracy"] == pytest.approx((given[:30] == truth[:30]).all(axis=1).mean())
