r"""How votes and data add up: how common each outcome is, and the log-odds of each part, times what it is worth.

.. math:: \log P(y \mid \text{votes}, \text{data}) = \log \pi(y) + a \log \frac{P(y \mid \text{votes})}{\bar P(y)}
    + \sum_v b_v \log \frac{Q_v(y)}{\bar Q_v(y)} + \text{constant}

:math:`P` are the labels by votes, :math:`Q_v` the out-of-fold probabilities of a view, and :math:`\bar P`,
:math:`\bar Q_v` their means: how common either thinks each outcome is. That is said once, by :math:`\pi`, so that it
does not vanish where votes are worth little. A model that was trained on labels which are wrong now and then is
less sure than it should be, so that :math:`b` is often above 1; where data and votes repeat each other, :math:`a` is
below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

LEAST = 1e-6
"""The least probability that counts: no single part is surer than this."""
MOST_VOTES, MOST_DATA = 3.0, 5.0
"""The most that log-odds of votes, and of data, are multiplied by."""
PRIOR_STRENGTH = 60.0
"""How many items the first guess at the weights is worth beside what held-out sources say.

Chosen on simulated texts (``benchmarks.quality.text_worlds``)."""
_SOFT_ZERO = 0.1
_MOST_STEPS = 100
_SETTLED = 1e-5
"""Shares of outcomes that change by less have settled."""
Loss = Callable[[FloatArray], tuple[float, FloatArray]]
"""The loss at some weights, and its slope."""


@dataclass(frozen=True)
class Weights:
    """What the log-odds of votes, and those of each view of the data, are multiplied by."""

    votes: float
    data: tuple[float, ...]

    def log_posterior(self, balance: FloatArray, votes: FloatArray, data: Sequence[FloatArray]) -> FloatArray:
        """(items, outcomes): log-probabilities up to a constant for each item.

        Parameters
        ----------
        balance
            (outcomes,) or (items, outcomes): the logarithm of how common each outcome is.
        votes, data
            (items, outcomes), data for each view: see :func:`log_lift`.
        """
        found = balance + self.votes * votes
        for weight, part in zip(self.data, data, strict=True):
            if weight:
                found = found + weight * part
        return found

    @property
    def array(self) -> FloatArray:
        """Votes first."""
        return np.array([self.votes, *self.data])


def log_shares(joint: FloatArray) -> FloatArray:
    """(outcomes,): the logarithm of how common each outcome is."""
    return log_chances(joint.mean(axis=0))


def log_lift(joint: FloatArray, mean: FloatArray | None = None) -> FloatArray:
    """(items, outcomes): how much more probable each outcome is than on average, or than a given mean, in logs."""
    return log_chances(joint) - log_chances(joint.mean(axis=0) if mean is None else mean)


def log_chances(chances: FloatArray) -> FloatArray:
    """Logarithms, none of them too low."""
    return np.asarray(np.log(np.maximum(chances, LEAST)))


def softmax(logs: FloatArray) -> FloatArray:
    """(items, outcomes): probabilities."""
    chances = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def settled_balance(weights: Weights, start: FloatArray, votes: FloatArray, data: Sequence[FloatArray]) -> FloatArray:
    """(outcomes,): the log-shares of outcomes with which labels agree on average, kept near a start.

    What votes believe of the class balance is often wrong (one-sided sources do not tell it), and data corrects it.
    This is EM for the shares of a mixture of which everything else is known.

    Parameters
    ----------
    start
        (outcomes,): log-shares to begin with, and to stay with unless items say otherwise.
    votes, data
        (items, outcomes), data for each view: see :func:`log_lift`. A random part of the items is enough.
    """
    evidence = weights.log_posterior(np.zeros_like(start), votes, data)
    prior, found = np.exp(start), start
    for _ in range(_MOST_STEPS):
        counts = softmax(found + evidence).sum(axis=0) + PRIOR_STRENGTH * prior
        earlier, found = found, np.log(counts / counts.sum())
        if np.abs(np.exp(found) - np.exp(earlier)).max() < _SETTLED:
            break
    return found


def independent_weights(votes: FloatArray, data: Sequence[FloatArray], balance: FloatArray) -> Weights:
    """The weights if votes and data were independent given the truth: what makes the votes most likely given the data.

    Parameters
    ----------
    votes
        (items, outcomes): labels of items with votes.
    data
        Per view (items, outcomes): see :func:`log_lift`.
    balance
        (outcomes,): how common outcomes are.
    """
    prior = np.log(np.maximum(balance, LEAST))
    likelihood = votes / np.maximum(balance, LEAST)

    def loss(weights: FloatArray) -> tuple[float, FloatArray]:
        return _mixture_loss(prior + sum(w * part for w, part in zip(weights, data, strict=True)), likelihood, data)

    found = _minimum(loss, np.ones(len(data)), [(0.0, MOST_DATA)] * len(data))
    return Weights(1.0, tuple(float(weight) for weight in found))


def _mixture_loss(logs: FloatArray, likelihood: FloatArray, parts: Sequence[FloatArray]) -> tuple[float, FloatArray]:
    """Minus the mean log of Σ P(y) L(y), with P the softmax of logs, and its slope in the weight of each part."""
    chances = softmax(logs)
    mixed = np.maximum((chances * likelihood).sum(axis=1), 1e-300)
    pull = chances * (likelihood / mixed[:, None] - 1)
    return -float(np.log(mixed).mean()), -np.array([float((pull * part).sum(axis=1).mean()) for part in parts])


@dataclass(frozen=True, eq=False)
class HeldOutVotes:
    """Votes of sources that neither the labels nor the models of the data have seen, and what these say."""

    balance: FloatArray
    """(votes, outcomes): the logarithm of how common each outcome is, by the other sources."""
    votes: FloatArray
    """(votes, outcomes): log-lift of the item's outcomes, by the other sources."""
    data: tuple[FloatArray, ...]
    """Per view (votes, outcomes): its log-lift, taught by the other sources."""
    likelihood: FloatArray
    """(votes, outcomes): how probable such a vote is if the outcome holds, up to a factor for each vote."""

    def __len__(self) -> int:
        return len(self.votes)

    def log_likelihoods(self, weights: Weights) -> FloatArray:
        """(votes,): how well the other sources and the data foresee each vote."""
        chances = softmax(weights.log_posterior(self.balance, self.votes, self.data))
        return np.asarray(np.log(np.maximum((chances * self.likelihood).sum(axis=1), 1e-300)))

    def best_weights(self, guess: Weights, items: int) -> Weights:
        """The weights that foresee held-out votes best, kept near a guess unless there is reason.

        Held-out votes of an item are not independent, so they count like ``items`` votes in all.
        """
        bounds = [(0.0, MOST_VOTES), *[(0.0, MOST_DATA)] * len(guess.data)]
        parts = (self.votes, *self.data)

        def loss(weights: FloatArray) -> tuple[float, FloatArray]:
            logs = self.balance + sum(w * part for w, part in zip(weights, parts, strict=True))
            value, slope = _mixture_loss(logs, self.likelihood, parts)
            prior, prior_slope = _departure(weights, guess.array)
            strength = PRIOR_STRENGTH / max(items, 1)
            return value + strength * prior, slope + strength * prior_slope

        found = _minimum(loss, np.clip(guess.array, [low for low, _ in bounds], [high for _, high in bounds]), bounds)
        return Weights(float(found[0]), tuple(float(weight) for weight in found[1:]))


def _departure(weights: FloatArray, guess: FloatArray) -> tuple[float, FloatArray]:
    """How far weights are from a guess, and its slope: plainly for votes, in logs for data."""
    votes = weights[0] - guess[0]
    data = np.log(weights[1:] + _SOFT_ZERO) - np.log(guess[1:] + _SOFT_ZERO)
    slope = np.concatenate([[2 * votes], 2 * data / (weights[1:] + _SOFT_ZERO)])
    return float(votes**2 + (data**2).sum()), slope


def _minimum(loss: Loss, start: FloatArray, bounds: list[tuple[float, float]]) -> FloatArray:
    from scipy.optimize import minimize

    found: FloatArray = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x
    return found
