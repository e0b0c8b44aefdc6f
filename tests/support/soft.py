"""Classifiers of two labels whose probabilities tell something."""

import numpy as np

from assay import TaskGraph, Votes

MAIL = TaskGraph.flat("mail", ["ham", "spam"])


def probabilities(items, names, seed=0):
    """Source -> (items, 2), and the truth, as outcome numbers."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=items)
    tables = {}
    for name in names:
        odds = 2 * rng.normal(size=items) + 3 * (truth - 0.5)
        tables[name] = np.column_stack([1 / (1 + np.exp(odds)), 1 / (1 + np.exp(-odds))])
    return tables, truth


def soft_votes(tables):
    return Votes.from_probabilities(MAIL, tables)
