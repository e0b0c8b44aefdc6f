"""Compiled loops over outcomes: sums of log-odds, and expected counts.

A *column* is a value of a source, or a joint vote. Rows are items or vote patterns:
``starts`` (rows + 1,) is where the columns of each start. All functions work in place,
release the GIL, and are compiled once and cached on disk.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

_BLOCK = 2_048
"""Rows that are scored together; their scores should fit into the L1 cache."""


@njit(nogil=True, cache=True)
def count_columns(starts: IntArray, columns: npt.NDArray[np.int32], counts: FloatArray, seen: FloatArray) -> None:
    """Add to ``seen`` how often each column occurs, if rows occur ``counts`` times."""
    for row in range(len(starts) - 1):
        for a in range(starts[row], starts[row + 1]):
            seen[columns[a]] += counts[row]


@njit(nogil=True, cache=True)
def expect(
    starts: IntArray,
    columns: npt.NDArray[np.int32],
    counts: FloatArray,
    leads: FloatArray,
    base: FloatArray,
    votes: FloatArray,
    totals: FloatArray,
) -> float:
    """One E-step over vote patterns, in log-odds against the first outcome.

    Parameters
    ----------
    starts, columns
        The patterns: the columns of the design matrix that each has.
    counts
        (patterns,).
    leads, base
        (columns, outcomes − 1) and (outcomes − 1,): log-odds against the first outcome.
    votes, totals
        (columns, outcomes − 1) and (outcomes − 1,): expected counts are added.

    Returns the log-likelihood, minus that of a model in which every item has the first outcome.
    """
    others = len(base)
    logs = np.empty(others)
    likelihood = 0.0
    for row in range(len(starts) - 1):
        logs[:] = base
        for a in range(starts[row], starts[row + 1]):
            for y in range(others):
                logs[y] += leads[columns[a], y]
        highest = 0.0
        for y in range(others):
            highest = max(highest, logs[y])
        total = np.exp(-highest)
        for y in range(others):
            logs[y] = np.exp(logs[y] - highest)
            total += logs[y]
        likelihood += counts[row] * (np.log(total) + highest)
        scale = counts[row] / total
        for y in range(others):
            logs[y] *= scale
            totals[y] += logs[y]
        for a in range(starts[row], starts[row + 1]):
            for y in range(others):
                votes[columns[a], y] += logs[y]
    return likelihood


@njit(nogil=True, cache=True)
def score_listed(
    starts: IntArray,
    columns: npt.NDArray[np.int32],
    gains: FloatArray,
    base: FloatArray,
    discount: float,
    posterior: FloatArray,
) -> None:
    """Write the (items, outcomes) posterior, from the columns that each item has."""
    outcomes = len(base)
    for row in range(len(starts) - 1):
        logs = posterior[row]
        logs[:] = base
        for a in range(starts[row], starts[row + 1]):
            for y in range(outcomes):
                logs[y] += gains[columns[a], y]
        worth = effective_share(discount, starts[row + 1] - starts[row] - 1)
        for y in range(outcomes):
            logs[y] *= worth
        _to_probabilities(logs)


@njit(nogil=True, cache=True)
def effective_share(correlation: float, others: Any) -> Any:
    """The weight of a vote among ``others`` on its item, if any two votes have this correlation."""
    return 1.0 / (1.0 + correlation * np.maximum(others, 0))


@njit(nogil=True, cache=True)
def _to_probabilities(logs: FloatArray) -> None:
    highest = logs[0]
    for y in range(1, len(logs)):
        highest = max(highest, logs[y])
    total = 0.0
    for y in range(len(logs)):
        logs[y] = np.exp(logs[y] - highest)
        total += logs[y]
    for y in range(len(logs)):
        logs[y] /= total


@njit(nogil=True, cache=True)
def add_votes(
    codes: npt.NDArray[Any],
    alone: IntArray,
    alone_at: IntArray,
    members: IntArray,
    member_at: IntArray,
    digits: IntArray,
    digits_at: IntArray,
    leads: FloatArray,
    leads_at: IntArray,
    scores: FloatArray,
    voted: npt.NDArray[np.int32],
) -> None:
    """Sum the log-odds of votes, (sources, items), for each outcome against the first.

    Parameters
    ----------
    codes
        (sources, items).
    alone, alone_at
        Independent sources, and (alone + 1,) where the ``leads`` of each start: abstain, then its values.
    members, member_at
        The sources of the other cliques, and (cliques + 1,) where each clique's start.
    digits, digits_at
        For each member what abstain, and then each code, adds to the number of the clique's joint
        vote; −1 where it says nothing about the component. And where each member's start.
    leads, leads_at
        (outcomes − 1, values and joint votes): the log-odds of a vote; and (cliques,) where each clique's start.
    scores, voted
        (outcomes − 1, items) log-odds and (items,) the number of cliques that vote: both are added to.
    """
    items = codes.shape[1]
    numbers = np.empty(_BLOCK, np.int64)
    spoke = np.empty(_BLOCK, np.bool_)
    for start in range(0, items, _BLOCK):
        rows = min(_BLOCK, items - start)
        said = voted[start : start + rows]
        for a in range(len(alone)):
            column = codes[alone[a], start : start + rows]
            values = alone_at[a + 1] - alone_at[a] - 1
            for i in range(rows):
                said[i] += column[i] >= 0
            if values > 2:
                for i in range(rows):
                    numbers[i] = column[i] + 1
            for y in range(len(scores)):
                score = scores[y, start : start + rows]
                lead = leads[y, alone_at[a] : alone_at[a + 1]]
                if values <= 2:
                    # Comparing all rows with each value in turn is vectorised.
                    for value in range(values):
                        gain = lead[value + 1]
                        for i in range(rows):
                            score[i] += gain if column[i] == value else 0.0
                else:
                    for i in range(rows):
                        score[i] += lead[numbers[i]]
        for clique in range(len(leads_at)):
            numbers[:rows] = leads_at[clique]
            spoke[:rows] = False
            for a in range(member_at[clique], member_at[clique + 1]):
                column = codes[members[a], start : start + rows]
                first = digits_at[a] + 1
                for i in range(rows):
                    digit = digits[first + column[i]]
                    spoke[i] |= digit >= 0
                    numbers[i] += max(digit, 0)
            for i in range(rows):
                said[i] += spoke[i]
            for y in range(len(scores)):
                score = scores[y, start : start + rows]
                for i in range(rows):
                    score[i] += leads[y, numbers[i]]


@njit(nogil=True, cache=True)
def to_posterior(scores: FloatArray, voted: npt.NDArray[np.int32], discount: float, posterior: FloatArray) -> None:
    """Write the (items, outcomes) posterior, from (outcomes − 1, items) log-odds against the first outcome.

    The log-odds of ``voted`` votes, including the prior, are discounted by :func:`effective_share`.
    """
    others, items = scores.shape
    for i in range(items):
        worth = effective_share(discount, voted[i] - 1)
        if others == 1:
            log_odds = scores[0, i] * worth
            small = np.exp(-abs(log_odds))
            large = 1.0 / (1.0 + small)
            posterior[i, 0] = small * large if log_odds >= 0 else large
            posterior[i, 1] = large if log_odds >= 0 else small * large
        else:
            logs = posterior[i]
            logs[0] = 0.0
            for y in range(others):
                logs[y + 1] = scores[y, i] * worth
            _to_probabilities(logs)


SMALL = 1e-150
"""Two numbers of at least this have a product above zero."""
_BELOW_ONE, _ABOVE_ZERO = np.nextafter(np.float32(1), np.float32(0)), np.finfo(np.float32).tiny
_NOTHING, _HALF, _ONE = np.float32(0), np.float32(0.5), np.float32(1)
_ABOVE_HALF = np.nextafter(_HALF, _ONE)


@njit(nogil=True, cache=True)
def to_single_precision(
    joint: FloatArray,
    chosen: npt.NDArray[Any],
    confidence: npt.NDArray[np.float32],
    rounded: npt.NDArray[np.float32],
) -> None:
    """Write the most probable outcome of (items, outcomes), the first in a tie, its probability, and all rounded.

    What is neither impossible nor certain stays so, and the most probable outcome is the only one after rounding, too.
    Of two outcomes only the second is rounded: the first is what it leaves.
    """
    items, outcomes = joint.shape
    if outcomes == 2:
        # Choices in place of branches, so that several items are done at once.
        second = rounded[:, 1]
        for i in range(items):
            share = joint[i, 1]
            is_second = share > joint[i, 0]
            single = np.float32(share)
            single = _BELOW_ONE if (single == _ONE) & (share < 1.0) else single
            single = _ABOVE_ZERO if (single == _NOTHING) & (share > 0.0) else single
            second[i] = _ABOVE_HALF if is_second & (single == _HALF) else single
            confidence[i] = max(joint[i, 0], share)
            chosen[i] = is_second
        return
    for i in range(items):
        best, share = 0, joint[i, 0]
        for y in range(1, outcomes):
            # Without a branch, which would be mispredicted too often.
            best = y if joint[i, y] > share else best
            share = max(share, joint[i, y])
        chosen[i] = best
        confidence[i] = share
        for y in range(outcomes):
            single = np.float32(joint[i, y])
            if single == 1 and joint[i, y] < 1:
                single = _BELOW_ONE
            elif single == 0 and joint[i, y] > 0:
                single = _ABOVE_ZERO
            rounded[i, y] = single
        tied = False
        for y in range(best):
            tied |= rounded[i, y] == rounded[i, best]
        if tied:
            rounded[i, best] = np.nextafter(rounded[i, best], np.float32(1))


@njit(nogil=True, cache=True)
def expect_discounted(
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
    """An E-step in which votes on one item are discounted by :func:`effective_share`, for at most ``most`` others.

    The prior is not discounted: in EM only the contribution of the votes can diverge. Expected counts
    are added to ``votes``, (columns, outcomes), and ``totals``, (outcomes,).
    """
    outcomes = len(base)
    logs = np.empty(outcomes)
    for row in range(len(starts) - 1):
        logs[:] = 0.0
        for a in range(starts[row], starts[row + 1]):
            for y in range(outcomes):
                logs[y] += gains[columns[a], y]
        worth = effective_share(correlation, min(starts[row + 1] - starts[row] - 1, most))
        for y in range(outcomes):
            logs[y] = logs[y] * worth + base[y]
        _to_probabilities(logs)
        for y in range(outcomes):
            logs[y] *= counts[row]
            totals[y] += logs[y]
        for a in range(starts[row], starts[row + 1]):
            for y in range(outcomes):
                votes[columns[a], y] += logs[y]


@njit(nogil=True, cache=True)
def predict_each_vote(
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
    """Add, for each correlation, how well every vote is predicted by the others on its item.

    Only items with at least three votes count.

    Parameters
    ----------
    said, spoke
        (columns, outcomes): the probability of the column, and that its source votes at all.
    scores, squares
        (correlations,): per item, the sum over its votes of log P(vote | others, it is cast), minus that of the first
        correlation, is added; and its square.
    """
    outcomes = len(base)
    logs = np.log(said)
    whole = np.empty(outcomes)
    rest = np.empty(outcomes)
    fits = np.empty(len(correlations))
    ratios = np.empty(len(correlations))
    worths = np.empty(len(correlations))
    for row in range(len(starts) - 1):
        votes = starts[row + 1] - starts[row]
        if votes < 3:
            continue
        whole[:] = base
        for a in range(starts[row], starts[row + 1]):
            for y in range(outcomes):
                whole[y] += gains[columns[a], y]
        for c in range(len(correlations)):
            worths[c] = effective_share(correlations[c], votes - 2)
        fits[:] = 0.0
        # Logarithms take longest, so ratios are multiplied as long as their product is a number.
        ratios[:] = 1.0
        for a in range(starts[row], starts[row + 1]):
            own = said[columns[a]]
            speaking = spoke[columns[a]]
            highest = -np.inf
            for y in range(outcomes):
                rest[y] = whole[y] - logs[columns[a], y]
                highest = max(highest, rest[y])
            for c in range(len(correlations)):
                heard = 0.0
                vote = 0.0
                for y in range(outcomes):
                    chance = 1.0 if rest[y] == highest else np.exp((rest[y] - highest) * worths[c])
                    heard += chance * speaking[y]
                    vote += chance * own[y]
                ratio = vote / heard
                if ratios[c] < SMALL or ratio < SMALL or ratios[c] > 1 / SMALL:
                    fits[c] += np.log(ratios[c])
                    ratios[c] = 1.0
                ratios[c] *= ratio
        for c in range(len(correlations)):
            fits[c] += np.log(ratios[c])
        for c in range(len(correlations)):
            gain = fits[c] - fits[0]
            scores[c] += counts[row] * gain
            squares[c] += counts[row] * gain * gain
