"""What was read from a file is checked before anything computes with it."""

import numpy as np
import pytest

from assay._core.stored_arrays import distribution, of_type, stored_array, stored_number


@pytest.mark.parametrize(
    ("array", "says"),
    [
        (np.zeros(3, dtype=np.int64), "must hold numbers"),
        (np.zeros(3, dtype=">f8"), "must hold numbers"),
        (np.zeros((3, 1)), r"must be 3, but its shape is \(3, 1\)"),
        (np.zeros(2), "must be 3"),
        (np.array([0.0, np.nan, 0.0]), "finite"),
        (np.array([0.0, np.inf, 0.0]), "finite"),
        (np.array([0.0, -5.0, 0.0]), "from 0 to 1, but has -5"),
        (np.array([0.0, 7.0, 0.0]), "from 0 to 1, but has 7"),
    ],
)
def test_what_an_array_must_be(array, says):
    with pytest.raises(ValueError, match=says):
        stored_array({"x": array}, "x", (3,), low=0, high=1)


def test_an_array_that_is_right_is_itself():
    array = np.array([0.0, 0.5, 1.0])
    assert stored_array({"x": array}, "x", (None,), low=0, high=1) is array
    with pytest.raises(KeyError):
        stored_array({}, "x", (3,))


def test_probabilities_sum_to_one():
    assert distribution({"x": np.array([0.25, 0.75])}, "x", 2).sum() == 1
    with pytest.raises(ValueError, match="sum to one"):
        distribution({"x": np.array([0.25, 0.25])}, "x", 2)


@pytest.mark.parametrize("value", ["x", None, True, float("nan"), -1, 2, []])
def test_what_a_number_must_be(value):
    with pytest.raises(ValueError, match="must be a number from 0 to 1"):
        stored_number({"x": value}, "x", 0, 1)


def test_types_are_checked():
    assert of_type(tuple[str, int], ["a", 3]) == ("a", 3)
    with pytest.raises(ValueError, match="valid integer"):
        of_type(tuple[str, int], ["a", "b"])
