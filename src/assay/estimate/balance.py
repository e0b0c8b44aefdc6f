r"""The class balance from three-way overlaps (the paper's appendix A.2).

Split the independent groups of sources into three views with indicator vectors
:math:`\phi_1, \phi_2, \phi_3`, a constant added to each, and let the columns of
:math:`B_i` be :math:`E[\phi_i \mid Y = y]`. Then for any direction :math:`\theta`

.. math:: E[\phi_1 \phi_2^T (\theta^T \phi_3)] = B_1 \, \mathrm{diag}(P) \, \mathrm{diag}(B_3^T \theta) B_2^T,

so two such matrices are diagonalised by the same :math:`B_1` (Jennrich's
algorithm), which three views determine where Kruskal's condition holds. The
constants fix the scale, and :math:`E[\phi_1] = B_1 P` gives the balance.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import optimize

from assay.cliques import Layout
from assay.estimate.outcome import SolverOutcome
from assay.statistics import Indicator, Patterns, held, single_indicators

FloatArray = npt.NDArray[np.float64]

_DIRECTIONS = 12
_LEAST_SHARE = 1e-3


def balance_from_overlaps(
    layout: Layout, patterns: Patterns, fallback: FloatArray, seed: int = 0
) -> tuple[FloatArray, SolverOutcome]:
    """(outcomes,): the class balance, or ``fallback`` where three views do not determine it."""
    groups = [part for part in layout.graph.components if _votes_of(part, patterns)]
    if len(groups) < 3:
        return fallback, SolverOutcome("too_few_sources", 0, np.inf)
    rng = np.random.default_rng(seed)
    shares = _three_views(groups, patterns)
    found = [
        estimate
        for turn in range(3)
        for estimate in _estimates(layout, patterns, [shares[(turn + view) % 3] for view in range(3)], rng)
    ]
    if not found:
        return fallback, SolverOutcome("unreliable_balance", 0, np.inf)
    # Directions in which two outcomes look alike give wild answers, so the middle counts, not the mean.
    middle = np.median(found, axis=0)
    middle = np.maximum(middle, _LEAST_SHARE)
    return middle / middle.sum(), SolverOutcome("converged", len(found), float(np.std(found, axis=0).max()))


def _votes_of(sources: tuple[int, ...], patterns: Patterns) -> int:
    voted = (patterns.codes[:, list(sources)] >= 0).any(axis=1)
    return int(patterns.counts[voted].sum())


def _three_views(groups: list[tuple[int, ...]], patterns: Patterns) -> list[list[int]]:
    """Groups of dependent sources dealt out to three views, the busiest first, to the view that has least."""
    views: list[list[int]] = [[], [], []]
    load = [0, 0, 0]
    for group in sorted(groups, key=lambda part: (-_votes_of(part, patterns), part)):
        least = load.index(min(load))
        views[least] += group
        load[least] += _votes_of(group, patterns)
    return views


def _estimates(
    layout: Layout, patterns: Patterns, views: list[list[int]], rng: np.random.Generator
) -> list[FloatArray]:
    """Balances by diagonalising against random directions of the third view."""
    indicators = [[i for i in single_indicators(layout) if i.sources[0] in view] for view in views]
    first, second, third = (_with_constant(patterns, chosen) for chosen in indicators)
    weight = patterns.counts / max(patterns.items, 1)
    pairs = (first * weight[:, None]).T @ second
    left, strength, right = np.linalg.svd(pairs)
    r = layout.outcomes
    if min(pairs.shape) < r or strength[r - 1] < 1e-8 * strength[0]:
        return []
    basis, cobasis = left[:, :r], right[:r].T
    inverse = np.linalg.inv(basis.T @ pairs @ cobasis)
    mean = weight @ first
    found = []
    for _ in range(_DIRECTIONS):
        direction = rng.normal(size=third.shape[1]) / np.sqrt(np.maximum(weight @ third, 1e-3))
        slice_ = (first * (weight * (third @ direction))[:, None]).T @ second
        values, vectors = np.linalg.eig(basis.T @ slice_ @ cobasis @ inverse)
        if np.abs(values.imag).max() > 1e-9:
            continue
        columns = basis @ vectors.real
        if np.abs(columns[-1]).min() < 1e-9:
            continue
        columns = columns / columns[-1]
        shares, _ = optimize.nnls(columns, mean)
        if 0.5 < shares.sum() < 2.0:
            order = _matched(layout, indicators[0], columns, mean)
            found.append((shares / shares.sum())[order])
    return found


def _with_constant(patterns: Patterns, indicators: list[Indicator]) -> FloatArray:
    return np.hstack([held(patterns.codes, indicators).toarray().astype(float), np.ones((len(patterns.codes), 1))])


def _matched(
    layout: Layout, indicators: list[Indicator], columns: FloatArray, mean: FloatArray
) -> npt.NDArray[np.int64]:
    """(outcomes,): the column that is each outcome's: the one under which votes that allow it are most frequent."""
    allowed = np.array([layout.masks[i.sources[0]][i.values[0]] for i in indicators], dtype=float)
    lift = (columns[:-1] - mean[:-1, None]) / np.sqrt(np.maximum(mean[:-1], 1e-6))[:, None]
    agreement = (allowed - allowed.mean(axis=1, keepdims=True)).T @ lift
    _, order = optimize.linear_sum_assignment(-agreement)
    return np.asarray(order, dtype=np.int64)
