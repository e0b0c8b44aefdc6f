"""Distributions over outcomes and votes that are small enough to be written out in full."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from hypothesis import strategies as st

import assay
from assay.counts.cliques import Clique, Layout, layout_of
from assay.counts.evidence import Evidence
from assay.counts.patterns import Patterns
from assay.counts.source_graph import SourceGraph
from assay.model.parameters import Parameters, normalised
from assay.simulate import World

MANY = 10**15
"""So many items that rounding the population's counts to whole numbers does not matter."""


def printed_by_two_processes(script: str) -> list[bytes]:
    """What a script prints under two seeds of Python's own hashes."""
    running = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=dict(os.environ, PYTHONHASHSEED=s))
        for s in ("1", "77")
    ]
    return [process.communicate()[0] for process in running]


def every_row(values: Sequence[int]) -> np.ndarray:
    """(rows, sources): all that sources with so many values each can say together, abstaining included."""
    return np.array(list(product(*(range(-1, count) for count in values))), dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Enumerated:
    """P(all votes | outcome), row by row."""

    layout: Layout
    rows: np.ndarray
    chances: np.ndarray
    """(rows, outcomes); columns sum to one."""
    balance: np.ndarray

    @cached_property
    def weights(self) -> np.ndarray:
        """(rows,): how often each row occurs."""
        return self.chances @ self.balance

    @cached_property
    def posterior(self) -> np.ndarray:
        """(rows, outcomes): Bayes' theorem."""
        joint = self.chances * self.balance
        return joint / joint.sum(axis=1, keepdims=True)

    def posterior_ignoring_abstentions(self) -> np.ndarray:
        """(rows, outcomes): as if each clique told only what is said, given who speaks and the separator."""
        likelihood = np.ones_like(self.chances)
        for clique in self.layout.cliques:
            said = self.rows[:, clique.sources]
            given = np.hstack([said >= 0, self.rows[:, clique.separator]])
            likelihood *= self._share(said) / self._share(given)
        joint = likelihood * self.balance
        return joint / joint.sum(axis=1, keepdims=True)

    def _share(self, keys: np.ndarray) -> np.ndarray:
        """(rows, outcomes): the probability of all rows that have a row's key."""
        group = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
        return np.array([np.bincount(group, column) for column in self.chances.T]).T[group]

    def table(self, clique: Clique) -> np.ndarray:
        """(configurations, outcomes): P(joint vote of a clique | outcome), by summing rows."""
        numbers = clique.numbers(self.rows)
        return np.array([np.bincount(numbers, column, minlength=clique.size) for column in self.chances.T]).T

    def parameters(self, ignore_abstentions: bool = False) -> Parameters:
        """The truth, as the library writes it."""
        joint = tuple(normalised(self.table(clique)) for clique in self.layout.cliques)
        return Parameters(self.layout, self.balance, joint, ignore_abstentions)

    @cached_property
    def conditionals(self) -> list[np.ndarray]:
        """Per source (values + 1, outcomes): P(vote | outcome)."""
        return [
            np.array([self.chances[self.rows[:, j] == code].sum(axis=0) for code in (*range(len(masks)), -1)])
            for j, masks in enumerate(self.layout.masks)
        ]

    def patterns(self, items: int = MANY) -> Patterns:
        """The population: every row as often as it is expected."""
        return Patterns.weighted(self.rows, np.rint(self.weights * items))

    def evidence(self, items: float = 1.0) -> Evidence:
        return Evidence(self.layout, Patterns.weighted(self.rows, self.weights * items))

    def population(self, items: int = MANY) -> Evidence:
        """The same with whole numbers of items."""
        return Evidence(self.layout, self.patterns(items))


def written_out(world: World, dependencies: Sequence[Sequence[str | int]] | None = None) -> Enumerated:
    """A simulated world in full."""
    names = [source.name for source in world.sources]
    rows = every_row([len(source.values) for source in world.sources])
    votes = assay.Votes.from_codes(world.tasks, rows, tuple(names), tuple(source.values for source in world.sources))
    graph = SourceGraph(names, world.dependencies if dependencies is None else dependencies)
    layout = layout_of(votes.schema, 0, graph)
    chances = np.exp(world.log_likelihood(rows))
    possible = chances.any(axis=1)
    return Enumerated(layout, layout.codes(votes)[possible], chances[possible], world.balance)


def independent_world(masks: Sequence[np.ndarray], tables: Sequence[np.ndarray], balance: np.ndarray) -> Enumerated:
    """Independent sources with given tables, (values + 1, outcomes) each, in full."""
    rows = every_row([len(mask) for mask in masks])
    chances = np.prod([table[rows[:, j]] for j, table in enumerate(tables)], axis=0)
    layout = Layout(tuple(masks), SourceGraph([f"s{j}" for j in range(len(masks))]), len(balance))
    return Enumerated(layout, rows, chances, balance)


def class_conditional_table(rng: np.random.Generator, masks: np.ndarray, sign: int = 1) -> np.ndarray:
    """(values + 1, outcomes): each value has one rate where it is true, and another, lower for sign 1, elsewhere."""
    low, gain = rng.uniform(0.2, 0.4, len(masks)) / len(masks), rng.uniform(0.2, 0.5, len(masks)) / len(masks)
    said = low[:, None] + gain[:, None] * (masks if sign > 0 else ~masks)
    return np.vstack([said, 1 - said.sum(axis=0)])


def chordal_parents(rng: np.random.Generator, sources: int) -> list[list[int]]:
    """For each source some earlier ones that depend on each other, which makes the graph chordal."""
    parents: list[list[int]] = []
    for j in range(sources):
        model = int(rng.integers(j + 1))
        near = [] if model == j else [*parents[model], model]
        parents.append(sorted(i for i in near if rng.random() < 0.75))
    return parents


@st.composite
def enumerated(draw: st.DrawFn, max_sources: int = 6, max_outcomes: int = 4, min_sources: int = 1) -> Enumerated:
    """Any distribution on a random chordal graph: each source given the truth and its parents."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    m, r = draw(st.integers(min_sources, max_sources)), draw(st.integers(2, max_outcomes))
    values = [int(rng.integers(1, 4 if m < 6 else 3)) for _ in range(m)]
    parents = chordal_parents(rng, m)
    rows = every_row(values)
    chances = np.ones((len(rows), r))
    for j in range(m):
        above = np.unique(rows[:, parents[j]], axis=0, return_inverse=True)[1].reshape(-1)
        table = rng.dirichlet(np.ones(values[j] + 1), size=(int(above.max()) + 1, r))
        chances *= table[above[:, None], np.arange(r), rows[:, [j]]]
    masks = tuple(random_masks(rng, count, r) for count in values)
    graph = SourceGraph([f"s{j}" for j in range(m)], [(i, j) for j, above in enumerate(parents) for i in above])
    return Enumerated(Layout(masks, graph, r), rows, chances, rng.dirichlet(np.full(r, 2.0)))


def random_masks(rng: np.random.Generator, values: int, outcomes: int) -> np.ndarray:
    """(values, outcomes): sets of outcomes, neither none nor all of them."""
    masks = rng.random((values, outcomes)) < 0.5
    for mask in masks:
        if mask.all() or not mask.any():
            mask[rng.integers(outcomes)] ^= True
    return masks
