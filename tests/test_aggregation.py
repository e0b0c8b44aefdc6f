"""A crowd in one line: what the label model says, skills that cover the truth, and a start that takes a moment."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import assay
from assay.aggregation import pooled


def crowd(rng, items=150, workers=8, labels=3, each=4):
    """A long table as crowd-kit has it, the truth, and the true skill of each worker."""
    truth = rng.integers(labels, size=items)
    skill = rng.uniform(0.5, 0.95, workers)
    rows = [
        (f"t{item}", f"w{worker}", "abcde"[truth[item] if rng.random() < skill[worker] else wrong])
        for item in range(items)
        for worker in rng.choice(workers, each, replace=False)
        for wrong in [(truth[item] + rng.integers(1, labels)) % labels]
    ]
    table = pd.DataFrame(rows, columns=["task", "worker", "label"])
    return table, pd.Series([*truth], index=[f"t{item}" for item in range(items)]).map(lambda at: "abcde"[at]), skill


def test_it_says_what_the_label_model_says():
    table, truth, _ = crowd(np.random.default_rng(0))
    found = assay.aggregate(table)
    votes = assay.Votes.from_long(table, item="task")
    labels = assay.LabelModel().fit(votes).label(votes)
    assert found.labels.tolist() == labels.names("label").tolist()
    np.testing.assert_array_equal(found.probabilities.to_numpy(), labels["label"][:, :3])
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)
    assert found.labels.index.tolist() == list(dict.fromkeys(table["task"]))
    assert (found.labels == truth[found.labels.index]).mean() > 0.85


def test_a_majority_vote_stands_beside_it_and_ties_are_told():
    found = assay.aggregate(
        {"task": [1, 1, 1, 2, 2, 3], "worker": ["a", "b", "c", "a", "b", "c"], "label": ["x", "x", "y", "x", "y", "y"]}
    )
    assert found.majority.tolist() == ["x", None, "y"]
    assert found.to_pandas()["votes"].tolist() == [3, 2, 1]
    assert "tied on 1" in repr(found)


def test_the_order_of_rows_does_not_matter():
    table, _, _ = crowd(np.random.default_rng(1))
    one, other = assay.aggregate(table), assay.aggregate(table.sample(frac=1, random_state=2))
    pd.testing.assert_frame_equal(one.probabilities, other.probabilities.loc[one.probabilities.index])
    pd.testing.assert_frame_equal(one.skills, other.skills)


def test_intervals_of_skills_cover_the_true_skills():
    covered = []
    for seed in range(12):
        table, _, skill = crowd(np.random.default_rng(seed), items=300)
        found = assay.aggregate(table).skills.loc[[f"w{worker}" for worker in range(len(skill))]]
        assert found["votes"].sum() == len(table)
        assert ((found["low"] <= found["skill"]) & (found["skill"] <= found["high"])).all()
        covered += [*((found["low"] <= skill) & (skill <= found["high"]))]
    assert np.mean(covered) > 0.9


def test_a_skill_is_the_mean_of_its_values_and_untold_ones_stay_untold():
    table = pd.DataFrame(
        {
            "source": ["a", "a", "b", "b", "c"],
            "accuracy": [0.8, 0.6, 0.7, 0.7, 0.5],
            "low": [0.7, 0.4, 0.0, 0.0, 0.2],
            "high": [0.9, 0.8, 1.0, 1.0, 0.8],
            "votes": [30, 10, 5, 5, 0],
        }
    )
    found = pooled(table)
    assert found.index.tolist() == ["a", "b"]
    assert found.loc["a", "accuracy"] == pytest.approx(0.75)
    assert 0.6 < found.loc["a", "low"] < 0.7
    assert found.loc["b", ["low", "high"]].tolist() == [0, 1]


def test_gold_and_a_model_of_ones_own_are_used():
    table, truth, _ = crowd(np.random.default_rng(3))
    few = truth.iloc[:60]
    assert (assay.aggregate(table, gold=few).labels[few.index] == few).all()
    assert assay.aggregate(table, model=assay.LabelModel(method="em")).model.method == "em"


@pytest.mark.parametrize(
    ("columns", "given"),
    [
        (["task", "worker", "label"], {}),
        (["item_id", "annotator", "answer"], {}),
        (["a", "b", "c"], {"item": "a", "worker": "b", "label": "c"}),
        (["task", "b", "label"], {"worker": "b"}),
    ],
)
def test_columns_are_known_by_their_names_or_told(columns, given):
    table, _, _ = crowd(np.random.default_rng(4), items=40)
    found = assay.aggregate(table.set_axis(columns, axis=1), **given)
    assert found.labels.tolist() == assay.aggregate(table).labels.tolist()


@pytest.mark.parametrize(
    ("columns", "given", "said"),
    [
        (["task", "x", "label"], {}, "worker='x'"),
        (["task", "item", "label"], {"worker": "wrker"}, "no column 'wrker'"),
        (["worker", "annotator", "label"], {}, "items"),
    ],
)
def test_columns_that_cannot_be_told_are_asked_for(columns, given, said):
    table, _, _ = crowd(np.random.default_rng(4), items=40)
    with pytest.raises(assay.VoteError, match=said):
        assay.aggregate(table.set_axis(columns, axis=1), **given)


def test_a_table_without_votes_is_refused():
    with pytest.raises(assay.VoteError, match="no votes"):
        assay.aggregate({"task": ["a"], "worker": ["b"], "label": [None]})


@pytest.mark.parametrize("numbers", [True, False])
def test_a_long_table_in_place_of_a_matrix_is_pointed_here(numbers):
    table, _, _ = crowd(np.random.default_rng(5))
    if numbers:
        table = table.apply(lambda column: pd.factorize(column)[0])
    with pytest.raises(assay.VoteError, match=r"assay\.aggregate\(table\)"):
        assay.LabelModel().fit(table)


def test_a_fresh_process_has_labels_in_a_moment():
    """Processor time, since tests run beside each other; on an idle machine it is the time that passes."""
    program = """
import time, assay
table = {"task": [1, 1, 1, 2, 2, 2, 3, 3, 3] , "worker": ["a", "b", "c"] * 3, "label": list("xxyxxxyyx")}
result = assay.aggregate(table)
result.labels, result.skills, result.agreement
print(time.process_time())
"""
    run = [sys.executable, "-c", program]
    taken = min(float(subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip()) for _ in range(3))
    assert taken < 3.0  # 1.5 where nothing else runs; processors that are shared are half as fast
