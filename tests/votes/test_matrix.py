"""Matrices of class numbers, dense or sparse, are the votes that they hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given

from assay import Votes
from tests.support.strategies import matrices


@given(matrices())
def test_every_kind_of_matrix_is_the_same(matrix):
    votes = Votes.from_matrix(matrix, cardinality=3)
    array = np.array(matrix)
    for kind in (
        array,
        array.astype(np.int8),
        array.astype(float),
        pd.DataFrame(array),
        pl.DataFrame(array).to_numpy(),
    ):
        assert Votes.from_matrix(kind, cardinality=3) == votes
    for sparse in (sp.csr_matrix(array + 1), sp.csc_array(array + 1), sp.coo_array((array + 1).astype(np.uint8))):
        assert Votes.from_matrix(sparse, cardinality=3) == votes
    if (array < 0).any():
        assert Votes.from_matrix(sp.csr_matrix(array), cardinality=3) == votes
    else:
        assert Votes.from_matrix(array.astype(np.uint8), cardinality=3) == votes


@pytest.mark.parametrize(
    ("classes", "dtype"), [(1, np.int8), (2, np.int8), (128, np.int8), (129, np.int16), (10_000, np.int16)]
)
def test_codes_are_as_small_as_they_fit(classes, dtype):
    votes = Votes.from_matrix([[0, -1], [classes - 1, 0]], cardinality=classes)
    assert votes.codes.dtype == dtype
    assert votes.codes.tolist() == [[0, -1], [classes - 1, 0]]
