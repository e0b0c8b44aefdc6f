"""A fitted model's expected accuracy, that of a majority vote, and redundant sources."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.counts import Evidence, Layout, Statistics
from assay.model.estimate.e_step import Expected
from assay.model.estimate.goodness_of_fit import expected_co_votes, independent_pairs
from assay.model.estimate.knowledge import Knowledge
from assay.model.estimate.m_step import Maximizer
from assay.model.estimate.methods import EMSettings
from assay.model.estimate.named_labels import against_by_silence
from assay.model.estimate.near_copies import near_copies
from assay.model.estimate.residuals import overlaps
from assay.model.estimate.tilting import mean_posterior, tilted
from assay.model.parameters import TINY, Parameters
from assay.model.scoring import Scoring, softmax

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

_PATTERNS = 40_000
"""The number of patterns in the sample that expectations are computed from."""

_PLAUSIBLE = 0.5
"""How far the log-odds of the most frequent outcome may plausibly be off where votes do not tell the balance."""

_MIN_Z = 5.0
"""Sources are redundant if their excess agreement, or overlap, is at least this many standard deviations,"""
_MIN_EXCESS_AGREEMENT = 0.05
"""and is at least this share of the items that both vote on;"""
_MIN_OVERLAP_RATIO = 1.5
"""or, if they cannot disagree, their overlap is at least this multiple of the expected one."""


@dataclass(frozen=True)
class Redundancy:
    """Two sources that have more in common than the truth explains."""

    sources: tuple[int, int]
    met: float
    """Their overlap: the number of items that both vote on."""
    seen: float
    expected: float
    """The share of those on which they agree; or their overlap, if they cannot disagree."""
    by_meeting: bool
    """Whether their overlap is in excess, and not their agreement."""


@dataclass(frozen=True)
class SelfAssessment:
    """A model's expectations of its labels, by its own probabilities."""

    same: float
    """The share of the items with votes that get the same label from a majority vote."""
    right: float
    """The share of the model's labels that it expects to be right."""
    majority_right: float
    """The share of a majority vote's labels that it expects to be right."""
    error: float
    """The standard error of the difference of the two, if the probabilities are calibrated."""
    redundant: tuple[Redundancy, ...]
    hangs_on_balance: float = 0.0
    """The share of the labels that differ between two plausible class balances; 0 if the balance is known."""

    @property
    def gain(self) -> float:
        """The expected gain in accuracy over a majority vote."""
        return self.right - self.majority_right


def self_assessment(
    parameters: Parameters,
    scoring: Scoring,
    evidence: Evidence,
    *,
    balance_is_known: bool,
    silence_votes: bool = False,
) -> SelfAssessment:
    """Assess the labels of the observed patterns; what hangs on the class balance only if that is not known.

    ``silence_votes``: the majority vote counts the silence of sources that name labels.
    """
    statistics = evidence.statistics
    few = evidence.sample(_PATTERNS)
    votes = np.diff(few.design.starts)
    counts = np.where(votes > 0, few.counts, 0.0)
    labels, _ = softmax(scoring.log_joint(few.design) * scoring.effective(votes)[:, None])
    points = np.asarray(few.design.matrix @ parameters.layout.sum_over_voters(parameters.layout.masks))
    if silence_votes and parameters.layout.outcomes == 2:
        points[:, 0] += against_by_silence(parameters.layout, few)
    majority = _shared(points)
    chosen = _shared(np.round(labels, 12))
    items = max(float(counts.sum()), TINY)
    right, voted = (chosen * labels).sum(axis=1), (majority * labels).sum(axis=1)
    # The variance of the difference of two Bernoulli variables; zero where both choose the same label.
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
        0.0 if balance_is_known else hangs_on_balance(scoring, few),
    )


def hangs_on_balance(scoring: Scoring, evidence: Evidence) -> float:
    """The share of the items with votes whose label changes if the most frequent outcome is more or less so."""
    told = mean_posterior(scoring, evidence)
    most = np.arange(len(told)) == int(told.argmax())
    votes = np.diff(evidence.design.starts)
    chosen = []
    for shift in (-_PLAUSIBLE, _PLAUSIBLE):
        balance = told * np.exp(shift * most)
        other = tilted(scoring, evidence, balance / balance.sum())
        logs = other.log_joint(evidence.design) * other.effective(votes)[:, None]
        chosen.append(logs.argmax(axis=1))
    counts = np.where(votes > 0, evidence.counts, 0.0)
    return float(counts @ (chosen[0] != chosen[1])) / max(float(counts.sum()), TINY)


def redundant(learned: Parameters, majority: Parameters, statistics: Statistics) -> tuple[Redundancy, ...]:
    """Pairs of sources that have more in common than the truth explains, worst first.

    Parameters
    ----------
    learned, majority
        The fit, which gives the expected overlap of independent sources; and parameters as if a majority vote were
        true, which give their expected agreement. Copies that vote on everything can take the place of the truth in
        the fit, and then all other sources seem to have correlated errors.
    statistics
        Counts of single indicators and of their co-occurrences.
    """
    layout = learned.layout
    overlap, agreed = overlaps(statistics.pair, layout)
    majority_overlap, majority_agreed = overlaps(expected_co_votes(majority, statistics.items), layout)
    expected_agreement = majority_agreed / np.maximum(majority_overlap, TINY)
    expected_overlap, _ = overlaps(expected_co_votes(learned, statistics.items), layout)
    agreement = agreed / np.maximum(overlap, 1)
    variance = np.maximum(expected_agreement * (1 - expected_agreement), 1e-4) / np.maximum(overlap, 1)
    z_agreement = (agreement - expected_agreement) / np.sqrt(variance)
    z_overlap = (overlap - expected_overlap) / np.sqrt(np.maximum(expected_overlap, 1.0))
    # Sources that emit one value each always agree, or never; those that never do are not redundant.
    by_overlap = expected_agreement > 1 - 1e-9
    z = np.where(by_overlap, z_overlap, z_agreement)
    is_large = np.where(
        by_overlap,
        overlap > _MIN_OVERLAP_RATIO * expected_overlap,
        agreement - expected_agreement > _MIN_EXCESS_AGREEMENT,
    )
    # With many items any two sources have significantly more in common; only near-copies are worth a word.
    found = np.argwhere(np.triu(_near_copies(layout, statistics) & independent_pairs(layout) & is_large & (z > _MIN_Z)))
    order = np.argsort([-z[i, j] for i, j in found], kind="stable")
    return tuple(
        Redundancy(
            (int(i), int(j)),
            float(overlap[i, j]),
            float(overlap[i, j] if by_overlap[i, j] else agreement[i, j]),
            float(expected_overlap[i, j] if by_overlap[i, j] else expected_agreement[i, j]),
            bool(by_overlap[i, j]),
        )
        for i, j in found[order]
    )


def _near_copies(layout: Layout, statistics: Statistics) -> BoolArray:
    """(sources, sources): pairs of one group of near-copies."""
    alike = np.zeros((len(layout.masks), len(layout.masks)), dtype=bool)
    for group in near_copies(layout, statistics).groups:
        alike[np.ix_(group, group)] = True
    return alike


def _shared(scores: FloatArray) -> FloatArray:
    """(items, outcomes): one for the highest score, split equally between ties."""
    best = (scores == scores.max(axis=1, keepdims=True)).astype(float)
    shares: FloatArray = best / best.sum(axis=1, keepdims=True)
    return shares
