"""What is learned about one component: the class balance, and what sources say for each outcome."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from assay.counts import Layout

FloatArray = npt.NDArray[np.float64]

TINY = 1e-12
"""The least probability that a table holds, so that logarithms stay finite."""


@dataclass(frozen=True, eq=False)
class Parameters:
    """A distribution over outcomes and votes."""

    layout: Layout
    balance: FloatArray
    """(outcomes,): P(Y)."""
    joint: tuple[FloatArray, ...]
    """Per clique (configurations, outcomes): P(joint vote | outcome), each column summing to one."""
    ignore_abstentions: bool = False
    """Whether only what is said counts, not that it is said."""
    weight: tuple[FloatArray, ...] | None = None
    """Per clique (configurations, outcomes): what a joint vote adds to log-probabilities, if not what tables say."""
    prior: FloatArray | None = None
    """(outcomes,): what votes are added to, if that is not the balance."""
    discount: float = 0.0
    """The correlation of votes on one item: n of them count as n / (1 + discount · (n − 1))."""

    @cached_property
    def tables(self) -> tuple[FloatArray, ...]:
        """Per clique (configurations, outcomes): the probability of a joint vote among its alternatives."""
        found = []
        for table, clique in zip(self.joint, self.layout.cliques, strict=True):
            whole = not clique.separator and not self.ignore_abstentions
            found.append(table if whole else among_alternatives(table, clique.families(self.ignore_abstentions)))
        return tuple(found)

    @cached_property
    def logs(self) -> tuple[FloatArray, ...]:
        """Per clique (configurations, outcomes): what a joint vote adds to log-probabilities; the last is silence."""
        if self.weight is not None:
            return self.weight
        return tuple(np.log(np.maximum(table, TINY)) for table in self.tables)

    @cached_property
    def conditionals(self) -> tuple[FloatArray, ...]:
        """Per source (values + 1, outcomes): P(vote | outcome); the last row is abstain."""
        found = []
        for source, home in enumerate(self.layout.home):
            table = self.layout.cliques[home].marginal(self.joint[home], source)
            if self.ignore_abstentions:
                table = _same_coverage(table, self.balance)
            found.append(table)
        return tuple(found)

    def worth(self, votes: npt.NDArray[np.int64]) -> FloatArray:
        """(items,): what log-odds of so many votes on one item are multiplied by, for what these have in common."""
        return 1 / (1 + self.discount * np.maximum(votes - 1, 0))

    @property
    def plain(self) -> Parameters:
        """The tables alone, as a distribution of votes."""
        return replace(self, weight=None, prior=None, discount=0.0)

    def with_balance(self, balance: FloatArray) -> Parameters:
        """The same sources under another class balance."""
        return replace(self, balance=balance)


def independent(
    layout: Layout, balance: FloatArray, conditionals: list[FloatArray], ignore_abstentions: bool = False
) -> Parameters:
    """Parameters in which dependent sources are taken for independent: a start for the tables of cliques."""
    joint = []
    for clique in layout.cliques:
        table = np.ones((clique.size, layout.outcomes))
        for position, source in enumerate(clique.sources):
            table *= conditionals[source][clique.digits[:, position]]
        joint.append(normalised(table))
    return Parameters(layout, balance, tuple(joint), ignore_abstentions)


def normalised(table: FloatArray) -> FloatArray:
    """A table with nothing below ``TINY`` whose columns sum to one."""
    raised = np.maximum(table, TINY)
    columns: FloatArray = raised / raised.sum(axis=0)
    return columns


def among_alternatives(table: FloatArray, families: npt.NDArray[np.int64]) -> FloatArray:
    """Each entry as a share of its family's sum, per column."""
    sums = np.zeros((int(families.max(initial=0)) + 1, table.shape[1]))
    np.add.at(sums, families, table)
    shares: FloatArray = table / sums[families]
    return shares


def _same_coverage(table: FloatArray, balance: FloatArray) -> FloatArray:
    """A table whose abstentions say nothing: the same for every outcome."""
    coverage = float((1 - table[-1]) @ balance)
    said = np.maximum(table[:-1], 1e-300)
    return np.vstack([said / said.sum(axis=0) * coverage, np.full((1, table.shape[1]), 1 - coverage)])
