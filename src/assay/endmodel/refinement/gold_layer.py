"""What gold shows of votes and data: how reliable the data is at each level of sureness, how far it repeats the votes.

Each step of the ladder may only stay if it is not worse than the one below on gold that it was not fitted to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from assay.endmodel.refinement.layers import MOST_DATA, MOST_VOTES, Weights, softmax

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

LEVELS = 3
"""How sure the data is of an item: least, middle, most."""
STEPS = ("weights", "levels", "outcomes")
"""What is learned on gold: the weights of votes and data, then by level, then a shift of each outcome."""
STRENGTHS = {"weights": 4.0, "levels": 8.0, "outcomes": 8.0}
"""How strongly each is kept where it starts. Checked on simulated texts, not tuned."""
FEWEST = 20
"""With fewer items, gold teaches nothing here."""
_FOLDS = 10


@dataclass(frozen=True, eq=False)
class GoldLayer:
    """How votes and data add up, as gold has it."""

    weights: Weights
    by_level: FloatArray
    """(levels,): a factor of the data's weights, as a logarithm."""
    shift: FloatArray
    """(outcomes,): what is added to each outcome."""
    step: str = "none"
    """How far up the ladder it got."""

    def log_posterior(
        self, balance: FloatArray, votes: FloatArray, data: Sequence[FloatArray], level: IntArray
    ) -> FloatArray:
        """(items, outcomes): log-probabilities up to a constant for each item."""
        factor = np.exp(self.by_level[level])[:, None]
        return self.weights.log_posterior(balance + self.shift, votes, [factor * part for part in data])


@dataclass(frozen=True, eq=False)
class GoldEvidence:
    """Items with gold, as votes and data see them without it."""

    balance: FloatArray
    """(outcomes,): the logarithm of how common each outcome is."""
    votes: FloatArray
    data: tuple[FloatArray, ...]
    level: IntArray
    allowed: BoolArray
    weights: FloatArray
    """(items,): how many items each stands for."""

    def take(self, chosen: BoolArray) -> GoldEvidence:
        """Some of the items."""
        data = tuple(part[chosen] for part in self.data)
        return replace(
            self,
            votes=self.votes[chosen],
            data=data,
            level=self.level[chosen],
            allowed=self.allowed[chosen],
            weights=self.weights[chosen],
        )

    def said(self, layer: GoldLayer) -> FloatArray:
        """(items, outcomes): probabilities by a layer."""
        return softmax(layer.log_posterior(self.balance, self.votes, self.data, self.level))

    def losses(self, layer: GoldLayer) -> FloatArray:
        """(items,): minus the log-probability of what gold says."""
        chances = self.said(layer)
        return np.asarray(-np.log(np.maximum((chances * self.allowed).sum(axis=1), 1e-12)))


def levels_of(data: Sequence[FloatArray], weights: Weights) -> IntArray:
    """(items,): how sure the data is of each item, 0 for least."""
    logs = sum(weight * part for weight, part in zip(weights.data, data, strict=True))
    sure = softmax(np.asarray(logs)).max(axis=1) if np.ndim(logs) == 2 else np.zeros(len(data[0]))
    edges = np.quantile(sure, np.arange(1, LEVELS) / LEVELS)
    return np.searchsorted(edges, sure, side="right").astype(np.int64)


def learned_on_gold(gold: GoldEvidence, start: Weights, seed: int) -> tuple[GoldLayer, FloatArray]:
    """The layer that gold supports, and (items, outcomes) what it says of gold items without their own gold."""
    layer = GoldLayer(start, np.zeros(LEVELS), np.zeros(gold.votes.shape[1]))
    said = gold.said(layer)
    if len(gold.votes) < FEWEST:
        return layer, said
    fold = np.random.default_rng([seed, len(gold.votes)]).permutation(len(gold.votes)) % _FOLDS
    lowest = float(np.average(gold.losses(layer), weights=gold.weights))
    for count in range(1, len(STEPS) + 1):
        used = STEPS[:count]
        losses, parts = np.zeros(len(fold)), np.zeros_like(said)
        for number in range(_FOLDS):
            held = fold == number
            fitted = _fit(gold.take(~held), start, used)
            here = gold.take(held)
            losses[held] = here.losses(fitted)
            parts[held] = here.said(fitted)
        loss = float(np.average(losses, weights=gold.weights))
        if loss < lowest:
            lowest, said = loss, parts
            layer = _fit(gold, start, used)
    return layer, said


def _fit(gold: GoldEvidence, start: Weights, steps: Sequence[str]) -> GoldLayer:
    """The most probable layer: gold's likelihood, and a prior around where it starts."""
    from scipy.optimize import minimize

    views, outcomes = len(gold.data), gold.votes.shape[1]
    mean = gold.weights / gold.weights.mean()
    free = np.array([True] * (1 + views) + ["levels" in steps] * LEVELS + ["outcomes" in steps] * outcomes)
    middle = np.concatenate([start.array, np.zeros(LEVELS + outcomes)])
    strength = np.concatenate(
        [
            np.full(1 + views, STRENGTHS["weights"]),
            np.full(LEVELS, STRENGTHS["levels"]),
            np.full(outcomes, STRENGTHS["outcomes"]),
        ]
    )
    at_level = np.eye(LEVELS)[gold.level]

    def unpacked(values: FloatArray) -> GoldLayer:
        whole = middle.copy()
        whole[free] = values
        weights = Weights(float(whole[0]), tuple(whole[1 : 1 + views].tolist()))
        return GoldLayer(weights, whole[1 + views : 1 + views + LEVELS], whole[1 + views + LEVELS :], steps[-1])

    def loss(values: FloatArray) -> tuple[float, FloatArray]:
        layer = unpacked(values)
        chances = gold.said(layer)
        right = np.maximum((chances * gold.allowed).sum(axis=1, keepdims=True), 1e-12)
        pull = mean[:, None] * (chances - chances * gold.allowed / right)
        factor = np.exp(layer.by_level[gold.level])
        along = [(pull * part).sum(axis=1) * factor for part in gold.data]
        all_data = sum(weight * part for weight, part in zip(layer.weights.data, along, strict=True))
        slope = np.concatenate(
            [
                [(pull * gold.votes).sum()],
                [part.sum() for part in along],
                at_level.T @ all_data,
                pull.sum(axis=0),
            ]
        )
        away = values - middle[free]
        value = -float((mean * np.log(right[:, 0])).sum()) + 0.5 * float((strength[free] * away**2).sum())
        return value, slope[free] + strength[free] * away

    bounds = [(0.0, MOST_VOTES), *[(0.0, MOST_DATA)] * views, *[(-1.5, 1.5)] * LEVELS, *[(-5.0, 5.0)] * outcomes]
    kept = [bound for bound, is_free in zip(bounds, free, strict=True) if is_free]
    return unpacked(minimize(loss, middle[free], jac=True, bounds=kept, method="L-BFGS-B").x)
