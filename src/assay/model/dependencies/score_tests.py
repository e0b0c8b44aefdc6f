r"""Score tests of all pairs: whether two sources have more in common than a model explains.

Let :math:`g` indicate that two sources overlap, or agree, on an item. If a dependency between them were added to
the model, the derivative of the log-likelihood would be

.. math:: s = \sum_{\text{items}} \Bigl( g - \sum_y P(y \mid \lambda)\, E[g \mid y] \Bigr) ,

the residual of their overlap, or agreement. All other parameters were fitted on the same votes, and have absorbed a
part of it. So its variance is that of the summands' residuals after regression on the scores of all parameters
(Rao's efficient score). Divided by its standard deviation it is standard normal if the two are connected
only by the truth and the dependencies in the model. Agreement is tested given overlap, so that the two tests
of a pair are independent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import linalg
from scipy.special import erfc, ndtri

from assay.counts import Evidence, Patterns, Statistics
from assay.model.dependencies.problem import Problem
from assay.model.estimate.e_step import expected_counts, responsibilities
from assay.model.estimate.residuals import compatible_values, expected_overlaps, overlaps
from assay.model.estimate.uncertainty import scores
from assay.model.parameters import Parameters
from assay.model.scoring import Scoring

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

_PATTERNS = 4_000
"""The size of the sample that variances are estimated from, if that is several times the number of parameters."""
_MOST_PARAMETERS = 1_200
"""With more parameters, what they absorb is ignored, and the tests have less power."""
_PATTERNS_EACH = 3
"""The least number of distinct patterns per parameter; fewer could be fitted by the parameters alone."""
_LEAST = 1.0
"""With a lower variance, in items, a pair cannot be tested,"""
_MANY = 10.0
"""unless its overlap exceeds the expected one by this: rare sources that vote together."""
_TAIL = 1 / 3
"""Counts have heavier tails than the normal distribution; this is the correction of Bernstein's inequality."""


@dataclass(frozen=True, eq=False)
class Deviations:
    """(sources, sources): the variances of one item's contribution to the residuals."""

    overlap: FloatArray
    slope: FloatArray
    """The regression of the residual of agreement on that of overlap."""
    agreement: FloatArray
    """The variance of agreement given overlap."""


@dataclass(frozen=True, eq=False)
class PairTests:
    """(sources, sources) results of the tests."""

    overlap: FloatArray
    """The z-score of the overlap; 0 where it cannot be tested."""
    agreement: FloatArray
    """The same for agreement, given overlap."""
    tests_overlap: BoolArray
    """Where the overlap can be tested."""
    tests_agreement: BoolArray
    is_background: BoolArray
    """Pairs that could be tested even without excess overlap, so that they can serve as background."""

    @property
    def testable(self) -> BoolArray:
        """Pairs that can be tested."""
        return self.tests_overlap | self.tests_agreement

    @property
    def surprise(self) -> FloatArray:
        """The surprise of each pair: both tests combined, as the z-score of a single two-sided test.

        Less overlap than expected does not count: items without votes are often left out, and
        then all sources overlap less.
        """
        above = np.maximum(self.overlap, 0.0) ** 2
        total = above + self.agreement**2
        # The tails of chi-squared with one degree of freedom, and with two.
        one, two = erfc(np.sqrt(total / 2)), np.exp(-total / 2)
        both = self.tests_overlap & self.tests_agreement
        chance = np.where(both, (one + two) / 2, np.where(self.tests_agreement, 1.0, 0.5) * one)
        # Far out the logarithm of the tail is what matters, and it is quadratic.
        far = total > 900
        found = np.where(far, np.sqrt(total), -ndtri(np.clip(chance, 1e-300, 1.0) / 2))
        return np.where(self.testable, found, 0.0)


