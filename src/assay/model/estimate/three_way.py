r"""A three-way table as a sum of as many products as there are outcomes.

Given :math:`T_{ijk} = E[x_i y_j z_k]` of three views that are independent given the truth,
the first variable of each being the constant one,

.. math:: T_{ijk} = \sum_y P_y \, a_{iy} b_{jy} c_{ky}, \qquad a_{0y} = b_{0y} = c_{0y} = 1,

which is unique where Kruskal's condition holds. Two slices of the table are diagonalised by the same
matrix (Jennrich's algorithm), which is a start; least squares on the whole table is what it leads to.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from assay.model.estimate.levenberg_marquardt import least_squares

FloatArray = npt.NDArray[np.float64]

_DIRECTIONS = 8
"""Random slices to start from."""
_REFINED = 3
"""The starts that fit best are continued."""
_MAX_STEPS = 100
_EXACT_RANK = 8
"""Up to this many outcomes all unknowns are solved for at once; with more, alternately."""
_ROUNDS = 10
"""Rounds of alternating least squares, from a start that is close."""
_SURPLUS = 2.0
"""An outcome explains at most the whole variance of a view; sampling errors may make that a little more."""
_NO_GAIN = 1e-10
"""Of the sum of squares, in units of the sampling variance of an entry."""


@dataclass(frozen=True, eq=False)
class ThreeWay:
    """A table as a sum of products."""

    shares: FloatArray
    """(outcomes,): P(Y)."""
    means: tuple[FloatArray, FloatArray, FloatArray]
    """Per view (variables, outcomes): the means of its variables given the outcome; those of the first are one."""
    misfit: float
    """The sum of squared residuals."""
    steps: int
    converged: bool
    error: float
    """The largest standard error of a share; NaN if there are too many unknowns to tell."""

    @property
    def proper(self) -> bool:
        """Whether it can be a mixture: positive shares, none of which explains more variance than there is."""
        if not self.converged or (self.shares <= 0).any():
            return False
        return all(float((self.shares * (mean**2).sum(axis=0)).max()) < _SURPLUS for mean in self.means)

    def table(self) -> FloatArray:
        """The table that it stands for."""
        one, two, three = self.means
        return np.asarray(((one * self.shares)[:, None, :] * two[None]) @ three.T)


def decompose(table: FloatArray, rank: int, items: float, rng: np.random.Generator) -> ThreeWay | None:
    """The decomposition that fits best, or None if there is no proper one.

    Parameters
    ----------
    table
        (rank, rank, any). Variables within a view are uncorrelated and have unit mean squares, so that
        sampling errors of all entries are about equal.
    rank
        The number of outcomes.
    items
        How many items the table was counted on.
    """
    # Beside the constant a single variable has only one direction.
    directions = _DIRECTIONS if table.shape[2] > 2 else 1
    starts = [start for _ in range(directions) if (start := _jennrich(table, rank, rng)) is not None]
    starts.sort(key=lambda start: start.misfit)
    tried = [
        _together(table, start, items) if rank <= _EXACT_RANK else _alternating(table, start)
        for start in starts[:_REFINED]
    ]
    return min((found for found in tried if found.proper), key=lambda found: found.misfit, default=None)


def _jennrich(table: FloatArray, rank: int, rng: np.random.Generator) -> ThreeWay | None:
    """The eigenvectors of a random slice against the slice of the constant are the first view's means."""
    pairs = table[:, :, 0]
    direction = rng.normal(size=table.shape[2])
    if np.linalg.cond(pairs) > 1e10:
        return None
    _, vectors = np.linalg.eig((table @ direction) @ np.linalg.inv(pairs))
    # Sampling errors may turn two close eigenvalues into a complex pair, whose vectors span the same plane.
    real = vectors.real + vectors.imag
    if np.abs(real[0]).min() < 1e-6 * np.abs(real).max() or np.linalg.cond(real) > 1e6:
        return None
    one = real / real[0]
    weighted = np.linalg.solve(one, pairs)
    shares = np.maximum(weighted[:, 0], 0.01 / rank)
    two = (weighted / shares[:, None]).T
    two[0] = 1.0
    three = _means_given(np.moveaxis(table, 2, 0), one * shares, two)
    three[0] = 1.0
    return _measured(table, shares, (one, two, three))


