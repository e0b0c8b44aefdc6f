"""Calibration: one scale a component, by which log-probabilities are multiplied, so that confidence means what it says.

A network is as unsure as its labels, and after a few epochs less sure still. How sure it may be is seen on items
that it was not trained on:

- *Against labels*: its mean confidence in the outcomes it chooses is to be what the labels give these outcomes on
  average. Labels that know the votes alone judge choices made from the data alone, so they find them right too rarely:
  where votes leave a doubt, the data may not. If both were independent given the truth, an item's label and its
  prediction would multiply. Votes are often made from the data, though, so the prediction counts for a fifth of that
  (:data:`_INDEPENDENCE`). All of it rests on labels that are right as often as they claim.
- *Against gold*, where labels carry some: the likelihood of how often its choices are right. What labels say is then
  the prior.

A scale changes no decision: the most probable outcome stays the most probable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from zlib import crc32

import numpy as np
import numpy.typing as npt

from assay.gold import CheckedLabels

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_SHARE, _MOST = 0.2, 10_000
"""How many of the items are held out: their share, and no more than so many."""
_SURPRISE = 1.0
"""The standard deviation of the logarithm of a scale before anything was seen."""
_INDEPENDENCE = 0.2
"""How much predictions add to labels, as a share of what they would if they shared no errors. Chosen on simulated
texts, see docs/decisions/0035: the largest that costs nothing where all votes are made from the data."""
_BEYOND_LABELS = 0.3
"""The standard deviation after labels were seen, and before gold was. Chosen on the same."""
_GRID = np.linspace(np.log(0.1), np.log(10), 41)
_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What was predicted for items without training on them, with what their labels say."""

    log_joint: FloatArray
    """(items, outcomes): of one component."""
    labels: FloatArray
    """(items, outcomes): their labels, or gold."""
    weights: FloatArray | None = None
    """(items,): how many items each stands for; one if there are none."""

    def __len__(self) -> int:
        return len(self.labels)

    def confidence(self, scale: float) -> FloatArray:
        """(items,): the probability of the chosen outcome."""
        return np.asarray(scaled(self.log_joint, scale).max(axis=1))

    @property
    def right(self) -> FloatArray:
        """(items,): how probable labels find the chosen outcome; of gold, whether it is right."""
        return np.asarray(self.labels[np.arange(len(self)), self._chosen])

    def believed(self, scale: float) -> FloatArray:
        """(items,): how probable the chosen outcome is for labels that have heard of the prediction."""
        heard = np.log(np.maximum(self.labels, _TINY)) + _INDEPENDENCE * (scale * self.log_joint - self._log_balance)
        return np.asarray(scaled(heard, 1.0)[np.arange(len(self)), self._chosen])

    @cached_property
    def _chosen(self) -> IntArray:
        return np.asarray(self.log_joint.argmax(axis=1))

    @cached_property
    def _log_balance(self) -> FloatArray:
        return np.asarray(np.log(np.maximum(self.labels.mean(axis=0), _TINY)))


def learned_scale(ordinary: HeldOut, gold: HeldOut | None = None) -> float:
    """The scale that fits held-out items, of which some may have gold.

    >>> unsure = np.log(np.array([[0.6, 0.4], [0.4, 0.6]] * 500))
    >>> labels = np.array([[0.8, 0.2], [0.2, 0.8]] * 500)
    >>> round(learned_scale(HeldOut(unsure, labels)), 1)
    4.2
    """

    def against_labels(log_scale: float) -> float:
        prior = (log_scale / _SURPRISE) ** 2
        if not len(ordinary):
            return prior
        mean = float(ordinary.believed(np.exp(log_scale)).mean())
        gap = float(ordinary.confidence(np.exp(log_scale)).mean()) - mean
        return prior + gap**2 * len(ordinary) / (mean * (1 - mean) + 1 / len(ordinary))

    by_labels = _lowest(against_labels)
    if gold is None or not len(gold):
        return float(np.exp(by_labels))
    weights = np.ones(len(gold)) if gold.weights is None else gold.weights
    # So that they sum to the effective number of items.
    weights = weights * weights.sum() / (weights**2).sum()

    def against_gold(log_scale: float) -> float:
        sure = np.clip(gold.confidence(np.exp(log_scale)), _TINY, 1 - _TINY)
        likely = gold.right * np.log(sure) + (1 - gold.right) * np.log(1 - sure)
        return -2 * float(weights @ likely) + ((log_scale - by_labels) / _BEYOND_LABELS) ** 2

    return float(np.exp(_lowest(against_gold)))


