"""Figures that compare labels with gold, each with its 95% interval, from a sample of items with weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from assay.evaluation.scored import most_probable_shares
from assay.gold import UNSETTLED, effective_size, score_interval

if TYPE_CHECKING:
    from assay.evaluation.scored import Scored

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

LEAST_CHANCE = 0.001
"""In a log loss, probabilities below this count as this, so that one sure mistake does not decide."""
_DRAWS = 1_000
_STEPS = np.linspace(0, 3, 121)
"""How much larger than seen gaps of calibration may be."""


@dataclass(frozen=True)
class Figure:
    """A figure with its 95% interval."""

    value: float
    low: float
    high: float


UNKNOWN = Figure(float("nan"), 0.0, 1.0)
"""Of a share that no item tells of."""


def ratio(hits: FloatArray, counts: FloatArray, weights: FloatArray, caution: float = 2.0) -> Figure:
    """The share of hits among what each item counts, as a score interval of the items' effective number.

    >>> figure = ratio(np.array([1.0, 1.0, 0.0, 1.0]), np.ones(4), np.ones(4))
    >>> round(figure.low, 2), figure.value, round(figure.high, 2)
    (0.3, 0.75, 0.95)
    """
    counting = counts > 0
    if not counting.any():
        return UNKNOWN
    # Weights of one are exact, and so is the share, whatever order a processor adds in.
    hits, counts, weights = hits[counting], counts[counting], weights[counting] / weights[counting].max()
    value = min(float(weights @ hits) / float(weights @ counts), 1.0)
    weights = weights / weights.sum()
    mean = float(weights @ counts)
    size = effective_size(value, (hits - value * counts) / mean, weights, caution=caution)
    return Figure(value, *score_interval(value, size))


def accuracy_figure(scored: Scored) -> Figure:
    """How often the most probable outcome is the true one, over all components; a tie of k outcomes counts 1/k."""
    return ratio(*hits_and_counts(scored), scored.weights)


def hits_and_counts(scored: Scored) -> tuple[FloatArray, FloatArray]:
    """(items,): how many of an item's outcomes are right, and how many are known."""
    return _pooled(scored, _right)


def log_loss_figure(scored: Scored) -> Figure:
    """Minus the mean logarithm of the true outcome's probability, over all components."""
    # A loss is between 0 and the one of the least chance, so it is a share of that.
    most = -np.log(min(_least_chance(part) for part in scored.joint))
    shares = _pooled(scored, lambda joint, truth: _losses(joint, truth) / most)
    # Losses are mostly far from 0 and 1, so their variance is soon known.
    found = ratio(*shares, scored.weights, caution=0.4)
    return Figure(found.value * most, found.low * most, found.high * most)


def _pooled(scored: Scored, value: Callable[[FloatArray, IntArray], FloatArray]) -> tuple[FloatArray, FloatArray]:
    """(items,): the sum of a value over the components whose outcome is known, and the number of these."""
    total, counts = np.zeros(len(scored.rows)), np.zeros(len(scored.rows))
    for joint, truth in zip(scored.joint, scored.outcomes, strict=True):
        known = truth >= 0
        total[known] += value(joint[known], truth[known])
        counts += known
    return total, counts


def _right(joint: FloatArray, truth: IntArray) -> FloatArray:
    found: FloatArray = most_probable_shares(joint)[np.arange(len(truth)), truth]
    return found


def _losses(joint: FloatArray, truth: IntArray) -> FloatArray:
    found: FloatArray = -np.log(np.maximum(joint[np.arange(len(truth)), truth], _least_chance(joint)))
    return found


def _least_chance(joint: FloatArray) -> float:
    return min(LEAST_CHANCE, 0.1 / float(joint.shape[1]))


@dataclass(frozen=True, eq=False)
class TaskScores:
    """How the labels of one task compare with gold."""

    counts: IntArray
    """(labels, labels): how many items have which true label (rows), and which label here (columns)."""
    accuracy: Figure
    macro_f1: Figure
    f1: tuple[Figure, ...]
    """Per label."""


def task_scores(scored: Scored, task: str, labels: int) -> TaskScores:
    """The labels of a task. In the accuracy, a tie counts in part; for the rest, its first label is chosen."""
    known = scored.labels[task] > UNSETTLED
    truth, said, weights = scored.labels[task][known] % labels, scored.said(task)[known] % labels, scored.weights[known]
    counts = np.zeros((labels, labels), dtype=np.int64)
    np.add.at(counts, (truth, said), 1)
    f1 = tuple(_f1(truth, said, weights, label) for label in range(labels))
    accuracy = ratio(scored.right(task)[known], np.ones(len(truth)), weights)
    return TaskScores(counts, accuracy, _mean_f1(f1, truth, said, weights), f1)


