"""What is counted before anything is judged, by brute force."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.checks.vote_counts import count_votes
from assay.counts.tally import Tally


@given(st.integers(0, 60), st.integers(1, 12), st.integers(1, 4), st.floats(0.01, 1), st.integers(0, 99))
def test_counts_are_those_of_brute_force(n, m, k, density, seed):
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random((n, m)) < density, rng.integers(k, size=(n, m)), -1)
    votes = assay.Votes.from_matrix(codes, cardinality=max(k, 2))
    (counts,) = count_votes(Tally.of(votes))
    kept = codes[:, (codes >= 0).any(axis=0)]
    pairs = list(product(range(kept.shape[1]), repeat=2))
    assert [counts.overlap[i, j] for i, j in pairs] == [((kept[:, i] >= 0) & (kept[:, j] >= 0)).sum() for i, j in pairs]
    assert [counts.agreement[i, j] for i, j in pairs] == [
        ((kept[:, i] >= 0) & (kept[:, i] == kept[:, j])).sum() for i, j in pairs
    ]
    pairs = counts.value_pairs()
    assert [
        [((kept[:, i] == x) & (kept[:, j] == y)).sum() for j, y in zip(pairs.source, pairs.said, strict=True)]
        for i, x in zip(pairs.source, pairs.said, strict=True)
    ] == pairs.counts.tolist()
    assert counts.covered == (codes >= 0).any(axis=1).sum()
