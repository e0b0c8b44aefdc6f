"""The share of items that have each label: counted on gold, sharpened by the predictions for all items.

Prediction-powered inference (Angelopoulos et al., 2023, arXiv:2301.09633; PPI++, arXiv:2311.01453), with the slope
that makes the variance least: the regression estimator of survey sampling. Predictions are never taken at their word;
they only help as far as they go with gold where there is some.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay.gold import UNSETTLED, CheckedLabels, effective_size, score_interval
from assay.tasks import TaskGraph

if TYPE_CHECKING:
    import pandas as pd

FloatArray = npt.NDArray[np.float64]

_TRUST = 2.0
"""For how many items of gold it counts that a slope of 1, which calibrated predictions have, is plausible."""


def mean_predictions(joint: Sequence[FloatArray], gold: CheckedLabels | None) -> tuple[FloatArray, ...]:
    """Per component (outcomes,): the mean prediction over all items, in which no item's own gold had a say."""
    if gold is None:
        return tuple(part.mean(axis=0) for part in joint)
    return tuple(
        (part.sum(axis=0) - part[gold.rows].sum(axis=0) + held_out.sum(axis=0)) / len(part)
        for part, held_out in zip(joint, gold.held_out, strict=True)
    )


def balance_table(
    tasks: TaskGraph, predicted: Sequence[FloatArray], items: float, gold: CheckedLabels | None
) -> pd.DataFrame:
    """A row per task and label, and for N/A where it can occur: the share of items that have it, with its 95% interval.

    Parameters
    ----------
    tasks
        Whose labels.
    predicted
        Per component (outcomes,): the mean prediction over all items.
    items
        How many items there are in all.
    gold
        The items with gold among them. Without any, the share is the mean prediction, and its interval is from 0 to 1.
    """
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for task in tasks:
        index = tasks.label_space.component_of(task.name)
        label_of = tasks.label_space.components[index].label_of(task.name)
        names = [*task.labels, *(["N/A"] if (label_of < 0).any() else [])]
        # −1, N/A, is the last one.
        member = np.eye(len(names))[label_of]
        everywhere = predicted[index] @ member
        numbers = np.empty(0, dtype=np.int64) if gold is None else gold.labels(index, label_of)
        known = numbers > UNSETTLED
        if gold is None or not known.any():
            found = [(share, 0.0, 1.0) for share in everywhere]
        else:
            truth, said = np.eye(len(names))[numbers[known]], gold.held_out[index][known] @ member
            found = shares(truth, said, gold.weights[known], everywhere, items)
        rows += [
            {"task": task.name, "label": name, "share": share, "low": low, "high": high, "gold": int(known.sum())}
            for name, (share, low, high) in zip(names, found, strict=True)
        ]
    return pd.DataFrame(rows).astype({"share": float, "low": float, "high": float})


def shares(
    truth: FloatArray, said: FloatArray, weights: FloatArray, everywhere: FloatArray, items: float
) -> list[tuple[float, float, float]]:
    """For each label its share of all items, and the 95% interval.

    Parameters
    ----------
    truth
        (gold items, labels): 1 for the true label, else 0.
    said
        (gold items, labels): the predictions for them, made without their gold.
    weights
        (gold items,): how many items each stands for, up to a factor.
    everywhere
        (labels,): the mean prediction over all items.
    items
        How many items there are in all.

    >>> truth = np.eye(2)[[0] * 15 + [1] * 5]
    >>> [[round(part, 2) for part in row] for row in shares(truth, truth, np.ones(20), np.array([0.6, 0.4]), 1000)]
    [[0.6, 0.48, 0.71], [0.4, 0.29, 0.52]]
    """
    found = [
        _share(truth[:, at], said[:, at], weights / weights.sum(), everywhere[at], items)
        for at in range(len(everywhere))
    ]
    # Slopes differ between labels, so that their shares add up to one only nearly.
    estimates = np.clip([estimate for estimate, _ in found], 0, 1)
    estimates /= estimates.sum()
    return [
        (float(share), *score_interval(float(share), size)) for share, (_, size) in zip(estimates, found, strict=True)
    ]


def _share(
    truth: FloatArray, said: FloatArray, weights: FloatArray, everywhere: float, items: float
) -> tuple[float, float]:
    """The share of one label, and for how many counted items that counts."""
    counted, mean = float(weights @ truth), float(weights @ said)
    size = 1 / (weights @ weights)
    prior = _TRUST * everywhere * (1 - everywhere)
    common = size * (weights @ ((truth - counted) * (said - mean))) + prior
    spread = size * (weights @ (said - mean) ** 2) + prior
    # Beyond 1 the correction would be larger than what the predictions say.
    slope = float(np.clip(common / spread, 0, 1)) if spread > 0 else 0.0
    errors = truth - counted - slope * (said - mean)
    return counted + slope * (everywhere - mean), effective_size(
        counted, errors, weights, population=items, parameters=2
    )