def pair_tests(parameters: Parameters, evidence: Evidence, statistics: Statistics, deviations: Deviations) -> PairTests:
    """Test all pairs of sources. Pairs that the model connects are tested too, and show no residual."""
    layout = parameters.layout
    overlap, agreement = overlaps(statistics.pair, layout)
    totals = expected_counts(parameters, evidence).totals
    expected_overlap, expected_agreement = (
        np.tensordot(totals, part, axes=1) for part in expected_overlaps(parameters)
    )
    # Items of a sample represent several each.
    scale = evidence.items_per_sampled
    of_overlap, of_agreement = (overlap - expected_overlap) / scale, (agreement - expected_agreement) / scale
    items = float(totals.sum()) / scale
    of_agreement = of_agreement - deviations.slope * of_overlap
    var_overlap, var_agreement = items * deviations.overlap, items * deviations.agreement
    tests_agreement = var_agreement > _LEAST
    is_background = (var_overlap > _LEAST) | tests_agreement
    tests_overlap = (var_overlap > _LEAST) | (of_overlap > _MANY)
    for flags in (tests_overlap, tests_agreement, is_background):
        np.fill_diagonal(flags, False)
    return PairTests(
        np.where(tests_overlap, _standardised(of_overlap, var_overlap), 0.0),
        np.where(tests_agreement, _standardised(of_agreement, var_agreement), 0.0),
        tests_overlap,
        tests_agreement,
        is_background,
    )


def _standardised(residual: FloatArray, variance: FloatArray) -> FloatArray:
    """Residuals over their standard deviations, with Bernstein's correction for the tails of counts."""
    scores: FloatArray = residual / np.sqrt(np.maximum(variance, _LEAST) + _TAIL * np.abs(residual))
    return scores


def deviations_of(parameters: Parameters, problem: Problem, evidence: Evidence) -> Deviations:
    """The variances of the residuals of each pair, estimated from a sample of the patterns."""
    layout = parameters.layout
    m = problem.sources
    free = int(layout.offsets[-1]) * layout.outcomes + layout.outcomes - 1
    some = max(_PATTERNS, 5 * min(free, _MOST_PARAMETERS))
    chosen = np.unique(np.linspace(0, len(evidence.design) - 1, min(some, len(evidence.design))).astype(np.int64))
    few = Evidence(layout, Patterns(evidence.patterns.rows.take(chosen), problem.seen[chosen]))
    weight = few.counts / max(float(few.counts.sum()), 1e-300)
    posterior, _ = responsibilities(Scoring.bayes(parameters), few)
    root = np.sqrt(weight)[:, None]
    whiten: npt.NDArray[np.floating] = np.zeros((0, len(chosen)))
    if free <= min(_MOST_PARAMETERS, len(chosen) // _PATTERNS_EACH):
        held = few.design.matrix.toarray()
        own = scores(parameters, held, posterior, list(range(len(layout.cliques))), False) * root
        information = own.T @ own
        information[np.diag_indices(free)] += 1e-9 + 1e-7 * float(information.diagonal().max(initial=0.0))
        root_of = linalg.cholesky(information, lower=True, check_finite=False)
        whiten = linalg.solve_triangular(root_of, own.T, lower=True, check_finite=False).astype(np.float32)
    overlap, agreement = expected_overlaps(parameters)
    codes = few.patterns.rows.dense(np.int64)
    spoke = codes >= 0
    value = np.where(spoke, layout.value_offsets[:-1] + codes, 0)
    compatible = compatible_values(layout)
    found = np.zeros((3, m, m))
    for i in range(m):
        both_vote = spoke[:, [i]] & spoke[:, i:]
        both_agree = both_vote & compatible[value[:, [i]], value[:, i:]]
        of_overlap = (both_vote - posterior @ overlap[:, i, i:]) * root
        of_agreement = (both_agree - posterior @ agreement[:, i, i:]) * root
        fitted_overlap, fitted_agreement = (whiten @ part.astype(np.float32) for part in (of_overlap, of_agreement))
        var_overlap = (of_overlap**2).sum(axis=0) - (fitted_overlap**2).sum(axis=0)
        var_agreement = (of_agreement**2).sum(axis=0) - (fitted_agreement**2).sum(axis=0)
        covariance = (of_overlap * of_agreement).sum(axis=0) - (fitted_overlap * fitted_agreement).sum(axis=0)
        # A residual that the parameters absorb completely is due to rounding.
        var_overlap = np.where(var_overlap > 1e-9 + 1e-4 * (of_overlap**2).sum(axis=0), var_overlap, 0.0)
        slope = np.where(var_overlap > 0, covariance / np.maximum(var_overlap, 1e-300), 0.0)
        rest = var_agreement - slope * covariance
        rest = np.where(rest > 1e-9 + 1e-4 * (of_agreement**2).sum(axis=0), rest, 0.0)
        found[:, i, i:] = var_overlap, slope, rest
        found[:, i:, i] = found[:, i, i:]
    return Deviations(*found)
