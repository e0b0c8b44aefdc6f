"""Sources that repeat each other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.checks.vote_counts import BoolArray, VoteCounts

COPY_VOTES = 30
"""Sources with fewer votes are not called copies: good crowd workers who were given the same
twenty items agree on all of them often enough."""
NESTED_VOTES = 50
"""Sources with fewer votes are not reported as nested in another."""
COPY_KAPPA = 0.95
"""Agreement beyond chance, abstentions included, above which two sources are nearly copies."""


def duplicate_groups(counts: VoteCounts) -> list[list[int]]:
    """Groups of sources that say the same on the same items."""
    alike = _on_the_same_items(counts) & (counts.agreement == counts.overlap)
    groups: list[list[int]] = []
    for source in np.flatnonzero(alike.any(axis=1)).tolist():
        home = next((group for group in groups if alike[group[0], source]), None)
        if home is None:
            groups.append([source])
        else:
            home.append(source)
    return groups


def renamed(counts: VoteCounts) -> BoolArray:
    """(sources, sources), above the diagonal: independent pairs that say different things, one for one."""
    told = np.triu(_on_the_same_items(counts) & counts.independent & (counts.agreement < counts.overlap))
    for one, other in np.argwhere(told).tolist():
        told[one, other] = counts.mapped(one, other)
    return told


def _on_the_same_items(counts: VoteCounts) -> BoolArray:
    """(sources, sources): pairs that vote on the same items, and use their values equally often."""
    votes = counts.votes
    told = np.where(counts.emitted.sum(axis=1) + (votes < counts.items) > 1, votes, 0)
    spread = np.sort(counts.uses, axis=1)
    _, kind = np.unique(spread, axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    alike = (counts.overlap == votes[:, None]) & (counts.overlap == votes[None]) & (kind[:, None] == kind[None])
    alike &= (told >= COPY_VOTES)[:, None] & ~np.eye(len(votes), dtype=bool)
    return np.asarray(alike)


def nearly_alike(counts: VoteCounts, copies: list[list[int]]) -> BoolArray:
    """(sources, sources), above the diagonal: independent pairs that agree far beyond chance, but are not copies."""
    enough = counts.votes >= COPY_VOTES
    alike: BoolArray = (_kappa(counts) >= COPY_KAPPA) & enough[:, None] & enough[None]
    return np.triu(_worth_telling(counts, copies) & alike)


def inside_another(counts: VoteCounts, copies: list[list[int]]) -> BoolArray:
    """(sources, sources): independent pairs of which the second says all that the first says, and more."""
    inside: BoolArray = (counts.agreement == counts.votes[:, None]) & (counts.votes >= NESTED_VOTES)[:, None]
    # A source that votes on most items agrees with a good sparse one by merit.
    inside &= (2 * counts.votes <= counts.covered)[None]
    alike = nearly_alike(counts, copies)
    return inside & _worth_telling(counts, copies) & ~alike & ~alike.T


def _worth_telling(counts: VoteCounts, copies: list[list[int]]) -> BoolArray:
    """(sources, sources): pairs that are declared independent and were not called copies."""
    pairs = counts.independent.copy()
    for group in copies:
        pairs[np.ix_(group, group)] = False
    return pairs


def _kappa(counts: VoteCounts) -> npt.NDArray[np.float64]:
    """(sources, sources): Cohen's kappa, with abstain as one more thing to say."""
    items = max(counts.items, 1)
    rates = counts.uses / items
    abstain = 1 - counts.votes / items
    chance = rates @ rates.T + np.outer(abstain, abstain)
    differ = (counts.votes[:, None] + counts.votes[None] - counts.overlap - counts.agreement) / items
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = 1 - differ / (1 - chance)
    return np.where((chance < 1 - 1e-9) & ~np.eye(len(abstain), dtype=bool), kappa, 0.0)
