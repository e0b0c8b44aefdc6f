"""How sure a dependency is: the share of half-samples in which it is found again.

Items are dealt out to two halves at random, several times, and each half is searched as the whole was
(complementary pairs: Shah and Samworth, 2013). What a few items made it seem is found in few halves. A pair counts as
found if it is, or if both are dependent on the same third source: in a group of sources that are much alike it
is by chance which pairs are enough to connect them all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain, combinations

import networkx as nx
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
    """The share of half-samples in which each pair is found; pairs that never are found are left out."""
    found: Counter[Pair] = Counter()
    with Progress("looking for dependencies again", resamples, show=progress, unit="half-samples") as bar:
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
    graph: nx.Graph[int] = nx.Graph(list(pairs))
    near = (combinations(sorted({source, *graph[source]}), 2) for source in graph)
    return set(chain.from_iterable(near))
