r"""The class balance from three-way overlaps (the paper's appendix A.2).

Split the independent groups of sources into three views, each of which should tell all outcomes
apart, and let :math:`\phi_1, \phi_2, \phi_3` be their indicator vectors, a constant added to each. Whitened
and projected on what they have in common with the other views, these give a small three-way
table, whose decomposition (:mod:`assay.model.estimate.three_way`) has the balance as its weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from assay.counts import Evidence, Indicator, Layout, Patterns, Statistics, single_indicators
from assay.model.estimate.solver import SolverOutcome
from assay.model.estimate.three_way import decompose

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_LEAST_SHARE = 1e-3
_MOST_ERROR = 0.1
"""A balance with a larger standard error is none."""
_MOST_SLICES = 24
"""With more outcomes than this, the third view is seen along that many random directions only, to save time."""
_UNKNOWN = 1e-3
"""What a view is taken to know before it has a source, as a share of what it will know."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """What three views tell of the outcomes."""

    balance: FloatArray
    """(outcomes,)."""
    said: FloatArray
    """(values, outcomes): P(vote | outcome), for the values of all sources; not quite proper."""


def balance_from_overlaps(evidence: Evidence, seed: int = 0) -> tuple[FloatArray | None, SolverOutcome]:
    """(outcomes,): the class balance, or None if three views do not determine it."""
    found, outcome = mixture_from_overlaps(evidence, seed)
    return None if found is None else found.balance, outcome


def mixture_from_overlaps(evidence: Evidence, seed: int = 0) -> tuple[Mixture | None, SolverOutcome]:
    """The class balance and how often each value is emitted, or None if three views do not determine them."""
    layout, patterns = evidence.layout, evidence.patterns
    votes_of = _votes_of(layout, patterns)
    groups = [part for part in votes_of if votes_of[part] > 0]
    if len(groups) < 3:
        return None, SolverOutcome("too_few_sources", 0, np.inf)
    undetermined = None, SolverOutcome("unreliable_balance", 0, np.inf)
    rng = np.random.default_rng(seed)
    seen = _Seen.of(layout, patterns, evidence.count(single_indicators(layout)))
    shares = _three_views(layout, {part: votes_of[part] for part in groups}, seen.single)
    views = _common_part([_Whitened.of(seen, seen.columns_of(sources)) for sources in shares], seen, layout.outcomes)
    # Jennrich's algorithm needs two views that tell all outcomes apart, and any third.
    if len(views) < 3 or views[1].basis.shape[1] < layout.outcomes or views[2].basis.shape[1] < 2:
        return undetermined
    views[2] = views[2].along_few(rng)
    found = decompose(_table(seen, views), layout.outcomes, seen.items_in_patterns, rng)
    if found is None or found.error > _MOST_ERROR:
        return undetermined
    said = np.zeros((len(seen.indicators), layout.outcomes))
    for view, means in zip(views, found.means, strict=True):
        said[view.columns] = (view.restore @ view.basis @ means)[:-1]
    order = _matched(layout, said, seen.single)
    balance = np.maximum(found.shares[order], _LEAST_SHARE)
    return Mixture(balance / balance.sum(), said[:, order]), SolverOutcome("converged", found.steps, found.misfit)


def _votes_of(layout: Layout, patterns: Patterns) -> dict[tuple[int, ...], float]:
    """The number of votes of each group of dependent sources."""
    rows = patterns.rows
    weight = np.repeat(patterns.counts, np.diff(rows.starts))
    votes = np.bincount(rows.sources, weights=weight, minlength=rows.width)
    return {part: float(votes[list(part)].sum()) for part in layout.graph.components}


def _three_views(layout: Layout, votes_of: dict[tuple[int, ...], float], rates: FloatArray) -> list[list[int]]:
    """Groups of dependent sources split into three views, so that each tells all outcomes apart if possible.

    What a view knows is the matrix Σ v s sᵀ over its values: s is the set of outcomes that a value allows,
    less its mean, and v the variance of its use. Most votes first, each group goes where it adds most to the
    logarithm of the determinant, so where least is known of what it tells apart (a D-optimal design).
    """
    contrasts = layout.all_masks - layout.all_masks.mean(axis=1, keepdims=True)
    contrasts = contrasts * np.sqrt(rates * (1 - rates))[:, None]
    first = layout.value_offsets
    rows_of = {
        group: np.vstack([contrasts[first[source] : first[source + 1]] for source in group]) for group in votes_of
    }
    total = sum(float((rows**2).sum()) for rows in rows_of.values())
    known = np.stack([np.eye(layout.outcomes) * (_UNKNOWN * total / (3 * layout.outcomes) + 1e-12)] * 3)
    views: list[list[int]] = [[], [], []]
    load = [0.0, 0.0, 0.0]
    for group in sorted(votes_of, key=lambda part: (-votes_of[part], part)):
        told = rows_of[group]
        # By Sylvester's identity a determinant of the group's few values is enough.
        gains = np.linalg.slogdet(np.eye(len(told)) + told @ np.linalg.solve(known, told.T))[1]
        place = min(range(3), key=lambda view: (-round(float(gains[view]), 6), load[view], view))
        views[place] += group
        load[place] += votes_of[group]
        known[place] += told.T @ told
    return views


@dataclass(frozen=True, eq=False)
class _Seen:
    """Which indicators hold in which patterns, and the frequencies of single indicators and of pairs."""

    indicators: tuple[Indicator, ...]
    holds: sparse.csr_array
    """(patterns, indicators)."""
    weight: FloatArray
    """(patterns,): the share of the items that have each."""
    items: int
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
        pair = counted.pair / max(counted.items, 1)
        return cls(counted.indicators, holds, weight, counted.items, counted.rates, pair)

    @cached_property
    def items_in_patterns(self) -> float:
        """How many items the patterns are worth: fewer than all if they are a sample, whose frequencies then differ."""
        apart = self.holds.T @ self.weight - self.single
        variance = self.single * (1 - self.single)
        varying = variance > 0
        drift = float(np.mean(apart[varying] ** 2 / variance[varying])) if varying.any() else 0.0
        return 1 / (1 / max(self.items, 1) + drift)

    def columns_of(self, sources: list[int]) -> IntArray:
        """The indicators of some sources that ever hold."""
        chosen = set(sources)
        held = enumerate(zip(self.indicators, self.single, strict=True))
        return np.array([at for at, (i, rate) in held if i.sources[0] in chosen and rate > 0], dtype=np.int64)

    def pairs(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """How often two indicators hold together; last a constant, which always holds."""
        single = self.single
        return np.block(
            [[self.pair[np.ix_(rows, columns)], single[rows][:, None]], [single[columns][None], np.ones((1, 1))]]
        )

    def along(self, columns: IntArray, directions: FloatArray) -> FloatArray:
        """(patterns, directions): projections of the indicators, and last a constant, on each direction."""
        whole = np.zeros((len(self.indicators), directions.shape[1]))
        whole[columns] = directions[:-1]
        projected: FloatArray = np.asarray(self.holds @ whole) + directions[-1]
        return projected


@dataclass(frozen=True, eq=False)
class _Whitened:
    """A view in coordinates that are uncorrelated and have unit mean squares, and a few directions among these."""

    columns: IntArray
    """Its indicators."""
    whiten: FloatArray
    """(indicators + 1, coordinates): coordinates are its transpose times the indicators and a constant."""
    restore: FloatArray
    """(indicators + 1, coordinates): from coordinates back to the indicators and the constant."""
    basis: FloatArray
    """(coordinates, directions), orthonormal; the first is the constant's."""

    @classmethod
    def of(cls, seen: _Seen, columns: IntArray) -> _Whitened:
        """With the constant's direction alone."""
        values, vectors = np.linalg.eigh(seen.pairs(columns, columns))
        # Values of a source that never abstains add up to the constant.
        kept = values > 1e-9 * values[-1]
        scale = np.sqrt(values[kept])
        restore = vectors[:, kept] * scale
        return cls(columns, vectors[:, kept] / scale, restore, restore[-1][:, None])

    def pairs_with(self, other: _Whitened, seen: _Seen, *, common: bool = False) -> FloatArray:
        """The mean products of its coordinates and another view's, or of their directions."""
        products = self.whiten.T @ seen.pairs(self.columns, other.columns) @ other.whiten
        return self.basis.T @ products @ other.basis if common else products

    def towards(self, others: list[_Whitened], seen: _Seen, outcomes: int) -> tuple[_Whitened, float]:
        """With the directions that it has in common with other views, and how clearly the weakest is no noise.

        There are as many as outcomes, less if the others would be sampling errors: the correlations of
        independent views have singular values of at most about (√p + √q) / √items.
        """
        common = np.hstack([self.pairs_with(view, seen) for view in others])
        constant = self.basis[:, 0]
        left, strengths, _ = np.linalg.svd(common - np.outer(constant, constant @ common), full_matrices=False)
        chance = sum(np.sqrt(common.shape)) / np.sqrt(max(seen.items, 1))
        count = int((strengths[: outcomes - 1] > chance).sum())
        basis = np.column_stack([constant, left[:, :count]])
        weakest = float(strengths[count - 1] / chance) if count else 0.0
        return _Whitened(self.columns, self.whiten, self.restore, basis), weakest

    def along_few(self, rng: np.random.Generator) -> _Whitened:
        """The same with at most so many directions as there is time for, at random."""
        size = self.basis.shape[1]
        if size <= _MOST_SLICES:
            return self
        turned, _ = np.linalg.qr(rng.normal(size=(size - 1, _MOST_SLICES - 1)))
        basis = np.column_stack([self.basis[:, 0], self.basis[:, 1:] @ turned])
        return _Whitened(self.columns, self.whiten, self.restore, basis)


