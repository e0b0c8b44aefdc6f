"""A warning names the line of the program that called, not one of ours."""

import warnings

import numpy as np

import assay


def test_it_points_to_the_caller():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assay.LabelModel(allow_unidentifiable=True).fit(np.zeros((20, 2), dtype=int))
    assert found
    assert {one.filename for one in found} == {__file__}
