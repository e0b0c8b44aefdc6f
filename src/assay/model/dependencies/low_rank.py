r"""Sparse and low rank: dependencies from the inverse covariance alone (Varma et al., 2019).

The inverse covariance of the votes is that of votes and truth jointly, which is sparse, minus a matrix of low
rank :math:`r - 1`, since the truth is latent. They are separated by alternating projections: onto matrices
of that rank, and onto those that are non-zero for few pairs of sources, with a threshold that decreases step by step.
Partial correlations are used instead of the inverse, since they all have about the same standard error,
:math:`n^{-1/2}`. Needs no fit, so that only noise can mislead it; but it considers pairs of values one by one, so it
has less power with many values.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import linalg
from scipy.special import chdtrc, ndtri

from assay.counts import minimal
from assay.model.dependencies.problem import Pair, Problem
from assay.model.dependencies.stepwise import discoveries, relative_to_background

FloatArray = npt.NDArray[np.float64]

_STEPS = 80
_FALL = 0.93
"""The factor of the threshold in each step."""
_FIRST = 0.98
"""The threshold starts at this quantile of all pairs"""
_LEAST = 3.5
"""and ends at this number of standard errors."""
_RIDGE = 1e-3


def sparse_and_low_rank(problem: Problem, *, false_discoveries: float) -> dict[Pair, float]:
    """Dependent pairs of sources, and the surprise of each."""
    m = problem.sources
    surprise = _surprise(problem)
    testable = surprise > 0
    relative = relative_to_background(surprise, testable, testable, [])
    least = discoveries(relative, testable, false_discoveries)
    chosen = np.argwhere(np.triu(relative >= least, 1)) if m else np.empty((0, 2), dtype=np.int64)
    pairs = sorted(((int(i), int(j)) for i, j in chosen), key=lambda pair: (-relative[pair], pair))
    return {pair: float(relative[pair]) for pair in pairs}


def _surprise(problem: Problem) -> FloatArray:
    """(sources, sources): the sparse part of the partial correlations of two sources, as a z-score."""
    counted = problem.statistics
    m, n = problem.sources, problem.items
    kept = minimal(counted)
    if len(kept) < 3:
        return np.zeros((m, m))
    source = np.array([counted.indicators[index].sources[0] for index in kept])
    covariance = counted.covariance[np.ix_(kept, kept)]
    scale = np.sqrt(covariance.diagonal())
    correlation = covariance / np.outer(scale, scale) + _RIDGE * np.eye(len(kept))
    inverse = linalg.inv(correlation, check_finite=False)
    root = np.sqrt(inverse.diagonal())
    own = source[:, None] == source[None]
    partial = np.where(own, 0.0, -inverse / np.outer(root, root))
    member = (source[:, None] == np.arange(m)).astype(float)
    freedom = np.outer(member.sum(axis=0), member.sum(axis=0))
    sparse = np.zeros_like(partial)
    low = np.zeros_like(partial)
    size = np.sqrt(member.T @ partial**2 @ member / np.maximum(freedom, 1))
    threshold = float(np.quantile(size[np.triu_indices(m, 1)], _FIRST))
    for _ in range(_STEPS):
        threshold = max(threshold * _FALL, _LEAST / np.sqrt(n))
        low = _of_rank(np.where(own, low, partial - sparse), problem.layout.outcomes - 1)
        residual = np.where(own, 0.0, partial - low)
        size = np.sqrt(member.T @ residual**2 @ member / np.maximum(freedom, 1))
        sparse = residual * (member @ (size > threshold) @ member.T)
    total = n * freedom * size**2
    # Far out the logarithm of the tail is quadratic, whatever the degrees of freedom.
    near = -ndtri(np.clip(chdtrc(np.maximum(freedom, 1), total), 1e-300, 1.0) / 2)
    found: FloatArray = np.where(freedom > 0, np.where(near < 30, near, np.sqrt(total)), 0.0)
    np.fill_diagonal(found, 0.0)
    return found


def _of_rank(matrix: FloatArray, rank: int) -> FloatArray:
    """The nearest positive semidefinite matrix of at most the given rank."""
    size = len(matrix)
    values, vectors = linalg.eigh(matrix, subset_by_index=[max(size - rank, 0), size - 1], check_finite=False)
    low: FloatArray = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return low
