"""How sure a share is that was counted on a sample of hand labels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

Z = 1.959963984540054
"""The normal quantile of a 95% interval."""


def effective_size(
    share: float,
    errors: FloatArray,
    weights: FloatArray,
    *,
    population: float = np.inf,
    parameters: int = 0,
    caution: float = 2.0,
) -> float:
    """How many items, drawn at random and merely counted, would tell a share as well as a sample does.

    A sample tells more than its size where errors are small, and less where its weights differ. Variances of a few
    items are themselves unsure, and zero where all items are alike; so they are shrunk to the variance of counting,
    by how many items of the rarer kind were seen.

    Parameters
    ----------
    share
        What the sample says of the share.
    errors
        (items,): what each item, if it stood for all, would add to the estimate; 0 on average.
    weights
        (items,): how many items each stands for, up to a factor.
    population
        How many items the sample was drawn from, without replacement. If it has all of them, nothing is left to err in.
    parameters
        How many figures were fitted to the sample, apart from the share itself.
    caution
        After how many items of the rarer kind the variance that was seen counts as much as the one of counting.

    >>> y = np.array([1.0, 1.0, 0.0, 0.0] * 5)
    >>> round(effective_size(0.5, y - 0.5, np.ones(20)), 1)
    20.0
    >>> round(effective_size(0.5, 0.1 * (y - 0.5), np.ones(20)))
    114
    """
    parts = weights / weights.sum()
    alike = 1 / float(parts @ parts)
    # An item that stands for w items was drawn with a chance of 1 / w.
    squares = parts**2 * np.clip(1 - 1 / np.maximum(parts * population, 1), 0, None)
    counting = float(squares.sum())
    if counting <= 0:
        return float("inf")
    spread, rarer = share * (1 - share), alike * min(share, 1 - share)
    seen = counting
    if spread > 0:
        seen = float(squares @ errors**2) * alike / max(alike - parameters, 1.0) / spread
    return (rarer + caution) / (rarer * seen + caution * counting)


def score_interval(share: float, size: float) -> tuple[float, float]:
    """The 95% score interval (Wilson's) of a share that was seen in so many items; ``size`` need not be an integer.

    >>> low, high = score_interval(0.0, 20.0)
    >>> low, round(high, 3)
    (0.0, 0.161)
    """
    if np.isinf(size):
        return share, share
    centre = (share + Z**2 / (2 * size)) / (1 + Z**2 / size)
    half = Z / (1 + Z**2 / size) * np.sqrt(share * (1 - share) / size + Z**2 / (4 * size**2))
    # Rounding must not push a share out of its own interval.
    return max(0.0, min(float(centre - half), share)), min(1.0, max(float(centre + half), share))
