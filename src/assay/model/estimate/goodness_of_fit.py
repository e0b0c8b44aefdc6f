r"""Whether votes look as if they were drawn from the model that was learned from them.

A model of sources that are independent given the truth predicts how often any two
values are emitted together. Where the votes were drawn from such a model, observed
co-votes stray from that by chance alone, and the mean of their squared standardised
residuals is below one (parameters were fitted to the same votes). Real votes stray
further: sources share words, guidelines, and items that are hard for everybody.

Hard items hardly show in pairs, since parameters take them up. They show in that the
model is too sure: each vote is predicted better from the others on its item if those are discounted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.counts import Evidence, Layout, Statistics
from assay.model.parameters import TINY, Parameters
from assay.model.scoring import Scoring

FloatArray = npt.NDArray[np.float64]

CORRELATIONS = np.array([0.0, 0.02, 0.05, 0.1, 0.2, 0.4])
"""The correlations of votes on one item that are tried."""

_LITTLE = 0.01
"""What is left beyond chance may be so much of what is explained: with many items every model is wrong."""

_PREDICTED = 100_000
"""A sample of about so many votes is enough to tell the correlation."""


@dataclass(frozen=True)
class GoodnessOfFit:
    """How well a model explains the votes it was learned from.

    >>> GoodnessOfFit(co_votes=40, explained=90.0, misfit=0.3, correlation=0.0).good
    True
    """

    co_votes: int
    """How many pairs of values could be compared with what was expected."""
    explained: float
    """The mean square of what the model expects of them beyond independent sources, in standard deviations."""
    misfit: float
    """The mean square of what is left, in standard deviations: at most about one if only chance is at work."""
    correlation: float
    """The correlation of votes on one item under which each is best predicted by the others."""

    @property
    def good(self) -> bool:
        """Whether the votes put the model to the test, and what it does not explain is chance, or little."""
        return self.explained >= 1 and self.misfit <= self.allowed and self.correlation == 0

    @property
    def allowed(self) -> float:
        """The misfit up to which the model is believed."""
        return max(self.by_chance, 1 + _LITTLE * self.explained)

    @property
    def by_chance(self) -> float:
        """The misfit that chance allows."""
        return 1 + 2 * float(np.sqrt(2 / max(self.co_votes, 1)))


def goodness_of_fit(parameters: Parameters, evidence: Evidence) -> GoodnessOfFit | None:
    """Compare the votes that parameters were learned from with what these make of them.

    None where co-votes were not counted.
    """
    statistics = evidence.statistics
    if statistics is None:
        return None
    expected, deviation = expected_co_votes(parameters, statistics)
    told = np.isfinite(deviation)
    # Parameters that were learned from a sample stray as far as the sample does.
    scale = (deviation[told] * evidence.items_per_sampled**0.5) ** -1
    left = (statistics.pair - expected)[told] * scale
    alone = np.outer(statistics.single, statistics.rates)[told]
    beyond = (expected[told] - alone) * scale
    if not len(left):
        return GoodnessOfFit(0, 0.0, 0.0, 0.0)
    correlation = shared_correlation(Scoring.bayes(parameters), evidence, sure=3.0)
    return GoodnessOfFit(len(left), float((beyond**2).mean()), float((left**2).mean()), correlation)


def expected_co_votes(parameters: Parameters, statistics: Statistics) -> tuple[FloatArray, FloatArray]:
    """(indicators, indicators): co-votes that the parameters lead to expect, and their standard deviations.

    These are infinite below the diagonal, for sources that declared dependencies connect,
    and where fewer than one co-vote is expected.
    """
    layout = parameters.layout
    n = statistics.items
    said = np.vstack([np.empty((0, layout.outcomes)), *(table[:-1] for table in parameters.conditionals)])
    expected = n * (said * parameters.balance) @ said.T
    apart = independent_pairs(layout)
    source = np.repeat(np.arange(len(layout.masks)), np.diff(layout.value_offsets))
    told = np.triu(apart[np.ix_(source, source)]) & (expected >= 1)
    deviation = np.sqrt(np.maximum(expected * (1 - expected / max(n, 1)), TINY))
    return expected, np.where(told, deviation, np.inf)


def independent_pairs(layout: Layout) -> npt.NDArray[np.bool_]:
    """(sources, sources): those that no declared dependencies connect, so that only the truth does."""
    group = np.zeros(len(layout.masks), dtype=np.int64)
    for number, members in enumerate(layout.graph.components):
        group[list(members)] = number
    apart: npt.NDArray[np.bool_] = group[:, None] != group[None]
    return apart


def shared_correlation(scoring: Scoring, evidence: Evidence, sure: float = 0.0) -> float:
    """The correlation under which each vote is best predicted by the others on its item.

    Zero, unless it is better than that by so many standard deviations.
    """
    from assay._core import scoring_loops

    gains, base = scoring.gains, scoring.base
    logs = [np.empty((1, len(base))), *scoring.logs]
    said = np.exp(np.vstack([log[:-1] for log in logs]))
    silent = np.exp(np.vstack([np.repeat(log[-1:], len(log) - 1, axis=0) for log in logs]))
    # Where silence tells nothing, it is also nothing to be predicted.
    spoke = np.maximum(1 - silent, TINY) if scoring.scores_silence else np.ones_like(silent)
    votes = len(evidence.design.columns) / max(len(evidence.design), 1)
    few = evidence.sample(round(_PREDICTED / max(votes, 5.0)))
    design, scores, squares = few.design, np.zeros(len(CORRELATIONS)), np.zeros(len(CORRELATIONS))
    scoring_loops.predict_each_vote(
        design.starts, design.columns, few.counts, gains, base, said, spoke, CORRELATIONS, scores, squares
    )
    # Sources with one value are predicted equally well by any, up to rounding.
    better = scores > np.maximum(sure * np.sqrt(squares), 1e-9 * few.counts.sum())
    return float(CORRELATIONS[int(np.argmax(np.where(better, scores, 0.0)))])
