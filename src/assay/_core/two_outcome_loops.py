"""Compiled E-steps for two outcomes, the most common case: a pattern has one log-odds.

Exponentials and logarithms of many patterns are computed together, in vectors. All functions work in place, release the
GIL, and are compiled once and cached on disk.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Bytes = npt.NDArray[np.uint8]

JOINT_VOTES = 256
"""The most joint votes of a group of sources: their number is a byte."""

_TOGETHER = 512
"""Rows of an E-step whose exponentials are computed together."""
_PER_LN_2, _LN_2, _REST_OF_LN_2 = 1.4426950408889634, 0.69314718036912382, 1.90821492927058770e-10
"""1 / ln(2); and ln(2) in two parts, of which multiples of the first are exact."""


def _scale(typing_context: Any, number: Any, power: Any) -> Any:
    """number · 2^power, for a result that is a normal number: the power is added to the exponent's bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bits = ir.IntType(64)
        number = builder.bitcast(arguments[0], bits)
        return builder.bitcast(builder.add(number, builder.shl(arguments[1], ir.Constant(bits, 52))), ir.DoubleType())

    return types.float64(types.float64, types.int64), generate


_times_power_of_two: Any = intrinsic(_scale)


@njit(nogil=True, cache=True, error_model="numpy")
def exp_of_negative(x: Any) -> Any:
    """exp(x) of x ≤ 0, to the last bit or the one before: by arithmetic alone, so that a loop over it is vectorised.

    exp(x) = 2^k exp(r) with |r| ≤ ln(2) / 2, and the series of exp(r); below the least normal number it is constant.
    """
    x = max(x, -708.0)
    power = np.floor(x * _PER_LN_2 + 0.5)
    r = (x - power * _LN_2) - power * _REST_OF_LN_2
    series = 1.0 / 6_227_020_800
    series = series * r + 1.0 / 479_001_600
    series = series * r + 1.0 / 39_916_800
    series = series * r + 1.0 / 3_628_800
    series = series * r + 1.0 / 362_880
    series = series * r + 1.0 / 40_320
    series = series * r + 1.0 / 5_040
    series = series * r + 1.0 / 720
    series = series * r + 1.0 / 120
    series = series * r + 1.0 / 24
    series = series * r + 1.0 / 6
    series = series * r + 0.5
    return _times_power_of_two(series * (r * r) + r + 1.0, np.int64(power))


@njit(nogil=True, cache=True, error_model="numpy")
def _log_of_one_plus(x: Any) -> Any:
    """log(1 + x) of x from 0 to 1, likewise: the series of 2 atanh(x / (2 + x))."""
    z = x / (2.0 + x)
    square = z * z
    series = square * (1.0 / 33) + 1.0 / 31
    series = series * square + 1.0 / 29
    series = series * square + 1.0 / 27
    series = series * square + 1.0 / 25
    series = series * square + 1.0 / 23
    series = series * square + 1.0 / 21
    series = series * square + 1.0 / 19
    series = series * square + 1.0 / 17
    series = series * square + 1.0 / 15
    series = series * square + 1.0 / 13
    series = series * square + 1.0 / 11
    series = series * square + 1.0 / 9
    series = series * square + 1.0 / 7
    series = series * square + 1.0 / 5
    series = series * square + 1.0 / 3
    return 2.0 * (z * square * series + z)


@njit(nogil=True, cache=True, error_model="numpy")
def _to_shares(log_odds: FloatArray, counts: FloatArray, small: FloatArray, logs: FloatArray) -> Any:
    """Replace log-odds of patterns by how many items of each have the second outcome; returns the log-likelihood."""
    rows = len(log_odds)
    for i in range(rows):
        small[i] = exp_of_negative(-abs(log_odds[i]))
    for i in range(rows):
        logs[i] = counts[i] * (max(log_odds[i], 0.0) + _log_of_one_plus(small[i]))
    for i in range(rows):
        share = counts[i] / (1.0 + small[i])
        log_odds[i] = share * small[i] if log_odds[i] < 0 else share
    likelihood = 0.0
    for i in range(rows):
        likelihood += logs[i]
    return likelihood


