r"""Associations of sources, and what of them the truth explains: from counts of co-votes alone.

In the class-conditional model the correlation of two values' indicators, of sources that are independent given
the truth, is :math:`q_{uv} = \rho_u \rho_v c_{uv}`: :math:`\rho_u` is the correlation of an indicator with its
being right, and :math:`c_{uv}` that of "the truth is in :math:`S_u`" and "the truth is in :math:`S_v`", which follows
from the class balance. So a single number per value explains all pairs of values. Pairs of sources inside of a
group are left out of the fit; what they have in common beyond it is their *excess*.

A source with several values is compared with others on the items that it votes on: who is shown which item says nothing
about errors. A source with one value can only be compared by when it votes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from assay.counts import Layout, Statistics

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_TOLERANCE = 0.05
"""The standard deviation of a correlation around the model's: no votes follow it exactly."""
_LEAST_MEETINGS = 5
"""With fewer items in common, two sources are not compared."""
_STEPS = 40
_SETTLED = 1e-3
_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class Explained:
    """A fit to the associations."""

    rho: FloatArray
    """(values,): the correlation of each indicator with its being right."""
    misfit: float
    """The sum of the squared standardised residuals of values of different groups."""


@dataclass(frozen=True, eq=False)
class Associations:
    """The correlations of all values that are emitted, and of the sources that emit them."""

    source: IntArray
    """(values,): the source of each."""
    observed: FloatArray
    """(values, values): the correlations of indicators."""
    of_truth: FloatArray
    """(values, values): the correlations of the sets of outcomes that they allow."""
    weight: FloatArray
    """(values, values): one over the variance of an observed correlation; 0 within a source, or if two never meet."""
    share: FloatArray
    """(values, values): what a unit of correlation of two values adds to that of their sources."""
    correlation: FloatArray
    """(sources, sources): the correlation of two sources' votes, as vectors of what they allow; 1 for copies."""
    meetings: FloatArray
    """(sources, sources): the number of items that two are compared on."""
    peers: BoolArray
    """(sources, sources): those that tell the same outcomes apart, so that one can tell about the other's errors."""

    @classmethod
    def of(cls, layout: Layout, statistics: Statistics, balance: FloatArray) -> Associations:
        """From the counts of one component, and a rough class balance."""
        used = np.flatnonzero(statistics.single > 0)
        source = np.repeat(np.arange(len(layout.masks)), np.diff(layout.value_offsets))[used]
        of_source = sparse.csr_array(
            (np.ones(len(used)), source, np.arange(len(used) + 1)), shape=(len(used), len(layout.masks))
        )
        single = statistics.single[used].astype(float)
        pair = statistics.pair[np.ix_(used, used)].astype(float)
        several = np.bincount(source, minlength=len(layout.masks)) > 1
        votes, with_votes = of_source.T @ single, pair @ of_source
        both = several[:, None] & several[None]
        meetings = np.where(
            both, of_source.T @ with_votes, np.where(several[:, None], votes[:, None], statistics.items)
        )
        meetings = np.where(several[None] & ~several[:, None], votes[None], meetings)
        among = np.maximum(meetings, _TINY)
        chance = np.where(several[None], with_votes, single[:, None]) / among[source]
        own, items = chance[:, source], among[np.ix_(source, source)]
        together = pair / items
        covariance = together - own * own.T
        variance = np.maximum(own * (1 - own), _TINY)
        deviation = np.sqrt(variance * variance.T)
        masks = layout.all_masks[used].astype(float)
        centred = masks - masks.mean(axis=1, keepdims=True)
        alike = centred @ centred.T
        inside = source[:, None] == source[None]
        within = sparse.csr_array(alike * inside)
        spread = of_source.T @ (chance * alike.diagonal()[:, None] - chance * (within @ chance))
        scale = np.sqrt(np.maximum(spread, _TINY) * np.maximum(spread, _TINY).T)
        scatter = np.maximum(np.maximum(together, own * own.T) / (variance * variance.T), 1.0) / items
        compared = ~inside & (items >= _LEAST_MEETINGS)
        return cls(
            source,
            np.clip(covariance / deviation, -1.0, 1.0),
            _truth_correlations(masks, balance),
            np.where(compared, 1 / (scatter + _TOLERANCE**2), 0.0),
            alike * deviation / scale[np.ix_(source, source)],
            np.clip((of_source.T @ (covariance * alike)) @ of_source / scale, -1.0, 1.0),
            meetings,
            _peers(masks, of_source) | ~both,
        )

    @property
    def sources(self) -> int:
        """The number of sources."""
        return len(self.correlation)

    @cached_property
    def error(self) -> FloatArray:
        """(sources, sources): two standard errors of the correlation."""
        return 2 / np.sqrt(np.maximum(self.meetings, 1.0))

    @cached_property
    def at_least(self) -> FloatArray:
        """(sources, sources): the lower ends of 95% intervals of the correlation; 1 on the diagonal.

        The nearer to one, the less it varies: a few hundred items tell copies from sources that are just good.
        """
        lower = self.correlation - self.error * np.sqrt(1 - self.correlation**2)
        np.fill_diagonal(lower, 1.0)
        return lower

    @cached_property
    def _pull(self) -> FloatArray:
        return self.weight * self.observed * self.of_truth

    @cached_property
    def _hold(self) -> FloatArray:
        return self.weight * self.of_truth**2

    @cached_property
    def _size(self) -> FloatArray:
        return self.weight * self.observed**2

    def explained(self, groups: Sequence[Sequence[int]], start: FloatArray | None = None) -> Explained:
        """The fit to all pairs of values but those inside of a group of sources."""
        inside = [np.flatnonzero(np.isin(self.source, group)) for group in groups]
        blocks = [(own, np.ix_(own, own)) for own in inside]
        parts = [(own, self._pull[block], self._hold[block]) for own, block in blocks]

        def sums(rho: FloatArray) -> tuple[FloatArray, FloatArray]:
            pull, hold = self._pull @ rho, self._hold @ rho**2
            for own, pull_inside, hold_inside in parts:
                pull[own] -= pull_inside @ rho[own]
                hold[own] -= hold_inside @ rho[own] ** 2
            return pull, hold

        if start is None:
            pull, hold = sums(np.ones(len(self.source)))
            start = np.sqrt(np.clip(pull / np.maximum(hold, _TINY), 0.01, 1.0))
        rho = start
        for _ in range(_STEPS):
            pull, hold = sums(rho)
            best = np.clip(pull / np.maximum(hold, _TINY), -1.0, 1.0)
            moved = float(np.abs(best - rho).max(initial=0.0))
            # Half a step: a full one would swing between two sets of sources.
            rho = (rho + best) / 2
            if moved < _SETTLED:
                break
        pull, hold = sums(rho)
        size = float(self._size.sum()) - sum(float(self._size[block].sum()) for _, block in blocks)
        return Explained(rho, (size - 2 * float(rho @ pull) + float(rho**2 @ hold)) / 2)

    def excess(self, fit: Explained, one: Sequence[int], other: Sequence[int]) -> FloatArray:
        """(sources, sources): the correlations of some sources with some others beyond those that a fit explains."""
        of_one, of_other = (
            (self.source[:, None] == np.asarray(some, dtype=np.int64)).astype(float) for some in (one, other)
        )
        rows, columns = (np.flatnonzero(some.any(axis=1)) for some in (of_one, of_other))
        block = np.ix_(rows, columns)
        explained = np.outer(fit.rho[rows], fit.rho[columns]) * self.of_truth[block] * self.share[block]
        found: FloatArray = self.correlation[np.ix_(one, other)] - of_one[rows].T @ explained @ of_other[columns]
        return found


def _peers(masks: FloatArray, of_source: sparse.csr_array) -> BoolArray:
    """(sources, sources): those with two values each that agree with one of the other's and conflict with one."""
    agree = (masks @ masks.T > 0).astype(float)
    # Per value the number of each source's values that it can agree with: a peer has one that it conflicts with.
    partners = agree @ of_source
    choosy = (partners > 0) & (partners < of_source.sum(axis=0))
    distinct = of_source.T @ choosy > 1
    found: BoolArray = distinct & distinct.T
    return found


def _truth_correlations(masks: FloatArray, balance: FloatArray) -> FloatArray:
    """(values, values): the correlations of "the truth is among the outcomes that the value allows"."""
    allowed = np.clip(masks @ balance, 1e-6, 1 - 1e-6)
    covariance = (masks * balance) @ masks.T - np.outer(allowed, allowed)
    deviation = np.sqrt(allowed * (1 - allowed))
    found: FloatArray = covariance / np.outer(deviation, deviation)
    return found
