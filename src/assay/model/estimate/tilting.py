r"""Labels that agree with a known class balance: a factor for each outcome, so that it holds on average over items.

Votes of one-sided sources do not tell the balance, so what a user knows of it must not be lost among them. It is the
last layer of a label, apart from what the votes tell: the posterior of each item is multiplied by a factor per
outcome and normalised, and the factors are such that the mean posterior over the items with votes is the wanted one.

Where votes tell the balance, too, the two are weighed by their precision: the wanted balance is the geometric
mean of both. Where votes do not follow a model, what they tell has an error of its own, however many items there are.

Where votes leave few items in doubt, a small change of the wanted balance needs large factors, which may turn all items
with the same votes at once. So a figure whose exactness nobody stated changes labels only part of the way if it is near
what the votes tell: most of what it is worth is in the first steps, and most of the harm that its error does in the
last. The further it is from what they tell, the less does it matter how round it is, and the nearer labels come to it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from assay.counts import Evidence
from assay.model.estimate.balance_belief import BalanceBelief
from assay.model.estimate.shifting import shift_to
from assay.model.parameters import TINY, Parameters
from assay.model.scoring import Scoring, softmax

FloatArray = npt.NDArray[np.float64]

_ERROR_OF_VOTES = 0.3
"""The error of the log-odds of a class balance that votes tell, although they do not follow EM's model."""

_HELD_BACK = 0.3
"""The part of the way toward the wanted balance, in log-odds, that labels do not go if nothing is said of how exact it
is; less by a factor of e for every two units of log-odds of the whole way."""

_PATTERNS = 40_000


def tilted(scoring: Scoring, evidence: Evidence, wanted: FloatArray, *, held_back: float = 0.0) -> Scoring:
    """The scoring with a factor per outcome, so that the mean posterior of items with votes is the wanted balance.

    ``held_back``: the part of the logarithms of the factors that is left out if they are near zero.
    """
    few = _voted(evidence)
    if few is None:
        return replace(scoring, without_votes=wanted)
    shares = few.counts / few.counts.sum()
    logs = scoring.log_joint(few.design)
    effective = scoring.effective(np.diff(few.design.starts))
    tilt = shift_to(logs, effective, shares, np.maximum(wanted, TINY))
    # Discounted like the rest of the score.
    distance = float(np.ptp(tilt)) / 2 * float(shares @ effective)
    part = 1 - held_back * np.exp(-distance / 2)
    prior = scoring.prior * np.exp(part * (tilt - tilt.max()))
    return replace(scoring, prior=prior / prior.sum(), without_votes=wanted, is_bayes=False)


def mean_posterior(scoring: Scoring, evidence: Evidence) -> FloatArray:
    """(outcomes,): the class balance of the labels of items with votes."""
    few = _voted(evidence)
    if few is None:
        return scoring.without_votes
    effective = scoring.effective(np.diff(few.design.starts))[:, None]
    labels, _ = softmax(scoring.log_joint(few.design) * effective)
    mean: FloatArray = few.counts @ labels / few.counts.sum()
    return mean


def wanted_balance(told: FloatArray, belief: BalanceBelief, *, em_weight: float, trust: float) -> FloatArray:
    """The class balance that labels should have: what the votes tell and what is believed, weighed by precision.

    Parameters
    ----------
    told
        What the votes tell.
    belief
        What is believed.
    em_weight, trust
        How far EM fits the votes; and, where it does not, how far they identify the balance at all; both from 0 to 1.
    """
    believed = belief.nearest(told)
    if not np.isfinite(belief.items):
        return believed
    of_belief = belief.items * float(np.mean(believed * (1 - believed)))
    # EM has weighed the belief against the votes already, as a prior.
    weight = (1 - em_weight) * of_belief / (of_belief + trust**2 / _ERROR_OF_VOTES**2)
    logs = weight * np.log(np.maximum(believed, TINY)) + (1 - weight) * np.log(np.maximum(told, TINY))
    mixed = np.exp(logs - logs.max())
    return np.asarray(mixed / mixed.sum())


def held_back(belief: BalanceBelief) -> float:
    """The part of the way toward the wanted balance that labels do not go: none, if it is known how exact it is."""
    return _HELD_BACK if belief.strength is None else 0.0


def of_voted_items(balance: FloatArray, parameters: Parameters, evidence: Evidence) -> FloatArray:
    """The class balance of items with votes, from that of all items: those without votes have one of their own.

    If all items have votes the two are the same. Otherwise the model tells the balance of those without.
    """
    share = evidence.silent_items / max(float(evidence.counts.sum()), TINY)
    if share == 0 or parameters.ignore_abstentions:
        return balance
    silent = balance * parameters.silence / max(float(balance @ parameters.silence), TINY)
    rest = np.maximum(balance - share * silent, 0.01 * balance)
    return np.asarray(rest / rest.sum())


def _voted(evidence: Evidence) -> Evidence | None:
    """A sample of the patterns with votes; None if there are none."""
    few = evidence.sample(_PATTERNS)
    voted = np.flatnonzero(np.diff(few.design.starts) > 0)
    if not len(voted) or not few.counts[voted].sum():
        return None
    return few if len(voted) == len(few.counts) else few.take(voted, few.counts[voted])
