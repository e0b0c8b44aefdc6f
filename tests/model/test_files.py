"""A model on disk is the same model, or an error that says why not."""

import numpy as np
import pandas as pd
import pytest

import assay
from assay.model.known_balance import balance_beliefs
from assay.simulate import flat_world, task_world


def several_components():
    tasks = assay.TaskGraph([assay.Task("a", ["x", "y"]), assay.Task("b", ["u", "v", "w"])])
    rng = np.random.default_rng(0)
    columns = {}
    for j in range(4):
        columns[f"a{j}"] = ("a", rng.choice(["x", "y", None], 300))
        columns[f"b{j}"] = ("b", rng.choice(["u", "v", "w", None], 300))
    columns["both"] = [{"a": "x", "b": "u"} if i % 2 else None for i in range(300)]
    return assay.Votes.from_columns(tasks, columns)


@pytest.fixture(
    params=["flat", "dependent", "hierarchy", "several components", "ignored", "completion"],
)
def fitted(request, entities):
    kind = request.param
    if kind == "several components":
        votes = several_components()
        return assay.LabelModel(beliefs={"a0": 0.9}).fit(votes), votes
    if kind == "hierarchy":
        votes = task_world(entities, ["entity"] * 3 + ["person"] * 3 + ["org"] * 3, seed=1).draw(500, 1).votes
        return assay.LabelModel(accuracies="local").fit(votes), votes
    votes = flat_world(sources=6, coverage=0.7, copies=[(0, 1), (1, 2)] if kind == "dependent" else []).draw(500).votes
    settings = {
        "dependent": {"dependencies": [(0, 1), ("1", "2")], "class_balance": np.array([0.4, 0.6])},
        "ignored": {"abstentions": "ignored", "adversarial": ["5"]},
        "completion": {"method": "completion"},
    }.get(kind, {})
    return assay.LabelModel(**settings).fit(votes), votes


def test_a_loaded_model_is_the_same_to_the_bit(fitted, tmp_path):
    model, votes = fitted
    loaded = assay.LabelModel.load(model.save(tmp_path / "model.npz"))
    for mine, theirs in zip(model.label(votes).joint, loaded.label(votes).joint, strict=True):
        assert (mine == theirs).all()
    pd.testing.assert_frame_equal(model.sources_, loaded.sources_)
    assert str(model.check_) == str(loaded.check_)
    assert (model.notes_, model.converged_, model.solvers_) == (loaded.notes_, loaded.converged_, loaded.solvers_)
    for mine, theirs in zip(model.conditionals_, loaded.conditionals_, strict=True):
        for one, other in zip(*(x if isinstance(x, list) else [x] for x in (mine, theirs)), strict=True):
            np.testing.assert_array_equal(one, other)
    assert model.explain(votes, 3).table.equals(loaded.explain(votes, 3).table)


@pytest.mark.parametrize("balance", [{1: 0.3}, {"label": {0: (0.2, 0.6), np.int64(2): 0.25}}, [0.2, 0.3, 0.5]], ids=str)
def test_what_was_said_of_the_class_balance_is_kept(tmp_path, balance):
    """JSON knows neither tuples nor class numbers as keys, yet a loaded model is fitted again as before."""
    votes = flat_world(sources=6, classes=3).draw(500).votes
    model = assay.LabelModel(class_balance=balance, balance_strength=40.0, balance_of="voted").fit(votes)
    loaded = assay.LabelModel.load(model.save(tmp_path / "model.npz"))
    assert (loaded.balance_strength, loaded.balance_of) == (40.0, "voted")
    mine, theirs = (
        balance_beliefs(one.class_balance, votes.tasks)[0].nearest(np.array([0.5, 0.4, 0.1])) for one in (model, loaded)
    )
    assert mine.tolist() == theirs.tolist()
    np.testing.assert_array_equal(loaded.fit(votes).class_balance_, model.class_balance_)


def test_no_file(tmp_path):
    with pytest.raises(assay.AssayError, match="there is no file"):
        assay.LabelModel.load(tmp_path / "none.npz")


@pytest.mark.parametrize("damage", ["truncated", "text", "foreign"])
def test_a_damaged_file_says_so(tmp_path, damage):
    votes = flat_world(sources=4).draw(100).votes
    path = assay.LabelModel().fit(votes).save(tmp_path / "model.npz")
    if damage == "truncated":
        path.write_bytes(path.read_bytes()[:-200])
    elif damage == "text":
        path.write_text("not a model")
    else:
        np.savez(path, other=np.arange(3))
    with pytest.raises(assay.AssayError, match=r"is not a valid model file"):
        assay.LabelModel.load(path)


def test_an_unfitted_model_is_not_written(tmp_path):
    with pytest.raises(assay.AssayError, match="not fitted yet"):
        assay.LabelModel().save(tmp_path / "model.npz")
    assert not list(tmp_path.iterdir())
