r"""Residual correlation: what sources have in common beyond the truth.

Two sources *overlap* on an item if both vote, and *agree* if their votes can both be true. Given the
outcome a model predicts how often two sources do so; the residual is evidence of a dependency other than
through the truth. :func:`residual_correlations` summarises it in one number per pair,

.. math:: r_{ij} = \frac{P(\text{same}) - \sum_y P(y) \, P_i(\cdot \mid y) \cdot P_j(\cdot \mid y)}{\sqrt{V_i V_j}},
          \qquad V_i = 1 - \sum_y P(y) \sum_v P_i(v \mid y)^2,

where two sources do the same if they agree or both abstain. It is 1 for copies and 0 on average for sources that are
independent given the truth; for sources with two values that always vote it is their correlation given the truth.
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


def overlaps(pair: npt.NDArray[np.generic], layout: Layout) -> tuple[FloatArray, FloatArray]:
    """(sources, sources): how often two overlap, and agree, from (values, values) co-votes."""
    both, offsets = pair.astype(float), layout.value_offsets
    return sums_by_source(both, offsets), sums_by_source(both * compatible_values(layout), offsets)


def expected_overlaps(parameters: Parameters, *, independent: bool = False) -> tuple[FloatArray, FloatArray]:
    """(outcomes, sources, sources): the probability that two overlap, and that they agree, given the outcome.

    With the dependencies of the model; or, if ``independent``, as if all sources were independent given the truth.
    """
    layout = parameters.layout
    said = np.vstack([table[:-1] for table in parameters.conditionals])
    found = [overlaps(np.outer(said[:, y], said[:, y]), layout) for y in range(layout.outcomes)]
    overlap, agreement = (np.stack(parts) for parts in zip(*found, strict=True))
    if not independent:
        first, compatible = layout.value_offsets, compatible_values(layout)
        for i, j in (pair for part in layout.graph.components for pair in combinations(part, 2)):
            both = pair_table(parameters, i, j)[:-1, :-1]
            can_agree = compatible[first[i] : first[i + 1], first[j] : first[j + 1], None]
            overlap[:, i, j] = overlap[:, j, i] = both.sum(axis=(0, 1))
            agreement[:, i, j] = agreement[:, j, i] = (both * can_agree).sum(axis=(0, 1))
    return overlap, agreement


def residual_correlations(parameters: Parameters, statistics: Statistics) -> FloatArray:
    """(sources, sources): the correlation of two sources' votes that the truth does not explain; the diagonal is 1.

    Parameters
    ----------
    parameters
        The fit. Its dependencies count as unexplained, so that they show.
    statistics
        Counts of single indicators and of their co-occurrences.

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
    overlap, agreement = overlaps(statistics.pair, layout)
    votes = np.add.reduceat(statistics.single.astype(float), layout.value_offsets[:-1])
    both_abstain = items - votes[:, None] - votes[None] + overlap
    _, expected_agreement = expected_overlaps(parameters, independent=True)
    abstain = np.stack([table[-1] for table in parameters.conditionals], axis=1)
    same = expected_agreement + abstain[:, :, None] * abstain[:, None, :]
    repeats = np.stack([(table**2).sum(axis=0) for table in parameters.conditionals], axis=1)
    spread = np.sqrt(np.maximum(1 - parameters.balance @ repeats, TINY))
    residual = (agreement + both_abstain) / items - np.tensordot(parameters.balance, same, axes=1)
    found: FloatArray = np.clip(residual / np.outer(spread, spread), -1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return found


def clique_correlations(parameters: Parameters, evidence: Evidence) -> FloatArray:
    """(cliques,): the mean of these correlations, clipped at 0, over the pairs of each clique; 0 for single sources.

    Uses the conditionals and the balance of the parameters, and the observed joint votes of each clique.
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
        correlations = []
        for one, other in combinations(range(len(clique.sources)), 2):
            i, j = clique.sources[one], clique.sources[other]
            same = np.zeros((clique.shape[one], clique.shape[other]))
            same[:-1, :-1] = compatible[first[i] : first[i + 1], first[j] : first[j + 1]]
            same[-1, -1] = 1.0
            tables = [parameters.conditionals[source] for source in (i, j)]
            spread = [max(1 - float(parameters.balance @ (table**2).sum(axis=0)), TINY) for table in tables]
            expected = np.einsum("ay,ab,by,y->", tables[0], same, tables[1], parameters.balance)
            observed = float(share @ same[clique.digits[:, one], clique.digits[:, other]])
            correlations.append(np.clip((observed - float(expected)) / np.sqrt(spread[0] * spread[1]), 0.0, 1.0))
        if correlations:
            found[index] = float(np.mean(correlations))
    return found


def pair_table(parameters: Parameters, one: int, other: int) -> FloatArray:
    """(values + 1, values + 1, outcomes): P(votes of two sources | outcome), abstain last.

    Sources of one group that share no clique are connected through the separators on the path between them.
    """
    layout = parameters.layout
    group = next(part for part in layout.graph.components if one in part)
    if other not in group:
        tables = parameters.conditionals
        return np.asarray(tables[one][:, None, :] * tables[other][None, :, :])
    tables_of = dict(zip((clique.sources for clique in layout.cliques), parameters.joint, strict=True))
    clique_of = {clique.sources: clique for clique in layout.cliques}
    path = [clique_of[sources] for sources in layout.graph.path(one, other)]
    goals = [*(tuple(set(a.sources) & set(b.sources)) for a, b in pairwise(path)), (other,)]
    known = (one, *(source for source in goals[0] if source != one))
    message = _margin(path[0], tables_of[path[0].sources], known)
    for clique, shared, goal in zip(path[1:], goals, goals[1:], strict=False):
        rest = tuple(source for source in goal if source not in shared)
        chance = _margin(clique, tables_of[clique.sources], (*shared, *rest))
        chance = chance / np.maximum(chance.sum(axis=tuple(range(len(shared), chance.ndim - 1)), keepdims=True), TINY)
        message = _multiplied(message, known, chance, (*shared, *rest), (one, *goal))
        known = (one, *goal)
    return message


def _multiplied(
    a: FloatArray, of_a: tuple[int, ...], b: FloatArray, of_b: tuple[int, ...], kept: tuple[int, ...]
) -> FloatArray:
    """The product of two tables over sources, outcome last, marginalised to the sources kept."""
    letter = dict(zip(dict.fromkeys((*of_a, *of_b)), ascii_lowercase, strict=False))
    names = ["".join(letter[source] for source in sources) + "Y" for sources in (of_a, of_b, kept)]
    return np.asarray(np.einsum(f"{names[0]},{names[1]}->{names[2]}", a, b))


def _margin(clique: Clique, table: FloatArray, sources: tuple[int, ...]) -> FloatArray:
    """(values + 1 of each source, outcomes): a clique's table marginalised to some sources, in the given order."""
    whole = table.reshape(*clique.shape, table.shape[1])
    letter = dict(zip(clique.sources, ascii_lowercase, strict=False))
    names = ["".join(letter[source] for source in some) + "Y" for some in (clique.sources, sources)]
    return np.asarray(np.einsum(f"{names[0]}->{names[1]}", whole))
