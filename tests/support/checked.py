"""Labels with gold that checks them, drawn from a known truth."""

import numpy as np

from assay.gold import CheckedLabels
from assay.labels import Labels


def softmax(scores):
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def predictions(rng, truth, balance, *, signal=1.5, sharpness=1.0):
    """Probabilities from a noisy signal about the truth: calibrated if sharpness is 1, overconfident above."""
    balance = np.asarray(balance)
    noisy = rng.normal(size=(len(truth), len(balance))) + signal * np.eye(len(balance))[truth]
    return softmax(sharpness * (np.log(balance) + signal * noisy))


def with_gold(tasks, joint, truth, rows, weights=None):
    """Labels whose gold, in these rows, is the truth: they are certain there, and their predictions are held out."""
    rows = np.sort(np.asarray(rows))
    allowed = np.eye(joint.shape[1], dtype=bool)[truth[rows]]
    told = joint.copy()
    told[rows] = allowed
    gold = CheckedLabels(rows, (allowed,), (joint[rows],), np.ones(len(rows)) if weights is None else weights)
    return Labels(tasks, (told,), gold=gold)


def any_checked_labels(tasks, items, seed, names=None):
    """Labels of any task graph, some with gold, which may allow several outcomes; all of them random."""
    rng = np.random.default_rng(seed)
    rows = np.flatnonzero(rng.random(items) < 0.5)
    joint, allowed, held_out = [], [], []
    for component in tasks.label_space.components:
        part = rng.dirichlet(np.ones(len(component)), size=items)
        may = rng.random((len(rows), len(component))) < 0.4
        may[np.arange(len(rows)), rng.integers(0, len(component), len(rows))] = True
        held_out.append(part[rows].copy())
        part[rows] = np.where(may, part[rows], 0)
        part[rows] /= part[rows].sum(axis=1, keepdims=True)
        joint.append(part)
        allowed.append(may)
    gold = CheckedLabels(rows, tuple(allowed), tuple(held_out), rng.random(len(rows)) + 0.5)
    return Labels(tasks, tuple(joint), names, gold=gold if len(rows) else None)


def same_gold(one, other):
    """Assert that two labels carry the same gold, bit by bit."""
    assert (one is None) == (other is None)
    if one is None:
        return
    np.testing.assert_array_equal(one.rows, other.rows)
    np.testing.assert_array_equal(one.weights, other.weights)
    for name in ("allowed", "held_out"):
        for a, b in zip(getattr(one, name), getattr(other, name), strict=True):
            np.testing.assert_array_equal(a, b)
            assert a.dtype == b.dtype
