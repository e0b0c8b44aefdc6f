"""The factor per outcome that brings labels to a wanted class balance on average, by Newton's method."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.model.scoring import softmax

FloatArray = npt.NDArray[np.float64]

_STEPS = 60
_CLOSE = 1e-7
_LONGEST_STEP = 3.0
"""In log-odds: far from the solution a full step overshoots."""


def shift_to(logs: FloatArray, effective: FloatArray, shares: FloatArray, wanted: FloatArray) -> FloatArray:
    """(outcomes,): what to add to log-probabilities, so that the mean posterior is the wanted class balance.

    Parameters
    ----------
    logs
        (patterns, outcomes): log P(votes, outcome), before the discount.
    effective
        (patterns,): the factor of the log-odds of each.
    shares
        (patterns,): how frequent each is; they sum to one.
    wanted
        (outcomes,): the balance; positive, summing to one.

    >>> logs = np.zeros((1, 2))
    >>> shift_to(logs, np.ones(1), np.ones(1), np.array([0.2, 0.8])).round(3).tolist()
    [-0.693, 0.693]
    """
    shift = np.zeros(logs.shape[1])
    factor = effective[:, None]
    weighted = (shares * effective)[:, None]
    for _ in range(_STEPS):
        posterior, _ = softmax((logs + shift) * factor)
        gap = wanted - shares @ posterior
        if np.abs(gap).max() < _CLOSE:
            break
        slope = np.diag((weighted * posterior).sum(axis=0)) - (weighted * posterior).T @ posterior
        # A constant for all outcomes changes nothing, so the slope is singular.
        step = np.linalg.lstsq(slope + 1e-9 * np.eye(len(shift)), gap, rcond=None)[0]
        step -= step.mean()
        shift += step * min(1.0, _LONGEST_STEP / max(float(np.abs(step).max()), _CLOSE))
    return shift
