r"""Rank-one completion: find :math:`a` with :math:`T_{uv} \approx F_{uv}\, a_u a_v` on known entries.

Both moment methods reduce to it. Algorithm 1 of the paper has
:math:`T = -\hat\Sigma_O^{-1}` and :math:`F = 1`; the covariance method has
:math:`T = \hat\Sigma` and :math:`F = C`, known from the class balance.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from assay.checks import parts_of
from assay.model.estimate.solver import SolverOutcome

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

_MAX_STEPS = 500


def complete(
    target: FloatArray,
    factor: FloatArray,
    deviation: FloatArray,
    known: BoolArray,
    expected_sign: FloatArray,
) -> tuple[FloatArray, SolverOutcome]:
    """The vector of a weighted rank-one completion.

    Starts from the closed form, a log-linear least-squares fit of the magnitudes with
    signs propagated along the most significant entries of each connected component,
    and is refined by L-BFGS.

    Parameters
    ----------
    target, factor
        (d, d) symmetric.
    deviation
        (d, d): the standard error of each target.
    known
        (d, d): the entries to fit.
    expected_sign
        (d,): the sign each entry has on average, which determines the sign of every
        connected component.

    Entries that are not constrained are zero. It has converged only if the known entries determine the vector.
    """
    from scipy import optimize

    usable = known & (np.abs(factor) > 1e-12)
    constrained = usable.any(axis=1)
    if not constrained.any():
        return np.zeros(len(target)), SolverOutcome("too_few_sources", 0, 0.0)
    weight = np.where(usable, 1 / np.maximum(deviation, 1e-12), 0.0)
    start = _oriented(_closed_form(target, factor, weight, usable), usable, expected_sign)
    scale = max(float(np.sum((weight * target) ** 2)), 1e-12)

    def objective(a: FloatArray) -> tuple[float, FloatArray]:
        residual = weight * (target - factor * np.outer(a, a))
        return float(np.sum(residual**2)) / scale, -4 * (weight * residual * factor) @ a / scale

    found = optimize.minimize(
        objective, start, jac=True, method="L-BFGS-B", options={"maxiter": _MAX_STEPS, "ftol": 1e-14, "gtol": 1e-10}
    )
    solved = np.where(constrained, _oriented(found.x, usable, expected_sign), 0.0)
    status = "converged" if found.success or found.nit < _MAX_STEPS else "max_steps"
    # Without an odd cycle one side of a part may be scaled up and the other down, and the fit is the same.
    if any(part.sides is not None for part in parts_of(usable)):
        status = "too_few_sources"
    return solved, SolverOutcome(status, int(found.nit), float(found.fun))


def _closed_form(target: FloatArray, factor: FloatArray, weight: FloatArray, usable: BoolArray) -> FloatArray:
    """Magnitudes by least squares on logarithms, signs along a maximum spanning forest by significance."""
    size = len(target)
    safe = np.where(usable, factor, 1.0)
    ratio = np.where(usable, target / safe, 0.0)
    # log|ratio| has the standard error deviation / |target|, so entries are weighted by their significance.
    significance = np.where(usable, np.abs(target) * weight, 0.0) ** 2
    significance = np.minimum(significance, 1e6)
    logs = np.log(np.maximum(np.abs(ratio), 1e-9))
    normal = significance + np.diag(significance.sum(axis=1) + 1e-3)
    sizes = np.exp(np.clip(np.linalg.solve(normal, (significance * logs).sum(axis=1)), -9.0, 1.0))
    # Edge weights must be positive to count as edges; the most significant entries have the lowest.
    cost = np.where(usable, 1.0 + significance.max() - significance, 0.0)
    forest = csgraph.minimum_spanning_tree(sparse.csr_array(np.triu(cost)))
    signs = np.ones(size)
    _, part_of = csgraph.connected_components(forest, directed=False)
    for part in range(int(part_of.max(initial=-1)) + 1):
        root = int(np.flatnonzero(part_of == part)[0])
        order, before = csgraph.breadth_first_order(forest, root, directed=False)
        for v in order[1:]:
            signs[v] = signs[before[v]] * (1.0 if ratio[before[v], v] >= 0 else -1.0)
    return np.asarray(sizes * signs)


def _oriented(a: FloatArray, usable: BoolArray, expected_sign: FloatArray) -> FloatArray:
    """Flip the sign of each connected component that disagrees with the expected signs on average."""
    oriented = a.copy()
    _, part_of = csgraph.connected_components(usable.astype(np.int8), directed=False)
    agreement = np.bincount(part_of, weights=a * expected_sign)
    oriented[agreement[part_of] < 0] *= -1
    return oriented
