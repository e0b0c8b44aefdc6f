"""How sure a dependency is: the share of half-samples in which it is found again.

Items are dealt out to two halves at random, several times, and each half is searched as the whole was
(complementary pairs: Shah and Samworth, 2013). What a few items made it seem is found in few halves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np

from assay.structure.problem import Pair, Problem


def stability(
    problem: Problem, search: Callable[[Problem], Iterable[Pair]], resamples: int, rng: np.random.Generator
) -> dict[Pair, float]:
    """The share of half-samples in which each pair is found; pairs that never are found are left out."""
    found: Counter[Pair] = Counter()
    for number in range(0, resamples, 2):
        halves = problem.half(rng)[: resamples - number]
        for half in halves:
            found.update(list(search(half)))
    return {pair: times / resamples for pair, times in found.items()}
