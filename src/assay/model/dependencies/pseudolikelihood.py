r"""An ℓ1-penalised regression for each source on all others, with the truth marginalised (Bach et al., 2017).

Given the other votes, source i emits v with the probability

.. math:: P(\lambda_i = v \mid \lambda_{-i}) = \sum_y P(y \mid \lambda_{-i})\,
          \mathrm{softmax}_v \Bigl( \log P(v \mid y) + \sum_j \theta_j\, 1\{v \text{ agrees with } \lambda_j\}
          + \phi_j\, 1\{v \text{ and } \lambda_j \text{ vote}\} \Bigr) ,

where the tables are those of independent sources. All :math:`\theta` and :math:`\phi` are penalised, in proportion to
the standard deviation of their gradient, so that chance alone hardly ever makes one non-zero. Two sources are dependent
if each has a weight for the other. The model is not refitted once the dependencies are known, so the bias of the tables
from one strong group remains.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from assay.model.dependencies.problem import Pair, Problem
from assay.model.estimate.residuals import compatible_values
from assay.model.parameters import TINY, Parameters

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_PATTERNS = 5_000
_FIRST_STEPS = 3
_STEPS = 60


def pseudolikelihood(problem: Problem, *, false_discoveries: float) -> dict[Pair, float]:
    """Dependent pairs of sources, and the weight (log-odds) that the two have for each other."""
    m = problem.sources
    # Enough steps to separate good sources from bad, too few for a dependent clique to take the place of the truth.
    parameters, _ = problem.refit([], problem.first_fit()[0], _FIRST_STEPS)
    chosen = np.unique(np.linspace(0, len(problem.patterns) - 1, _PATTERNS).astype(np.int64))
    codes = problem.patterns.rows.take(chosen).dense(np.int64)
    counts = problem.seen[chosen]
    # A Bonferroni correction over all weights.
    penalty = float(-ndtri(false_discoveries / max(2 * m * (m - 1), 1)))
    weights = np.zeros((m, m))
    for source in range(m):
        weights[source] = _weights(parameters, source, codes, counts, penalty)
    mutual = np.minimum(weights, weights.T)
    pairs = [(int(i), int(j)) for i, j in np.argwhere(np.triu(mutual, 1) > 0)]
    return {pair: float(mutual[pair]) for pair in sorted(pairs, key=lambda pair: (-mutual[pair], pair))}


def _weights(
    parameters: Parameters, source: int, codes: npt.NDArray[np.integer], counts: FloatArray, penalty: float
) -> FloatArray:
    """(sources,): the larger of one source's weights for agreement, and for overlap, with each other source."""
    layout = parameters.layout
    m, values = len(layout.masks), len(layout.masks[source])
    first = layout.value_offsets
    spoke = codes >= 0
    others = np.where(spoke, first[:-1] + codes, 0)
    compatible = compatible_values(layout)[first[source] : first[source + 1]]
    other_votes = spoke.astype(float)
    other_votes[:, source] = 0.0
    # (values · items, features): the votes that each value would agree, or overlap, with; abstain has none.
    features = np.vstack([np.hstack([compatible[v][others] * other_votes, other_votes]) for v in range(values)])
    said = np.where(spoke[:, source], codes[:, source], values)
    table = np.log(np.maximum(parameters.conditionals[source], TINY))
    outcome = _posterior_from_others(parameters, source, codes)
    rows = np.arange(len(codes))

    def gradients(theta: FloatArray) -> FloatArray:
        """(values, items): the derivative of each item's log-likelihood with respect to the score of each value."""
        score = np.vstack([(features @ theta).reshape(values, -1), np.zeros((1, len(codes)))])
        tilted = table[:, None, :] + score[:, :, None]
        chance = np.exp(tilted - tilted.max(axis=0))
        chance /= chance.sum(axis=0)
        share = outcome * chance[said, rows]
        share /= np.maximum(share.sum(axis=1, keepdims=True), TINY)
        predicted = np.einsum("vny,ny->vn", chance[:-1], share)
        found: FloatArray = (said == np.arange(values)[:, None]) - predicted
        return found

    width = features.shape[1]
    start = gradients(np.zeros(width))
    each = (start.ravel()[:, None] * features).reshape(values, -1, width).sum(axis=0)
    deviation = np.sqrt(np.maximum(counts @ each**2, 1.0))
    allowed = penalty * deviation
    gram = (features.T * np.tile(counts, values)) @ features
    step = 1 / max(0.5 * float(np.linalg.eigvalsh(gram)[-1]), 1.0)
    theta, ahead, pace = np.zeros(width), np.zeros(width), 1.0
    for _ in range(_STEPS):
        slope = (gradients(ahead) * counts).ravel() @ features
        moved = ahead + step * slope
        new = np.sign(moved) * np.maximum(np.abs(moved) - step * allowed, 0.0)
        faster = (1 + np.sqrt(1 + 4 * pace**2)) / 2
        ahead = new + (pace - 1) / faster * (new - theta)
        theta, pace = new, faster
    # Less overlap than expected does not count, as in the score tests.
    return np.maximum(np.abs(theta[:m]), np.maximum(theta[m:], 0.0))


def _posterior_from_others(parameters: Parameters, source: int, codes: npt.NDArray[np.integer]) -> FloatArray:
    """(items, outcomes): P(outcome | votes of the other sources), for independent sources."""
    logs = np.tile(np.log(np.maximum(parameters.balance, TINY)), (len(codes), 1))
    for other, table in enumerate(parameters.conditionals):
        if other != source:
            logs += np.log(np.maximum(table, TINY))[codes[:, other]]
    logs -= logs.max(axis=1, keepdims=True)
    chances = np.exp(logs)
    posterior: FloatArray = chances / chances.sum(axis=1, keepdims=True)
    return posterior
