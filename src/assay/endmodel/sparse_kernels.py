"""The compiled loops of a layer over sparse features: forward, backward, and a step of Adam.

Rows are those of a CSR matrix (``starts``, ``columns``, ``values``), picked by number
without copying them. All work on a range of the layer's outputs, from ``low`` to
``high``, so that threads can share it without ever adding to the same place: the
result does not depend on their number. Inner loops run over slices, of which the compiler knows that
they are contiguous: it then computes several outputs at a time.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

IntArray = npt.NDArray[np.int64]
Columns = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]

KEEP_MEAN, KEEP_SQUARE, TINY = 0.9, 0.999, 1e-8
"""Adam's usual constants: how much of its two moments a step keeps, and what is added to the root of the second."""


@njit(nogil=True, cache=True)
def multiply(
    starts: IntArray, columns: Columns, values: Floats, rows: IntArray, weight: Floats, low: int, high: int, out: Floats
) -> None:
    """Add the product of some rows and the weight (features, outputs) to ``out`` (rows, outputs)."""
    for i in range(len(rows)):
        sums = out[i, low:high]
        for at in range(starts[rows[i]], starts[rows[i] + 1]):
            value, own = values[at], weight[columns[at], low:high]
            for o in range(len(sums)):
                sums[o] += value * own[o]


@njit(nogil=True, cache=True)
def find_touched(starts: IntArray, columns: Columns, rows: IntArray, place: Columns, touched: IntArray) -> int:
    """List the features that some rows have in ``touched``, and where each is listed in ``place``; returns how many."""
    count = 0
    for i in range(len(rows)):
        for at in range(starts[rows[i]], starts[rows[i] + 1]):
            feature = columns[at]
            if place[feature] < 0:
                place[feature] = count
                touched[count] = feature
                count += 1
    return count


@njit(nogil=True, cache=True)
def gradient(
    starts: IntArray, columns: Columns, values: Floats, rows: IntArray, place: Columns, low: int, high: int,
    upstream: Floats, out: Floats,
) -> None:  # fmt: skip
    """Add the gradient of the touched rows of the weight to ``out`` (touched, outputs)."""
    for i in range(len(rows)):
        above = upstream[i, low:high]
        for at in range(starts[rows[i]], starts[rows[i] + 1]):
            value, sums = values[at], out[place[columns[at]], low:high]
            for o in range(len(above)):
                sums[o] += value * above[o]


@njit(nogil=True, cache=True)
def adam(
    touched: IntArray, slope: Floats, weight: Floats, mean: Floats, square: Floats, low: int, high: int,
    rate: float, l2: float, step: float,
) -> None:  # fmt: skip
    """One step of Adam on the touched rows of the weight; the others stay as they are. Steps count from 1."""
    # In single precision throughout, of which a processor does twice as much at a time.
    pace = np.float32(rate / (1 - KEEP_MEAN**step))
    scale = np.float32(1 / np.sqrt(1 - KEEP_SQUARE**step))
    draw, tiny = np.float32(l2), np.float32(TINY)
    keep_mean, take_mean = np.float32(KEEP_MEAN), np.float32(1 - KEEP_MEAN)
    keep_square, take_square = np.float32(KEEP_SQUARE), np.float32(1 - KEEP_SQUARE)
    for t in range(len(touched)):
        row = touched[t]
        own, slopes = weight[row, low:high], slope[t, low:high]
        means, squares = mean[row, low:high], square[row, low:high]
        for o in range(len(own)):
            g = slopes[o] + draw * own[o]
            m = keep_mean * means[o] + take_mean * g
            s = keep_square * squares[o] + take_square * g * g
            means[o] = m
            squares[o] = s
            own[o] -= pace * m / (np.sqrt(s) * scale + tiny)


@njit(nogil=True, cache=True)
def expected_loss(scores: Floats, targets: Floats, rows: IntArray, ends: IntArray, upstream: Floats) -> float:
    """The noise-aware loss of some rows of the targets, and its gradient by their scores (rows, width) in ``upstream``.

    ``ends`` (heads,) says where each head's columns end.
    """
    items, heads = len(rows), len(ends)
    share = 1.0 / (items * heads)
    loss = 0.0
    for i in range(items):
        own = targets[rows[i]]
        begin = 0
        for h in range(heads):
            end = ends[h]
            highest = scores[i, begin]
            for o in range(begin + 1, end):
                highest = max(highest, scores[i, o])
            total = 0.0
            mass = 0.0
            for o in range(begin, end):
                power = np.exp(scores[i, o] - highest)
                upstream[i, o] = power
                total += power
                mass += own[o]
            level = highest + np.log(total)
            for o in range(begin, end):
                loss -= own[o] * (scores[i, o] - level)
                upstream[i, o] = share * (mass * upstream[i, o] / total - own[o])
            begin = end
    return loss * share