def _f1(truth: IntArray, said: IntArray, weights: FloatArray, label: int) -> Figure:
    """Twice the items that have a label and were given it, over those that have it plus those that were given it."""
    true, given = truth == label, said == label
    some = true | given
    both = (true & given)[some]
    return ratio(2.0 * both, 1.0 + both, weights[some])


def _mean_f1(f1: tuple[Figure, ...], truth: IntArray, said: IntArray, weights: FloatArray) -> Figure:
    """The mean F1 of the labels that gold or the labels have.

    Its interval is recovered from those of the labels (MOVER: Donner and Zou, 2010). Their errors go together, since
    one label's wrong item is another one's missed one. Labels that were not seen at all may be anything.
    """
    labels = len(f1)
    parts = weights / weights.sum() if len(weights) else weights
    seen, squares = np.zeros((labels, labels)), np.zeros((labels, labels))
    np.add.at(seen, (truth, said), parts)
    np.add.at(squares, (truth, said), parts**2)
    totals = seen.sum(axis=0) + seen.sum(axis=1)
    occurs = totals > 0
    if not occurs.any():
        return UNKNOWN
    values, lows, highs = (
        np.array([getattr(figure, name) for figure in f1])[occurs] for name in ("value", "low", "high")
    )
    squares, totals = squares[np.ix_(occurs, occurs)], totals[occurs]
    pull = values / totals
    common = (squares + squares.T) * np.outer(pull, pull)
    both = np.diag(squares)
    own = both * (2 * (1 - values) / totals) ** 2 + (squares.sum(axis=0) + squares.sum(axis=1) - 2 * both) * pull**2
    spread = np.sqrt(own)
    with np.errstate(divide="ignore", invalid="ignore"):
        together = np.where(np.outer(spread, spread) > 0, common / np.outer(spread, spread), 0)
    np.fill_diagonal(together, 1)
    mean, unseen = float(values.mean()), int((~occurs).sum())
    down, up = values - lows, highs - values
    return Figure(
        mean,
        max(0.0, mean - float(np.sqrt(down @ together @ down + unseen * mean**2)) / labels),
        min(1.0, mean + float(np.sqrt(up @ together @ up + unseen * (1 - mean) ** 2)) / labels),
    )


@dataclass(frozen=True, eq=False)
class Calibration:
    """How often labels of a confidence are right; an entry for each range of confidence with items."""

    ranges: IntArray
    confidence: FloatArray
    accuracy: FloatArray
    items: IntArray
    error: Figure


def calibration_figures(scored: Scored, ranges: int) -> Calibration:
    """Per range of confidence in the most probable outcome, over all components: mean confidence and accuracy."""
    confidence, right, weights = [], [], []
    for joint, truth in zip(scored.joint, scored.outcomes, strict=True):
        known = truth >= 0
        confidence.append(joint[known].max(axis=1))
        right.append(joint[known].argmax(axis=1) == truth[known])
        weights.append(scored.weights[known])
    sure, good, heavy = (np.concatenate(part).astype(np.float64) for part in (confidence, right, weights))
    if not len(sure):
        nothing = np.empty(0)
        return Calibration(np.empty(0, dtype=np.int64), nothing, nothing, np.empty(0, dtype=np.int64), Figure(0, 0, 1))
    found, at = np.unique(np.minimum((sure * ranges).astype(np.int64), ranges - 1), return_inverse=True)
    mass = np.bincount(at, weights=heavy)
    means = np.bincount(at, weights=heavy * sure) / mass
    shares = np.bincount(at, weights=heavy * good) / mass
    sizes = mass**2 / np.bincount(at, weights=heavy**2)
    error = _calibration_error(np.abs(means - shares), shares, sizes, mass / mass.sum())
    return Calibration(found.astype(np.int64), means, shares, np.bincount(at), error)


def _calibration_error(gaps: FloatArray, shares: FloatArray, sizes: FloatArray, mass: FloatArray) -> Figure:
    """The mean gap between confidence and accuracy.

    Chance makes gaps, also where there are none, so the interval is that of the mean gaps which would make one as
    large as the one seen neither too rarely nor too often, if all gaps were larger or smaller by one factor.
    """
    seen = float(mass @ gaps)
    likely = (shares * sizes + 1) / (sizes + 2)
    noise = np.random.default_rng(0).standard_normal((_DRAWS, len(gaps))) * np.sqrt(likely * (1 - likely) / sizes)
    plausible = []
    for step in _STEPS:
        drawn = np.abs(step * gaps + noise) @ mass
        if np.mean(drawn >= seen) >= 0.025 and np.mean(drawn <= seen) >= 0.025:
            plausible.append(step)
    low, high = (plausible[0], plausible[-1]) if plausible else (0.0, 1.0)
    return Figure(seen, min(seen, seen * low), min(1.0, max(seen, seen * high)))
