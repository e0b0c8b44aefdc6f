"""Folds that are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import assay
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
