"""Votes with known parameters, drawn exactly.

Sources come one after the other, as a Bayesian network whose moral graph is the
dependency graph: each source either copies one of the earlier sources it depends
on, or speaks for itself. So any chordal graph can be drawn from without a
sampler that only converges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import networkx as nx
import numpy as np
import numpy.typing as npt

from assay._core.arguments import random_numbers
from assay.counts import Dependency, SourceGraph
from assay.errors import VoteError
from assay.tasks import Component, TaskGraph, Vote
from assay.votes import Votes

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SimulatedSource:
    """A source with known behaviour: what it says for each true outcome when it speaks for itself."""

    name: str
    """What it is called."""
    values: tuple[Vote, ...]
    """The votes that it may cast."""
    own: FloatArray = field(repr=False)
    """(values + 1, outcomes): P(vote | outcome); the last row is abstain."""
    copies: tuple[int, ...] = ()
    """The earlier sources it may copy."""
    copy_probability: float = 0.0
    """How often it copies one of these rather than speak for itself."""


@dataclass(frozen=True)
class Simulation:
    """Drawn votes with everything that is usually hidden."""

    votes: Votes
    """What the sources said."""
    gold: npt.NDArray[np.int64]
    """(items,): the true outcome of each."""
    world: World
    """What they were drawn from."""


@dataclass(frozen=True)
class World:
    """A distribution over outcomes and votes, for one component of a label space."""

    tasks: TaskGraph
    """The tasks that the votes are on."""
    balance: FloatArray
    """(outcomes,): P(Y)."""
    sources: tuple[SimulatedSource, ...]
    """The sources, each after those that it may copy."""

    @property
    def dependencies(self) -> list[tuple[str, str]]:
        """The pairs of sources that depend on each other."""
        pairs = {tuple(sorted((i, j))) for j, s in enumerate(self.sources) for i in s.copies if s.copy_probability > 0}
        return [(self.sources[i].name, self.sources[j].name) for i, j in sorted(pairs)]

    @cached_property
    def conditionals(self) -> list[FloatArray]:
        """Per source (values + 1, outcomes): P(vote | outcome), copying included."""
        found: list[FloatArray] = []
        for source in self.sources:
            table = source.own
            if source.copies:
                copied = np.mean([found[i] for i in source.copies], axis=0)
                table = source.copy_probability * copied + (1 - source.copy_probability) * table
            found.append(table)
        return found

    def log_likelihood(self, codes: npt.NDArray[np.integer]) -> FloatArray:
        """(items, outcomes): log P(votes | outcome) under the true parameters."""
        with np.errstate(divide="ignore"):
            logs = np.zeros((len(codes), len(self.balance)))
            for j, source in enumerate(self.sources):
                chance = (1 - source.copy_probability * bool(source.copies)) * source.own[codes[:, j]]
                for i in source.copies:
                    same = codes[:, i] == codes[:, j]
                    chance = chance + (source.copy_probability / len(source.copies)) * same[:, None]
                logs += np.log(chance)
        return logs

    def posterior(self, codes: npt.NDArray[np.integer]) -> FloatArray:
        """(items, outcomes): P(outcome | votes) under the true parameters: the best labels there are."""
        logs = self.log_likelihood(codes) + np.log(self.balance)
        logs -= logs.max(axis=1, keepdims=True)
        chances = np.exp(logs)
        normalised: FloatArray = chances / chances.sum(axis=1, keepdims=True)
        return normalised

    def draw(self, n: int, seed: int | np.random.Generator = 0) -> Simulation:
        """Draw ``n`` items; the same seed gives the same votes."""
        rng = random_numbers(seed)
        gold = rng.choice(len(self.balance), size=n, p=self.balance)
        codes = np.empty((n, len(self.sources)), dtype=np.int32)
        for j, source in enumerate(self.sources):
            cumulative = source.own.cumsum(axis=0)[:, gold]
            said = (rng.random(n) * cumulative[-1] >= cumulative).sum(axis=0)
            own = np.where(said >= len(source.values), -1, said)
            if source.copies:
                model = rng.integers(len(source.copies), size=n)
                copied = codes[np.arange(n), np.asarray(source.copies)[model]]
                own = np.where(rng.random(n) < source.copy_probability, copied, own)
            codes[:, j] = own
        names = tuple(source.name for source in self.sources)
        return Simulation(Votes.from_codes(self.tasks, codes, names, tuple(s.values for s in self.sources)), gold, self)


def confusion(
    component: Component,
    values: Sequence[Vote],
    rng: np.random.Generator,
    *,
    accuracy: tuple[float, float] = (0.6, 0.9),
    coverage: float | tuple[float, float] = 1.0,
    kind: Literal["class-conditional", "full"] = "full",
    off_coverage: float | None = None,
) -> FloatArray:
    """(values + 1, outcomes): a random source that is right with some accuracy where its values apply.

    Parameters
    ----------
    accuracy
        The range that P(right value | it votes) is drawn from, per outcome; one draw
        for all outcomes if ``kind`` is "class-conditional".
    coverage
        How often it votes, or the range that this is drawn from.
    kind
        Whether its mistakes are spread evenly, or drawn anew for each outcome.
    off_coverage
        How often it votes on outcomes that none of its values allows; the same by
        default. Its votes there are wrong by nature.
    """
    masks = np.array([component.allows(vote) for vote in values])
    v, r = masks.shape
    low, high = (coverage, coverage) if isinstance(coverage, float | int) else coverage
    rate = rng.uniform(low, high)
    shared = rng.uniform(*accuracy)
    table = np.zeros((v + 1, r))
    for y in range(r):
        right = masks[:, y]
        correct = shared if kind == "class-conditional" else rng.uniform(*accuracy)
        wrong = np.ones(v) if kind == "class-conditional" else rng.dirichlet(np.full(v, 2.0))
        if not right.any():
            share = wrong / wrong.sum()
            table[:v, y] = share * (rate if off_coverage is None else off_coverage)
        else:
            wrong = np.where(right, 0, wrong)
            correct = correct if wrong.any() else 1.0
            share = correct * right / right.sum() + (1 - correct) * wrong / max(wrong.sum(), 1e-300)
            table[:v, y] = share * rate
        table[v, y] = max(1 - table[:v, y].sum(), 0.0)
    return table


def unipolar(
    component: Component, value: Vote, rng: np.random.Generator, *, accuracy: tuple[float, float], coverage: float
) -> FloatArray:
    """(2, outcomes): a source with one value, which it emits more often where that is true."""
    mask = component.allows(value)
    correct = rng.uniform(*accuracy)
    spoken = np.where(mask, coverage * 2 * correct, coverage * 2 * (1 - correct))
    if (spoken > 1).any():
        raise VoteError(f"a unipolar source cannot cover {coverage:.0%} with an accuracy of {correct:.2f}; lower it")
    return np.vstack([spoken, 1 - spoken])


def flat_world(
    *,
    classes: int = 2,
    sources: int = 10,
    accuracy: tuple[float, float] = (0.6, 0.9),
    coverage: float = 1.0,
    balance: Sequence[float] | None = None,
    kind: Literal["class-conditional", "full"] = "full",
    polarity: Literal["all", "one"] = "all",
    copies: Sequence[Dependency] = (),
    copy_probability: float = 0.6,
    seed: int = 0,
) -> World:
    """One task and sources that vote on all its labels, or (``polarity="one"``) on one each.

    ``copies`` names the pairs or groups of sources that depend on each other: in a
    group each copies the earlier ones. The graph is made chordal first.

    >>> world = flat_world(sources=3, copies=[(0, 1)], seed=1)
    >>> world.dependencies
    [('0', '1')]
    >>> world.draw(5).votes
    Votes(5 items × 3 sources, 1 task)
    """
    rng = random_numbers(seed)
    tasks = TaskGraph.flat("label", [str(label) for label in range(classes)])
    component = tasks.label_space.only
    every = tuple(Vote((("label", str(label)),)) for label in range(classes))
    parents = _earlier_neighbours(SourceGraph([str(j) for j in range(sources)], copies))
    made = []
    for j in range(sources):
        if polarity == "one":
            values: tuple[Vote, ...] = (every[j % classes],)
            own = unipolar(component, values[0], rng, accuracy=accuracy, coverage=coverage)
        else:
            values = every
            own = confusion(component, values, rng, accuracy=accuracy, coverage=coverage, kind=kind)
        made.append(SimulatedSource(str(j), values, own, parents[j], copy_probability if parents[j] else 0.0))
    p = np.full(classes, 1 / classes) if balance is None else np.asarray(balance, dtype=float)
    return World(tasks, p / p.sum(), tuple(made))


def task_world(
    tasks: TaskGraph,
    labels: Sequence[str | Sequence[str]],
    *,
    accuracy: tuple[float, float] = (0.6, 0.9),
    coverage: float | tuple[float, float] = (0.3, 0.9),
    off_coverage: float | None = 0.1,
    balance: Sequence[float] | None = None,
    kind: Literal["class-conditional", "full"] = "full",
    seed: int = 0,
) -> World:
    """Sources over any task graph with one component; ``labels`` names the task, or tasks, that each one labels.

    >>> tasks = TaskGraph.flat("entity", ["Person", "Organization"])
    >>> task_world(tasks, ["entity"] * 3).sources[0].name
    's0'
    """
    rng = random_numbers(seed)
    component = tasks.label_space.only
    made = []
    for j, said in enumerate(labels):
        covered = (said,) if isinstance(said, str) else tuple(said)
        values = _values(component, covered)
        own = confusion(
            component, values, rng, accuracy=accuracy, coverage=coverage, kind=kind, off_coverage=off_coverage
        )
        made.append(SimulatedSource(f"s{j}", values, own))
    p = rng.dirichlet(np.full(len(component), 6.0)) if balance is None else np.asarray(balance, dtype=float)
    return World(tasks, p / p.sum(), tuple(made))


def _values(component: Component, covered: tuple[str, ...]) -> tuple[Vote, ...]:
    """The votes on some tasks that are possible, those on one task without its N/A."""
    seen: dict[Vote, None] = {}
    for outcome in component.outcomes:
        if len(covered) > 1 or outcome[covered[0]] is not None:
            seen[Vote(tuple((task, outcome[task]) for task in component.tasks if task in covered))] = None
    return tuple(seen)


def _earlier_neighbours(graph: SourceGraph) -> list[tuple[int, ...]]:
    """For each source the earlier ones it depends on, which form a clique if the order is a perfect one."""
    chordal: nx.Graph[int] = nx.Graph(list(graph.edges))
    neighbours = [
        tuple(i for i in range(j) if chordal.has_edge(i, j)) if j in chordal else () for j in range(len(graph.names))
    ]
    for j, earlier in enumerate(neighbours):
        for position, i in enumerate(earlier):
            if any(not chordal.has_edge(i, other) for other in earlier[position + 1 :]):
                raise VoteError(f"number the sources so that the earlier neighbours of source {j} depend on each other")
    return neighbours
