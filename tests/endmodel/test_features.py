"""Rows of numbers: standardised, sparse where they are, and finite."""

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.sparse import coo_matrix, csr_matrix

import assay

CPU = torch.device("cpu")


def test_features_are_evened_out():
    matrix = np.array([[1.0, 5.0, 2.0], [3.0, 5.0, 4.0]])
    reader = assay.Features().learn(matrix)
    body = reader.body()
    np.testing.assert_allclose(body(reader.read(matrix).batch(np.arange(2), CPU)), [[-1, 0, -1], [1, 0, 1]])
    assert isinstance(assay.Features(standardize=False).learn(matrix).body(), torch.nn.Identity)


def test_sparse_features_stay_sparse():
    matrix = csr_matrix(np.array([[0.0, 2.0], [1.0, 0.0]]))
    reader = assay.Features().learn(matrix)
    assert reader.is_sparse
    inputs = reader.read(matrix)
    assert inputs.values.tolist() == [2, 1]
    twice = coo_matrix(([1.0, 1.0], ([0, 0], [1, 1])), shape=(1, 2))
    assert reader.read(twice).values.tolist() == [2]


def test_features_from_tables(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3, 4], "name": ["x", "y"]})
    reader = assay.Features(columns=("a", "b")).learn(frame)
    assert reader.width == 2
    frame.to_csv(tmp_path / "rows.csv", index=False)
    np.testing.assert_array_equal(reader.read(tmp_path / "rows.csv").rows, [[1, 3], [2, 4]])
    with pytest.raises(assay.DataError, match="Did you mean 'a'"):
        assay.Features(columns=("A",)).learn(frame)
    with pytest.raises(assay.DataError, match="cannot be read as such"):
        assay.Features().learn(frame)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_features_must_be_finite(bad):
    matrix = np.ones((3, 2))
    matrix[2, 1] = bad
    for given_ in (matrix, csr_matrix(matrix)):
        with pytest.raises(assay.DataError, match=r"row 2 has (nan|inf) for feature 1"):
            assay.Features().learn(given_)


def test_features_must_be_as_many_as_in_training():
    reader = assay.Features().learn(np.ones((2, 3)))
    with pytest.raises(assay.DataError, match="rows of 3 features, but they have 2"):
        reader.read(np.ones((2, 2)))
    with pytest.raises(assay.DataError, match="items × features"):
        reader.read(np.ones(3))
