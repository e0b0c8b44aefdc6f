"""Stability selection: the share of half-samples in which a dependency is found again.

Items are split into two random halves, several times, and each half is searched like the whole
(complementary pairs: Shah and Samworth, 2013). Dependencies that rest on a few items are found in few halves. A pair
also counts as found if both depend on the same third source: in a group of similar sources it is a matter of
chance which pairs suffice to connect them all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain, combinations

import numpy as np

from assay._core.progress import Progress
from assay.model.dependencies.problem import Pair, Problem


def stability(
    problem: Problem,
    search: Callable[[Problem], Iterable[Pair]],
    resamples: int,
    rng: np.random.Generator,
    *,
    progress: bool = False,
) -> dict[Pair, float]:
    """The share of half-samples in which each pair is found; pairs that are never found are left out."""
    found: Counter[Pair] = Counter()
    with Progress("searching half-samples for dependencies", resamples, show=progress, unit="half-samples") as bar:
        for number in range(0, resamples, 2):
            for half in problem.half(rng)[: resamples - number]:
                found.update(connected(search(half)))
                bar.advance(1)
    return {pair: times / resamples for pair, times in found.items()}


def connected(pairs: Iterable[Pair]) -> set[Pair]:
    """The pairs themselves, and those that have a third source in common.

    >>> sorted(connected([(0, 1), (1, 2), (2, 3)]))
    [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
    """
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph(list(pairs))
    near = (combinations(sorted({source, *graph[source]}), 2) for source in graph)
    return set(chain.from_iterable(near))
