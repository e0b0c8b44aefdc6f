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
    told = said(assay.LabelModel(dependencies=()).fit(votes))
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
    assert "1 more pair of sources looks redundant." in said(assay.LabelModel(dependencies=()).fit(votes))


def test_with_many_items_independent_sources_are_not_blamed():
    # Any two sources have significantly more in common than a model explains, if only there are items enough.
    rng = np.random.default_rng(0)
    truth, ease = rng.integers(0, 2, 300_000), rng.beta(2.0, 1.0, (300_000, 1))
    right = rng.random((300_000, 8)) < 0.5 + 0.45 * ease
    model = assay.LabelModel().fit(np.where(right, truth[:, None], 1 - truth[:, None]))
    assert "redundant" not in said(model)


def test_a_balance_that_votes_do_not_tell():
    rng = np.random.default_rng(1)
    looks = rng.random(2_000) < 0.3
    codes = np.full((2_000, 6), -1)
    for source in range(6):
        label = source % 2
        together = rng.random(2_000) < 0.5
        codes[(looks == label) & together & (rng.random(2_000) < 0.8), source] = label
    codes[:, 2] = np.where(rng.random(2_000) < 0.4, codes[:, 4], codes[:, 2])
    model = assay.LabelModel(method="robust").fit(codes)
    assert "The votes do not tell the class balance" in said(model)
    assert "50 random hand labels" in said(model)
    given = assay.LabelModel(method="robust", class_balance={1: 0.3}, cardinality=2).fit(codes)
    assert "do not tell" not in said(given)


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
