r"""Groups of dependent sources that are more than one clique, and what each of their votes counts.

The votes of a clique have joint numbers, so that *n* of them can count as :math:`n / (1 + \rho (n - 1))`, whatever the
*n* of an item. A group whose joint votes would be too many is a tree of pairs instead, of which none knows how many
others voted. There each vote counts as much as it does on average over the items that its source votes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from assay.counts import Evidence, Layout
from assay.model.parameters import TINY
from assay.model.scoring import effective_share

FloatArray = npt.NDArray[np.float64]

_PATTERNS = 2**15
"""A sample of so many vote patterns tells how many members vote together."""
_MOST_ON_PATHS = 40
"""Of larger groups the mean correlation is that of the pairs that are in a clique."""


@dataclass(frozen=True, eq=False)
class SpreadGroup:
    """A group of dependent sources of several cliques."""

    members: tuple[int, ...]
    paths: sparse.csr_array
    """(pairs of members, cliques): those on the path from one to the other."""
    together: FloatArray
    """(members, members): on which share of the items that it votes on one, two, … of them vote."""

    @classmethod
    def of(cls, evidence: Evidence) -> list[SpreadGroup]:
        """All such groups of one component."""
        layout = evidence.layout
        cliques = {clique.sources for clique in layout.cliques}
        groups = [group for group in layout.graph.components if len(group) > 2 and group not in cliques]
        if not groups:
            return []
        some = evidence.thinned(_PATTERNS)
        rows = some.patterns.rows
        voting = sparse.csr_array(
            (np.ones(len(rows.sources)), rows.sources, rows.starts), shape=(len(rows), rows.width)
        )
        return [cls(group, _paths(group, layout), _together(voting[:, list(group)], some.counts)) for group in groups]

    def worth(self, correlations: FloatArray) -> FloatArray:
        """(members,): what a vote of each counts, given the (cliques,) correlations that the truth does not explain.

        Along a path correlations multiply.
        """
        along = np.exp(self.paths @ np.log(np.maximum(correlations, TINY)))
        worth: FloatArray = self.together @ effective_share(1 + np.arange(len(self.members)), float(along.mean()))
        return worth


def _paths(group: tuple[int, ...], layout: Layout) -> sparse.csr_array:
    place = {clique.sources: at for at, clique in enumerate(layout.cliques)}
    if len(group) > _MOST_ON_PATHS:
        paths = [[at] for sources, at in place.items() if len(sources) > 1 and set(sources) <= set(group)]
    else:
        pairs = combinations(group, 2)
        paths = [[place[sources] for sources in layout.graph.path(one, other)] for one, other in pairs]
    starts = np.cumsum([0, *map(len, paths)])
    columns = np.concatenate(paths)
    return sparse.csr_array((np.ones(len(columns)), columns, starts), shape=(len(paths), len(place)))


def _together(voting: sparse.csr_array, counts: FloatArray) -> FloatArray:
    """(members, members) shares, from the (patterns, members) votes of patterns that occur so often."""
    votes = voting.toarray()
    size = votes.shape[1]
    number = votes.sum(axis=1).astype(np.int64)
    found = np.zeros((size, size))
    for many in range(1, size + 1):
        rows = number == many
        found[:, many - 1] = counts[rows] @ votes[rows]
    alone = np.eye(size)[0]
    cast = found.sum(axis=1, keepdims=True)
    shares: FloatArray = np.where(cast > 0, found / np.maximum(cast, TINY), alone)
    return shares
