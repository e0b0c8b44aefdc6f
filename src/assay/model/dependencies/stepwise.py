"""Forward selection of dependencies: test all pairs, add the strongest, refit, test again.

One strong group of dependent sources biases the model of all others, which then look dependent
too, until the group is in the model. So only the most outstanding pairs are added at a
time. A model that is wrong in other ways, for example because some items are harder than others,
leaves a residual in *every* pair if there are many items; so each pair is compared with
the other pairs of the same two sources.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from assay.model.dependencies.explanation import MOST_SOURCES, explanation
from assay.model.dependencies.problem import Pair, Problem
from assay.model.dependencies.pruning import conditional_dependence
from assay.model.dependencies.score_tests import Deviations, PairTests, deviations_of, pair_tests
from assay.model.parameters import Parameters

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

MAX_JOINT_VOTES = 1_500
"""The most joint votes of a group of dependent sources; dependencies that need more are reported, but not kept."""

_CERTAIN = 1e3
"""The surprise assigned to copies."""
_ROUNDS = 25
_FEW_STEPS, _STEPS = 3, 100
_STANDS_OUT = 0.5
"""Pairs at least this surprising, as a share of the most surprising one, are added together,"""
_NEAREST = 0.8
"""if one of the two has no much more surprising pair with another source."""
_MIN_Z = 3.0
"""Dependencies with a z-score below this in the final model are dropped."""
_QUANTILE = 0.4
"""The background is estimated from this quantile, which is robust to a few dependent pairs."""
_MIN_ROW = 8
"""With fewer sources than this a source has no background of its own."""


@dataclass(frozen=True, eq=False)
class Found:
    """The result of the search."""

    edges: dict[Pair, float]
    """Pairs in the order in which they were added, and the surprise of each relative to its background."""
    left_out: dict[Pair, float]
    """Pairs whose group would have had too many joint votes."""
    parameters: Parameters
    tests: PairTests
    """The tests under the model that has only copies as dependencies."""
    deviations: Deviations
    explained: bool = False
    """Whether dependencies were found that only jointly explain the residuals."""


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
        The false discovery rate (Benjamini and Hochberg).
    whole
        The result for all items, of which these are a part: its deviations are reused, and if it found no
        joint explanation, none is searched for.
    """
    parameters, evidence = problem.first_fit()
    # The variances hardly change as dependencies are added, and are slow to compute.
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
        already = [*edges, *left_out, *dropped]
        surprise = relative_to_background(tests.surprise, tests.testable, tests.is_background, already)
        added = False
        for pair in _outstanding(surprise, tests.testable, false_discoveries):
            fits = problem.has_room([*edges, pair], max_joint_votes)
            (edges if fits else left_out)[pair] = float(surprise[pair])
            added |= fits
        if not added and may_explain:
            may_explain = False
            # Residuals after a few steps of EM may vanish once it has converged.
            converged = problem.refit([*edges], parameters, _STEPS)
            if _any(pair_tests(*converged, problem.statistics, known), false_discoveries):
                more = explanation(problem, known, parameters, [*edges], max_joint_votes)
                edges |= {pair: float(surprise[pair]) for pair in more}
                added = explained = bool(more)
        if not added and settled:
            unneeded = [
                pair
                for pair, score in edges.items()
                if score < _CERTAIN and conditional_dependence(parameters, pair, problem.items) < _MIN_Z
            ]
            if not unneeded:
                break
            dropped |= {pair: edges.pop(pair) for pair in unneeded}
        # While strong dependencies are missing, EM that runs to convergence may mistake them for the truth.
        settled = settled or not added
        parameters, evidence = problem.refit([*edges], parameters, _STEPS if settled else _FEW_STEPS)
    return Found(edges, left_out, parameters, first, known, explained)


def relative_to_background(
    surprise: FloatArray, testable: BoolArray, is_background: BoolArray, known: Sequence[Pair]
) -> FloatArray:
    """(sources, sources): surprise relative to the background pairs of the same sources; 0 for known pairs."""
    candidates = testable.copy()
    for i, j in known:
        candidates[i, j] = candidates[j, i] = False
    compared = is_background & candidates
    chance = float(-ndtri((1 - _QUANTILE) / 2))
    level = max(np.quantile(surprise[compared], _QUANTILE) / chance, 1.0) if compared.any() else 1.0
    rows = np.full(len(surprise), level)
    for i, others in enumerate(compared):
        if others.sum() >= _MIN_ROW - 1:
            rows[i] = max(np.quantile(surprise[i][others], _QUANTILE) / chance, 1.0)
    background = np.maximum(np.sqrt(np.outer(rows, rows)), level)
    found: FloatArray = np.where(candidates, surprise / background, 0.0)
    return found


def discoveries(surprise: FloatArray, testable: BoolArray, false_discoveries: float) -> float:
    """The threshold of surprise by Benjamini and Hochberg's procedure; infinite if no pair is a discovery."""
    ordered = np.sort(surprise[np.triu(testable, 1)])[::-1]
    allowed = false_discoveries * np.arange(1, len(ordered) + 1) / max(len(ordered), 1)
    below = np.flatnonzero(2 * ndtr(-ordered) <= allowed)
    return float(ordered[below[-1]]) if len(below) else np.inf


def _any(tests: PairTests, false_discoveries: float) -> bool:
    """Whether any residual is significant."""
    return bool(np.isfinite(discoveries(tests.surprise, tests.testable, false_discoveries)))


def _outstanding(surprise: FloatArray, testable: BoolArray, false_discoveries: float) -> list[Pair]:
    """The pairs to add now, most surprising first."""
    least = max(discoveries(surprise, testable, false_discoveries), _STANDS_OUT * float(surprise.max(initial=0.0)))
    best = surprise.max(axis=1, initial=0.0)
    stands_out = (surprise >= least) & (surprise >= _NEAREST * np.minimum(best[:, None], best[None]))
    pairs = [(int(i), int(j)) for i, j in np.argwhere(np.triu(stands_out, 1))]
    return sorted(pairs, key=lambda pair: (-surprise[pair], pair))
