r"""Goodness of fit: whether the votes are consistent with the fitted model, and how much it counts.

A model of sources that are independent given the truth predicts how often any two
values are emitted together. If the votes follow such a model, observed co-votes
deviate from that only by chance, and the mean of their squared standardised residuals
is below one (the parameters were fitted on the same votes). Real votes deviate more:
sources share words, guidelines, and items that are hard for all of them.

Hard items hardly show in pairs, since the parameters absorb them. They make the model
overconfident: each vote is predicted better from the others on its item if those are discounted.

A model earns its weight beside one that assumes less by what it explains: co-votes beyond those of sources that are
independent unconditionally. Residuals that are more than chance take from that weight, the more the larger they are
beside what is explained, down to nothing: one more source that does not fit must not turn all labels over.

Residuals do not show all of it. Some items say little to all sources, and a label that few of them name can come to
stand for these items: the model then fits, and gives them a label that hardly any of their votes allows. So an outcome
is not believed if no vote allows it on about half of its items.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from assay._core.threads import parallel_map
from assay.counts import Evidence, Layout, Statistics, by_label
from assay.model.estimate.e_step import leaves_out, unseen_share
from assay.model.estimate.residuals import pair_table
from assay.model.estimate.start import voted_for
from assay.model.parameters import TINY, Parameters
from assay.model.scoring import Scoring, softmax

FloatArray = npt.NDArray[np.float64]

CORRELATIONS = np.array([0.0, 0.02, 0.05, 0.1, 0.2, 0.4])
"""The correlations of votes on one item that are tried."""

_TOLERATED = 0.01
"""The misfit beyond chance that is tolerated, as a share of what is explained: with many items no model is exact."""

_REFUSED = 0.02
"""The misfit beyond that, likewise, at which the model counts for nothing; with less it counts in part."""

_MIN_Z, _MIN_Z_IN_DOUBT = 3.0, 2.0
"""Votes on one item are correlated if that predicts them better by this many standard deviations."""

_HALF_EARNED = 1.0
"""What a model that fits must explain, see :attr:`GoodnessOfFit.explained`, to count as much as the other one."""
_OVERCONFIDENT = 0.25
"""The most that a model counts if votes on one item are correlated."""
_ALL_EARNED = 0.95
"""A weight from which on the other model is not worth fitting."""

_UNNAMED, _UNNAMED_OF_TWO = 0.4, 0.5
"""The share of an outcome's items on which no vote allows it, above which it rather stands for what is left over; and
that of one of two outcomes, where the silence of the sources of one speaks for the other."""
_UNSURE = 0.05
"""So much below that share it does not at all, and so much above it with all of its items."""
_LEFT_OVER, _HARDLY_ANY = 0.2, 0.05
"""The shares of items with such outcomes at which the model counts for nothing, and up to which it is still good."""
_SAMPLE_PATTERNS = 20_000
"""The number of patterns in the sample that this is estimated from."""

_SAMPLE_VOTES = 100_000
"""The number of votes in the sample that the correlation is estimated from."""


@dataclass(frozen=True)
class GoodnessOfFit:
    """How well a model explains the votes it was fitted on.

    >>> GoodnessOfFit(co_votes=40, explained=90.0, misfit=0.3, correlation=0.0).good
    True
    """

    co_votes: int
    """The number of pairs of values whose co-votes were compared with the expected ones."""
    explained: float
    """The mean square of expected co-votes beyond unconditionally independent sources, in standard deviations."""
    misfit: float
    """The mean square of the standardised residuals: at most about one if they are due to chance."""
    correlation: float
    """The correlation of votes on one item under which each is best predicted by the others."""
    left_over: float = 0.0
    """The share of items with outcomes that stand for what is left over: many of their items have no vote for them."""

    @property
    def good(self) -> bool:
        """Whether the votes can test the model, and its misfit is due to chance, or small."""
        return self.testable and not self.misfits and self.correlation == 0 and not self.leaves_over

    @property
    def consistent(self) -> bool:
        """Whether all of its misfit is due to chance."""
        return self.good and self.misfit <= self.by_chance

    @property
    def testable(self) -> bool:
        """Whether enough votes overlap to test the model."""
        return self.explained >= 1

    @property
    def misfits(self) -> bool:
        """Whether the residuals are larger than chance and what is tolerated."""
        return self.misfit > self.allowed

    @property
    def leaves_over(self) -> bool:
        """Whether labels stand for what is left over."""
        return self.left_over > _HARDLY_ANY

    @property
    def weight(self) -> float:
        """How much the labels of the model count, beside those of one that assumes less; from 0 to 1.

        The more, the more of the votes it explains; less, down to nothing, if its residuals are not due to chance, or
        if it has labels for what is left over. If it overlooks that some items are harder than others its labels are
        about as good, but far too confident.
        """
        earned = self.explained / (self.explained + _HALF_EARNED)
        weight = (min(earned, _OVERCONFIDENT) if self.correlation > 0 else earned) * self._believed
        return 1.0 if weight >= _ALL_EARNED else weight

    @property
    def _believed(self) -> float:
        """What is left of the weight: all if residuals are chance or tolerated, and labels have votes for them."""
        excess = (self.misfit - self.allowed) / max(self.explained, TINY)
        return float(np.clip(1 - excess / _REFUSED, 0.0, 1.0) * np.clip(1 - self.left_over / _LEFT_OVER, 0.0, 1.0))

    @property
    def allowed(self) -> float:
        """The misfit up to which the model is accepted."""
        return max(self.by_chance, 1 + _TOLERATED * self.explained)

    @property
    def by_chance(self) -> float:
        """The misfit that can occur by chance."""
        return 1 + 2 * float(np.sqrt(2 / max(self.co_votes, 1)))


def goodness_of_fit(parameters: Parameters, evidence: Evidence, signs: FloatArray) -> GoodnessOfFit | None:
    """Compare the co-votes that parameters were fitted on with the expected ones; None if they were not counted.

    ``signs`` are those of the sources, (sources,): −1 for one that is declared adversarial.
    """
    statistics = evidence.statistics
    if statistics is None:
        return None
    layout, items = parameters.layout, items_in_all(parameters, evidence)
    expected = expected_co_votes(parameters, items)
    found = _compared(expected, statistics, layout, items, evidence.items_per_sampled)
    if layout.has_levels:
        # What is explained is spread thin over levels of confidence, so it is measured as for hard votes; that
        # sources are sure of the same items shows in levels alone.
        pooled = by_label(by_label(expected, layout).T, layout)
        labels = layout.without_levels
        hard = _compared(pooled, statistics.without_levels(layout), labels, items, evidence.items_per_sampled)
        if hard.misfits or not found.misfits:
            found = hard
    if not found.co_votes:
        return found
    # Where the residuals are more than chance already, less evidence of correlated errors is needed.
    min_z = _MIN_Z if found.misfit <= found.by_chance else _MIN_Z_IN_DOUBT
    scoring = Scoring.bayes(parameters)
    return replace(
        found,
        correlation=shared_correlation(scoring, evidence, min_z=min_z),
        left_over=left_over(scoring, evidence, signs),
    )


def left_over(scoring: Scoring, evidence: Evidence, signs: FloatArray) -> float:
    """The share of items with votes that get an outcome which often stands where no vote allows it."""
    layout = evidence.layout
    few = evidence.sample(_SAMPLE_PATTERNS)
    allowed = np.asarray(few.design.matrix @ layout.sum_over_voters(voted_for(layout, signs))) > 0
    items = few.counts * (np.diff(few.design.starts) > 0)
    labels = softmax(scoring.log_joint(few.design))[0]
    shares, unnamed = (
        items @ which / max(float(items.sum()), TINY) for which in (labels, np.where(allowed, 0.0, labels))
    )
    most = _UNNAMED_OF_TWO if layout.outcomes == 2 else _UNNAMED
    beyond = unnamed / np.maximum(shares, TINY) - most
    return float(shares @ np.clip(0.5 + beyond / (2 * _UNSURE), 0.0, 1.0))


def _compared(
    expected: FloatArray, statistics: Statistics, layout: Layout, items: float, per_sampled: float
) -> GoodnessOfFit:
    """Observed co-votes beside the expected ones."""
    deviation = _deviation(expected, layout, items)
    tested = np.isfinite(deviation)
    # Parameters that were fitted on a sample have its sampling error.
    scale = (deviation[tested] * per_sampled**0.5) ** -1
    residual = (statistics.pair - expected)[tested] * scale
    unconditional = np.outer(statistics.single, statistics.single / max(items, 1.0))[tested]
    explained = (expected[tested] - unconditional) * scale
    if not len(residual):
        return GoodnessOfFit(0, 0.0, 0.0, 0.0)
    return GoodnessOfFit(len(residual), float((explained**2).mean()), float((residual**2).mean()), 0.0)


def items_in_all(parameters: Parameters, evidence: Evidence) -> float:
    """The number of items, with those that the model expects to have been left out because nobody votes on them."""
    seen = evidence.items if evidence.statistics is None else float(evidence.statistics.items)
    if not leaves_out(parameters, evidence):
        return seen
    return seen / (1 - unseen_share(Scoring.bayes(parameters)))


def expected_co_votes(parameters: Parameters, n: float) -> FloatArray:
    """(indicators, indicators): the expected co-votes of different sources under the parameters."""
    layout = parameters.layout
    said = np.vstack([np.empty((0, layout.outcomes)), *(table[:-1] for table in parameters.conditionals)])
    expected: FloatArray = n * (said * parameters.balance) @ said.T
    apart, first = ~layout.graph.in_one_clique, layout.value_offsets
    for i, j in (pair for part in layout.graph.components for pair in combinations(part, 2)):
        if apart[i, j]:
            # Connected by dependencies with others, so that they are not independent given the truth alone.
            both = n * pair_table(parameters, i, j)[:-1, :-1] @ parameters.balance
            expected[first[i] : first[i + 1], first[j] : first[j + 1]] = both
            expected[first[j] : first[j + 1], first[i] : first[i + 1]] = both.T
    return expected


def _deviation(expected: FloatArray, layout: Layout, n: float) -> FloatArray:
    """(indicators, indicators): the standard deviations of co-votes.

    Infinite below the diagonal, for sources that share a clique, and where fewer than one co-vote is expected.
    """
    source = np.repeat(np.arange(len(layout.masks)), np.diff(layout.value_offsets))
    tested = np.triu(~layout.graph.in_one_clique[np.ix_(source, source)]) & (expected >= 1)
    return np.where(tested, np.sqrt(np.maximum(expected * (1 - expected / max(n, 1)), TINY)), np.inf)


def independent_pairs(layout: Layout) -> npt.NDArray[np.bool_]:
    """(sources, sources): pairs that are independent given the truth, as no declared dependencies connect them."""
    group = np.zeros(len(layout.masks), dtype=np.int64)
    for number, members in enumerate(layout.graph.components):
        group[list(members)] = number
    apart: npt.NDArray[np.bool_] = group[:, None] != group[None]
    return apart


def shared_correlation(scoring: Scoring, evidence: Evidence, min_z: float = 0.0) -> float:
    """The correlation under which each vote is best predicted by the others on its item.

    Zero, unless it predicts better than zero by ``min_z`` standard deviations.
    """
    from assay._core import scoring_loops, wide_loops

    gains, base = scoring.gains, scoring.base
    logs = [np.empty((1, len(base))), *scoring.logs]
    said = np.exp(np.vstack([log[:-1] for log in logs]))
    silent = np.exp(np.vstack([np.repeat(log[-1:], len(log) - 1, axis=0) for log in logs]))
    # Abstentions that are not informative are not predicted either.
    spoke = np.maximum(1 - silent, TINY) if scoring.scores_silence else np.ones_like(silent)
    votes = len(evidence.design.columns) / max(len(evidence.design), 1)
    few = evidence.sample(round(_SAMPLE_VOTES / max(votes, 5.0)))
    is_wide = len(base) >= wide_loops.MANY
    predict = wide_loops.predict_each_vote_many if is_wide else scoring_loops.predict_each_vote
    design, parts = few.design, few.parts
    found = np.zeros((2, len(parts), len(CORRELATIONS)))

    def add(piece: tuple[int, slice]) -> None:
        part, rows = piece
        starts, counts = design.starts[rows.start : rows.stop + 1], few.counts[rows]
        predict(starts, design.columns, counts, gains, base, said, spoke, CORRELATIONS, found[0, part], found[1, part])

    parallel_map(add, enumerate(parts))
    scores, squares = found.sum(axis=1)
    # Sources with one value are predicted equally well under any correlation, up to rounding.
    better = scores > np.maximum(min_z * np.sqrt(squares), 1e-9 * few.counts.sum())
    return float(CORRELATIONS[int(np.argmax(np.where(better, scores, 0.0)))])
