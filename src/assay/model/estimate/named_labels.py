"""Labels any subset of which may apply: most sources name what applies, so that their silence is evidence.

An item on which nobody names a label is not one that was left out: sources that could have named it looked at it. So
it gets the posterior given that all are silent, where other tasks give the class balance.

Where votes do not follow EM's model, the other half of the mean is not the robust model, for which votes of one value
say nothing of each other, but EM with sources that are nearly exchangeable: how many name a label counts, and how many
do not, by weights that the votes tell. Few sources tell little of that, and fewer than three nothing; so far they are
taken to be equally accurate.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from assay.counts import Evidence, Layout
from assay.model.estimate.methods import EMSettings
from assay.model.parameters import TINY, Parameters, independent, normalised
from assay.model.scoring import Scoring, softmax
from assay.votes import SILENCE_AGAINST

FloatArray = npt.NDArray[np.float64]

LEAST_SOURCES = 3
"""The fewest independent sources whose accuracies votes tell."""
_MANY = 6
"""The number of independent sources from which on what the votes tell of them is all that counts."""
_ALIKE = 2_000.0
"""The prior that all sources are alike, in votes."""
_ACCURACY, _RECALL = 0.8, 0.5
"""How often a vote is right, and how many of the items with a label a source finds, where votes do not tell."""
_LEAST_SHARE = 1e-4


def exchangeable(settings: EMSettings) -> EMSettings:
    """Settings with which sources are nearly exchangeable."""
    return replace(settings, average_source=_ALIKE, average_lift=_ALIKE)


def told_share(evidence: Evidence) -> float:
    """How much of a label is what votes tell of sources, from 0 to 1; the rest is as if all were equally accurate.

    The accuracies of a few sources hang on whether they are independent, which as few votes hardly tell. So departures
    from a vote are earned: none by two sources, all by six.
    """
    groups = len(evidence.layout.graph.components)
    return float(np.clip((groups - LEAST_SOURCES + 1) / (_MANY - LEAST_SOURCES + 1), 0.0, 1.0))


def with_silence(scoring: Scoring) -> Scoring:
    """The scoring in which an item without votes gets the posterior given that all sources are silent."""
    return replace(scoring, without_votes=softmax(scoring.base[None])[0][0])


def equally_accurate(evidence: Evidence, *, ignore_abstentions: bool = False) -> Parameters:
    """Parameters as if all votes were equally accurate and all sources found equally much: what a vote assumes."""
    layout = evidence.layout
    values = layout.value_offsets
    rates = _rates(evidence)
    balance = _balance(layout.all_masks, rates)
    tables = []
    for source, masks in enumerate(layout.masks):
        share = np.clip(masks @ balance, TINY, 1 - TINY)
        # A vote for what is nearly always so is right at least as often as that.
        accuracy = np.maximum(_ACCURACY, 1 - (1 - share) / 4)
        chance = np.where(masks, (accuracy / share)[:, None], ((1 - accuracy) / (1 - share))[:, None])
        said = np.minimum(chance * rates[values[source] : values[source + 1], None], 0.95)
        said = said * np.minimum(0.95 / np.maximum(said.sum(axis=0), TINY), 1.0)
        tables.append(normalised(np.vstack([said, 1 - said.sum(axis=0, keepdims=True)])))
    return independent(layout, balance, tables, ignore_abstentions)


def against_by_silence(layout: Layout, evidence: Evidence) -> FloatArray:
    """(patterns,): what silence adds to the votes against a label in a majority vote."""
    one_sided = [not masks[:, 0].any() for masks in layout.masks]
    said = layout.sum_over_voters([masks & only for masks, only in zip(layout.masks, one_sided, strict=True)])
    silent = sum(one_sided) - np.asarray(evidence.design.matrix @ said)[:, 1]
    return np.asarray(SILENCE_AGAINST * silent)


def _rates(evidence: Evidence) -> FloatArray:
    """(values,): the share of the items on which each is emitted."""
    layout = evidence.layout
    seen = np.zeros(int(layout.value_offsets[-1]))
    for source, index in enumerate(layout.first_clique):
        clique = layout.cliques[index]
        counted = evidence.seen[layout.offsets[index] : layout.offsets[index + 1]][:, None]
        whole = np.vstack([counted, np.zeros((1, 1))])
        own = clique.marginal(whole, source)[:-1, 0]
        seen[layout.value_offsets[source] : layout.value_offsets[source + 1]] = own
    return seen / max(evidence.items, 1.0)


def _balance(masks: npt.NDArray[np.bool_], rates: FloatArray) -> FloatArray:
    """(outcomes,): as common as its votes are, if so many are right and so many items are found; the rest is none.

    The first outcome is that no label applies.
    """
    named = ~masks[:, 0] if masks.shape[1] else np.zeros(0, dtype=bool)
    shares = np.full(masks.shape[1], _LEAST_SHARE)
    for mask, rate in zip(masks[named], rates[named], strict=True):
        shares[mask] = np.maximum(shares[mask], rate * _ACCURACY / _RECALL / mask.sum())
    shares[0] = max(1 - shares[1:].sum(), shares[1:].max(initial=_LEAST_SHARE))
    balance: FloatArray = shares / shares.sum()
    return balance
