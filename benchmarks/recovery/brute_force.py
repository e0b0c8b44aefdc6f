"""Expectation-maximization written out over the full joint table, by enumeration: slow, and plainly right.

The yardstick of recovery/run.py for dependent sources. No junction tree, no priors and
no shortcuts: the table has an entry for every joint vote of all sources and every
outcome, and the M-step multiplies marginals that are summed from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Group = tuple[int, ...]


class JointTable:
    """P(Y, all votes) for a known graph: a product of clique marginals over separator marginals.

    Parameters
    ----------
    sizes
        How many things each source can say, abstaining included where it can.
    outcomes
        The number of outcomes.
    cliques, separators
        The true graph's. Y is in all of them and is not named.
    """

    def __init__(self, sizes: Sequence[int], outcomes: int, cliques: Sequence[Group], separators: Sequence[Group]):
        self.votes = np.array(list(product(*(range(size) for size in sizes))))
        self.sizes, self.outcomes = tuple(sizes), outcomes
        self.cliques, self.separators = list(cliques), list(separators)

    def fit(self, votes: npt.NDArray[np.integer], start: FloatArray, steps: int = 20_000) -> FloatArray:
        """(joint votes, outcomes): the table of greatest likelihood, from (items, outcomes) starting labels."""
        number = np.ravel_multi_index(tuple(votes.T), self.sizes)
        counted = np.zeros((len(self.votes), self.outcomes))
        np.add.at(counted, number, start)
        seen = counted.sum(axis=1, keepdims=True)
        table = self._maximized(counted)
        for _ in range(steps):
            posterior = table / np.maximum(table.sum(axis=1, keepdims=True), 1e-300)
            following = self._maximized(seen * posterior)
            moved = np.abs(following - table).max()
            table = following
            if moved < 1e-10:
                break
        return table

    def marginal(self, table: FloatArray, group: Group) -> FloatArray:
        """(joint votes of the group, outcomes): P(their votes, Y)."""
        found = np.zeros((int(np.prod([self.sizes[i] for i in group])), self.outcomes))
        np.add.at(found, self._number(group), table)
        return found

    def _number(self, group: Group) -> npt.NDArray[np.int64]:
        sizes = tuple(self.sizes[i] for i in group)
        return np.ravel_multi_index(tuple(self.votes[:, group].T), sizes)

    def _maximized(self, counts: FloatArray) -> FloatArray:
        share = counts / counts.sum()
        balance = share.sum(axis=0)
        table = np.tile(balance, (len(self.votes), 1))
        for groups, power in ((self.cliques, 1), (self.separators, -1)):
            for group in groups:
                given = self.marginal(share, group) / np.maximum(balance, 1e-300)
                table = table * np.maximum(given[self._number(group)], 1e-300) ** power
        return table
