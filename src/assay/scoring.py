"""Scores against gold labels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.errors import VoteError


def accuracy(probabilities: npt.NDArray[np.float64], gold: npt.NDArray[np.integer]) -> float:
    """The share of items whose most probable outcome is the true one; ties count by their share.

    Parameters
    ----------
    probabilities
        (items, outcomes).
    gold
        (items,) outcome numbers; −1 where unknown, which is left out.

    >>> accuracy(np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]]), np.array([0, 0, -1]))
    0.75
    """
    known = gold >= 0
    if not known.any():
        raise VoteError("no item has a gold label to score against")
    chosen = probabilities[known]
    best = np.isclose(chosen, chosen.max(axis=1, keepdims=True), rtol=0, atol=1e-12)
    shares = best / best.sum(axis=1, keepdims=True)
    return float(shares[np.arange(len(shares)), gold[known]].mean())
