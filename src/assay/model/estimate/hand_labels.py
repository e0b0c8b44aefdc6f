"""A fit that has learned from hand labels: scoring, parameters, and accuracies of sources."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from assay.counts import Evidence, Layout
from assay.model.estimate.correction_path import GoldVotes
from assay.model.estimate.e_step import Expected
from assay.model.estimate.fit import Fit
from assay.model.estimate.gold_corrections import corrected
from assay.model.estimate.knowledge import Knowledge
from assay.model.estimate.start import voted_for
from assay.model.estimate.tilting import mean_posterior, tilted
from assay.model.parameters import TINY, Parameters, normalised
from assay.model.scoring import Scoring, softmax

FloatArray = npt.NDArray[np.float64]

_BALANCE_OF_VOTES = 15.0
"""What the class balance of votes alone is worth, in items with known labels per outcome;"""
_BALANCE_OF_EM = 200.0
"""and what more it is worth if the votes follow EM's model."""
_OF_VOTES = 20.0
"""What tables of votes alone are worth when those of corrected labels are estimated, in items per outcome."""
_PATTERNS = 40_000


def with_gold(fit: Fit, known: Knowledge, gold: GoldVotes) -> Fit:
    """The fit corrected by gold; the same if gold says nothing about its component."""
    if gold.allowed.all():
        return fit
    evidence = fit.evidence
    assert evidence is not None
    layout = evidence.layout
    named = layout.sum_over_voters(voted_for(layout, known.signs))
    found = corrected(fit.scoring, evidence, gold, named, told=_told(fit, known), others=other_models(fit, known))
    scoring = found.scoring
    if known.balance is not None and not np.isfinite(known.balance.items):
        # What is certain of the balance holds whatever gold says.
        scoring = tilted(scoring, evidence, known.balance.nearest(found.balance))
    return replace(
        fit,
        parameters=_reestimated(fit.parameters, scoring, evidence),
        scoring=scoring,
        uncorrected=fit.scoring,
        held_out=found.held_out,
        checked=checked_votes(layout, gold),
        balance_told=1.0,
    )


def other_models(fit: Fit, known: Knowledge) -> tuple[Scoring, ...]:
    """The models of the votes that the fit is not, or only in part."""
    if fit.scoring.asked_later or fit.names_labels:
        # Its labels know of silence what the models that it is made from do not.
        return ()
    others = tuple(one.scoring for one in fit.candidates if one.weight < 1)
    if known.balance is None or not others:
        return others
    assert fit.evidence is not None
    # What is known of the class balance, all of them know.
    balance = mean_posterior(fit.scoring, fit.evidence)
    return tuple(tilted(one, fit.evidence, balance) for one in others)


def _told(fit: Fit, known: Knowledge) -> float:
    """How many items with known labels the class balance is worth that the votes and the user tell."""
    of_votes = _BALANCE_OF_VOTES * len(fit.scoring.prior) + _BALANCE_OF_EM * fit.em_weight
    return of_votes + (0.0 if known.balance is None else known.balance.items)


def _reestimated(parameters: Parameters, scoring: Scoring, evidence: Evidence) -> Parameters:
    """The parameters that corrected labels imply, shrunk to those of the votes alone."""
    few = evidence.sample(_PATTERNS)
    votes = np.diff(few.design.starts)
    labels, _ = softmax(scoring.log_joint(few.design) * scoring.effective(votes)[:, None])
    labels[votes == 0] = scoring.without_votes
    expected = Expected.given(few.design, labels * few.counts[:, None])
    joint = []
    for table, (start, stop) in zip(parameters.joint, pairwise(parameters.layout.offsets), strict=True):
        said = expected.votes[start:stop]
        silent = np.maximum(expected.totals - said.sum(axis=0), 0.0)
        joint.append(normalised(np.vstack([said, silent]) + _OF_VOTES * table))
    balance = expected.totals + TINY
    return replace(parameters, balance=balance / balance.sum(), joint=tuple(joint))


def checked_votes(layout: Layout, gold: GoldVotes) -> tuple[FloatArray, ...]:
    """Per source (values, 2): how many of its votes for each value gold shows to be right, and to be wrong.

    Votes about which gold leaves it open are not counted.
    """
    first = layout.value_offsets
    values = first[gold.said.sources] + gold.said.codes
    allowed, named = gold.allowed[gold.said.row], layout.all_masks[values]
    right, wrong = ~(allowed & ~named).any(axis=1), ~(allowed & named).any(axis=1)
    counts = np.column_stack([np.bincount(values, weights=flags, minlength=int(first[-1])) for flags in (right, wrong)])
    return tuple(np.split(counts, first[1:-1])) if layout.masks else ()
