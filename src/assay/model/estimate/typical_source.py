"""What a source is taken to be like before its own votes tell: the average one, with the values that it emits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.model.parameters import TINY

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]


def typical_source(
    masks: BoolArray, used: FloatArray, accuracy: FloatArray, shares: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """(sources, values, outcomes): P(value | vote, outcome) of sources with given accuracies, (sources, 1).

    The probability of being right is distributed over the right values in proportion to their
    use, (sources, values); likewise that of being wrong. A value that is listed but never emitted gets none.
    ``shares`` is the use of values when they are right, and when they are wrong: levels of confidence differ in that.
    """
    excluded = ~masks
    right, wrong = (
        allowed * (share + 1e-9)[:, :, None] for allowed, share in zip((masks, excluded), shares, strict=True)
    )
    able, fallible = able_outcomes(masks, used), able_outcomes(excluded, used)
    share = np.where(able, np.where(fallible, accuracy, 1.0), 0.0)[:, None, :]
    rightly = right / np.maximum(right.sum(axis=1, keepdims=True), TINY)
    wrongly = wrong / np.maximum(wrong.sum(axis=1, keepdims=True), TINY)
    typical: FloatArray = share * rightly + (1 - share) * wrongly
    return typical


def able_outcomes(masks: BoolArray, used: FloatArray) -> BoolArray:
    """(…, outcomes): those that some value allows, among the values that a source emits; all if it emits none."""
    # This is asked several times in each step of EM, and mostly all values are emitted.
    allowed = masks if (used > 0).all() else emitted_masks(masks, used)
    return np.asarray(allowed.any(axis=-2))


def emitted_masks(masks: BoolArray, used: FloatArray) -> BoolArray:
    """The same masks, (…, values, outcomes), without the values that a source never emits; all if it emits none."""
    emitted = used > 0
    emitted |= ~emitted.any(axis=-1, keepdims=True)
    found: BoolArray = masks & emitted[..., None]
    return found
