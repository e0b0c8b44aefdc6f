"""The parameters of one component: the class balance, and P(votes | outcome).

How items are scored with them is in :mod:`assay.model.scoring`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from assay.counts import Layout

FloatArray = npt.NDArray[np.float64]

TINY = 1e-12
"""The lowest probability in a table, so that logarithms stay finite."""


@dataclass(frozen=True, eq=False)
class Parameters:
    """A joint distribution of outcome and votes."""

    layout: Layout
    balance: FloatArray
    """(outcomes,): P(Y)."""
    joint: tuple[FloatArray, ...]
    """Per clique (configurations, outcomes): P(joint vote | outcome), each column summing to one."""
    ignore_abstentions: bool = False
    """Whether abstentions carry no information."""

    @cached_property
    def tables(self) -> tuple[FloatArray, ...]:
        """Per clique (configurations, outcomes): the probability of a joint vote among its alternatives."""
        found = []
        for table, clique in zip(self.joint, self.layout.cliques, strict=True):
            whole = not clique.separator and not self.ignore_abstentions
            found.append(table if whole else among_alternatives(table, clique.families(self.ignore_abstentions)))
        return tuple(found)

    @cached_property
    def conditionals(self) -> tuple[FloatArray, ...]:
        """Per source (values + 1, outcomes): P(vote | outcome); the last row is abstain."""
        if self.layout.all_single and not self.ignore_abstentions:
            return self.joint
        found = []
        for source, index in enumerate(self.layout.first_clique):
            table = self.layout.cliques[index].marginal(self.joint[index], source)
            if self.ignore_abstentions:
                table = _same_coverage(table, self.balance)
            found.append(table)
        return tuple(found)

    def distance(self, other: Parameters) -> float:
        """The largest absolute difference of any probability."""
        here, there = (np.concatenate([*(table.ravel() for table in one.joint), one.balance]) for one in (self, other))
        return float(np.abs(here - there).max())

    @cached_property
    def log_vector(self) -> FloatArray:
        """The logarithms of all probabilities in one vector: the tables, then the balance."""
        tables = [table.ravel() for table in self.joint]
        logs: FloatArray = np.log(np.maximum(np.concatenate([*tables, self.balance]), TINY))
        return logs

    def from_log_vector(self, logs: FloatArray) -> Parameters:
        """Parameters of the same shape from such a vector, which need not be normalised."""
        values = np.exp(np.clip(logs, np.log(TINY), 0))
        joint, at = [], 0
        for table in self.joint:
            joint.append(values[at : at + table.size].reshape(table.shape))
            at += table.size
        return replace(self, balance=values[at:] / values[at:].sum(), joint=normalised_tables(joint))

    @cached_property
    def silence(self) -> FloatArray:
        """(outcomes,): P(all sources abstain | outcome)."""
        logs = [np.log(np.maximum(table[-1], TINY)) for table in self.tables]
        return np.asarray(np.exp(np.sum([np.zeros(len(self.balance)), *logs], axis=0)))

    def among_voted(self) -> Parameters:
        """The same distribution among the items that somebody votes on: its balance, and the table of each clique."""
        voted = np.maximum(1 - self.silence, TINY)
        balance = self.balance * voted
        joint = []
        for table in self.joint:
            said = table[:-1] / voted
            joint.append(np.vstack([said, np.maximum(1 - said.sum(axis=0, keepdims=True), 0.0)]))
        return replace(self, balance=balance / balance.sum(), joint=tuple(joint))

    def mixed(self, weight: float, other: Parameters) -> Parameters:
        """The weighted mean of two parameters' probabilities, ``weight`` for these."""
        rest = 1 - weight
        joint = tuple(weight * a + rest * b for a, b in zip(self.joint, other.joint, strict=True))
        return replace(self, balance=weight * self.balance + rest * other.balance, joint=joint)

    def with_balance(self, balance: FloatArray) -> Parameters:
        """The same sources with another class balance."""
        return replace(self, balance=balance)


def independent(
    layout: Layout, balance: FloatArray, conditionals: Sequence[FloatArray], ignore_abstentions: bool = False
) -> Parameters:
    """Parameters in which all sources are independent: an initial value for the tables of cliques."""
    if layout.all_single:
        return Parameters(layout, balance, normalised_tables(conditionals), ignore_abstentions)
    joint = []
    for clique in layout.cliques:
        if clique.is_single:
            joint.append(normalised(conditionals[clique.sources[0]]))
            continue
        table = np.ones((clique.size, layout.outcomes))
        for position, source in enumerate(clique.sources):
            table *= conditionals[source][clique.digits[:, position]]
        joint.append(normalised(table))
    return Parameters(layout, balance, tuple(joint), ignore_abstentions)


def normalised(table: FloatArray) -> FloatArray:
    """A table clipped at ``TINY`` from below, with columns that sum to one."""
    raised = np.maximum(table, TINY)
    columns: FloatArray = raised / raised.sum(axis=0)
    return columns


def normalised_tables(tables: Sequence[FloatArray]) -> tuple[FloatArray, ...]:
    """The same of many tables, all at once: there may be one for each of thousands of sources."""
    if not len(tables):
        return ()
    ends = np.cumsum([len(table) for table in tables])
    raised = np.maximum(np.concatenate(tables), TINY)
    sums = np.repeat(table_sums(raised, ends), np.diff(ends, prepend=0), axis=0)
    return blocks(raised / sums, ends)


def table_sums(whole: FloatArray, ends: npt.NDArray[np.int64]) -> FloatArray:
    """(tables, outcomes): the sums of the columns of tables that lie one below the other.

    To the last bit those of each table by itself, which ``np.add.reduceat`` are not.
    """
    sizes = np.diff(ends, prepend=0)
    sums = np.zeros((len(ends), whole.shape[1]))
    for size in np.unique(sizes).tolist():
        alike = np.flatnonzero(sizes == size)
        sums[alike] = whole[(ends[alike] - size)[:, None] + np.arange(size)].sum(axis=1)
    return sums


def blocks(whole: FloatArray, ends: npt.NDArray[np.int64]) -> tuple[FloatArray, ...]:
    """Tables that lie one below the other, taken apart; ``ends`` is where each one ends."""
    return tuple(whole[start:stop] for start, stop in pairwise([0, *ends.tolist()]))


def among_alternatives(table: FloatArray, families: npt.NDArray[np.int64]) -> FloatArray:
    """Each entry divided by the sum of its family, per column."""
    sums = np.zeros((int(families.max(initial=0)) + 1, table.shape[1]))
    np.add.at(sums, families, table)
    shares: FloatArray = table / sums[families]
    return shares


def _same_coverage(table: FloatArray, balance: FloatArray) -> FloatArray:
    """A table with uninformative abstentions: the same coverage for every outcome."""
    coverage = float((1 - table[-1]) @ balance)
    said = np.maximum(table[:-1], 1e-300)
    return np.vstack([said / said.sum(axis=0) * coverage, np.full((1, table.shape[1]), 1 - coverage)])


def better_than_random(parameters: Parameters, signs: FloatArray) -> bool:
    """Whether votes raise the probability of what they allow, on average; for adversarial sources, lower it."""
    lift = 0.0
    for source, masks in enumerate(parameters.layout.masks):
        joint = parameters.conditionals[source][:-1] * parameters.balance
        lift += signs[source] * float((joint * masks).sum() - joint.sum(axis=1) @ (masks @ parameters.balance))
    return lift > 0