def _common_part(views: list[_Whitened], seen: _Seen, outcomes: int) -> list[_Whitened]:
    """The views with what each has in common with the two others, those that tell most outcomes apart first."""
    found = [view.towards([v for v in views if v is not view], seen, outcomes) for view in views]
    return [view for view, _ in sorted(found, key=lambda one: (-one[0].basis.shape[1], -one[1]))]


def _table(seen: _Seen, views: list[_Whitened]) -> FloatArray:
    """The mean products of the directions of three views."""
    one, two, three = (seen.along(view.columns, view.whiten @ view.basis) for view in views)
    table = np.stack([(one * (seen.weight * turned)[:, None]).T @ two for turned in three.T], axis=2)
    # Pairs are known from all items, even if the patterns are a sample.
    for constant, (left, right) in enumerate(((1, 2), (0, 2), (0, 1))):
        np.moveaxis(table, constant, 0)[0] = views[left].pairs_with(views[right], seen, common=True)
    return table


def _matched(layout: Layout, said: FloatArray, rates: FloatArray) -> IntArray:
    """(outcomes,): the column of each outcome: the one under which votes that allow it are most frequent."""
    from scipy import optimize

    lift = (said - rates[:, None]) / np.sqrt(np.maximum(rates, 1e-12))[:, None]
    allowed = layout.all_masks - layout.all_masks.mean(axis=1, keepdims=True)
    _, order = optimize.linear_sum_assignment(-allowed.T @ lift)
    return np.asarray(order, dtype=np.int64)
