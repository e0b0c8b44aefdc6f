r"""What hand labels change: how sure labels are, the class balance, and what each vote adds.

It is the third layer of a label. With :math:`f_i` the log-odds that votes and class balance give an item, the corrected
ones are

.. math:: s f_i + \sum_k m_k (f_{ki} - f_i) + b + \sum_{c \in i} w_c,

where the slope :math:`s` says how sure to be, :math:`m_k` how far to follow another model of the votes, whose log-odds
are :math:`f_{ki}`, :math:`b` moves the class balance, and :math:`w_c` is what a joint vote :math:`c` adds beyond what
the votes alone tell: mostly for or against the outcomes that it names, which the votes of a source have in common as
far as gold says so, and less freely for any other. All of them are shrunk toward no change, and a scoring with them is
still a sum over votes. The other models are those that the votes alone did not choose, or not wholly: EM's, and the
robust one.

A few labels tell the slope, the balance and the model at once; the weights of single votes need more. The balance is
estimated *prediction-powered* (Angelopoulos et al., 2023): the share counted in gold, plus a slope times the difference
of the mean predictions on all items and on those with gold. It is weighed against what the votes tell.

How far to go is decided by cross-fitting: each of a path of candidates, from no change to hardly shrunk weights, is
fitted without a fifth of the gold and predicts that fifth. The result is the mean of all candidates, weighted by how
probable they make the gold that they have not seen, with a prior that doubts those with little shrinkage.
Probabilities improve long before decisions do, and many items may have the same votes: a few labels that happen to
disagree would turn all of them. So a candidate that decides many items differently must gain on unseen gold, beyond
the error of that; a label counts here by how much more probable than the new one it was, so that ties are broken
freely. The same predictions of unseen gold are what honest scores are made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from assay.counts import Design, Evidence
from assay.model.estimate.correction_path import CorrectionProblem, CorrectionSettings, GoldVotes
from assay.model.estimate.prediction_powered import effective_count
from assay.model.parameters import TINY
from assay.model.scoring import Scoring, softmax

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Corrected:
    """A scoring corrected by gold."""

    scoring: Scoring
    held_out: FloatArray
    """(items with gold, outcomes): the labels of scorings that were corrected without the item's own fifth of gold."""
    balance: FloatArray
    """(outcomes,): the class balance of the items with votes."""


def corrected(
    scoring: Scoring,
    evidence: Evidence,
    gold: GoldVotes,
    named: FloatArray,
    *,
    told: float,
    others: Sequence[Scoring] = (),
    settings: CorrectionSettings | None = None,
) -> Corrected:
    """Correct a scoring by gold.

    Parameters
    ----------
    scoring
        What votes and class balance tell.
    evidence
        The votes on all items.
    gold
        The items with gold, in any order.
    named
        (configurations, outcomes): how many of its voters allow an outcome, per joint vote.
    told
        How many items with known labels the class balance of the scoring is worth; infinite if it is certain.
    others
        What other models of the same votes tell, for gold to choose between.
    """
    used = CorrectionSettings() if settings is None else settings
    voted = np.diff(gold.design.starts) > 0
    informative = ~gold.allowed.all(axis=1)
    silent_share = _without_votes(scoring.without_votes, gold, ~voted & informative, used)
    teaching = np.flatnonzero(voted & informative)
    held_out = np.empty(gold.allowed.shape)
    held_out[~voted] = silent_share
    if len(teaching) < 2:
        held_out[voted] = _labels(scoring, gold.design)[voted]
        labels = _labels(scoring, evidence.design)
        balance = evidence.counts @ labels / max(float(evidence.counts.sum()), TINY)
        return Corrected(replace(scoring, without_votes=silent_share), held_out, np.asarray(balance))
    problem = CorrectionProblem.of(scoring, others, evidence, gold, teaching, named, told, used)
    change, found = problem.cross_fitted()
    held_out[teaching] = found
    unchecked = np.flatnonzero(voted & ~informative)
    final = problem.scored(change, silent_share)
    held_out[unchecked] = _labels(final, gold.design)[unchecked]
    return Corrected(final, held_out, problem.balance_of(change))


def _labels(scoring: Scoring, design: Design) -> FloatArray:
    effective = scoring.effective(np.diff(design.starts))[:, None]
    return softmax(scoring.log_joint(design) * effective)[0]


def _without_votes(balance: FloatArray, gold: GoldVotes, silent: BoolArray, used: CorrectionSettings) -> FloatArray:
    """The label of items without votes: the class balance, with what gold says of such items."""
    allowed, weights = gold.allowed[silent], gold.weights[silent]
    if not len(allowed):
        return balance
    shares = allowed * balance
    shares = shares / np.maximum(shares.sum(axis=1, keepdims=True), TINY)
    counts = effective_count(weights) * (weights @ shares) / weights.sum()
    found = counts + used.balance * balance
    return np.asarray(found / found.sum())
