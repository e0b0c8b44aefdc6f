"""Dependencies that jointly explain residuals which none of them explains alone.

With few sources there is no background to compare with: one group of dependent sources biases the model of all others,
and every pair has a residual. So groups are merged greedily, by likelihood, until the residuals of all pairs are
consistent with chance. If that is not reached, the model is wrong in another way, and nothing is added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from assay.model.dependencies.problem import Pair, Problem
from assay.model.dependencies.score_tests import Deviations, PairTests, pair_tests
from assay.model.estimate.e_step import responsibilities
from assay.model.parameters import Parameters
from assay.model.scoring import Scoring

MOST_SOURCES = 16
"""With more sources the other pairs provide a background, and joint explanations are not needed."""
_MAX_MERGES = 5
"""The maximum number of merges;"""
_TRIALS = 8
"""each is the best one for this number of most surprising pairs."""
_PATTERNS = 10_000
"""The search uses a sample of about this number of patterns; its result must then explain all of them."""
_STEPS, _FEW_STEPS = 30, 1
_MAX_MISFIT = 2.0
"""The mean square of the standardised residuals up to which they may be due to chance."""


def explanation(
    problem: Problem, deviations: Deviations, parameters: Parameters, edges: Sequence[Pair], max_joint_votes: int
) -> list[Pair]:
    """Dependencies to add to the known ones so that the model leaves no residuals; none if there are none such."""
    share = _PATTERNS / max(len(problem.patterns), 1)
    few = problem if share >= 1 else problem.some(share, np.random.default_rng(0))
    best = _Model.fitted(few, deviations, frozenset(edges), parameters, max_steps=_FEW_STEPS)
    for _ in range(_MAX_MERGES):
        wider = {merged(best.edges, pair) for pair in best.surprising[:_TRIALS]}
        fitting = sorted(sorted(more) for more in wider if _fits(few, more, max_joint_votes))
        if not fitting:
            break
        # Each from the same start: a group mistaken for the truth while its dependencies were missing would remain so.
        trials = [_Model.fitted(few, deviations, frozenset(more), parameters) for more in fitting]
        best = max(trials, key=lambda trial: trial.gain_over(best))
        if best.misfit <= _MAX_MISFIT:
            of_all = best if few is problem else _Model.fitted(problem, deviations, best.edges, parameters)
            return sorted(best.edges.difference(edges)) if of_all.misfit <= _MAX_MISFIT else []
    return []


def merged(edges: frozenset[Pair], pair: Pair) -> frozenset[Pair]:
    """The same with the two groups of a pair merged into a clique."""
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph([*edges, pair])
    group = sorted(nx.node_connected_component(graph, pair[0]))
    return edges | frozenset(combinations(group, 2))


def _fits(problem: Problem, edges: frozenset[Pair], max_joint_votes: int) -> bool:
    """Whether no group is too large: what more than half of the sources have in common counts as the truth."""
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph(list(edges))
    groups = [sorted(group) for group in nx.connected_components(graph)]
    return all(
        2 * len(group) <= problem.sources and problem.has_room([*combinations(group, 2)], max_joint_votes)
        for group in groups
    )


@dataclass(frozen=True, eq=False)
class _Model:
    """A fit with some dependencies."""

    edges: frozenset[Pair]
    log_likelihood: float
    tests: PairTests

    @classmethod
    def fitted(
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
        pairs = [(int(i), int(j)) for i, j in np.argwhere(np.triu(self.tests.testable, 1))]
        return sorted((pair for pair in pairs if pair not in self.edges), key=lambda at: (-self.tests.surprise[at], at))

    @property
    def misfit(self) -> float:
        """The mean square of their standardised residuals."""
        return float(np.mean([self.tests.surprise[pair] ** 2 for pair in self.surprising] or [0.0]))

    def gain_over(self, other: _Model) -> float:
        """The gain in log-likelihood over a model with fewer dependencies, per additional dependency."""
        return (self.log_likelihood - other.log_likelihood) / (len(self.edges) - len(other.edges))
