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

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from assay.model.dependencies.explanation import MOST_SOURCES, explanation
from assay.model.dependencies.problem import Pair, Problem
from assay.model.dependencies.pruning import needed
from assay.model.dependencies.score_tests import Deviations, PairTests, deviations_of, pair_tests
from assay.model.parameters import Parameters

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
_NEEDED = 3.0
"""Dependencies that have less than this many standard deviations to explain in the end are dropped."""
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
    """Of the model that knows of copies alone."""
    deviations: Deviations
    explained: bool = False
    """Whether dependencies were found that explain together what none stands out for."""


def stepwise(
    problem: Problem,
    *,
    false_discoveries: float,
    max_joint_votes: int = MAX_JOINT_VOTES,
    whole: Found | None = None,
) -> Found:
    """Learn the dependencies of one component.

    Parameters
    ----------
    false_discoveries
        The share of the pairs found that may be there by chance (Benjamini and Hochberg).
    whole
        What was found in the items of which these are a part: deviations are the same, and where no
        explanation was found none is looked for.
    """
    parameters, evidence = problem.first_fit()
    # An item's part in what is left hardly changes as dependencies come in, and takes long to work out.
    known = deviations_of(parameters, problem, evidence) if whole is None else whole.deviations
    # Copies need no statistics.
    edges: dict[Pair, float] = dict.fromkeys(problem.copies(), _CERTAIN)
    left_out: dict[Pair, float] = {}
    dropped: dict[Pair, float] = {}
    simplest, of_simplest = problem.refit([*edges], parameters, _STEPS)
    first = pair_tests(simplest, of_simplest, problem.statistics, known)
    if not _any(first, false_discoveries):
        return Found(edges, left_out, simplest, first, known)
    if edges:
        parameters, evidence = problem.refit([*edges], parameters, _FEW_STEPS)
    settled = explained = False
    may_explain = problem.sources <= MOST_SOURCES and (whole is None or whole.explained)
    for _ in range(_ROUNDS):
        tests = pair_tests(parameters, evidence, problem.statistics, known)
        surprise = beside_background(tests.surprise, tests.informed, tests.usual, [*edges, *left_out, *dropped])
        added = False
        for pair in _outstanding(surprise, tests.informed, false_discoveries):
            fits = problem.has_room([*edges, pair], max_joint_votes)
            (edges if fits else left_out)[pair] = float(surprise[pair])
            added |= fits
        if not added and may_explain:
            may_explain = False
            # What is left of a model that was learned in a few steps may be gone at the end.
            at_the_end = problem.refit([*edges], parameters, _STEPS)
            if _any(pair_tests(*at_the_end, problem.statistics, known), false_discoveries):
                more = explanation(problem, known, parameters, [*edges], max_joint_votes)
                edges |= {pair: float(surprise[pair]) for pair in more}
                added = explained = bool(more)
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
    return Found(edges, left_out, parameters, first, known, explained)


def beside_background(surprise: FloatArray, informed: BoolArray, usual: BoolArray, known: Sequence[Pair]) -> FloatArray:
    """(sources, sources): how surprising each pair is beside the usual pairs of the same sources; 0 for those known."""
    open_to = informed.copy()
    for i, j in known:
        open_to[i, j] = open_to[j, i] = False
    compared = usual & open_to
    chance = float(norm.isf((1 - _QUANTILE) / 2))
    level = max(np.quantile(surprise[compared], _QUANTILE) / chance, 1.0) if compared.any() else 1.0
    rows = np.full(len(surprise), level)
    for i, others in enumerate(compared):
        if others.sum() >= _ROW - 1:
            rows[i] = max(np.quantile(surprise[i][others], _QUANTILE) / chance, 1.0)
    background = np.maximum(np.sqrt(np.outer(rows, rows)), level)
    found: FloatArray = np.where(open_to, surprise / background, 0.0)
    return found


def discoveries(surprise: FloatArray, informed: BoolArray, false_discoveries: float) -> float:
    """The surprise from which on pairs are discoveries, by Benjamini and Hochberg; infinite if none is."""
    ordered = np.sort(surprise[np.triu(informed, 1)])[::-1]
    allowed = false_discoveries * np.arange(1, len(ordered) + 1) / max(len(ordered), 1)
    below = np.flatnonzero(2 * norm.sf(ordered) <= allowed)
    return float(ordered[below[-1]]) if len(below) else np.inf


def _any(tests: PairTests, false_discoveries: float) -> bool:
    """Whether anything is left that chance does not explain."""
    return bool(np.isfinite(discoveries(tests.surprise, tests.informed, false_discoveries)))


def _outstanding(surprise: FloatArray, informed: BoolArray, false_discoveries: float) -> list[Pair]:
    """The pairs to add now, most surprising first."""
    least = max(discoveries(surprise, informed, false_discoveries), _STANDS_OUT * float(surprise.max(initial=0.0)))
    best = surprise.max(axis=1, initial=0.0)
    stands_out = (surprise >= least) & (surprise >= _NEAREST * np.minimum(best[:, None], best[None]))
    pairs = [(int(i), int(j)) for i, j in np.argwhere(np.triu(stands_out, 1))]
    return sorted(pairs, key=lambda pair: (-surprise[pair], pair))
