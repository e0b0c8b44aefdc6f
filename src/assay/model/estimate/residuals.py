r"""What sources have in common beyond the truth.

Two sources *meet* on an item if both vote, and *agree* if what they say can both be true. Given the
outcome a model foretells how often two sources do so; what is left over is evidence that something other
than the truth connects them. :func:`residual_correlations` puts it in one number a pair,

.. math:: r_{ij} = \frac{P(\text{same}) - \sum_y P(y) \, P_i(\cdot \mid y) \cdot P_j(\cdot \mid y)}{\sqrt{V_i V_j}},
          \qquad V_i = 1 - \sum_y P(y) \sum_v P_i(v \mid y)^2,

where two sources say the same if they agree or both abstain. It is 1 for copies and 0 on average for sources
that only the truth connects; for sources with two values that always vote it is their correlation given the truth.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from string import ascii_lowercase

import numpy as np
import numpy.typing as npt

from assay.counts import Clique, Evidence, Layout, Statistics, sums_by_source
from assay.model.parameters import TINY, Parameters

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def compatible_values(layout: Layout) -> BoolArray:
    """(values, values): those that can both be true."""
    masks = layout.all_masks.astype(np.float32)
    compatible: BoolArray = masks @ masks.T > 0
    return compatible


def meetings(pair: npt.NDArray[np.generic], layout: Layout) -> tuple[FloatArray, FloatArray]:
    """(sources, sources): how often two meet, and agree, from (values, values) co-votes."""
    both, offsets = pair.astype(float), layout.value_offsets
    return sums_by_source(both, offsets), sums_by_source(both * compatible_values(layout), offsets)


def expected_meetings(parameters: Parameters, *, apart: bool = False) -> tuple[FloatArray, FloatArray]:
    """(outcomes, sources, sources): the probability that two meet, and that they agree, given the outcome.

    Dependent sources meet as the model has learned it; with ``apart``, as if only the truth connected them.
    """
    layout = parameters.layout
    said = np.vstack([table[:-1] for table in parameters.conditionals])
    found = [meetings(np.outer(said[:, y], said[:, y]), layout) for y in range(layout.outcomes)]
    meet, agree = (np.stack(parts) for parts in zip(*found, strict=True))
    if not apart:
        first, compatible = layout.value_offsets, compatible_values(layout)
        for i, j in (pair for part in layout.graph.components for pair in combinations(part, 2)):
            both = pair_table(parameters, i, j)[:-1, :-1]
            alike = compatible[first[i] : first[i + 1], first[j] : first[j + 1], None]
            meet[:, i, j] = meet[:, j, i] = both.sum(axis=(0, 1))
            agree[:, i, j] = agree[:, j, i] = (both * alike).sum(axis=(0, 1))
    return meet, agree


def residual_correlations(parameters: Parameters, statistics: Statistics) -> FloatArray:
    """(sources, sources): the correlation of two sources' votes that the truth does not explain; the diagonal is 1.

    Parameters
    ----------
    parameters
        What was learned. Dependencies that it knows of count as unexplained, so that they show.
    statistics
        How often single indicators hold, alone and together.

    Examples
    --------
    >>> from assay import LabelModel
    >>> from assay.simulate import flat_world
    >>> world = flat_world(sources=6, copies=[(0, 1)], copy_probability=0.8, seed=3)
    >>> model = LabelModel(dependencies=[(0, 1)]).fit(world.draw(4_000).votes)
    >>> part = model.fitted_.components[0]
    >>> abs(residual_correlations(part.fit.parameters, part.fit.statistics)[0]).round(1).tolist()
    [1.0, 0.8, 0.0, 0.0, 0.0, 0.0]
    """
    layout = parameters.layout
    items = max(statistics.items, 1)
    met, agreed = meetings(statistics.pair, layout)
    votes = np.add.reduceat(statistics.single.astype(float), layout.value_offsets[:-1])
    silent = items - votes[:, None] - votes[None] + met
    _, agree = expected_meetings(parameters, apart=True)
    abstain = np.stack([table[-1] for table in parameters.conditionals], axis=1)
    same = agree + abstain[:, :, None] * abstain[:, None, :]
    alone = np.stack([(table**2).sum(axis=0) for table in parameters.conditionals], axis=1)
    spread = np.sqrt(np.maximum(1 - parameters.balance @ alone, TINY))
    left = (agreed + silent) / items - np.tensordot(parameters.balance, same, axes=1)
    found: FloatArray = np.clip(left / np.outer(spread, spread), -1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return found


def clique_correlations(parameters: Parameters, evidence: Evidence) -> FloatArray:
    """(cliques,): the mean of these correlations over the pairs of each clique, none below 0; 0 for single sources.

    It takes the conditionals and the balance of the parameters, and what the votes of each clique were.
    """
    layout = parameters.layout
    found = np.zeros(len(layout.cliques))
    if not layout.graph.edges:
        return found
    first, compatible = layout.value_offsets, compatible_values(layout)
    items = max(float(evidence.counts.sum()), TINY)
    for index, (clique, (start, stop)) in enumerate(zip(layout.cliques, pairwise(layout.offsets), strict=True)):
        seen = evidence.seen[start:stop] / items
        share = np.append(seen, max(1 - float(seen.sum()), 0.0))
        left = []
        for one, other in combinations(range(len(clique.sources)), 2):
            i, j = clique.sources[one], clique.sources[other]
            same = np.zeros((clique.shape[one], clique.shape[other]))
            same[:-1, :-1] = compatible[first[i] : first[i + 1], first[j] : first[j + 1]]
            same[-1, -1] = 1.0
            tables = [parameters.conditionals[source] for source in (i, j)]
            spread = [max(1 - float(parameters.balance @ (table**2).sum(axis=0)), TINY) for table in tables]
            expected = np.einsum("ay,ab,by,y->", tables[0], same, tables[1], parameters.balance)
            observed = float(share @ same[clique.digits[:, one], clique.digits[:, other]])
            left.append(np.clip((observed - float(expected)) / np.sqrt(spread[0] * spread[1]), 0.0, 1.0))
        if left:
            found[index] = float(np.mean(left))
    return found


def pair_table(parameters: Parameters, one: int, other: int) -> FloatArray:
    """(values + 1, values + 1, outcomes): P(votes of two sources | outcome), abstain last.

    Sources of one group that share no clique are connected through the separators on the way.
    """
    layout = parameters.layout
    group = next(part for part in layout.graph.components if one in part)
    if other not in group:
        tables = parameters.conditionals
        return np.asarray(tables[one][:, None, :] * tables[other][None, :, :])
    tables_of = dict(zip((clique.sources for clique in layout.cliques), parameters.joint, strict=True))
    clique_of = {clique.sources: clique for clique in layout.cliques}
    way = [clique_of[sources] for sources in layout.graph.path(one, other)]
    goals = [*(tuple(set(a.sources) & set(b.sources)) for a, b in pairwise(way)), (other,)]
    known = (one, *(source for source in goals[0] if source != one))
    message = _margin(way[0], tables_of[way[0].sources], known)
    for clique, shared, goal in zip(way[1:], goals, goals[1:], strict=False):
        rest = tuple(source for source in goal if source not in shared)
        chance = _margin(clique, tables_of[clique.sources], (*shared, *rest))
        chance = chance / np.maximum(chance.sum(axis=tuple(range(len(shared), chance.ndim - 1)), keepdims=True), TINY)
        message = _multiplied(message, known, chance, (*shared, *rest), (one, *goal))
        known = (one, *goal)
    return message


def _multiplied(
    a: FloatArray, of_a: tuple[int, ...], b: FloatArray, of_b: tuple[int, ...], kept: tuple[int, ...]
) -> FloatArray:
    """Two tables over sources, outcome last, multiplied and summed to the sources kept."""
    letter = dict(zip(dict.fromkeys((*of_a, *of_b)), ascii_lowercase, strict=False))
    names = ["".join(letter[source] for source in sources) + "Y" for sources in (of_a, of_b, kept)]
    return np.asarray(np.einsum(f"{names[0]},{names[1]}->{names[2]}", a, b))


def _margin(clique: Clique, table: FloatArray, sources: tuple[int, ...]) -> FloatArray:
    """(values + 1 of each source, outcomes): a clique's table summed to some of its sources, in the given order."""
    whole = table.reshape(*clique.shape, table.shape[1])
    letter = dict(zip(clique.sources, ascii_lowercase, strict=False))
    names = ["".join(letter[source] for source in some) + "Y" for some in (clique.sources, sources)]
    return np.asarray(np.einsum(f"{names[0]}->{names[1]}", whole))
