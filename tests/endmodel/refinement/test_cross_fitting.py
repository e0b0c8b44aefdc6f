"""Folds that are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import assay
from assay._core.progress import Progress
from assay.endmodel.refinement.cross_fitting import CrossFitting
from assay.endmodel.refinement.views import View
from tests.support.refining import SmallWorld, regression


class _Counting(assay.SklearnEndModel):
    """Counts trainings."""

    trained = 0
    stop_at = 10**9

    def fit(self, data: Any, labels: Any) -> Any:
        if _Counting.trained >= _Counting.stop_at:
            raise KeyboardInterrupt
        _Counting.trained += 1
        return super().fit(data, labels)


def test_interrupted_work_goes_on_where_it_was(world: SmallWorld, refined: assay.Labels, tmp_path: Path) -> None:
    model = _Counting(LogisticRegression())
    _Counting.trained, _Counting.stop_at = 0, 6
    with pytest.raises(KeyboardInterrupt):
        assay.refine(world.votes, world.features, world.labels, model=model, checkpoint=tmp_path)
    assert len(list(tmp_path.glob("fold-*.npz"))) == 6
    _Counting.stop_at = 10**9
    found = assay.refine(world.votes, world.features, world.labels, model=model, checkpoint=tmp_path)
    np.testing.assert_array_equal(found.joint[0], refined.joint[0])
    done = _Counting.trained
    assert done == len(list(tmp_path.glob("fold-*.npz")))
    assay.refine(world.votes, world.features, world.labels, model=model, checkpoint=tmp_path)
    assert _Counting.trained == done
    assay.refine(world.votes, world.features + 1, world.labels, model=model, checkpoint=tmp_path)
    assert _Counting.trained == 2 * done


def test_a_damaged_fold_is_named(world: SmallWorld, tmp_path: Path) -> None:
    assay.refine(world.votes, world.features, world.labels, model=regression(), rounds=1, checkpoint=tmp_path)
    broken = sorted(tmp_path.glob("fold-*.npz"))[0]
    broken.write_bytes(broken.read_bytes()[:100])
    with pytest.raises(assay.AssayError, match=broken.name):
        assay.refine(world.votes, world.features, world.labels, model=regression(), rounds=1, checkpoint=tmp_path)


def test_items_that_teach_nothing_get_the_mean_of_all_models(world: SmallWorld) -> None:
    view = View("data", world.features, regression())
    teaches = (np.arange(len(world.votes)) % 4 == 0).astype(np.int64)
    every = np.arange(len(world.votes))
    with Progress("refining", total=3, show=False, unit="trainings") as bar:
        fitting = CrossFitting(world.votes.tasks, None, bar)
        said = fitting.predictions(view, "", world.labels.joint, every, teaches, 3, 0, "here")[0]
    np.testing.assert_allclose(said.sum(axis=1), 1)
    teachers = np.flatnonzero(teaches)
    fold = np.empty(len(teachers), dtype=np.int64)
    fold[np.searchsorted(teachers, np.random.default_rng([0, 3]).permutation(teachers))] = np.arange(len(teachers)) % 3
    models = []
    for number in range(3):
        taught = teachers[fold != number]
        labels = assay.Labels(world.votes.tasks, (world.labels.joint[0][taught],))
        models.append(regression().fit(world.features[taught], labels).label(world.features).joint[0])
        own = teachers[fold == number]
        np.testing.assert_allclose(said[own], models[-1][own])
    others = np.flatnonzero(teaches == 0)
    np.testing.assert_allclose(said[others], np.mean(models, axis=0)[others])
