r"""Strong dependencies, found cheaply: near-copies, that is sources whose votes repeat each other's.

Near-copies are the one violation of independence that ruins any model that does not know of it: they agree with
each other more than with anybody else, so that they are taken for the truth. They are looked for in the
associations of sources (:mod:`~assay.model.estimate.associations`), from counts, so that the number of items does not
matter. Candidates are the clusters of a dendrogram of the sources. A cluster is a group of near-copies if

* leaving out the pairs inside of it makes the others fit so much better that it outweighs a penalty for each source: a
  few dependent sources are more plausible than many;
* all branches of its dendrogram have much more in common than the others explain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.counts import Layout, Statistics
from assay.model.estimate.associations import Associations, Explained

FloatArray = npt.NDArray[np.float64]
Group = tuple[int, ...]
Branchings = dict[Group, list[tuple[Group, Group]]]
"""Clusters of a dendrogram, each with the two branches at all its nodes, the uppermost first."""

_LEAST_CORRELATION = 0.3
"""Less correlated sources are no near-copies; by the lower end of a 95% interval."""
_LEAST_EXCESS = 0.2
"""What the branches of a group must have in common beyond what the truth explains, as a correlation;"""
_SURE = 1.5
"""and in half-widths of its 95% interval;"""
_LEAST_ALONE = 0.6
"""and if too few others tell the same outcomes apart to know what the truth explains."""
_PER_MEMBER, _PER_PAIR = 12.0, 1.0
"""The penalty of a group, in units of squared standardised residuals, for each member but one and for each pair."""
_COPIES, _APART, _BONUS = 0.9, 0.65, -0.25
"""Members this correlated have no penalty per member, those less so than the second all of it; copies a bonus."""
_HEIGHTS = (0.9, 0.75, 0.6, 0.45)
"""The mean correlations at which the dendrogram is cut to start a search from."""
_FEWEST_APART = 3
"""The least number of groups, counting single sources, without which nothing can be learned."""
_MOST_CANDIDATES = 40
_ROUNDS = 8


@dataclass(frozen=True, eq=False)
class NearCopies:
    """Groups of near-copies among the sources of one component."""

    groups: list[Group]
    excess: FloatArray
    """(sources, sources): their correlation beyond what the truth explains."""
    meetings: FloatArray
    """(sources, sources): the number of items that it was observed on."""


def near_copies(layout: Layout, statistics: Statistics) -> NearCopies:
    """Groups of near-copies, from the counts of one component."""
    # Each vote is split equally between the outcomes it allows; which balance is assumed hardly matters.
    masks = layout.all_masks / np.maximum(layout.all_masks.sum(axis=1, keepdims=True), 1)
    balance = statistics.single @ masks + 1.0
    return groups_of_near_copies(Associations.of(layout, statistics, balance / balance.sum()))


def groups_of_near_copies(associations: Associations) -> NearCopies:
    """Groups of near-copies: those of the search that ends with the lowest cost.

    One search starts without groups. But one large group of sources that are about as often right explains
    at once what several small ones explain only together, and leaves so little to fit that this looks perfect. So
    others start from the clusters of the dendrogram that are correlated at least so much.
    """
    branchings = _candidates(associations)
    found = min(
        (_search(start, branchings, associations) for start in _starts(branchings, associations)),
        key=lambda end: end.cost,
    )
    every = range(associations.sources)
    return NearCopies(sorted(found.groups), associations.excess(found.fit, every, every), associations.meetings)


class _Found(NamedTuple):
    """What a search has come to."""

    cost: float
    groups: list[Group]
    fit: Explained


def _starts(branchings: Branchings, associations: Associations) -> list[list[Group]]:
    """Groups to start a search from: none, and the dendrogram cut at some heights."""
    starts: list[list[Group]] = [[]]
    for height in _HEIGHTS:
        cut: list[Group] = []
        for cluster in sorted(branchings, key=len, reverse=True):
            if _inside(cluster, associations.at_least) >= height and not any(set(cluster) <= set(one) for one in cut):
                cut.append(cluster)
        if cut not in starts and _leaves_enough(cut, associations):
            starts.append(cut)
    return starts


def _search(start: list[Group], branchings: Branchings, associations: Associations) -> _Found:
    """The best candidates are added while the fit gets better by more than their penalty."""
    groups, fit = start, associations.explained(start)
    cost = _cost(fit, groups, associations)
    for _ in range(_ROUNDS):
        better = []
        for candidate in branchings:
            trial = _with(groups, candidate)
            if trial is None or not _leaves_enough(trial, associations):
                continue
            found = associations.explained(trial, fit.rho)
            reached = _cost(found, trial, associations)
            if reached < cost and not _loose(candidate, branchings, associations, found):
                better.append((reached, candidate))
        if not better:
            break
        # The best, and others that are better alone, which mostly means better together too.
        for _, candidate in sorted(better):
            trial = _with(groups, candidate)
            if trial is None or not _leaves_enough(trial, associations):
                continue
            found = associations.explained(trial, fit.rho)
            reached = _cost(found, trial, associations)
            if reached < cost:
                cost, groups, fit = reached, trial, found
    groups, fit = _divided(groups, branchings, associations, fit)
    return _Found(_cost(fit, groups, associations), groups, fit)


def _divided(
    groups: list[Group], branchings: Branchings, associations: Associations, fit: Explained
) -> tuple[list[Group], Explained]:
    """The groups without those that only seemed to be one while others were missing."""
    while loose := [group for group in groups if _loose(group, branchings, associations, fit)]:
        parts = [part for group in loose for part in branchings[group][0] if len(part) > 1]
        groups = [*(group for group in groups if group not in loose), *parts]
        fit = associations.explained(groups, fit.rho)
    return groups, fit


def _candidates(associations: Associations) -> Branchings:
    """The clusters of a dendrogram (average linkage) that are correlated enough, each with all its branchings."""
    near = np.clip(associations.at_least, 0.0, 1.0)
    if np.triu(near, 1).max(initial=0.0) < _LEAST_CORRELATION:
        return {}
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    merged = linkage(squareform(1 - near, checks=False), "average")
    found: Branchings = {}
    clusters: dict[int, Group] = {source: (source,) for source in range(associations.sources)}
    # The nearest are merged first: each row is a cluster, made of two before it.
    for number, (one, other, distance, _) in enumerate(merged.tolist(), start=associations.sources):
        if 1 - distance < _LEAST_CORRELATION or len(found) == _MOST_CANDIDATES:
            break
        left, right = clusters[int(one)], clusters[int(other)]
        members = clusters[number] = tuple(sorted(left + right))
        found[members] = [(left, right), *found.get(left, ()), *found.get(right, ())]
    return found


def _with(groups: Sequence[Group], candidate: Group) -> list[Group] | None:
    """The groups with one more, which takes the place of those inside of it; None if it is there already."""
    own = set(candidate)
    if any(own <= set(group) for group in groups):
        return None
    return [*(group for group in groups if not own & set(group)), candidate]


def _leaves_enough(groups: Sequence[Group], associations: Associations) -> bool:
    """Whether enough sources would remain that are independent of each other."""
    return associations.sources - sum(len(group) - 1 for group in groups) >= _FEWEST_APART


def _cost(fit: Explained, groups: Sequence[Group], associations: Associations) -> float:
    return fit.misfit + sum(_penalty(group, associations.at_least) for group in groups)


def _inside(group: Group, correlation: FloatArray) -> float:
    """The mean correlation of the pairs inside of a group."""
    size = len(group)
    return (float(correlation[np.ix_(group, group)].sum()) - size) / (size * (size - 1))


def _penalty(group: Group, correlation: FloatArray) -> float:
    """The penalty of a group. Sources with almost the same votes are copies, rather than right almost always."""
    size = len(group)
    unlike = np.clip((_COPIES - _inside(group, correlation)) / (_COPIES - _APART), _BONUS, 1.0)
    return _PER_MEMBER * float(unlike) * (size - 1) + _PER_PAIR * float(max(unlike, 0.0)) * size * (size - 1) / 2


def _loose(group: Group, branchings: Branchings, associations: Associations, fit: Explained) -> bool:
    """Whether some branches of a cluster have little in common that the truth does not explain, or it may be chance."""
    others = np.setdiff1d(np.arange(associations.sources), group)
    peers = associations.peers[np.ix_(others, np.array(group))].all(axis=1).sum()
    least = _LEAST_EXCESS if peers + 1 >= _FEWEST_APART else _LEAST_ALONE

    def have_little_in_common(left: Group, right: Group) -> bool:
        error = float(associations.error[np.ix_(left, right)].mean())
        return float(associations.excess(fit, left, right).mean()) < max(least, _SURE * error)

    return any(have_little_in_common(left, right) for left, right in branchings[group])
