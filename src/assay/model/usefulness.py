r"""What a hand label would change: how many labels each vote pattern should get.

Hand labels correct the log-odds of items by a slope, a shift of the class balance, and what each joint vote adds (see
:mod:`assay.model.estimate.gold_corrections`). Before they are known, these are Gaussian beliefs around no change. So
the log-odds :math:`m` of the two most probable outcomes of vote patterns have a joint covariance: two patterns are
related if they share votes, and most of all if they are the same. A label of a pattern is an observation of its
log-odds, with noise :math:`1 / p (1 - p)`. It will move those of another pattern by an amount of standard deviation
:math:`s`, and decisions on that pattern are expected to gain

.. math:: s\, \varphi(m / s) - m\, \Phi(-m / s)

for each of its items: much if they are in doubt (:math:`m` is small) and related to what is labeled; little if they are
sure, or if labels have told as much already. The sum over all patterns is what a label is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import ndtr

from assay.counts import hashes_of
from assay.model.fitted import FittedComponent
from assay.model.parameters import TINY
from assay.votes import Votes

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_LEAST_INFORMATION = 1e-3
"""Of a label whose outcome seems certain: it might be a surprise."""


@dataclass(frozen=True, kw_only=True)
class UsefulnessSettings:
    """How unsure the corrections are that hand labels make, as variances; chosen on simulated votes."""

    slope: float = 0.25
    """Of the slope of log-odds."""
    balance: float = 0.25
    """Of the shift of the class balance."""
    votes: float = 0.5
    """Of what a joint vote adds."""
    pattern: float = 0.25
    """Of what a pattern adds beyond its single votes."""
    sharpness: float = 6.0
    """The power of the expected gain that labels are given out in proportion to."""
    steps: int = 10
    """Labels are given out in so many rounds: each knows what those before it will tell."""
    patterns: int = 600
    """The most patterns that are looked at: those with the most items in doubt."""


@dataclass(frozen=True, eq=False)
class Doubts:
    """What the model of one component is not sure of."""

    margin: FloatArray
    """(patterns,): the log-odds of the most probable outcome against the second."""
    covariance: FloatArray
    """(patterns, patterns): of the margins, given the labels that there are."""
    noise: FloatArray
    """(patterns,): the variance of what one label tells of a margin."""

    @classmethod
    def of(
        cls, component: FittedComponent, patterns: Votes, known: Votes, labels: FloatArray, used: UsefulnessSettings
    ) -> Doubts:
        """Those about patterns, given that other (or the same) patterns have so many labels already."""
        here, there = _Margins.of(component, patterns), _Margins.of(component, known)
        covariance = here.covariance(here, used)
        noise = here.noise(covariance.diagonal())
        if len(known):
            across, before = here.covariance(there, used), there.covariance(there, used)
            seen = before + np.diag(there.noise(before.diagonal()) / labels)
            covariance = covariance - across @ np.linalg.solve(seen, across.T)
        return cls(here.margin, covariance, noise)

    def gains(self, items: FloatArray, labels: FloatArray) -> FloatArray:
        """(patterns,): what one more label of each is worth, once patterns have so many labels more.

        ``items`` (patterns,) is how many items have each.
        """
        covariance = self.covariance
        given = labels > TINY
        if given.any():
            across = covariance[:, given]
            seen = across[given] + np.diag(self.noise[given] / labels[given])
            covariance = covariance - across @ np.linalg.solve(seen, across.T)
        variance = np.maximum(covariance.diagonal(), TINY)
        moved = np.maximum(np.abs(covariance) / np.sqrt(variance + self.noise), TINY)
        ratio = self.margin[:, None] / moved
        density = np.exp(-0.5 * np.minimum(ratio, 40.0) ** 2) / np.sqrt(2 * np.pi)
        return np.asarray(items @ np.maximum(moved * density - self.margin[:, None] * ndtr(-ratio), 0.0))


@dataclass(frozen=True, eq=False)
class _Margins:
    """The two most probable outcomes of some vote patterns."""

    hashes: npt.NDArray[np.uint64]
    votes: sparse.csr_array
    """(patterns, joint votes): which each has, discounted as the scoring does."""
    margin: FloatArray
    pair: FloatArray
    """(patterns, outcomes): 1 for the most probable outcome, −1 for the second."""
    mass: FloatArray
    """(patterns,): the probability of the two together."""

    @classmethod
    def of(cls, component: FittedComponent, patterns: Votes) -> _Margins:
        layout, scoring = component.layout, component.fit.scoring
        chances = component.scorer(patterns)
        rows = np.arange(len(chances))
        first, second = np.argsort(-chances, axis=1, kind="stable")[:, :2].T
        pair = np.zeros_like(chances)
        pair[rows, first], pair[rows, second] = 1.0, -1.0
        high, low = chances[rows, first], chances[rows, second]
        design = layout.design(layout.rows(patterns.cast))
        share = scoring.effective(np.diff(design.starts))
        return cls(
            hashes_of(patterns),
            (sparse.diags_array(share) @ design.matrix).tocsr(),
            np.log(np.maximum(high, TINY)) - np.log(np.maximum(low, TINY)),
            pair,
            high + low,
        )

    def covariance(self, other: _Margins, used: UsefulnessSettings) -> FloatArray:
        """(patterns, other patterns): before any label."""
        shared = (self.votes @ other.votes.T).toarray()
        same = self.hashes[:, None] == other.hashes
        # Outcomes are pairs here: what is for one may be against another, or have nothing to do with it.
        alike = self.pair @ other.pair.T / 2
        slopes = used.slope * np.outer(self.margin, other.margin)
        every = slopes + alike * (used.balance + used.votes * shared + used.pattern * same)
        # The label of items without votes is a share of its own, which only such items tell.
        return np.asarray(np.where(self.has_votes[:, None] == other.has_votes, every, 0.0))

    @property
    def has_votes(self) -> npt.NDArray[np.bool_]:
        return np.diff(self.votes.indptr) > 0

    def noise(self, variance: FloatArray) -> FloatArray:
        """(patterns,): one over the information of a label, which tells little where its outcome is known before."""
        chance = 1 / (1 + np.exp(-self.margin / np.sqrt(1 + np.pi * variance / 8)))
        return np.asarray(1 / np.maximum(self.mass * chance * (1 - chance), _LEAST_INFORMATION))


def labels_wanted(
    doubts: Sequence[Doubts], items: FloatArray, room: FloatArray, n: float, used: UsefulnessSettings
) -> FloatArray:
    """(patterns,): how many of ``n`` labels each should get, in expectation; most to where they are worth the most.

    Parameters
    ----------
    doubts
        Those of each component, about the same patterns.
    items
        (patterns,): how many items have each.
    room
        (patterns,): how many of them could be labeled.
    """
    labels = np.zeros(len(items))
    for _ in range(used.steps):
        left = room - labels
        gains = np.where(left > TINY, sum(one.gains(items, labels) for one in doubts), 0.0)
        if gains.max(initial=0.0) <= 0:
            break
        shares = (gains / gains.max()) ** used.sharpness
        labels = labels + np.minimum(n / used.steps * shares / shares.sum(), np.maximum(left, 0.0))
    return labels
