"""Krippendorff's α: that of brute force over pairs of votes, and an interval that covers it."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import assay
from assay.votes import krippendorff_alpha


def by_hand(codes):
    """From the matrix of coincidences, pair by pair, as the book has it."""
    labels = sorted(set(codes[codes >= 0].tolist()))
    together = dict.fromkeys([(a, b) for a in labels for b in labels], 0.0)
    for row in codes:
        said = row[row >= 0].tolist()
        for one, other in permutations(said, 2):
            together[one, other] += 1 / (len(said) - 1)
    total = sum(together.values())
    each = {a: sum(together[a, b] for b in labels) for a in labels}
    observed = sum(count for (a, b), count in together.items() if a != b) / total
    expected = sum(each[a] * each[b] for a in labels for b in labels if a != b) / (total * (total - 1))
    return 1 - observed / expected


@given(arrays.arrays(np.int8, (8, 4), elements=st.integers(-1, 2)))
def test_it_is_that_of_brute_force(codes):
    shared = codes[(codes >= 0).sum(axis=1) > 1]
    assume(len(set(shared[shared >= 0].tolist())) > 1)
    found = krippendorff_alpha(assay.Votes.from_matrix(codes, cardinality=3))
    assert found.alpha == pytest.approx(by_hand(codes))
    assert -1 <= found.low <= found.alpha <= found.high <= 1
    assert found.items == len(shared)


def test_the_example_of_the_book():
    """Krippendorff's own: 12 units, four observers, α = 0.743 for labels without an order."""
    observers = """1 2 3 3 2 1 4 1 2 . . .
                   1 2 3 3 2 2 4 1 2 5 . 3
                   . 3 3 3 2 3 4 2 2 5 1 .
                   1 2 3 3 2 4 4 1 2 5 1 ."""
    codes = np.array([[-1 if cell == "." else int(cell) for cell in line.split()] for line in observers.splitlines()]).T
    assert krippendorff_alpha(assay.Votes.from_matrix(codes, cardinality=6)).alpha == pytest.approx(0.743, abs=5e-4)


@pytest.mark.parametrize("codes", [[[0, 0], [0, 0]], [[0, -1], [-1, 1]], [[-1, -1]]])
def test_where_nothing_tells_it_there_is_none(codes):
    assert krippendorff_alpha(assay.Votes.from_matrix(codes)) is None


def test_its_interval_covers_that_of_all_items():
    rng = np.random.default_rng(0)

    def drawn(items):
        truth = rng.integers(3, size=(items, 1))
        return np.where(rng.random((items, 3)) < 0.7, truth, rng.integers(3, size=(items, 3)))

    whole = krippendorff_alpha(assay.Votes.from_matrix(drawn(50_000))).alpha
    found = [krippendorff_alpha(assay.Votes.from_matrix(drawn(80))) for _ in range(150)]
    assert 0.9 < np.mean([one.low <= whole <= one.high for one in found]) <= 0.99
