"""NPLM, a label model of partial labels: Yu, Ding and Bach 2022, *Learning from Multiple Noisy Partial Labelers*.

A source answers with one of its groups of classes. It votes on a share of all items that does not depend on the true
class. Its vote is then, with its accuracy for that class, one of its groups with the class, and else one of those
without; groups of either kind are equally likely. Classes that are in none of its groups make up a group of their own,
which is never voted for: the paper asks for each class to be in some group.

Accuracies and the class balance climb the marginal likelihood as in the authors' code, which is not on PyPI: from
accuracies of 0.7 and even classes, by 200 steps of Adam, here on all items at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.integer]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

START, STEPS, RATE = 0.7, 200, 0.1


@dataclass(frozen=True)
class Nplm:
    """A fitted model of sources whose votes are numbers of groups, −1 for none."""

    groups: tuple[BoolArray, ...]
    """Per source (groups, classes): the classes of each group."""
    balance: FloatArray
    accuracies: FloatArray
    """(sources, classes)."""

    def posterior(self, votes: Codes) -> FloatArray:
        """(items, classes): P(class | votes)."""
        logs = np.tile(np.log(self.balance), (len(votes), 1))
        for groups, accuracy, said in zip(self.groups, self.accuracies, votes.T, strict=True):
            with_class, without = np.maximum(groups.sum(axis=0), 1), np.maximum((~groups).sum(axis=0), 1)
            table = np.where(groups, accuracy / with_class, (1 - accuracy) / without)
            logs += np.where(said[:, None] >= 0, np.log(table)[said], 0.0)
        chances = np.exp(logs - logs.max(axis=1, keepdims=True))
        posterior: FloatArray = chances / chances.sum(axis=1, keepdims=True)
        return posterior


def fitted(votes: Codes, groups: Sequence[BoolArray]) -> Nplm:
    """Fit to (items, sources) votes; ``groups`` are the sets of classes that each source's votes stand for."""
    patterns, counts = np.unique(votes, axis=0, return_counts=True)
    weights = (counts / counts.sum())[:, None]
    whole = tuple(_completed(one) for one in groups)
    sources, classes = len(groups), groups[0].shape[1]
    # Log-odds of the accuracies, then logits of the balance.
    at = np.append(np.full(sources * classes, np.log(START / (1 - START))), np.zeros(classes))
    # The authors' parameters are half the log-odds, so that their steps of 0.1 are twice as long here.
    climb = Adam(RATE * np.append(np.full(sources * classes, 2.0), np.ones(classes)))
    for _ in range(STEPS):
        model = _model(whole, at)
        posterior = weights * model.posterior(patterns)
        slopes = [_slope(posterior, *each) for each in zip(patterns.T, whole, model.accuracies, strict=True)]
        at = at + climb.step(np.append(np.ravel(slopes), posterior.sum(axis=0) - model.balance))
    return _model(whole, at)


def _model(groups: tuple[BoolArray, ...], at: FloatArray) -> Nplm:
    classes = groups[0].shape[1]
    balance = np.exp(at[-classes:] - at[-classes:].max())
    accuracies = 1 / (1 + np.exp(-at[:-classes].reshape(-1, classes)))
    return Nplm(groups, balance / balance.sum(), accuracies)


def _slope(posterior: FloatArray, said: Codes, groups: BoolArray, accuracy: FloatArray) -> FloatArray:
    """(classes,): of the mean log-likelihood, along the log-odds of a source's accuracies."""
    voted = said >= 0
    slope: FloatArray = (posterior[voted] * (groups[said[voted]] - accuracy)).sum(axis=0)
    return slope


class Adam:
    """Kingma and Ba 2015, with its usual constants; upwards."""

    def __init__(self, rate: FloatArray) -> None:
        self._rate, self._steps = rate, 0
        self._mean = self._square = np.zeros_like(rate)

    def step(self, slope: FloatArray) -> FloatArray:
        """How far to go."""
        self._steps += 1
        self._mean = 0.9 * self._mean + 0.1 * slope
        self._square = 0.999 * self._square + 0.001 * slope**2
        mean, square = self._mean / (1 - 0.9**self._steps), self._square / (1 - 0.999**self._steps)
        return self._rate * mean / (np.sqrt(square) + 1e-8)


def _completed(groups: BoolArray) -> BoolArray:
    """With a group of the classes that are in no other."""
    left = ~groups.any(axis=0)
    return np.vstack([groups, left]) if left.any() else groups
