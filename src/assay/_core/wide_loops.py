"""Compiled loops over many outcomes: the same as in :mod:`assay._core.scoring_loops`, where these would be slow.

The votes on an item leave few of many outcomes possible. Those whose share would be below ``exp(-FAR)``, which is less
than the rounding of what they would be added to, are passed over in an E-step.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from assay._core.scoring_loops import SMALL, FloatArray, IntArray, effective_share
from assay._core.two_outcome_loops import exp_of_negative

MANY = 64
"""From so many outcomes on these loops are used."""

FAR = 40.0
"""How far below the most probable outcome, in log-odds, another is passed over."""


@njit(nogil=True, cache=True)
def expect_many(
    starts: IntArray,
    columns: npt.NDArray[np.int32],
    counts: FloatArray,
    leads: FloatArray,
    base: FloatArray,
    votes: FloatArray,
    totals: FloatArray,
) -> float:
    """:func:`assay._core.scoring_loops.expect` for many outcomes."""
    others = len(base)
    logs = np.empty(others)
    near = np.empty(others, np.int64)
    likelihood = 0.0
    for row in range(len(starts) - 1):
        logs[:] = base
        for a in range(starts[row], starts[row + 1]):
            lead = leads[columns[a]]
            for y in range(others):
                logs[y] += lead[y]
        highest = max(_highest(logs), 0.0)
        total = np.exp(-highest)
        found = _near(logs, highest, near)
        for at in range(found):
            y = near[at]
            logs[y] = np.exp(logs[y] - highest)
            total += logs[y]
        likelihood += counts[row] * (np.log(total) + highest)
        _add(logs, near, found, counts[row] / total, starts[row], starts[row + 1], columns, votes, totals)
    return likelihood


@njit(nogil=True, cache=True)
def expect_discounted_many(
    starts: IntArray,
    columns: npt.NDArray[np.int32],
    counts: FloatArray,
    gains: FloatArray,
    base: FloatArray,
    correlation: float,
    most: int,
    votes: FloatArray,
    totals: FloatArray,
) -> None:
    """:func:`assay._core.scoring_loops.expect_discounted` for many outcomes."""
    outcomes = len(base)
    logs = np.empty(outcomes)
    near = np.empty(outcomes, np.int64)
    for row in range(len(starts) - 1):
        logs[:] = 0.0
        for a in range(starts[row], starts[row + 1]):
            gain = gains[columns[a]]
            for y in range(outcomes):
                logs[y] += gain[y]
        worth = effective_share(correlation, min(starts[row + 1] - starts[row] - 1, most))
        for y in range(outcomes):
            logs[y] = logs[y] * worth + base[y]
        highest = _highest(logs)
        total = 0.0
        found = _near(logs, highest, near)
        for at in range(found):
            y = near[at]
            logs[y] = np.exp(logs[y] - highest)
            total += logs[y]
        _add(logs, near, found, counts[row] / total, starts[row], starts[row + 1], columns, votes, totals)


@njit(nogil=True, cache=True)
def predict_each_vote_many(
    starts: IntArray,
    columns: npt.NDArray[np.int32],
    counts: FloatArray,
    gains: FloatArray,
    base: FloatArray,
    said: FloatArray,
    spoke: FloatArray,
    correlations: FloatArray,
    scores: FloatArray,
    squares: FloatArray,
) -> None:
    """:func:`assay._core.scoring_loops.predict_each_vote` for many outcomes."""
    outcomes = len(base)
    logs = np.log(said)
    whole, rest, chance = np.empty(outcomes), np.empty(outcomes), np.empty(outcomes)
    fits, ratios = np.empty(len(correlations)), np.empty(len(correlations))
    for row in range(len(starts) - 1):
        votes = starts[row + 1] - starts[row]
        if votes < 3:
            continue
        whole[:] = base
        for a in range(starts[row], starts[row + 1]):
            gain = gains[columns[a]]
            for y in range(outcomes):
                whole[y] += gain[y]
        fits[:] = 0.0
        # Logarithms take longest, so ratios are multiplied as long as their product is a number.
        ratios[:] = 1.0
        for a in range(starts[row], starts[row + 1]):
            own, log = said[columns[a]], logs[columns[a]]
            for y in range(outcomes):
                rest[y] = whole[y] - log[y]
            highest = _highest(rest)
            for y in range(outcomes):
                rest[y] -= highest
            for c in range(len(correlations)):
                worth = effective_share(correlations[c], votes - 2)
                for y in range(outcomes):
                    chance[y] = exp_of_negative(rest[y] * worth)
                ratio = _product(chance, own) / _product(chance, spoke[columns[a]])
                if ratios[c] < SMALL or ratio < SMALL or ratios[c] > 1 / SMALL:
                    fits[c] += np.log(ratios[c])
                    ratios[c] = 1.0
                ratios[c] *= ratio
        for c in range(len(correlations)):
            fits[c] += np.log(ratios[c])
        for c in range(len(correlations)):
            gain_over_first = fits[c] - fits[0]
            scores[c] += counts[row] * gain_over_first
            squares[c] += counts[row] * gain_over_first * gain_over_first


@njit(nogil=True, cache=True)
def _highest(logs: FloatArray) -> float:
    highest = float(logs[0])
    for y in range(1, len(logs)):
        highest = max(highest, logs[y])
    return highest


@njit(nogil=True, cache=True)
def _near(logs: FloatArray, highest: float, near: IntArray) -> int:
    """Write which outcomes are not far below the highest, and return how many."""
    found = 0
    least = highest - FAR
    for y in range(len(logs)):
        # Written whether it counts or not: a branch would be mispredicted too often.
        near[found] = y
        found += logs[y] > least
    return found


@njit(nogil=True, cache=True)
def _add(
    shares: FloatArray,
    near: IntArray,
    found: int,
    scale: float,
    start: int,
    stop: int,
    columns: npt.NDArray[np.int32],
    votes: FloatArray,
    totals: FloatArray,
) -> None:
    """Add the shares of some outcomes to what is expected."""
    for at in range(found):
        y = near[at]
        shares[y] *= scale
        totals[y] += shares[y]
    for a in range(start, stop):
        expected = votes[columns[a]]
        for at in range(found):
            expected[near[at]] += shares[near[at]]


@njit(nogil=True, cache=True)
def _product(one: FloatArray, other: FloatArray) -> float:
    """The sum of products, in four sums that do not wait for each other."""
    a = b = c = d = 0.0
    even = len(one) // 4 * 4
    for y in range(0, even, 4):
        a += one[y] * other[y]
        b += one[y + 1] * other[y + 1]
        c += one[y + 2] * other[y + 2]
        d += one[y + 3] * other[y + 3]
    for y in range(even, len(one)):
        a += one[y] * other[y]
    return (a + b) + (c + d)
