"""Three-way tables of mixtures give back their shares and means; other tables give nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.estimate.three_way import decompose


def mixture(rng, rank, last=None):
    """Shares, and means of three views whose variables are uncorrelated and have unit mean squares."""
    shares = rng.dirichlet(np.full(rank, 10.0))
    means = []
    for size in (rank, rank, last or rank):
        # The rows √P · means are orthogonal to each other, the constant's among them, and no longer than one.
        turned, _ = np.linalg.qr(np.column_stack([np.sqrt(shares), rng.normal(size=(rank, size - 1))]))
        turned *= np.sign(turned[0, 0])
        strength = np.concatenate([[1.0], rng.uniform(0.4, 0.9, size - 1)])
        means.append((turned * strength).T / np.sqrt(shares))
    return shares, means


def table_of(shares, means):
    return np.einsum("iy,jy,ky,y->ijk", *means, shares)


@given(st.integers(0, 10**6), st.sampled_from([2, 3, 4, 6, 8, 10]))
def test_exact_tables_give_the_shares_back(seed, rank):
    rng = np.random.default_rng(seed)
    shares, means = mixture(rng, rank)
    found = decompose(table_of(shares, means), rank, 10**6, rng)
    np.testing.assert_allclose(np.sort(found.shares), np.sort(shares), atol=1e-3)
    order = [int(np.abs(found.shares - share).argmin()) for share in shares]
    if len(set(order)) == rank and np.diff(np.sort(shares)).min() > 0.01:
        for mean, expected in zip(found.means, means, strict=True):
            np.testing.assert_allclose(mean[:, order], expected, atol=0.05)
    np.testing.assert_allclose(found.table(), table_of(shares, means), atol=1e-3)


@pytest.mark.parametrize("rank", [3, 4])
def test_a_third_view_that_only_tells_two_kinds_apart_is_enough(rank):
    rng = np.random.default_rng(rank)
    shares, means = mixture(rng, rank, last=2)
    found = decompose(table_of(shares, means), rank, 10**6, rng)
    np.testing.assert_allclose(np.sort(found.shares), np.sort(shares), atol=1e-3)


def test_the_standard_error_is_that_of_noisy_tables():
    rng = np.random.default_rng(3)
    shares, means = mixture(rng, 3)
    exact, items = table_of(shares, means), 10**5
    found = [decompose(exact + rng.normal(size=exact.shape) / items**0.5, 3, items, rng) for _ in range(60)]
    spread = np.std([np.sort(one.shares) for one in found], axis=0).max()
    assert spread == pytest.approx(np.mean([one.error for one in found]), rel=0.3)


def test_a_table_that_is_no_mixture_gives_nothing():
    rng = np.random.default_rng(5)
    table = rng.normal(size=(3, 3, 3))
    table[0, 0, 0] = 1.0
    assert decompose(table, 3, 10**4, rng) is None


def test_views_without_anything_in_common_give_nothing():
    table = np.zeros((2, 2, 2))
    table[0, 0, 0] = 1.0
    assert decompose(table, 2, 10**4, np.random.default_rng(0)) is None
