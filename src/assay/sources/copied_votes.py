"""Sources whose votes look copied, found by plain counting."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from assay.checks import VoteCounts, count_votes, duplicate_groups, inside_another, nearly_alike
from assay.counts import Tally
from assay.votes import Votes

Alike = Literal["same votes", "nested votes", "copied votes"]
Told = tuple[tuple[str, str], Alike, str]
"""Two sources, the kind of likeness, and a sentence about it."""

_ITEMS = 20_000
"""Copied votes are looked for among the first items, at most this many."""
_MEET = 20
"""Two sources must vote on at least this many items together,"""
_AGREE = 0.95
"""agree on this share of them,"""
_AGAINST = 5
"""and at least this often against what most others say: being right together is no sign of copying."""


def copied_votes(votes: Votes) -> Iterator[Told]:
    """Pairs that say the same on the same items, of which one says only what the other says, or that err together."""
    components = [index for index, component in enumerate(votes.label_space.components) if len(component) > 1]
    for index, counts in zip(components, count_votes(Tally.of(votes, size=0)), strict=True):
        found: set[tuple[str, str]] = set()
        for pair, kind, told in (*_repeating(counts), *_copied(votes.take(slice(0, _ITEMS)), index)):
            # Copies also err together.
            if pair not in found and pair[::-1] not in found:
                found.add(pair)
                yield pair, kind, told


def _repeating(counts: VoteCounts) -> Iterator[Told]:
    """Pairs of which one says what the other says."""
    groups = duplicate_groups(counts)
    for one, other in (pair for group in groups for pair in pairwise(group)):
        yield _named(counts, one, other), "same votes", f"the same votes on the same {counts.votes[one]:,} items"
    for one, other in np.argwhere(nearly_alike(counts, groups)).tolist():
        yield _named(counts, one, other), "same votes", _agreeing(counts.agreement, counts.overlap, one, other)
    for one, other in np.argwhere(inside_another(counts, groups)).tolist():
        named = _named(counts, one, other)
        yield named, "nested votes", f"all {counts.votes[one]:,} votes of {named[0]} are also cast by {named[1]}"


def _agreeing(agree: npt.NDArray[Any], meet: npt.NDArray[Any], one: int, other: int) -> str:
    return f"the same on {agree[one, other]:,.0f} of {meet[one, other]:,.0f} items that both vote on"


def _named(counts: VoteCounts, one: int, other: int) -> tuple[str, str]:
    return counts.names[one], counts.names[other]


def _copied(votes: Votes, index: int) -> Iterator[Told]:
    """Pairs that say the same nearly always, also where most others say something else."""
    sets = votes.outcome_sets[index]
    said = np.stack([of_code[codes] for of_code, codes in zip(sets.of_code, votes.codes.T, strict=True)], axis=1)
    numbers = range(len(sets.masks))
    # (items, sets): how many votes agree with it, and how many do not.
    times = np.stack([(said == number).sum(axis=1) for number in numbers], axis=1)
    masks = sets.masks.astype(np.int64)
    can_both = (masks @ masks.T > 0).astype(np.int64)
    with_it, against_it = times @ can_both, times @ (1 - can_both)
    m = said.shape[1]
    meet = _together(said >= 0)
    agree, against, ways = np.zeros((m, m)), np.zeros((m, m)), np.zeros(m)
    for number in numbers:
        says = said == number
        agree += _together(says)
        # The two themselves are with it.
        against += _together(says & (against_it > with_it - 2)[:, [number]])
        ways += says.any(axis=0)
    # Sources that only ever say one thing always agree where they meet.
    free = (ways > 1)[:, None] & (ways > 1)[None]
    copied = free & (meet >= _MEET) & (agree >= _AGREE * meet) & (against >= _AGAINST)
    for one, other in np.argwhere(np.triu(copied, 1)).tolist():
        told = f"{_agreeing(agree, meet, one, other)}, {against[one, other]:,.0f} times against most others"
        yield (votes.names[one], votes.names[other]), "copied votes", told


def _together(flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """(sources, sources): on how many items both are true."""
    held = flags.astype(np.float32)
    return (held.T @ held).astype(np.float64)
