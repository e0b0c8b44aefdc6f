"""Data of any shape, row by row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix

import assay
from assay.endmodel.refinement.views import View, views_of
from tests.support.refining import regression

TASKS = assay.TaskGraph.flat("label", ["a", "b"])
ROWS = np.array([2, 0])
NUMBERS = np.arange(6.0).reshape(3, 2)


@pytest.mark.parametrize(
    "data",
    [
        NUMBERS,
        NUMBERS.tolist(),
        csr_matrix(NUMBERS),
        pd.DataFrame(NUMBERS, columns=["x", "y"]),
        {"x": [0.0, 2, 4], "y": [1.0, 3, 5]},
        pl.DataFrame({"x": [0.0, 2, 4], "y": [1.0, 3, 5]}),
    ],
)
def test_rows_of_any_data(data: object) -> None:
    (view,) = views_of(data, regression(), TASKS, 3)
    taken = view.rows(ROWS)
    taken = taken.toarray() if hasattr(taken, "toarray") else np.asarray(taken)
    np.testing.assert_array_equal(taken, NUMBERS[ROWS])


def test_texts_of_any_shape_are_read_by_ngrams() -> None:
    texts = ["one", "two", "three"]
    for data in (texts, np.array(texts), pd.Series(texts), pl.Series(texts), pd.DataFrame({"text": texts})):
        (view,) = views_of(data, None, TASKS, 3)
        assert view.model.encoder is None
    (view,) = views_of(NUMBERS, None, TASKS, 3)
    assert isinstance(view.model.encoder, assay.Features)


def test_digests_tell_data_and_settings_apart() -> None:
    first = View("data", NUMBERS, assay.NeighbourModel())
    assert first.digest() == View("data", NUMBERS.copy(), assay.NeighbourModel()).digest()
    assert first.digest() != View("data", NUMBERS + 1, assay.NeighbourModel()).digest()
    assert first.digest() != View("data", NUMBERS, assay.NeighbourModel(neighbours=3)).digest()
    texts = View("data", ["a", "b"], assay.NeighbourModel())
    assert texts.digest() != View("data", ["ab", ""], assay.NeighbourModel()).digest()
