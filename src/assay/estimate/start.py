"""Where expectation-maximization begins: from a soft majority vote."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.cliques import Design, Layout
from assay.estimate.em import EMSettings, Expected, Maximizer
from assay.parameters import Parameters
from assay.patterns import Patterns
from assay.statistics import held, single_indicators

FloatArray = npt.NDArray[np.float64]

_EVEN = 0.5
"""Points shared by all outcomes of every item, so that one vote does not decide alone."""


def soft_majority(layout: Layout, patterns: Patterns, signs: FloatArray) -> FloatArray:
    """(patterns, outcomes): each vote gives one point, shared by the outcomes it allows.

    A source declared adversarial (sign −1) gives its point to those it does not.
    """
    shares = [np.empty((0, layout.outcomes))]
    for source, masks in enumerate(layout.masks):
        allowed = masks if signs[source] > 0 else ~masks
        shares.append(allowed / np.maximum(allowed.sum(axis=1, keepdims=True), 1))
    points = held(patterns.rows, single_indicators(layout)) @ np.vstack(shares) + _EVEN / layout.outcomes
    probabilities: FloatArray = points / points.sum(axis=1, keepdims=True)
    return probabilities


def from_majority(
    layout: Layout,
    patterns: Patterns,
    design: Design,
    settings: EMSettings,
    signs: FloatArray,
    ignore_abstentions: bool,
) -> Parameters:
    """Parameters as if the soft majority vote were true."""
    labels = soft_majority(layout, patterns, signs)
    if settings.balance is not None:
        labels = labels * settings.balance
        labels = labels / labels.sum(axis=1, keepdims=True)
    maximize = Maximizer(layout, settings, ignore_abstentions)
    return maximize(Expected.given(design, labels * patterns.counts[:, None]))
