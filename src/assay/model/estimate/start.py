"""Where expectation-maximization begins: from a soft majority vote."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.counts import Design, Evidence, Layout
from assay.model.estimate.em import EMSettings, Expected, Maximizer
from assay.model.estimate.knowledge import Knowledge
from assay.model.parameters import Parameters

FloatArray = npt.NDArray[np.float64]

_EVEN = 0.5
"""Points shared by all outcomes of every item, so that one vote does not decide alone."""


def soft_majority(layout: Layout, design: Design, signs: FloatArray, even: float = _EVEN) -> FloatArray:
    """(patterns, outcomes): each vote gives one point, shared by the outcomes it speaks for.

    ``even`` points are shared by all outcomes.
    """
    shares = [masks / np.maximum(masks.sum(axis=1, keepdims=True), 1) for masks in voted_for(layout, signs)]
    points = np.asarray(design.matrix @ layout.sum_over_voters(shares)) + even / layout.outcomes
    probabilities: FloatArray = points / points.sum(axis=1, keepdims=True)
    return probabilities


def voted_for(layout: Layout, signs: FloatArray) -> list[npt.NDArray[np.bool_]]:
    """Per source (values, outcomes): what each value allows; what it does not, if declared adversarial (sign −1)."""
    return [masks if sign > 0 else ~masks for masks, sign in zip(layout.masks, signs, strict=True)]


def from_majority(evidence: Evidence, known: Knowledge, settings: EMSettings) -> Parameters:
    """Parameters as if the soft majority vote were true."""
    labels = soft_majority(evidence.layout, evidence.design, known.signs)
    if known.balance is not None:
        labels = labels * known.balance
        labels = labels / labels.sum(axis=1, keepdims=True)
    maximize = Maximizer(evidence.layout, known, settings)
    return maximize(Expected.given(evidence.design, labels * evidence.counts[:, None]))
