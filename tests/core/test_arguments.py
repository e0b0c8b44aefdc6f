"""Arguments are what they should be, or refused."""

import numpy as np
import pytest

from assay._core.arguments import random_numbers, several, whole_number
from assay.errors import AssayError, TaskError


def test_integers_of_any_kind_are_integers():
    assert whole_number("n", np.int32(3), least=1) == 3
    for wrong in (0, 1.0, True, "1", None):
        with pytest.raises(TaskError, match="n must be a positive integer"):
            whole_number("n", wrong, least=1, error=TaskError)


def test_same_seed_same_numbers():
    assert random_numbers(3).random() == np.random.default_rng(3).random()
    assert random_numbers(3, 5).random() == np.random.default_rng([3, 5]).random()


def test_a_text_is_not_a_list():
    assert several("names", ("a", "b"), "names") == ["a", "b"]
    for wrong in ("ab", 5, {"a": 1}):
        with pytest.raises(AssayError, match="names must be a list of names"):
            several("names", wrong, "names")