def _means_given(table: FloatArray, one: FloatArray, two: FloatArray) -> FloatArray:
    """(variables, outcomes): the least-squares means of the first way, given those of the two others."""
    gram = (one.T @ one) * (two.T @ two)
    seen = (one * (table @ two)).sum(axis=1)
    return np.asarray(np.linalg.lstsq(gram, seen.T, rcond=1e-12)[0].T)


def _measured(
    table: FloatArray,
    shares: FloatArray,
    means: tuple[FloatArray, FloatArray, FloatArray],
    *,
    steps: int = 0,
    converged: bool = True,
    error: float = np.nan,
) -> ThreeWay:
    found = ThreeWay(shares, means, 0.0, steps, converged, error)
    return ThreeWay(shares, means, float(((table - found.table()) ** 2).sum()), steps, converged, error)


def _alternating(table: FloatArray, start: ThreeWay) -> ThreeWay:
    """Least squares for one view after the other; last the shares, from the mean of each variable."""
    from scipy import optimize

    shares, means = start.shares, list(start.means)
    for _ in range(_ROUNDS):
        for way in range(3):
            one, two = (means[other] for other in range(3) if other != way)
            weighted = _means_given(np.moveaxis(table, way, 0), one, two)
            shares = weighted[0]
            if np.abs(shares).min() < 1e-12:
                return _measured(table, shares, start.means, converged=False)
            means[way] = weighted / shares
    overall = np.concatenate([table[:, 0, 0], table[0, :, 0], table[0, 0, :]])
    shares, _ = optimize.nnls(np.vstack(means), overall)
    return _measured(table, shares, (means[0], means[1], means[2]), steps=_ROUNDS)


def _together(table: FloatArray, start: ThreeWay, items: float) -> ThreeWay:
    """Least squares for everything at once, and the standard errors of the shares."""
    rank = len(start.shares)
    sizes = [mean.size - rank for mean in start.means]
    ends = np.cumsum([rank, *sizes])

    def taken_apart(unknowns: FloatArray) -> ThreeWay:
        one, two, three = (
            np.vstack([np.ones(rank), unknowns[begin:end].reshape(-1, rank)]) for begin, end in pairwise(ends)
        )
        return ThreeWay(unknowns[:rank], (one, two, three), 0.0, 0, True, np.nan)

    def value(unknowns: FloatArray) -> float:
        return float(((taken_apart(unknowns).table() - table) ** 2).sum())

    def normal_equations(unknowns: FloatArray) -> tuple[FloatArray, FloatArray]:
        at = taken_apart(unknowns)
        jacobian = _jacobian(at)
        return jacobian.T @ (at.table() - table).ravel(), jacobian.T @ jacobian

    first = np.concatenate([start.shares, *(mean[1:].ravel() for mean in start.means)])
    found = least_squares(value, normal_equations, first, no_gain=_NO_GAIN / items, max_steps=_MAX_STEPS)
    _, curvature = normal_equations(found.at)
    variances = np.linalg.pinv(curvature, rcond=1e-12, hermitian=True).diagonal()[:rank] / items
    last = taken_apart(found.at)
    error = float(np.sqrt(np.maximum(variances, 0.0).max()))
    return _measured(table, last.shares, last.means, steps=found.steps, converged=found.converged, error=error)


def _jacobian(at: ThreeWay) -> FloatArray:
    """(entries, unknowns): derivatives of the table by the shares, and by all means but the constants'."""
    one, two, three = at.means
    p, (i, j, k) = at.shares, (len(mean) for mean in at.means)
    parts = [(one[:, None, None] * two[None, :, None] * three[None, None, :]).reshape(i * j * k, -1)]
    for way, (left, right) in enumerate(((two, three), (one, three), (one, two))):
        size = len(at.means[way])
        others = p * left[:, None] * right[None]
        block = np.zeros((size, *others.shape[:2], size - 1, len(p)))
        block[np.arange(1, size), :, :, np.arange(size - 1)] = others
        parts.append(np.moveaxis(block, 0, way).reshape(i * j * k, -1))
    return np.hstack(parts)
