"""The sentences that a model says of itself."""

import numpy as np
import pytest

import assay
from assay.simulate import flat_world


def said(model) -> str:
    return " ".join(model.advice_)


def test_independent_sources():
    told = said(assay.LabelModel().fit(flat_world(sources=8, seed=1).draw(3000).votes))
    assert "consistent with sources that are independent given the truth" in told
    assert "Fitted by method='em'" in told
    assert "redundant" not in told


def test_copies_are_named_and_what_to_do():
    votes = flat_world(sources=8, copies=[(2, 5)], copy_probability=0.7, seed=1).draw(5000).votes
    told = said(assay.LabelModel().fit(votes))
    assert "more in common than the truth explains" in told
    assert "'2' and '5' look redundant: they agree on" in told
    assert "LabelModel(dependencies=[...])" in told


def test_too_little_to_tell():
    votes = flat_world(sources=10, coverage=0.02, seed=1).draw(1000).votes
    assert "Too few votes overlap" in said(assay.LabelModel(allow_unidentifiable=True).fit(votes))


def test_hard_items():
    rng = np.random.default_rng(0)
    truth, hard = rng.integers(0, 2, 3000), rng.random((3000, 1)) < 0.15
    right = rng.random((3000, 12)) < np.where(hard, 0.5, 0.85)
    model = assay.LabelModel().fit(np.where(right, truth[:, None], 1 - truth[:, None]))
    assert "method='robust'" in said(model)


def test_what_is_gained():
    uneven = flat_world(sources=9, accuracy=(0.5, 0.95), seed=4).draw(5000).votes
    assert "a gain of" in said(assay.LabelModel().fit(uneven))
    even = flat_world(sources=9, accuracy=(0.899, 0.901), kind="class-conditional", seed=4).draw(5000).votes
    assert "a majority vote is as good here" in said(assay.LabelModel().fit(even))


def test_many_pairs_are_counted():
    copies = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    votes = flat_world(sources=20, copies=copies, copy_probability=0.6, seed=1).draw(5000).votes
    assert "1 more pair of sources looks redundant." in said(assay.LabelModel().fit(votes))


def test_components_are_told_apart():
    rng = np.random.default_rng(0)
    columns = {
        f"{t}{j}": (t, [("no", "yes")[v] for v in rng.integers(0, 2, 300)]) for t in ("a", "b") for j in range(3)
    }
    tasks = assay.TaskGraph([assay.Task("a", ["no", "yes"]), assay.Task("b", ["no", "yes"])])
    model = assay.LabelModel(allow_unidentifiable=True).fit(assay.Votes.from_columns(tasks, columns))
    assert {sentence.split(":")[0] for sentence in model.advice_} == {"a", "b"}


def test_saved_and_asked_too_early(tmp_path):
    model = assay.LabelModel()
    with pytest.raises(AttributeError, match="is not fitted yet, so it has no advice_"):
        _ = model.advice_
    model.fit(flat_world(sources=6, seed=1).draw(500).votes)
    assert assay.LabelModel.load(model.save(tmp_path / "model.npz")).advice_ == model.advice_