@njit(nogil=True, cache=True)
def expect_two(
    starts: IntArray,
    columns: npt.NDArray[np.int32],
    counts: FloatArray,
    leads: FloatArray,
    base: FloatArray,
    votes: FloatArray,
    totals: FloatArray,
) -> float:
    """:func:`assay._core.scoring_loops.expect` for two outcomes."""
    lead = leads[:, 0].copy()
    second = np.zeros(len(lead))
    shares, small, logs = np.empty(_TOGETHER), np.empty(_TOGETHER), np.empty(_TOGETHER)
    items = 0.0
    likelihood = 0.0
    for begin in range(0, len(starts) - 1, _TOGETHER):
        rows = min(_TOGETHER, len(starts) - 1 - begin)
        for i in range(rows):
            found = base[0]
            # Numbers without a sign: no index is from the end, which would be looked at for each vote.
            for a in range(np.uint64(starts[begin + i]), np.uint64(starts[begin + i + 1])):
                found += lead[np.uint32(columns[a])]
            shares[i] = found
        likelihood += _to_shares(shares[:rows], counts[begin : begin + rows], small, logs)
        for i in range(rows):
            share = shares[i]
            items += share
            for a in range(np.uint64(starts[begin + i]), np.uint64(starts[begin + i + 1])):
                second[np.uint32(columns[a])] += share
    totals[0] += items
    votes[:, 0] += second
    return likelihood


@njit(nogil=True, cache=True)
def number_groups(
    starts: IntArray, columns: npt.NDArray[np.int32], group: IntArray, step: npt.NDArray[np.uint8], numbers: Bytes
) -> None:
    """Add to (patterns, groups) zeros the number of the joint vote of each group of sources.

    ``group`` and ``step`` (columns,) are the group that each column belongs to, and what it adds to the number.
    """
    for row in range(len(starts) - 1):
        for a in range(starts[row], starts[row + 1]):
            column = columns[a]
            numbers[row, group[column]] += step[column]


@njit(nogil=True, cache=True)
def expect_grouped(
    numbers: Bytes,
    counts: FloatArray,
    values: IntArray,
    ends: IntArray,
    leads: FloatArray,
    base: FloatArray,
    votes: FloatArray,
    totals: FloatArray,
) -> float:
    """The same as :func:`expect_two` for independent sources, several of which are looked up at once.

    Parameters
    ----------
    numbers
        (patterns, groups): the joint votes of groups of consecutive sources.
    values
        (sources,): how many values each has: its columns follow those of the source before.
    ends
        (groups,): where the sources of each group end.
    """
    groups = len(ends)
    gains, sums = np.zeros((groups, JOINT_VOTES)), np.zeros((groups, JOINT_VOTES))
    source = column = 0
    for group in range(groups):
        known = 1
        while source < ends[group]:
            for value in range(values[source]):
                for number in range(known):
                    gains[group, known * (value + 1) + number] = gains[group, number] + leads[column, 0]
                column += 1
            known *= values[source] + 1
            source += 1
    shares, small, logs = np.empty(_TOGETHER), np.empty(_TOGETHER), np.empty(_TOGETHER)
    items = 0.0
    likelihood = 0.0
    for begin in range(0, len(numbers), _TOGETHER):
        rows = min(_TOGETHER, len(numbers) - begin)
        for i in range(rows):
            found = base[0]
            for group in range(groups):
                found += gains[group, numbers[begin + i, group]]
            shares[i] = found
        likelihood += _to_shares(shares[:rows], counts[begin : begin + rows], small, logs)
        for i in range(rows):
            items += shares[i]
            for group in range(groups):
                sums[group, numbers[begin + i, group]] += shares[i]
    source = column = 0
    for group in range(groups):
        step = 1
        while source < ends[group]:
            several = values[source] + 1
            for number in range(JOINT_VOTES):
                value = number // step % several
                if value:
                    votes[column + value - 1, 0] += sums[group, number]
            column += values[source]
            step *= several
            source += 1
    totals[0] += items
    return likelihood
