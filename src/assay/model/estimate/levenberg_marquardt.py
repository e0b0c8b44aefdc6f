r"""Levenberg–Marquardt: least squares by Gauss–Newton steps that are damped where these would lead astray.

For residuals :math:`f` with Jacobian :math:`J` a step solves
:math:`(J^T J + \mu \, \mathrm{diag}(J^T J)) \, s = -J^T f`. Problems whose curvature differs
by many orders of magnitude between directions take a few steps, where methods that only use the
gradient stall.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import linalg

FloatArray = npt.NDArray[np.float64]

_FIRST_DAMPING, _LEAST_DAMPING, _MOST_DAMPING = 1e-3, 1e-12, 1e12
_RAISE, _LOWER = 4.0, 0.2


@dataclass(frozen=True, eq=False)
class Minimum:
    """Where a minimisation ended."""

    at: FloatArray
    value: float
    """The sum of squares."""
    steps: int
    converged: bool


def least_squares(
    value: Callable[[FloatArray], float],
    normal_equations: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
    start: FloatArray,
    *,
    no_gain: float,
    max_steps: int,
) -> Minimum:
    """A local minimum of a sum of squares.

    Parameters
    ----------
    value
        The sum of squares :math:`f^T f` at a point.
    normal_equations
        :math:`J^T f` and :math:`J^T J` at a point.
    start
        (unknowns,).
    no_gain
        It has converged if a step that is hardly damped lowers the sum of squares by less than this.
    max_steps
        The most steps.

    >>> found = least_squares(lambda x: float((x - 2) @ (x - 2)), lambda x: (x - 2, np.eye(1)), np.zeros(1),
    ...                       no_gain=1e-12, max_steps=50)
    >>> found.converged, round(float(found.at[0]), 6)
    (True, 2.0)
    """
    at, reached, damping = start, value(start), _FIRST_DAMPING
    for steps in range(max_steps):
        slope, curvature = normal_equations(at)
        diagonal = curvature.diagonal()
        # Unknowns that nothing depends on have no curvature of their own.
        ridge = diagonal + 1e-9 * float(diagonal.max(initial=0.0)) + 1e-300
        while True:
            step = _step(slope, curvature + np.diag(damping * ridge))
            lower = np.inf if step is None else value(at + step)
            if step is not None and lower <= reached:
                break
            damping *= _RAISE
            if damping > _MOST_DAMPING:  # the lowest that can be told in floating point
                return Minimum(at, reached, steps, True)
        gain, at, reached = reached - lower, at + step, lower
        if gain <= no_gain and damping <= 1.0:
            return Minimum(at, reached, steps + 1, True)
        damping = max(damping * _LOWER, _LEAST_DAMPING)
    return Minimum(at, reached, max_steps, False)


def _step(slope: FloatArray, curvature: FloatArray) -> FloatArray | None:
    """The step to the minimum of the quadratic model, or None if its curvature is singular."""
    try:
        factor = linalg.cho_factor(curvature, check_finite=False)
    except linalg.LinAlgError:
        return None
    return np.asarray(-linalg.cho_solve(factor, slope, check_finite=False))
