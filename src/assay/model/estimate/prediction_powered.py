"""The class balance *prediction-powered*: counted on items with gold, corrected by predictions on all items."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.model.parameters import TINY

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]


def prediction_powered(mean: FloatArray, predicted: FloatArray, allowed: BoolArray, weights: FloatArray) -> FloatArray:
    """(outcomes,): the class balance, from gold and predictions.

    Parameters
    ----------
    mean
        (outcomes,): the mean prediction over all items.
    predicted
        (items, outcomes): the predictions on items with gold.
    allowed
        (items, outcomes): what gold allows; an item with several counts as the prediction among them says.
    weights
        (items,): how many items each stands for.
    """
    shares = weights / weights.sum()
    truth = predicted * allowed
    truth = truth / np.maximum(truth.sum(axis=1, keepdims=True), TINY)
    of_truth, of_prediction = shares @ truth, shares @ predicted
    together = shares @ ((predicted - of_prediction) * (truth - of_truth))
    alone = shares @ (predicted - of_prediction) ** 2
    slope = float(np.clip(together.sum() / max(float(alone.sum()), TINY), 0.0, 1.0))
    return np.asarray(np.maximum(of_truth + slope * (mean - of_prediction), 0.0))


def effective_count(weights: FloatArray) -> float:
    """How many items of equal weight would be as informative."""
    return float(weights.sum() ** 2 / max(float(weights @ weights), TINY))