def _lowest(loss: Callable[[float], float]) -> float:
    """Where a function of the logarithm of a scale is lowest."""
    from scipy.optimize import minimize_scalar

    at = int(np.argmin([loss(float(point)) for point in _GRID]))
    around = _GRID[max(at - 1, 0)], _GRID[min(at + 1, len(_GRID) - 1)]
    return float(minimize_scalar(loss, bounds=around, method="bounded", options={"xatol": 1e-4}).x)


def scaled(log_joint: FloatArray, scale: float) -> FloatArray:
    """(items, outcomes): probabilities whose logarithms were multiplied by a scale.

    >>> scaled(np.log([[0.8, 0.2]]), 1.0).round(2), scaled(np.log([[0.8, 0.2]]), 2.0).round(2)
    (array([[0.8, 0.2]]), array([[0.94, 0.06]]))
    """
    powers = np.exp(scale * (log_joint - log_joint.max(axis=1, keepdims=True)))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def held_out_parts(contents: Sequence[bytes], gold: CheckedLabels | None, seed: int) -> list[BoolArray]:
    """Masks (items,) of what to hold out of a training each: one part, or two that share the items with gold.

    Items with gold are few, and each of them is to be held out once; of the others some will do. Which they are follows
    from their ``contents``, not from their order.
    """
    order = _dealt(contents, seed)
    has_gold = np.zeros(len(order), dtype=bool)
    if gold is not None:
        has_gold[gold.rows] = True
    count = 2 if has_gold.any() else 1
    parts = np.full(len(order), -1)
    others = order[~has_gold[order]][: min(_MOST, round(_SHARE * len(order)))]
    for rows in (others, order[has_gold[order]]):
        parts[rows] = np.arange(len(rows)) % count
    return [parts == number for number in range(count) if 0 < (parts == number).sum() < len(order)]


def _dealt(contents: Sequence[bytes], seed: int) -> IntArray:
    """Items in an order that looks random, and is the same wherever they stood; copies of one are far apart."""
    codes = np.array([crc32(content) for content in contents], dtype=np.uint64)
    sorted_ = np.argsort(codes, kind="stable")
    _, starts, sizes = np.unique(codes[sorted_], return_index=True, return_counts=True)
    copy = np.empty(len(codes), dtype=np.uint64)
    copy[sorted_] = np.arange(len(codes)) - np.repeat(starts, sizes)
    keys = random_keys(codes + (copy << np.uint64(32)), seed)
    return np.argsort(keys, kind="stable")


def random_keys(numbers: npt.NDArray[np.uint64], seed: int) -> npt.NDArray[np.uint64]:
    """A number for each number, that looks random (the finaliser of SplitMix64).

    >>> random_keys(np.array([1, 2, 1], dtype=np.uint64), 0) % np.uint64(100)
    array([ 0, 79,  0], dtype=uint64)
    """
    with np.errstate(over="ignore"):
        mixed = (numbers + np.uint64(seed % 2**32 + 1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def scales_of(
    found: Sequence[FloatArray], labels: Sequence[FloatArray], rows: IntArray, gold: CheckedLabels | None
) -> tuple[float, ...]:
    """Per component its scale.

    Parameters
    ----------
    found
        Per component (held out, outcomes): logarithms of what was predicted for some items.
    labels
        Per component (items, outcomes): the labels of all items.
    rows
        (held out,): which items these are.
    gold
        What gold says of some items.
    """
    known = np.zeros(len(rows), dtype=bool) if gold is None else np.isin(rows, gold.rows)
    scales = []
    for index, (log_joint, own) in enumerate(zip(found, labels, strict=True)):
        ordinary = HeldOut(log_joint[~known], own[rows[~known]])
        checked = None
        if gold is not None:
            at = np.searchsorted(gold.rows, rows[known])
            settled = gold.outcomes(index)[at] >= 0
            truth = gold.allowed[index][at[settled]].astype(np.float64)
            checked = HeldOut(log_joint[known][settled], truth, gold.weights[at[settled]])
        scales.append(learned_scale(ordinary, checked))
    return tuple(scales)
