r"""Sources that say one thing only, wherever they are asked, and others that say one thing where it is true.

A rule that knows one label says it where it sees something, and is silent elsewhere: there others say it more often
than usual. A worker who always clicks the same button says it of items like any others: what others say of them is what
they say of all. With p the share of a label among the votes of others, and ρ the correlation of two votes for it on one
item, somebody who says it as well as others do lifts its share among votes on the same items by :math:`\rho(1-p)`,
which is the lift of a usual vote.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from assay.checks.vote_counts import ValuePairs, VoteCounts

_MOST_COMMON = 0.8
"""Who always says what others nearly always say may be right."""
_FEW = 0.2
"""Where more sources than this share say one thing only, they are rules of one label each, which is as it should be."""
_BY_CHANCE = 0.01
"""The chance that any of the sources says one thing only although it says each as often as others do."""
_PART_OF_USUAL = 0.5
_SURELY = float(ndtri(0.99))
"""A lift is below half of the usual one if that is 99% sure: so one-sided sources that know something are spared."""
_NOTABLY = float(ndtri(0.95))
"""A lift is not zero, up or down, if it is so many standard errors away."""


def unvarying(counts: VoteCounts, least: int) -> npt.NDArray[np.intp]:
    """Sources with ``least`` votes or more, all the same and no more often where others say that too.

    They could have said other things, and do not vote on all items. Looked for where labels exclude each other.
    """
    none = np.zeros(0, dtype=np.intp)
    if counts.names_labels or (counts.emitted_masks.sum(axis=0) > 1).any():
        return none
    enough = counts.votes >= least
    alike = enough & (counts.emitted.sum(axis=1) == 1)
    if alike.sum() > _FEW * enough.sum():
        return none
    same = alike & (np.array(counts.value_counts) > 1) & (counts.votes < counts.items)
    found = [source for source in np.flatnonzero(same).tolist() if _is_unlikely_by_chance(counts, source)]
    pairs = counts.value_pairs() if found else None
    if pairs is None:
        return none
    usual = _usual(pairs, len(counts.masks))
    return np.array([source for source in found if not _knows_something(counts, pairs, usual, source)], dtype=np.intp)


def _share_of_others(counts: VoteCounts, source: int) -> float:
    """The share of what a source always says among the votes of all others."""
    rest = counts.uses.sum(axis=0) - counts.uses[source]
    return float(rest[counts.uses[source].argmax()] / max(rest.sum(), 1))


def _is_unlikely_by_chance(counts: VoteCounts, source: int) -> bool:
    share = _share_of_others(counts, source)
    return share <= _MOST_COMMON and len(counts.names) * share ** int(counts.votes[source]) < _BY_CHANCE


def _usual(pairs: ValuePairs, sets: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(sets,) each: the correlation of two votes for one thing on the same item, and the lift of such a vote."""
    said = np.zeros((len(pairs.said), sets))
    said[np.arange(len(pairs.said)), pairs.said] = 1.0
    together = said.T @ pairs.counts @ said - np.diag(said.T @ pairs.counts.diagonal())
    total = max(together.sum(), 1.0)
    share = together.sum(axis=1) / total
    spread = share * (1 - share)
    correlation = np.divide(together.diagonal() / total - share**2, spread, out=np.zeros(sets), where=spread > 0)
    return correlation, correlation * (1 - share)


def _knows_something(
    counts: VoteCounts,
    pairs: ValuePairs,
    usual: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]],
    source: int,
) -> bool:
    """Whether what a source always says is said by others more often, or less often, where it votes; or may well be."""
    says = int(counts.uses[source].argmax())
    correlation, usual_lift = (float(of_sets[says]) for of_sets in usual)
    mine = pairs.source == source
    met = pairs.counts[mine].sum(axis=0)[~mine]
    votes = int(met.sum())
    if not votes or correlation <= 0:
        return True
    share = _share_of_others(counts, source)
    lift = met[pairs.said[~mine] == says].sum() / votes - share
    # Several votes on one item tell less than as many votes on different ones.
    each = max(votes / int(counts.votes[source]), 1.0)
    error = float(np.sqrt(share * (1 - share) * (1 + (each - 1) * correlation) / votes))
    return bool(abs(lift) > _NOTABLY * error or lift + _SURELY * error > _PART_OF_USUAL * usual_lift)
