"""Logistic regression on votes: what gold labels teach without a label model."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from benchmarks.quality.cell import Codes, FloatArray
from benchmarks.quality.sets import log_loss

FOLDS = 5
STRENGTHS = tuple(10.0**power for power in range(-3, 3))
"""scikit-learn's C, the inverse of the L2 penalty; the strongest penalty first."""


def by_regression(votes: Codes, classes: int, gold: Codes) -> FloatArray:
    """(items, classes) by a multinomial regression of gold, (items,) with −1 unknown, on :func:`indicators`.

    The penalty has the least log loss in a cross-validation on the items with gold.
    """
    features, known = indicators(votes, classes), np.flatnonzero(gold >= 0)
    taught, truth = features[known], gold[known]
    losses = [validated(taught, truth, classes, strength) for strength in STRENGTHS]
    return predicted(taught, truth, features, classes, STRENGTHS[int(np.argmin(losses))])


def indicators(votes: Codes, classes: int) -> csr_matrix:
    """(items, pairs of a source and a class that it names): one where it does."""
    items, sources = np.nonzero(votes >= 0)
    pairs, columns = np.unique(sources * classes + votes[items, sources], return_inverse=True)
    return csr_matrix((np.ones(len(items)), (items, columns)), shape=(len(votes), len(pairs)))


def validated(taught: csr_matrix, truth: Codes, classes: int, strength: float) -> float:
    """The log loss on folds that were left out."""
    fold = folds(truth)
    found = np.empty((len(truth), classes))
    for left_out in np.unique(fold):
        out = np.flatnonzero(fold == left_out)
        rest = np.flatnonzero(fold != left_out)
        found[out] = predicted(taught[rest], truth[rest], taught[out], classes, strength)
    return log_loss(found, truth)


def folds(truth: Codes) -> Codes:
    """(items,): the fold of each, so that every class is spread over all folds as evenly as can be."""
    order = np.lexsort((np.random.default_rng(0).random(len(truth)), truth))
    found = np.empty(len(truth), dtype=np.int64)
    found[order] = np.arange(len(truth)) % FOLDS
    return found


def predicted(taught: csr_matrix, truth: Codes, features: csr_matrix, classes: int, strength: float) -> FloatArray:
    """(items, classes); a class that no item shows has the chance that Laplace's rule gives it, whatever the votes."""
    seen = np.unique(truth)
    unseen = 1 / (len(truth) + classes)
    found = np.full((features.shape[0], classes), unseen)
    share = 1 - (classes - len(seen)) * unseen
    if len(seen) < 2:
        found[:, seen] = share
    else:
        model = LogisticRegression(C=strength, max_iter=1_000).fit(taught, truth)
        found[:, seen] = share * model.predict_proba(features)
    return found
