"""The start of expectation-maximization: a soft majority vote."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.counts import Design, Evidence, Layout
from assay.model.estimate.confidence import levels_of
from assay.model.estimate.e_step import Expected
from assay.model.estimate.knowledge import Knowledge
from assay.model.estimate.m_step import Maximizer
from assay.model.estimate.methods import EMSettings
from assay.model.parameters import TINY, Parameters

FloatArray = npt.NDArray[np.float64]

_EVEN = 0.5
"""The pseudo-vote that all outcomes of an item share, so that a single vote is not decisive."""


def soft_majority(layout: Layout, design: Design, signs: FloatArray, even: float = _EVEN) -> FloatArray:
    """(patterns, outcomes): each vote is split equally between the outcomes it allows, and ``even`` between all.

    A vote of a soft source counts by its level of confidence, and one on average.
    """
    weights = layout.by_source(levels_of(layout, signs).weight[:, None])
    allowed = (layout.counted(masks) for masks in voted_for(layout, signs))
    shares = [
        weight * counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        for counts, weight in zip(allowed, weights, strict=True)
    ]
    of_each = even / layout.outcomes if layout.sizes is None else even * layout.sizes / layout.sizes.sum()
    points = np.asarray(design.matrix @ layout.sum_over_voters(shares)) + of_each
    probabilities: FloatArray = points / points.sum(axis=1, keepdims=True)
    return probabilities


def voted_for(layout: Layout, signs: FloatArray) -> list[npt.NDArray[np.bool_]]:
    """Per source (values, outcomes): what each value allows; its complement for adversarial sources (sign −1)."""
    return [masks if sign > 0 else ~masks for masks, sign in zip(layout.masks, signs, strict=True)]


def from_majority(evidence: Evidence, known: Knowledge, settings: EMSettings) -> Parameters:
    """Parameters as if the soft majority vote were true."""
    labels = soft_majority(evidence.layout, evidence.design, known.signs)
    if known.balance is not None:
        labels = labels * known.balance.nearest(evidence.counts @ labels / max(float(evidence.counts.sum()), TINY))
        labels = labels / labels.sum(axis=1, keepdims=True)
    maximize = Maximizer(evidence.layout, known, settings)
    return maximize(Expected.given(evidence.design, labels * evidence.counts[:, None]))
