"""The strongest dependencies first: test all pairs, add the surest, learn again, test again.

One strong group of dependent sources bends the model of all others, which then look dependent
too. Once the group is in the model they no longer do. So only pairs that stand out are
added at a time. A model that is wrong in other ways, for example because some items are harder than others,
leaves something in *every* pair when there are many items; so what counts is how far a pair
stands out from the other pairs of the same two sources.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from assay.parameters import Parameters
from assay.structure.problem import Pair, Problem
from assay.structure.pruning import needed
from assay.structure.score_tests import Deviations, PairTests, deviations_of, pair_tests

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

MAX_JOINT_VOTES = 1_500
"""Groups of dependent sources may have so many joint votes; what would need more is told, but not modelled."""

_CERTAIN = 1e3
"""The surprise of copies."""
_ROUNDS = 25
_FEW_STEPS, _STEPS = 3, 100
_STANDS_OUT = 0.5
"""Pairs at least this surprising, as a share of the most surprising one, are added together,"""
_NEAREST = 0.8
"""if for one of the two no other source is much more surprising."""
_NEEDED = 2.0
"""Dependencies that have less than this many standard deviations to explain in the end are dropped."""
_TRIALS = 3
"""So many pairs are tried on the model if none stands out from its background,"""
_EXPLAINS = 0.7
"""and added if this share, or less, remains of what the model leaves of all other pairs: few sources have no
background that a strong dependency does not bend."""
_QUANTILE = 0.4
"""The background is told from this quantile, which a few dependent pairs do not move."""
_ROW = 8
"""With fewer sources than this a source has no background of its own."""


@dataclass(frozen=True, eq=False)
class Found:
    """What the search gave."""

    edges: dict[Pair, float]
    """Pairs in the order in which they were added, and how surprising each was beside its background."""
    left_out: dict[Pair, float]
    """Pairs for which there was no room in the model."""
    parameters: Parameters
    tests: PairTests
    """Of the first round, in which nothing is known yet."""
    deviations: Deviations


def stepwise(
    problem: Problem,
    *,
    false_discoveries: float,
    deviations: Deviations | None = None,
    max_joint_votes: int = MAX_JOINT_VOTES,
) -> Found:
    """Learn the dependencies of one component.

    Parameters
    ----------
    false_discoveries
        The share of the pairs found that may be there by chance (Benjamini and Hochberg).
    deviations
        Those of one item, if they are known from more items of the same kind.
    """
    parameters, evidence = problem.first_fit()
    # Copies need no statistics.
    edges: dict[Pair, float] = dict.fromkeys(problem.copies(), _CERTAIN)
    left_out: dict[Pair, float] = {}
    dropped: dict[Pair, float] = {}
    # An item's part in what is left hardly changes as dependencies come in, and takes long to work out.
    known = deviations_of(parameters, problem, evidence) if deviations is None else deviations
    first: PairTests | None = None
    settled = False
    if edges:
        parameters, evidence = problem.refit([*edges], parameters, _FEW_STEPS)
    for _ in range(_ROUNDS):
        tests = pair_tests(parameters, evidence, problem.statistics, known)
        first = first or tests
        surprise = beside_background(tests.surprise, tests.informed, [*edges, *left_out, *dropped])
        search = _Search(problem, known, parameters, [*edges], _STEPS if settled else _FEW_STEPS)
        added = False
        for pair in _outstanding(surprise, tests.informed, false_discoveries):
            fits = problem.has_room([*edges, pair], max_joint_votes)
            (edges if fits else left_out)[pair] = float(surprise[pair])
            added |= fits
        if not added:
            for pair in _candidates(tests, surprise, false_discoveries):
                if problem.has_room([*edges, pair], max_joint_votes) and search.explains(pair):
                    edges[pair] = float(surprise[pair])
                    added = True
                    break
        if not added and settled:
            unneeded = [
                pair
                for pair, sure in edges.items()
                if sure < _CERTAIN and needed(parameters, pair, problem.items) < _NEEDED
            ]
            if not unneeded:
                break
            dropped |= {pair: edges.pop(pair) for pair in unneeded}
        # While strong dependencies are missing, a model that is learned to the end may take them for the truth.
        settled = settled or not added
        parameters, evidence = problem.refit([*edges], parameters, _STEPS if settled else _FEW_STEPS)
    assert first is not None
    return Found(edges, left_out, parameters, first, known)


@dataclass(frozen=True, eq=False)
class _Search:
    """Where the search is."""

    problem: Problem
    deviations: Deviations
    parameters: Parameters
    edges: list[Pair]
    steps: int

    def explains(self, pair: Pair) -> bool:
        """Whether a model with one more dependency leaves much less of all other pairs than one without."""
        without, added = self._before, self._tests([*self.edges, pair])
        others = np.triu(without.informed, 1)
        for i, j in (*self.edges, pair):
            others[i, j] = False
        before, now = ((tests.surprise[others] ** 2).mean() for tests in (without, added))
        return bool(now <= _EXPLAINS * before)

    @cached_property
    def _before(self) -> PairTests:
        return self._tests(self.edges)

    def _tests(self, edges: list[Pair]) -> PairTests:
        parameters, evidence = self.problem.refit(edges, self.parameters, self.steps)
        return pair_tests(parameters, evidence, self.problem.statistics, self.deviations)


def _candidates(tests: PairTests, surprise: FloatArray, false_discoveries: float) -> list[Pair]:
    """The pairs that stand out most although all do; none if the others are as chance has it."""
    pairs = [(int(i), int(j)) for i, j in np.argwhere(np.triu(surprise, 1) > 0)]
    if not pairs:
        return []
    sure = float(norm.isf(false_discoveries / 2 / len(pairs)))
    pairs = [pair for pair in pairs if tests.surprise[pair] > sure]
    return sorted(pairs, key=lambda pair: (-surprise[pair], pair))[:_TRIALS]


def beside_background(surprise: FloatArray, informed: BoolArray, known: Sequence[Pair]) -> FloatArray:
    """(sources, sources): how surprising each pair is beside other pairs of the same sources; 0 for those known."""
    open_to = informed.copy()
    for i, j in known:
        open_to[i, j] = open_to[j, i] = False
    if not open_to.any():
        return np.zeros_like(surprise)
    usual = float(norm.isf((1 - _QUANTILE) / 2))
    level = np.quantile(surprise[open_to], _QUANTILE) / usual
    rows = np.full(len(surprise), max(level, 1.0))
    for i, others in enumerate(open_to):
        if others.sum() >= _ROW - 1:
            rows[i] = max(np.quantile(surprise[i][others], _QUANTILE) / usual, 1.0)
    background = np.maximum(np.sqrt(np.outer(rows, rows)), level)
    found: FloatArray = np.where(open_to, surprise / background, 0.0)
    return found


def discoveries(surprise: FloatArray, informed: BoolArray, false_discoveries: float) -> float:
    """The surprise from which on pairs are discoveries, by Benjamini and Hochberg; infinite if none is."""
    ordered = np.sort(surprise[np.triu(informed, 1)])[::-1]
    allowed = false_discoveries * np.arange(1, len(ordered) + 1) / max(len(ordered), 1)
    below = np.flatnonzero(2 * norm.sf(ordered) <= allowed)
    return float(ordered[below[-1]]) if len(below) else np.inf


def _outstanding(surprise: FloatArray, informed: BoolArray, false_discoveries: float) -> list[Pair]:
    """The pairs to add now, most surprising first."""
    least = max(discoveries(surprise, informed, false_discoveries), _STANDS_OUT * float(surprise.max(initial=0.0)))
    best = surprise.max(axis=1, initial=0.0)
    stands_out = (surprise >= least) & (surprise >= _NEAREST * np.minimum(best[:, None], best[None]))
    pairs = [(int(i), int(j)) for i, j in np.argwhere(np.triu(stands_out, 1))]
    return sorted(pairs, key=lambda pair: (-surprise[pair], pair))
