"""Scores against gold, compared with scikit-learn's where it has them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score

import assay
from assay import VoteError
from assay.labels import StoredLabels
from assay.simulate import flat_world
from tests.support.sameness import as_stored


def random_labels(tasks, items, seed):
    rng = np.random.default_rng(seed)
    return assay.Labels(tasks, tuple(rng.dirichlet(np.ones(len(p)), size=items) for p in tasks.label_space.components))


@pytest.mark.parametrize("graph", ["entities", "pair", "letters"])
def test_figures_are_those_of_scikit_learn(graph, request):
    tasks = request.getfixturevalue(graph)
    labels, truth = random_labels(tasks, 60, 0), random_labels(tasks, 60, 1)
    gold = {task: truth.names(task).tolist() for task in tasks.names}
    found = assay.evaluate(labels, gold)
    for task in tasks.names:
        true, said = ([str(name) for name in part.names(task)] for part in (truth, labels))
        row = found.tasks.loc[task]
        assert row["accuracy"] == pytest.approx(accuracy_score(true, said))
        assert row["macro_f1"] == pytest.approx(f1_score(true, said, average="macro"))
        names = [name if name != "N/A" else "None" for name in found.confusion[task].index]
        np.testing.assert_array_equal(found.confusion[task], confusion_matrix(true, said, labels=names))
    right = [(one.argmax(axis=1) == other.argmax(axis=1)) for one, other in zip(labels.joint, truth.joint, strict=True)]
    assert found.accuracy == pytest.approx(np.mean(right))


def test_gold_may_tell_only_some(entities):
    labels = assay.Labels(entities, (np.eye(4)[[0, 1, 2, 3]],))
    found = assay.evaluate(labels, ["Doctor", "Person", None, "Hospital"])
    assert found.items == 2
    assert found.accuracy == 0.5
    assert found.tasks["items"].to_dict() == {"entity": 3, "person": 2, "org": 3}
    assert found.tasks.loc["entity", "accuracy"] == 1


def test_calibration(letters):
    """Labels that are right as often as they say have no error; sure ones that are wrong have all of it."""
    rng = np.random.default_rng(0)
    joint = rng.dirichlet(np.ones(3), size=20_000)
    truth = (rng.random(20_000)[:, None] > joint.cumsum(axis=1)).sum(axis=1)
    found = assay.evaluate(assay.Labels(letters, (joint,)), truth, ranges=5)
    assert found.calibration_error < 0.01
    assert found.calibration["items"].sum() == 20_000
    assert found.calibration.index.tolist() == ["20%–40%", "40%–60%", "60%–80%", "80%–100%"]
    assert assay.evaluate(assay.Labels(letters, (np.eye(3)[[0, 0]],)), [1, 2]).calibration_error == 1


def test_slices(letters):
    labels = assay.Labels(letters, (np.eye(3)[[0, 1, 2, 2]],))
    masks = {"first": np.array([1, 1, 0, 0], dtype=bool), "none": np.zeros(4, dtype=bool)}
    found = assay.evaluate(labels, ["A", "C", "C", None], slices=masks)
    assert found.slices["accuracy"].iloc[0] == 0.5
    assert np.isnan(found.slices["accuracy"].iloc[1])
    assert found.slices["items"].tolist() == [2, 0]
    with pytest.raises(assay.VoteError, match="the slice 'odd' must be True or False for each of the 4"):
        assay.evaluate(labels, ["A"] * 4, slices={"odd": [True]})


def test_over_trials(letters):
    rng = np.random.default_rng(1)
    trials = [assay.evaluate(assay.Labels(letters, (np.eye(3)[rng.integers(0, 3, 50)],)), [0] * 50) for _ in range(5)]
    found = assay.over_trials(trials).loc["accuracy"]
    values = np.array([trial.accuracy for trial in trials])
    low, high = t.interval(0.95, 4, values.mean(), values.std(ddof=1) / np.sqrt(5))
    assert found.tolist() == pytest.approx([values.mean(), low, high, 5])
    alone = assay.over_trials(trials[:1])
    assert alone["low"].isna().all()
    with pytest.raises(assay.AssayError, match="at least one evaluation"):
        assay.over_trials([])


def test_bad_input(letters):
    labels = assay.Labels(letters, (np.eye(3),))
    with pytest.raises(assay.VoteError, match="each of the 3 items"):
        assay.evaluate(labels, ["A", "B"])
    with pytest.raises(assay.VoteError, match="determine the outcome of no item"):
        assay.evaluate(labels, [None, None, None])
    with pytest.raises(assay.VoteError, match="Did you mean 'letter'"):
        assay.evaluate(labels, {"leter": ["A", "B", "C"]})
    with pytest.raises(assay.AssayError, match="ranges must be"):
        assay.evaluate(labels, ["A", "B", "C"], ranges=0)


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("taught", [False, True])
def test_labels_in_a_file_get_the_same_scores(tmp_path, named, taught, monkeypatch):
    monkeypatch.setattr(StoredLabels.parts, "__defaults__", (170,))
    drawn = flat_world(sources=5, seed=3).draw(1_000)
    votes = replace(drawn.votes, items=np.array([f"i{at}" for at in range(1_000)])) if named else drawn.votes
    known = np.where(np.arange(1_000) % 3 == 0, drawn.gold, -1)
    model = assay.LabelModel().fit(votes, np.where(np.arange(1_000) % 2, -1, known) if taught else None)
    labels = as_stored(model.label(votes))
    path = labels.to_parquet(tmp_path / "labels.parquet")
    slices = {"first": np.arange(1_000) < 400}
    weights = np.arange(1_000) + 1.0
    for gold in (known, None) if taught else (known,):
        whole = assay.evaluate(labels, gold, slices=slices, weights=weights)
        parts = assay.evaluate(path, gold, slices=slices, weights=weights)
        pd.testing.assert_frame_equal(parts.intervals, whole.intervals)
        assert (parts.items, parts.cross_fitted) == (whole.items, whole.cross_fitted)
        pd.testing.assert_frame_equal(parts.slices, whole.slices)
    if not taught:
        with pytest.raises(VoteError, match="there is no gold to score against"):
            assay.evaluate(path)
    with pytest.raises(VoteError, match="the slice 'odd' must be True or False for each of the 1000 items"):
        assay.evaluate(path, known, slices={"odd": [True]})


def test_a_tie_counts_in_part_for_a_task_too():
    labels = assay.Labels(
        assay.TaskGraph.flat("mail", ["ham", "spam"]), (np.array([[0.5, 0.5], [0.5, 0.5], [0.9, 0.1]]),)
    )
    found = assay.evaluate(labels, ["ham", "spam", "ham"])
    assert found.accuracy == pytest.approx(2 / 3)
    assert found.tasks.loc["mail", "accuracy"] == pytest.approx(2 / 3)


def test_probabilities_are_no_labels_and_it_says_how_to_make_them_so():
    with pytest.raises(assay.AssayError, match=r"expected labels, .* got ndarray; .*assay\.Labels\(tasks, \(P,\)\)"):
        assay.evaluate(np.array([[0.5, 0.5]]), ["ham"])
