"""Levels of confidence: how probabilities become values that can be counted.

A soft vote is a label and a *level* of confidence in it. Levels are cut from a source's own scores, for each
label it says, at quantiles; neighbours are merged until each has votes enough. So only the order of scores counts, and
they need not be calibrated. A label whose votes are all certain, or too few for two levels, has no levels: its value is
the bare label, as for hard votes. Certain votes that are many have a value of their own beside levels: the bare label.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import VoteError
from assay.tasks import LabelSpace, Vote
from assay.votes.encoding import ABSTAIN, canonical, lookup, smallest

FloatArray = npt.NDArray[np.float64]
Codes = npt.NDArray[np.signedinteger[Any]]

MOST_LEVELS = 8
"""The most levels of a label."""
FEWEST_VOTES = 50
"""The fewest votes of a level that is cut from scores."""


def given_levels(levels: Sequence[float]) -> tuple[float, ...]:
    """Where each level starts, as a user gave it: ascending, from 0 up to below 1.

    >>> given_levels([0.5, 0.8])
    (0.5, 0.8)
    """
    try:
        starts = tuple(float(start) for start in levels)
    except (TypeError, ValueError):
        starts = (np.nan,)
    if not all(0 <= start < 1 for start in starts) or any(low >= high for low, high in pairwise(starts)):
        raise VoteError(
            f"levels must be where each level of confidence starts, ascending and from 0 to below 1, but got {levels!r}"
        )
    return starts


def cut(scores: FloatArray, most: int = MOST_LEVELS, fewest: int = FEWEST_VOTES) -> tuple[float, ...]:
    """Where the levels of one label start, from (votes,) the scores of all votes for it; empty if it has no levels.

    The first start is 0. A last one of 1 is a level of votes that are certain.

    >>> cut(np.array([0.6, 0.7, 0.8, 0.9, 1.0, 1.0]), most=3, fewest=2)
    (0.0, 0.8, 1.0)
    """
    distinct, counts = np.unique(scores, return_counts=True)
    if len(distinct) < 2:
        return ()
    before = np.concatenate([[0], np.cumsum(counts)])
    levels = min(most, int(before[-1]) // fewest)
    if levels < 2:
        return ()
    # Equal scores stay together: each quantile moves to the nearest place between two scores.
    wanted = before[-1] * np.arange(1, levels) / levels
    above = np.clip(np.searchsorted(before, wanted), 1, len(distinct) - 1)
    below = np.maximum(above - 1, 1)
    places = np.where(before[above] - wanted < wanted - before[below], above, below)
    ends = [0, *np.unique(places).tolist(), len(distinct)]
    ends = _merged(ends, before, fewest)
    return (
        (0.0, *(_roundest(float(distinct[at - 1]), float(distinct[at])) for at in ends[1:-1])) if len(ends) > 2 else ()
    )


def _merged(ends: list[int], before: npt.NDArray[np.int64], fewest: int) -> list[int]:
    """The ends of groups of scores, merged until each has votes enough: the smallest with its smaller neighbour."""
    while len(ends) > 2:
        sizes = np.diff(before[ends])
        smallest_one = int(np.argmin(sizes))
        if sizes[smallest_one] >= fewest:
            break
        beside = [j for j in (smallest_one - 1, smallest_one + 1) if 0 <= j < len(sizes)]
        other = min(beside, key=lambda j: int(sizes[j]))
        del ends[max(smallest_one, other)]
    return ends


def _roundest(low: float, high: float) -> float:
    """The number above ``low``, up to ``high``, with the fewest decimals."""
    for decimals in range(1, 16):
        step = 10.0**decimals
        found = np.floor(high * step) / step
        if low < found <= high:
            return float(found)
    return high


@dataclass(frozen=True)
class Levels:
    """The levels of one source: where those of each label start, and the codes of its values."""

    starts: dict[Vote, tuple[FloatArray, Codes]]
    """Bare label -> (levels,) where they start, ascending, and the code of each level."""

    @classmethod
    def of(cls, table: Sequence[Vote]) -> Levels:
        """The levels of a table of values."""
        grouped: dict[Vote, list[tuple[float, int]]] = {}
        for code, vote in enumerate(table):
            grouped.setdefault(bare(vote), []).append((1.0 if vote.level is None else vote.level[0], code))
        found = {}
        for label, levels in grouped.items():
            starts, codes = zip(*sorted(levels), strict=True)
            # A label without levels takes any confidence.
            lows = np.array(starts) if len(levels) > 1 or table[codes[0]].level else np.zeros(1)
            found[label] = lows, np.array(codes, dtype=smallest(len(table)))
        return cls(found)

    def codes(self, label: Vote, scores: FloatArray) -> Codes:
        """(votes,): the codes of votes for a label, by their scores; abstain below the lowest level."""
        if label not in self.starts:
            return np.full(len(scores), ABSTAIN, dtype=np.int8)
        starts, codes = self.starts[label]
        found: Codes = np.append(codes, np.asarray(ABSTAIN, dtype=codes.dtype))[
            np.searchsorted(starts, scores, side="right") - 1
        ]
        return found


def bare(vote: Vote) -> Vote:
    """The vote without its level."""
    return vote if vote.level is None else replace(vote, level=None)


def is_soft(table: Iterable[Vote]) -> bool:
    """Whether some value of a source has a level."""
    return any(vote.level is not None for vote in table)


def score_of(vote: Vote) -> float:
    """A score that stands for all of a level: its middle; 1 for a vote that is certain."""
    return 1.0 if vote.level is None else (vote.level[0] + vote.level[1]) / 2


def levelled(label: Vote, starts: Sequence[float]) -> list[Vote]:
    """The values of a label with levels that start there; a start of 1 is certainty."""
    if not starts:
        return [label]
    ends = [*starts[1:], 1.0]
    return [label if low == 1 else replace(label, level=(low, high)) for low, high in zip(starts, ends, strict=True)]


def table_of(
    space: LabelSpace, labels: Sequence[Vote], codes: Codes, scores: FloatArray, levels: Sequence[float] | None
) -> tuple[Vote, ...]:
    """The values of a source: each of its labels with levels, given or cut from its own scores.

    Parameters
    ----------
    labels
        The bare labels.
    codes
        (items,): which label it says, −1 where it abstains.
    scores
        (items,): how sure it is of that.
    levels
        Where levels start, if a user gave that.
    """
    if levels is not None:
        return canonical(space, [vote for label in labels for vote in levelled(label, levels)])
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(labels) + 1))
    return canonical(
        space,
        [
            vote
            for label, (start, stop) in zip(labels, pairwise(ends.tolist()), strict=True)
            for vote in levelled(label, cut(scores[order[start:stop]]))
        ],
    )


def coded(table: Sequence[Vote], labels: Sequence[Vote], codes: Codes, scores: FloatArray) -> Codes:
    """(items,) codes into a table of values with levels, from codes into bare labels and scores."""
    levels = Levels.of(table)
    found = np.full(len(codes), ABSTAIN, dtype=smallest(len(table)))
    for code, label in enumerate(labels):
        said = codes == code
        if said.any():
            found[said] = levels.codes(label, scores[said])
    return found


def nearest(old: Sequence[Vote], new: Sequence[Vote], dtype: type[np.signedinteger[Any]]) -> Codes:
    """(values + 1,): the code in ``new`` of each vote in ``old``, −1 if it has none; the last, −1, is abstain.

    A vote whose level ``new`` lacks gets the level that the middle of its own is in.
    """
    found = lookup(old, new, dtype)
    if set(old) <= set(new):
        return found
    levels = Levels.of(new)
    for code, vote in enumerate(old):
        if found[code] == ABSTAIN:
            found[code] = levels.codes(bare(vote), np.array([score_of(vote)]))[0]
    return found
