"""Sources that repeat each other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.checks.census import BoolArray, Census

COPY_VOTES = 30
"""So many votes must be the same before two sources are called copies: good crowd workers
who were given the same twenty items agree on all of them often enough."""
NESTED_VOTES = 50
"""So many votes must be inside another source's before it is told of."""
COPY_KAPPA = 0.95
"""Agreement beyond chance, abstentions included, above which two sources are nearly copies."""


def duplicate_groups(census: Census) -> list[list[int]]:
    """Groups of sources that say the same on the same items."""
    alike = _on_the_same_items(census) & (census.agreement == census.overlap)
    groups: list[list[int]] = []
    for source in np.flatnonzero(alike.any(axis=1)).tolist():
        home = next((group for group in groups if alike[group[0], source]), None)
        if home is None:
            groups.append([source])
        else:
            home.append(source)
    return groups


def renamed(census: Census) -> BoolArray:
    """(sources, sources), above the diagonal: independent pairs that say different things, one for one."""
    told = np.triu(_on_the_same_items(census) & census.independent & (census.agreement < census.overlap))
    for one, other in np.argwhere(told).tolist():
        told[one, other] = census.mapped(one, other)
    return told


def _on_the_same_items(census: Census) -> BoolArray:
    """(sources, sources): pairs that vote on the same items, and use their values equally often."""
    votes = census.votes
    told = np.where(census.emitted.sum(axis=1) + (votes < census.items) > 1, votes, 0)
    spread = np.sort(census.counts, axis=1)
    _, kind = np.unique(spread, axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    alike = (census.overlap == votes[:, None]) & (census.overlap == votes[None]) & (kind[:, None] == kind[None])
    alike &= (told >= COPY_VOTES)[:, None] & ~np.eye(len(votes), dtype=bool)
    return np.asarray(alike)


def nearly_alike(census: Census, copies: list[list[int]]) -> BoolArray:
    """(sources, sources), above the diagonal: independent pairs that agree far beyond chance, but are no copies."""
    enough = census.votes >= COPY_VOTES
    alike: BoolArray = (_kappa(census) >= COPY_KAPPA) & enough[:, None] & enough[None]
    return np.triu(_worth_telling(census, copies) & alike)


def inside_another(census: Census, copies: list[list[int]]) -> BoolArray:
    """(sources, sources): independent pairs of which the second says all that the first says, and more."""
    inside: BoolArray = (census.agreement == census.votes[:, None]) & (census.votes >= NESTED_VOTES)[:, None]
    # A source that votes on most items agrees with a good sparse one by merit.
    inside &= (2 * census.votes <= census.covered)[None]
    alike = nearly_alike(census, copies)
    return inside & _worth_telling(census, copies) & ~alike & ~alike.T


def _worth_telling(census: Census, copies: list[list[int]]) -> BoolArray:
    """(sources, sources): pairs that are declared independent and were not called copies."""
    pairs = census.independent.copy()
    for group in copies:
        pairs[np.ix_(group, group)] = False
    return pairs


def _kappa(census: Census) -> npt.NDArray[np.float64]:
    """(sources, sources): Cohen's kappa, with abstain as one more thing to say."""
    items = max(census.items, 1)
    rates = census.counts / items
    abstain = 1 - census.votes / items
    chance = rates @ rates.T + np.outer(abstain, abstain)
    differ = (census.votes[:, None] + census.votes[None] - census.overlap - census.agreement) / items
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = 1 - differ / (1 - chance)
    return np.where((chance < 1 - 1e-9) & ~np.eye(len(abstain), dtype=bool), kappa, 0.0)
