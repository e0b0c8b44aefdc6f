"""What a fitted model expects of itself: how right it will be, how right a majority vote, and who repeats whom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.counts import Evidence, Statistics
from assay.model.estimate.em import EMSettings, Expected, Maximizer
from assay.model.estimate.goodness_of_fit import expected_co_votes, independent_pairs
from assay.model.estimate.knowledge import Knowledge
from assay.model.estimate.residuals import meetings
from assay.model.parameters import TINY, Parameters
from assay.model.scoring import Scoring, softmax

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

_PATTERNS = 40_000
"""A sample of so many patterns is enough to tell what to expect."""

_SURE = 5.0
"""Sources are called redundant if chance would have to be off by so many standard deviations."""
_MORE_AGREEMENT = 0.05
"""And if they agree on so many more of the items that both vote on, as a share; or"""
_MORE_MEETINGS = 1.5
"""vote together on so many times more items, if agreement cannot tell."""


@dataclass(frozen=True)
class Redundancy:
    """Two sources that have more in common than the truth explains."""

    sources: tuple[int, int]
    met: float
    """On how many items both vote."""
    seen: float
    expected: float
    """The share of those on which they agree; or how often they meet, if they cannot disagree."""
    by_meeting: bool
    """Whether it shows in that they vote together, not in that they agree."""


@dataclass(frozen=True)
class SelfAssessment:
    """What a model expects, by its own probabilities."""

    same: float
    """The share of the items with votes that a majority vote labels alike."""
    right: float
    """The share of the model's labels that it expects to be right."""
    majority_right: float
    """The share of a majority vote's labels that it expects to be right."""
    error: float
    """The standard error of the difference of the two, if the probabilities are right."""
    redundant: tuple[Redundancy, ...]

    @property
    def gain(self) -> float:
        """By how much the model expects to be better than a majority vote."""
        return self.right - self.majority_right


def self_assessment(parameters: Parameters, scoring: Scoring, evidence: Evidence) -> SelfAssessment:
    """Look at the labels that the patterns would get."""
    statistics = evidence.statistics
    few = evidence.sample(_PATTERNS)
    spoken = np.diff(few.design.starts)
    counts = np.where(spoken > 0, few.counts, 0.0)
    labels, _ = softmax(scoring.log_joint(few.design) * scoring.effective(spoken)[:, None])
    majority = _shared(np.asarray(few.design.matrix @ parameters.layout.sum_over_voters(parameters.layout.masks)))
    chosen = _shared(np.round(labels, 12))
    items = max(float(counts.sum()), TINY)
    right, voted = (chosen * labels).sum(axis=1), (majority * labels).sum(axis=1)
    # Each label is right or wrong; where both choose alike the difference is none.
    scatter = ((chosen - majority) ** 2 * labels).sum(axis=1) - (right - voted) ** 2
    repeated: tuple[Redundancy, ...] = ()
    if statistics is not None and parameters.layout.masks:
        voted_for = Expected.given(few.design, majority * few.counts[:, None])
        maximize = Maximizer(parameters.layout, Knowledge.none(parameters.layout), EMSettings())
        repeated = redundant(parameters, maximize(voted_for), statistics)
    return SelfAssessment(
        float(counts @ (chosen * majority).sum(axis=1)) / items,
        float(counts @ right) / items,
        float(counts @ voted) / items,
        float(np.sqrt(max(float(counts @ scatter), 0.0))) / items,
        repeated,
    )


def redundant(learned: Parameters, majority: Parameters, statistics: Statistics) -> tuple[Redundancy, ...]:
    """Pairs of sources that have more in common than the truth explains, worst first.

    Parameters
    ----------
    learned, majority
        What was learned, which tells how often independent sources would meet; and what would be if a majority vote
        were true, which tells how often they would agree. Copies that vote on everything can become the truth of
        what was learned, and then it is all others that seem to err together.
    statistics
        How often single indicators hold, alone and together.
    """
    layout = learned.layout
    met, agreed = meetings(statistics.pair, layout)
    would_meet_then, would_agree = meetings(expected_co_votes(majority, statistics)[0], layout)
    due = would_agree / np.maximum(would_meet_then, TINY)
    would_meet, _ = meetings(expected_co_votes(learned, statistics)[0], layout)
    share = agreed / np.maximum(met, 1)
    agreement = (share - due) / np.sqrt(np.maximum(due * (1 - due), 1e-4) / np.maximum(met, 1))
    meeting = (met - would_meet) / np.sqrt(np.maximum(would_meet, 1.0))
    # Sources that emit one value each always agree, or never; those that never do are not redundant.
    by_meeting = due > 1 - 1e-9
    surplus = np.where(by_meeting, meeting, agreement)
    enough = np.where(by_meeting, met > _MORE_MEETINGS * would_meet, share - due > _MORE_AGREEMENT)
    found = np.argwhere(np.triu(independent_pairs(layout) & enough & (surplus > _SURE)))
    order = np.argsort([-surplus[i, j] for i, j in found], kind="stable")
    return tuple(
        Redundancy(
            (int(i), int(j)),
            float(met[i, j]),
            float(met[i, j] if by_meeting[i, j] else share[i, j]),
            float(would_meet[i, j] if by_meeting[i, j] else due[i, j]),
            bool(by_meeting[i, j]),
        )
        for i, j in found[order]
    )


def _shared(scores: FloatArray) -> FloatArray:
    """(items, outcomes): the choice of the highest score, in equal parts where several have it."""
    best = (scores == scores.max(axis=1, keepdims=True)).astype(float)
    shares: FloatArray = best / best.sum(axis=1, keepdims=True)
    return shares
