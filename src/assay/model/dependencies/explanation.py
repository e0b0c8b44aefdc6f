"""Dependencies that explain together what none of them explains alone.

With few sources there is no background: one group of dependent sources bends the model of all others, and every pair
has something left. So groups are joined, each time those that make the votes most likely, until what is left of all
pairs is as chance has it. If that is not reached, something else is wrong with the model, and nothing is added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import networkx as nx
import numpy as np

from assay.model.dependencies.problem import Pair, Problem
from assay.model.dependencies.score_tests import Deviations, PairTests, pair_tests
from assay.model.estimate.em import responsibilities
from assay.model.parameters import Parameters
from assay.model.scoring import Scoring

MOST_SOURCES = 16
"""With more sources the other pairs tell what is usual, and explanations are not needed."""
_JOINED = 5
"""So often groups are joined,"""
_TRIALS = 8
"""each time the best of those of this many most surprising pairs."""
_PATTERNS = 10_000
"""They are looked for on items with about so many patterns, and must then explain all."""
_STEPS, _FEW_STEPS = 30, 1
_AS_CHANCE = 2.0
"""The mean square of what is left, in standard deviations, up to which it may be there by chance."""


def explanation(
    problem: Problem, deviations: Deviations, parameters: Parameters, edges: Sequence[Pair], max_joint_votes: int
) -> list[Pair]:
    """Dependencies to add to those known, with which the model leaves nothing; none if there are no such."""
    share = _PATTERNS / max(len(problem.patterns), 1)
    few = problem if share >= 1 else problem.some(share, np.random.default_rng(0))
    best = _Model.learned(few, deviations, frozenset(edges), parameters, max_steps=_FEW_STEPS)
    for _ in range(_JOINED):
        wider = {joined(best.edges, pair) for pair in best.surprising[:_TRIALS]}
        fitting = sorted(sorted(more) for more in wider if _fits(few, more, max_joint_votes))
        if not fitting:
            break
        # Each from the start, so that a group that became the truth without its dependencies does not stay it.
        trials = [_Model.learned(few, deviations, frozenset(more), parameters) for more in fitting]
        best = max(trials, key=lambda trial: trial.gain_over(best))
        if best.left <= _AS_CHANCE:
            of_all = best if few is problem else _Model.learned(problem, deviations, best.edges, parameters)
            return sorted(best.edges.difference(edges)) if of_all.left <= _AS_CHANCE else []
    return []


def joined(edges: frozenset[Pair], pair: Pair) -> frozenset[Pair]:
    """The same with all sources of the two groups that a pair is in dependent on each other."""
    graph: nx.Graph[int] = nx.Graph([*edges, pair])
    group = sorted(nx.node_connected_component(graph, pair[0]))
    return edges | frozenset(combinations(group, 2))


def _fits(problem: Problem, edges: frozenset[Pair], max_joint_votes: int) -> bool:
    """Whether no group is too large: what more than half of the sources have in common is the truth."""
    graph: nx.Graph[int] = nx.Graph(list(edges))
    groups = [sorted(group) for group in nx.connected_components(graph)]
    return all(
        2 * len(group) <= problem.sources and problem.has_room([*combinations(group, 2)], max_joint_votes)
        for group in groups
    )


@dataclass(frozen=True, eq=False)
class _Model:
    """What was learned with some dependencies."""

    edges: frozenset[Pair]
    log_likelihood: float
    tests: PairTests

    @classmethod
    def learned(
        cls,
        problem: Problem,
        deviations: Deviations,
        edges: frozenset[Pair],
        start: Parameters,
        max_steps: int = _STEPS,
    ) -> _Model:
        parameters, evidence = problem.refit(sorted(edges), start, max_steps)
        tests = pair_tests(parameters, evidence, problem.statistics, deviations)
        return cls(edges, responsibilities(Scoring.bayes(parameters), evidence)[1], tests)

    @cached_property
    def surprising(self) -> list[Pair]:
        """The pairs that are not in the model, most surprising first."""
        pairs = [(int(i), int(j)) for i, j in np.argwhere(np.triu(self.tests.informed, 1))]
        return sorted((pair for pair in pairs if pair not in self.edges), key=lambda at: (-self.tests.surprise[at], at))

    @property
    def left(self) -> float:
        """The mean square of what is left of these."""
        return float(np.mean([self.tests.surprise[pair] ** 2 for pair in self.surprising] or [0.0]))

    def gain_over(self, other: _Model) -> float:
        """How much more likely, for each dependency more, the votes are than by a model with fewer."""
        return (self.log_likelihood - other.log_likelihood) / (len(self.edges) - len(other.edges))
