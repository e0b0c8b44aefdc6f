"""A small world to refine labels in, and a model that learns it in no time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

import assay
from assay.endmodel.refinement.layers import softmax
from assay.simulate import flat_world


def said_of(
    truth: npt.NDArray[np.int64], classes: int, strength: float, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """(items, classes): the exact posterior of a normal observation of each item, with equal shares of classes."""
    seen = strength * np.eye(classes)[truth] + rng.normal(size=(len(truth), classes))
    return softmax(strength * seen)


class SmallWorld:
    """Votes of six sources on items with features, some of them without votes."""

    def __init__(self, seed: int, items: int = 1_500, signal: float = 1.5, silent: float = 0.1) -> None:
        rng = np.random.default_rng(seed)
        drawn = flat_world(sources=6, seed=seed).draw(items)
        self.truth = drawn.gold
        codes = drawn.votes.codes.copy()
        codes[rng.random(items) < silent] = -1
        self.votes = assay.Votes.from_matrix(codes, labels=["no", "yes"])
        self.features = signal * np.eye(2)[self.truth] + rng.normal(size=(items, 2))
        self.labels = assay.LabelModel().fit(self.votes, progress=False).label(self.votes)

    def right(self, labels: assay.Labels) -> float:
        return float((labels.joint[0].argmax(axis=1) == self.truth).mean())


def regression() -> assay.SklearnEndModel:
    return assay.SklearnEndModel(LogisticRegression())
