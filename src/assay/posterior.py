"""P(outcome | votes), in log space.

The junction tree is read off as a product over cliques, each given its separator;
in logarithms that is a sum, and over many items a sparse matrix times a table.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from assay.parameters import TINY, Parameters

FloatArray = npt.NDArray[np.float64]

BLOCK = 100_000
"""Rows that are worked on together; bounds the memory, not the result."""


def weights(parameters: Parameters) -> tuple[FloatArray, FloatArray]:
    """What votes add to the log-probability of each outcome.

    Returns
    -------
    (configurations, outcomes)
        For each column of the design matrix: the gain over the clique abstaining.
    (outcomes,)
        The log-probability of the outcome and of all sources abstaining.
    """
    logs = [np.log(np.maximum(table, TINY)) for table in parameters.tables]
    base = np.log(np.maximum(parameters.balance, TINY)) + sum(log[-1] for log in logs)
    gains = np.vstack([np.empty((0, len(base))), *(log[:-1] - log[-1] for log in logs)])
    return gains, base


def log_joint(parameters: Parameters, design: sparse.csr_array) -> FloatArray:
    """(items, outcomes): log P(votes, outcome)."""
    gains, base = weights(parameters)
    logs: FloatArray = np.asarray(design @ gains) + base
    return logs


def posterior(parameters: Parameters, codes: npt.NDArray[np.integer]) -> FloatArray:
    """(items, outcomes): P(outcome | votes). Rows sum to one; without votes they are what the model expects then."""
    found = np.empty((len(codes), len(parameters.balance)))
    for start in range(0, len(codes), BLOCK):
        rows = slice(start, start + BLOCK)
        found[rows] = softmax(log_joint(parameters, parameters.layout.design(codes[rows])))[0]
    return found


def softmax(logs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(items, outcomes) probabilities from log-probabilities, and (items,) the logarithm of their sum."""
    highest = logs.max(axis=1, keepdims=True)
    chances = np.exp(logs - highest)
    total = chances.sum(axis=1, keepdims=True)
    return chances / total, (np.log(total) + highest)[:, 0]
