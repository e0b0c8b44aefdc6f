"""How sources agree where they overlap, and how much of that the truth does not explain, as matrices to look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.counts import Statistics, Tally
from assay.model import Fitted
from assay.model.estimate import residual_correlations

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

MOST_SOURCES = 40
"""A matrix of more sources is not readable; those that overlap most are shown."""
_ENOUGH = 5
"""For sources that overlap on fewer items than this, no share of agreement is given."""
_MOST_CELLS = 5e7
"""Residual correlations take an array of (outcomes, sources, sources); larger ones are not made."""


@dataclass(frozen=True, eq=False)
class SourceMatrix:
    """A figure for each pair of sources: (sources, sources), NaN where there is none."""

    names: tuple[str, ...]
    cells: FloatArray
    left_out: int = 0
    """How many sources are not shown."""

    def among(self, sources: Sequence[int] | IntArray) -> SourceMatrix:
        """The same for some of the sources, in the given order."""
        chosen = np.asarray(sources, dtype=np.int64)
        names = tuple(self.names[source] for source in chosen)
        return SourceMatrix(names, self.cells[np.ix_(chosen, chosen)], len(self.names) - len(chosen) + self.left_out)


def agreement(tally: Tally) -> tuple[FloatArray, SourceMatrix]:
    """(sources, sources): on how many items two sources overlap; and on which share of those they agree.

    Sources overlap if both vote on one component, and agree if both can be right. Where there are too many values
    to be counted in pairs, they agree if they give the same vote.
    """
    met, agreed = (np.zeros((len(tally.names), len(tally.names))) for _ in range(2))
    for part, component, columns in tally.each_component():
        if len(columns):
            counted, at = part.overlaps(component, compatible=True), np.ix_(columns, columns)
            met[at] += counted.overlap
            agreed[at] += counted.agreement
    with np.errstate(invalid="ignore"):
        shares = np.where(met >= _ENOUGH, agreed / met, np.nan)
    np.fill_diagonal(shares, np.nan)
    return met, SourceMatrix(tally.names, shares)


def residuals(fitted: Fitted, tally: Tally) -> SourceMatrix | None:
    """Correlations of votes beyond what the truth explains; the larger one where sources overlap in two components.

    None where co-votes are too many to be counted by value.
    """
    sources = len(fitted.names)
    counted = [part for part, _, _ in tally.each_component()]
    most = max(len(part) for part in fitted.tasks.label_space.components)
    if any(part.pair is None for part in counted) or sources**2 * most > _MOST_CELLS:
        return None
    cells = np.full((sources, sources), np.nan)
    for own, part in zip(counted, fitted.components, strict=True):
        if len(part.sources):
            layout = part.layout if tally.parts is None else part.layout.taken_apart
            statistics = Statistics.of(own, layout)
            at = np.ix_(part.sources, part.sources)
            cells[at] = np.fmax(cells[at], residual_correlations(part.fit.parameters, statistics))
    np.fill_diagonal(cells, np.nan)
    return SourceMatrix(fitted.names, cells)


def most_overlapping(met: FloatArray, most: int = MOST_SOURCES) -> IntArray:
    """The sources that overlap with others most often, in their order; all if they are few."""
    others = met.sum(axis=1) - met.diagonal()
    return np.sort(np.argsort(-others, kind="stable")[:most])


def similar_adjacent(matrix: SourceMatrix) -> IntArray:
    """An order in which similar sources are next to each other."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(matrix.names) < 3:
        return np.arange(len(matrix.names))
    known = np.isfinite(matrix.cells)
    middle = float(matrix.cells[known].mean()) if known.any() else 0.0
    distance = 1 - np.where(known, matrix.cells, middle)
    distance = np.maximum((distance + distance.T) / 2, 0.0)
    np.fill_diagonal(distance, 0.0)
    return np.asarray(leaves_list(linkage(squareform(distance, checks=False), "average", optimal_ordering=True)))
