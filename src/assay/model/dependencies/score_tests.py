r"""Whether two sources have more in common than a model explains: a score test for each pair.

Let :math:`g` tell whether two sources meet, or agree, on an item. If a dependency between them were added to
the model, the likelihood would begin to rise by

.. math:: s = \sum_{\text{items}} \Bigl( g - \sum_y P(y \mid \lambda)\, E[g \mid y] \Bigr) ,

what is left of their meetings. All other parameters were fitted to the same votes, and would have taken up a part
of it. So its variance is that of what remains of the summands after regression on the scores of all parameters
(Rao's efficient score). Divided by its standard deviation it is standard normal if
only the truth, and the dependencies that the model has, connect the two. That two sources agree is
looked at given that they meet, so that the two tests of a pair are independent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import linalg
from scipy.special import erfc, ndtri

from assay.counts import Evidence, Patterns, Statistics
from assay.model.dependencies.problem import Problem
from assay.model.estimate.em import expected_counts, responsibilities
from assay.model.estimate.residuals import compatible_values, expected_overlaps, overlaps
from assay.model.estimate.uncertainty import scores
from assay.model.parameters import Parameters
from assay.model.scoring import Scoring

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

_PATTERNS = 4_000
"""A sample of so many patterns is enough to tell deviations, if that is several times the number of parameters."""
_MOST_PARAMETERS = 1_200
"""With more parameters, what they take up is left out, and the tests find less."""
_PATTERNS_EACH = 3
"""So many distinct patterns for each parameter must there be; fewer could be explained by the parameters alone."""
_LEAST = 1.0
"""Where chance moves fewer meetings than this, nothing can be told,"""
_MANY = 10.0
"""unless there are so many more than expected: rare sources that speak together."""
_TAIL = 1 / 3
"""Counts have heavier tails than the normal distribution; Bernstein's inequality allows for that."""


@dataclass(frozen=True, eq=False)
class Deviations:
    """(sources, sources): the variances of one item's part in what is left."""

    meet: FloatArray
    slope: FloatArray
    """How much more often two agree for each time that they meet more often, by chance."""
    agree: FloatArray
    """Of agreement beyond that."""


@dataclass(frozen=True, eq=False)
class PairTests:
    """(sources, sources) results of the tests."""

    meet: FloatArray
    """By how many standard deviations two meet more often than expected; 0 where nothing can be told."""
    agree: FloatArray
    """The same for agreement, given that they meet."""
    can_meet: BoolArray
    """Where the meetings tell something."""
    can_agree: BoolArray
    usual: BoolArray
    """Pairs that tell something whether they meet more often than expected or not."""

    @property
    def informed(self) -> BoolArray:
        """Pairs about which something can be told."""
        return self.can_meet | self.can_agree

    @property
    def surprise(self) -> FloatArray:
        """How surprising each pair is, as the standard deviations that a single test would have to be off.

        That sources meet less often than expected does not count: items without votes are often left out, and
        then all do.
        """
        above = np.maximum(self.meet, 0.0) ** 2
        total = above + self.agree**2
        # The tails of chi-squared with one degree of freedom, and with two.
        one, two = erfc(np.sqrt(total / 2)), np.exp(-total / 2)
        both = self.can_meet & self.can_agree
        chance = np.where(both, (one + two) / 2, np.where(self.can_agree, 1.0, 0.5) * one)
        # Far out the logarithm of the tail is what matters, and it is quadratic.
        far = total > 900
        found = np.where(far, np.sqrt(total), -ndtri(np.clip(chance, 1e-300, 1.0) / 2))
        return np.where(self.informed, found, 0.0)


def pair_tests(parameters: Parameters, evidence: Evidence, statistics: Statistics, deviations: Deviations) -> PairTests:
    """Test all pairs of sources. Pairs that the model connects are tested too, and find nothing."""
    layout = parameters.layout
    met, agreed = overlaps(statistics.pair, layout)
    totals = expected_counts(parameters, evidence).totals
    meet, agree = (np.tensordot(totals, part, axes=1) for part in expected_overlaps(parameters))
    # Items of a sample stand for several each.
    scale = evidence.items_per_sampled
    left, more = (met - meet) / scale, (agreed - agree) / scale
    items = float(totals.sum()) / scale
    more = more - deviations.slope * left
    of_meet, of_agree = items * deviations.meet, items * deviations.agree
    can_agree = of_agree > _LEAST
    usual = (of_meet > _LEAST) | can_agree
    can_meet = (of_meet > _LEAST) | (left > _MANY)
    for flags in (can_meet, can_agree, usual):
        np.fill_diagonal(flags, False)
    return PairTests(
        np.where(can_meet, left / np.sqrt(np.maximum(of_meet, _LEAST) + _TAIL * np.abs(left)), 0.0),
        np.where(can_agree, more / np.sqrt(np.maximum(of_agree, _LEAST) + _TAIL * np.abs(more)), 0.0),
        can_meet,
        can_agree,
        usual,
    )


def deviations_of(parameters: Parameters, problem: Problem, evidence: Evidence) -> Deviations:
    """How far chance moves what is left of each pair's meetings, from a sample of the patterns."""
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
    meet, agree = expected_overlaps(parameters)
    codes = few.patterns.rows.dense(np.int64)
    spoke = codes >= 0
    value = np.where(spoke, layout.value_offsets[:-1] + codes, 0)
    compatible = compatible_values(layout)
    found = np.zeros((3, m, m))
    for i in range(m):
        together = spoke[:, [i]] & spoke[:, i:]
        alike = together & compatible[value[:, [i]], value[:, i:]]
        left = (together - posterior @ meet[:, i, i:]) * root
        more = (alike - posterior @ agree[:, i, i:]) * root
        taken, took = (whiten @ part.astype(np.float32) for part in (left, more))
        of_meet = (left**2).sum(axis=0) - (taken**2).sum(axis=0)
        of_agree = (more**2).sum(axis=0) - (took**2).sum(axis=0)
        of_both = (left * more).sum(axis=0) - (taken * took).sum(axis=0)
        # What parameters take up entirely is left by rounding alone.
        of_meet = np.where(of_meet > 1e-9 + 1e-4 * (left**2).sum(axis=0), of_meet, 0.0)
        slope = np.where(of_meet > 0, of_both / np.maximum(of_meet, 1e-300), 0.0)
        rest = of_agree - slope * of_both
        rest = np.where(rest > 1e-9 + 1e-4 * (more**2).sum(axis=0), rest, 0.0)
        found[:, i, i:] = of_meet, slope, rest
        found[:, i:, i] = found[:, i, i:]
    return Deviations(*found)
