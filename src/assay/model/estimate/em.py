r"""Expectation-maximization on the decomposable model.

With a chordal source graph the model is

.. math:: P(Y, \lambda) = P(Y) \prod_C P(\lambda_{C \setminus S} \mid \lambda_S, Y),

and given expected counts every factor has its maximum in closed form, whatever
the separators. Priors regularise rare votes and are too weak to bias common
ones; the strength of each is a pseudo-count in votes:

* how often a source votes is shrunk toward the same rate for all outcomes about
  which it can be right, and for all others; if it cannot name every outcome, the ratio of the two is shrunk
  toward that of the average such source;
* its votes are shrunk toward the class-conditional fit, in which outcomes that make
  the same values right share one parameter;
* its votes are shrunk toward those of the average source. Accuracies with a standard
  deviation of about 0.1, as is usual, correspond to a prior of about twenty votes. The members of a clique
  together are shrunk toward one average source.

Items without votes are often left out. If there are none, votes are truncated data, and the E-step adds those that the
model expects to have been left out.

EM is accelerated by SQUAREM (Varadhan and Roland, 2008), which extrapolates from two
steps, as long as the likelihood grows.
"""

from __future__ import annotations

import numpy as np

from assay.counts import Evidence
from assay.model.estimate.e_step import expected_counts
from assay.model.estimate.knowledge import Knowledge
from assay.model.estimate.m_step import Maximizer
from assay.model.estimate.methods import EMSettings
from assay.model.estimate.solver import SolverOutcome
from assay.model.parameters import Parameters


def expectation_maximization(
    start: Parameters, evidence: Evidence, known: Knowledge, settings: EMSettings
) -> tuple[Parameters, SolverOutcome]:
    """A local maximum a posteriori of the parameters, from a start."""
    maximize = Maximizer(start.layout, known, settings, leaves_out=evidence.voted_only)

    def step(parameters: Parameters) -> tuple[Parameters, float]:
        expected = expected_counts(parameters, evidence)
        return maximize(expected), expected.likelihood

    steps = still = 0
    likelihood = -np.inf
    before, here = start, step(start)[0]
    while steps < settings.max_steps:
        reached_before = likelihood
        after, likelihood = step(here)
        steps += 1
        still = still + 1 if abs(likelihood - reached_before) < settings.no_gain else 0
        if still == settings.patience or here.distance(after) < settings.tolerance:
            return after, SolverOutcome("converged", steps, likelihood)
        ahead = _extrapolated(before, here, after)
        before, here = here, after
        if ahead is not None:
            if known.balance is not None:
                ahead = ahead.with_balance(here.balance)
            after_ahead, likelihood_ahead = step(ahead)
            steps += 1
            if likelihood_ahead >= likelihood:
                before, here = ahead, after_ahead
    return here, SolverOutcome("max_steps", steps, likelihood)


def _extrapolated(before: Parameters, here: Parameters, after: Parameters) -> Parameters | None:
    """SQUAREM's extrapolation in log space, or None if it is no longer than a step of EM."""
    first, second, third = (parameters.log_vector for parameters in (before, here, after))
    change = second - first
    bend = (third - second) - change
    length = float(np.sqrt((change @ change) / max(float(bend @ bend), 1e-300)))
    if length <= 1:
        return None
    return before.from_log_vector(first + 2 * length * change + length**2 * bend)
