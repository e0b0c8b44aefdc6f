"""Labels of neighbours."""

from __future__ import annotations

import numpy as np
import pytest

import assay


def _world(seed: int, items: int = 400, spread: float = 0.4) -> tuple[assay.Labels, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, items)
    rows = np.eye(3)[truth] + spread * rng.normal(size=(items, 3))
    seen = np.where(rng.random(items) < 0.7, truth, rng.integers(0, 3, items))
    tasks = assay.TaskGraph.flat("label", ["a", "b", "c"])
    return assay.Labels(tasks, (np.eye(3)[seen] * 0.7 + 0.1,)), rows, truth


def test_neighbours_correct_labels_that_are_wrong_now_and_then() -> None:
    labels, rows, truth = _world(0)
    found = assay.NeighbourModel().fit(rows, labels)
    assert np.isfinite(found.radius_)
    said = found.label(rows).joint[0]
    np.testing.assert_allclose(said.sum(axis=1), 1)
    assert (said.argmax(axis=1) == truth).mean() > (labels.joint[0].argmax(axis=1) == truth).mean() + 0.05


def test_a_sum_by_hand() -> None:
    """The weighted mean over all items, where all of them are neighbours."""
    labels, rows, _ = _world(1, items=12)
    model = assay.NeighbourModel(neighbours=50).fit(rows, labels)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    new = np.array([[1.0, 0.2, 0.1]])
    weights = np.exp(1 + (unit @ (new / np.linalg.norm(new)).T - 1) / model.radius_)[:, 0]
    joint = labels.joint[0]
    by_hand = (weights @ joint + 0.5 * joint.mean(axis=0)) / (weights.sum() + 0.5)
    np.testing.assert_allclose(model.predict_proba(new)[0], by_hand, rtol=1e-4)


def test_where_neighbours_tell_nothing_everyone_gets_the_mean() -> None:
    labels, rows, _ = _world(2)
    noise = np.random.default_rng(5).normal(size=(len(rows), 4))
    model = assay.NeighbourModel().fit(noise, labels)
    assert model.radius_ == np.inf
    np.testing.assert_allclose(model.predict_proba(noise[:5]), np.tile(labels.joint[0].mean(axis=0), (5, 1)))


def test_refining_with_neighbours_and_with_noise() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 800)
    votes = np.where(rng.random((800, 5)) < 0.7, truth[:, None], 1 - truth[:, None])
    votes = np.where(rng.random((800, 5)) < 0.5, votes, -1)
    labels = assay.LabelModel(cardinality=2).fit(votes).label(votes)
    rows = np.eye(2)[truth] + 0.5 * rng.normal(size=(800, 2))

    def right(found: assay.Labels) -> float:
        return float((found.joint[0].argmax(axis=1) == truth).mean())

    near = assay.refine(votes, rows, labels, model=assay.NeighbourModel())
    assert right(near) > right(labels) + 0.03
    far = assay.refine(votes, rng.normal(size=(800, 10)), labels, model=assay.NeighbourModel())
    assert right(far) == pytest.approx(right(labels), abs=0.005)


def test_references_bound_the_work() -> None:
    labels, rows, truth = _world(3)
    few = assay.NeighbourModel(references=100).fit(rows, labels)
    assert len(few._fitted.rows) == 100
    assert (few.predict(rows) == truth).mean() > 0.6


def test_mistakes_are_explained() -> None:
    labels, rows, _ = _world(4)
    with pytest.raises(assay.AssayError, match="neighbours must be a positive integer, but is 0"):
        assay.NeighbourModel(neighbours=0).fit(rows, labels)
    with pytest.raises(assay.DataError, match="expected rows of 3 features, but they have 2"):
        assay.NeighbourModel().fit(rows, labels).label(rows[:, :2])
