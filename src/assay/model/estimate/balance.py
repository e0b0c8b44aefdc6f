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

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import optimize, sparse

from assay.counts import Evidence, Indicator, Layout, Patterns, Statistics, single_indicators
from assay.model.estimate.solver import SolverOutcome

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_DIRECTIONS = 8
_LEAST_SHARE = 1e-3


def balance_from_overlaps(evidence: Evidence, seed: int = 0) -> tuple[FloatArray | None, SolverOutcome]:
    """(outcomes,): the class balance, or None if three views do not determine it."""
    layout, patterns = evidence.layout, evidence.patterns
    votes_of = _votes_of(layout, patterns)
    groups = [part for part in votes_of if votes_of[part] > 0]
    if len(groups) < 3:
        return None, SolverOutcome("too_few_sources", 0, np.inf)
    rng = np.random.default_rng(seed)
    shares = _three_views({part: votes_of[part] for part in groups})
    seen = _Seen.of(layout, patterns, evidence.count(single_indicators(layout)))
    views = [seen.columns_of(sources) for sources in shares]
    found = [
        estimate
        for turn in range(3)
        for estimate in _estimates(layout, seen, [views[(turn + view) % 3] for view in range(3)], rng)
    ]
    if not found:
        return None, SolverOutcome("unreliable_balance", 0, np.inf)
    # Directions in which two outcomes look alike give outliers, hence the median, not the mean.
    median = np.median(found, axis=0)
    median = np.maximum(median, _LEAST_SHARE)
    return median / median.sum(), SolverOutcome("converged", len(found), float(np.std(found, axis=0).max()))


def _votes_of(layout: Layout, patterns: Patterns) -> dict[tuple[int, ...], float]:
    """The number of votes of each group of dependent sources."""
    rows = patterns.rows
    weight = np.repeat(patterns.counts, np.diff(rows.starts))
    votes = np.bincount(rows.sources, weights=weight, minlength=rows.width)
    return {part: float(votes[list(part)].sum()) for part in layout.graph.components}


def _three_views(votes_of: dict[tuple[int, ...], float]) -> list[list[int]]:
    """Groups of dependent sources split into three views: most votes first, each to the view with fewest votes."""
    views: list[list[int]] = [[], [], []]
    load = [0.0, 0.0, 0.0]
    for group in sorted(votes_of, key=lambda part: (-votes_of[part], part)):
        least = load.index(min(load))
        views[least] += group
        load[least] += votes_of[group]
    return views


@dataclass(frozen=True, eq=False)
class _Seen:
    """Which indicators hold in which patterns, and the frequencies of single indicators and of pairs."""

    indicators: tuple[Indicator, ...]
    holds: sparse.csr_array
    """(patterns, indicators)."""
    weight: FloatArray
    """(patterns,): the share of the items that have each."""
    single: FloatArray
    pair: FloatArray

    @classmethod
    def of(cls, layout: Layout, patterns: Patterns, counted: Statistics) -> _Seen:
        rows = patterns.rows
        columns = layout.value_offsets[rows.sources] + rows.codes
        holds = sparse.csr_array(
            (np.ones(len(columns)), columns, rows.starts), shape=(len(patterns), len(counted.indicators))
        )
        weight = patterns.counts / max(patterns.items, 1)
        return cls(counted.indicators, holds, weight, counted.rates, counted.pair / max(counted.items, 1))

    def columns_of(self, sources: list[int]) -> IntArray:
        """The indicators of some sources."""
        chosen = set(sources)
        return np.array([at for at, i in enumerate(self.indicators) if i.sources[0] in chosen], dtype=np.int64)

    def along(self, columns: IntArray, directions: FloatArray) -> FloatArray:
        """(patterns, directions): projections of the indicators, and last a constant, on each direction."""
        whole = np.zeros((len(self.indicators), directions.shape[1]))
        whole[columns] = directions[:-1]
        projected: FloatArray = np.asarray(self.holds @ whole) + directions[-1]
        return projected


def _estimates(layout: Layout, seen: _Seen, views: list[IntArray], rng: np.random.Generator) -> list[FloatArray]:
    """Balances by diagonalising against random directions of the third view."""
    first, second, third = views
    mean = np.append(seen.single[first], 1.0)
    pairs = np.block(
        [[seen.pair[np.ix_(first, second)], mean[:-1, None]], [seen.single[second][None], np.ones((1, 1))]]
    )
    left, strength, right = np.linalg.svd(pairs)
    r = layout.outcomes
    if min(pairs.shape) < r or strength[r - 1] < 1e-8 * strength[0]:
        return []
    basis, cobasis = left[:, :r], right[:r].T
    inverse = np.linalg.inv(basis.T @ pairs @ cobasis)
    # Projected on the basis, a pattern is r numbers, whatever the number of sources.
    one, two = seen.along(first, basis), seen.along(second, cobasis)
    usual = np.maximum(np.append(seen.single[third], 1.0), 1e-3)
    directions = rng.normal(size=(_DIRECTIONS, len(usual))) / np.sqrt(usual)
    found = []
    for turned in seen.along(third, directions.T).T:
        slice_ = (one * (seen.weight * turned)[:, None]).T @ two
        values, vectors = np.linalg.eig(slice_ @ inverse)
        if np.abs(values.imag).max() > 1e-9:
            continue
        columns = basis @ vectors.real
        if np.abs(columns[-1]).min() < 1e-9:
            continue
        columns = columns / columns[-1]
        shares, _ = optimize.nnls(columns, mean)
        if 0.5 < shares.sum() < 2.0:
            order = _matched(layout, [seen.indicators[at] for at in first], columns, mean)
            found.append((shares / shares.sum())[order])
    return found


def _matched(
    layout: Layout, indicators: list[Indicator], columns: FloatArray, mean: FloatArray
) -> npt.NDArray[np.int64]:
    """(outcomes,): the column of each outcome: the one under which votes that allow it are most frequent."""
    allowed = np.array([layout.masks[i.sources[0]][i.values[0]] for i in indicators], dtype=float)
    lift = (columns[:-1] - mean[:-1, None]) / np.sqrt(np.maximum(mean[:-1], 1e-6))[:, None]
    agreement = (allowed - allowed.mean(axis=1, keepdims=True)).T @ lift
    _, order = optimize.linear_sum_assignment(-agreement)
    return np.asarray(order, dtype=np.int64)
