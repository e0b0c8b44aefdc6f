"""Scores against gold labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from assay.errors import VoteError
from assay.votes import Votes


def accuracy(probabilities: npt.NDArray[np.float64], gold: npt.NDArray[np.integer]) -> float:
    """The share of items whose most probable outcome is the true one; a tie of k outcomes counts 1/k.

    Parameters
    ----------
    probabilities
        (items, outcomes).
    gold
        (items,) outcome numbers; items with −1, unknown, are left out.

    >>> accuracy(np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]]), np.array([0, 0, -1]))
    0.75
    """
    known = gold >= 0
    if not known.any():
        raise VoteError("no item has a gold label to score against")
    chosen = probabilities[known]
    best = np.isclose(chosen, chosen.max(axis=1, keepdims=True), rtol=0, atol=1e-12)
    shares = best / best.sum(axis=1, keepdims=True)
    return float(shares[np.arange(len(shares)), gold[known]].mean())


def micro_accuracy(parts: Sequence[npt.NDArray[np.float64]], truths: Sequence[npt.NDArray[np.integer]]) -> float:
    """The accuracy over the items of all components, pooled; see :func:`accuracy`.

    >>> micro_accuracy([np.eye(2), np.eye(2)], [np.array([0, 1]), np.array([1, -1])])
    0.6666666666666666
    """
    known = [int((truth >= 0).sum()) for truth in truths]
    if not any(known):
        raise VoteError("the gold labels determine the outcome of no item, so there is nothing to score against")
    right = [count * accuracy(part, truth) for part, truth, count in zip(parts, truths, known, strict=True) if count]
    return sum(right) / sum(known)


def outcome_numbers(gold: Votes, component: int = 0) -> npt.NDArray[np.int64]:
    """(items,): the only outcome that gold allows for each item, −1 where it allows several."""
    sets = gold.outcome_sets[component]
    single = np.append(np.where(sets.masks.sum(axis=1) == 1, sets.masks.argmax(axis=1), -1), -1)
    numbers: npt.NDArray[np.int64] = single[gold.sets_of(component)]
    return numbers
