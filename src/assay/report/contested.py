"""Where sources disagree most: items, their votes, and the effect of each vote on the label, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.counts import Tally, hashes_of
from assay.gold import GoldItems
from assay.model import Fitted
from assay.report.facts import Counted, outcome_texts, vote_text
from assay.votes import Votes, contradictions, is_in_pieces, pieces_of, read

_HARDLY = 1.1
"""Odds that change by less than this factor are not worth a number."""


@dataclass(frozen=True)
class Contribution:
    """How one source, or dependent sources together, changed the odds of the two most probable outcomes."""

    who: str
    log_odds: float
    """Positive for the most probable outcome, negative for the runner-up."""
    words: str


@dataclass(frozen=True)
class ContestedItem:
    """An item whose votes cannot all be true."""

    row: int | None
    """Its number in the data; None where only counts are known."""
    name: str | None
    """What it is called, if the votes had names for items."""
    alike: int
    """About how many items have the very same votes."""
    pairs: int
    """How many pairs of its votes contradict each other."""
    votes: tuple[tuple[str, str], ...]
    """Who said what."""
    posterior: tuple[tuple[str, float], ...]
    """Outcomes with their probabilities, most probable first."""
    contributions: tuple[Contribution, ...]
    """Strongest first."""
    gold: str | None = None
    """Its gold label, if there is one."""


def contested_items(counted: Counted, votes: Any, gold: GoldItems | None, most: int) -> tuple[ContestedItem, ...]:
    """The vote patterns with the most contradicting pairs, the least sure first among equals; an item for each.

    Parameters
    ----------
    votes
        What was counted, to find the items; in memory or in pieces. Counts alone have no items.
    gold
        The truth about some of these items, if it is known.
    most
        How many to return at most.
    """
    pairs = contradictions(counted.votes)
    doubt = 1 - np.min([joint.max(axis=1) for joint in counted.labels.joint], axis=0)
    order = np.lexsort((counted.tally.sketch.pattern_keys, -doubt, -pairs))
    chosen = [int(at) for at in order[:most] if pairs[at]]
    rows = _rows_of(counted, votes, chosen)
    return tuple(_item(counted, at, int(pairs[at]), rows.get(at), gold) for at in chosen)


def _rows_of(counted: Counted, votes: Any, chosen: list[int]) -> dict[int, tuple[int, str | None]]:
    """Per pattern the first item that has it: its number and its name."""
    keys = counted.tally.sketch.pattern_keys[chosen]
    found: dict[int, tuple[int, str | None]] = {}
    start = 0
    for part in _parts(votes, counted.fitted):
        if len(found) == len(chosen):
            break
        hashes = hashes_of(part)
        among = np.flatnonzero(np.isin(hashes, keys))
        for at, key in zip(chosen, keys, strict=True):
            here = among[hashes[among] == key]
            if at not in found and len(here):
                name = None if part.items is None else str(part.items[here[0]])
                found[at] = (start + int(here[0]), name)
        start += len(part)
    return found


def _parts(votes: Any, fitted: Fitted) -> Iterator[Votes]:
    if isinstance(votes, Tally):
        return
    if isinstance(votes, Votes) or is_in_pieces(votes):
        pieces, _, _ = pieces_of(votes)
        for piece in pieces:
            yield from (part.like(fitted.schema) for part in read(piece))
    else:
        yield fitted.aligned(votes)


def _item(
    counted: Counted, at: int, pairs: int, found: tuple[int, str | None] | None, gold: GoldItems | None
) -> ContestedItem:
    fitted = counted.fitted
    only = counted.votes.take([at])
    row, name = found or (None, None)
    listed = only.cast
    said = tuple(
        (fitted.names[source], vote_text(fitted.values[source][code]))
        for source, code in zip(listed.sources.tolist(), listed.codes.tolist(), strict=True)
    )
    component = _most_contested(only)
    outcomes = outcome_texts(fitted.tasks.label_space.components[component].outcomes)
    posterior = counted.labels.joint[component][at]
    ranked = sorted(range(len(outcomes)), key=lambda outcome: -posterior[outcome])
    truth = None
    if gold is not None and row is not None:
        told = gold.truth.take(gold.rows == row).cast.codes.tolist()
        truth = ", ".join(vote_text(gold.truth.values[0][code]) for code in told) or None
    return ContestedItem(
        row=row,
        name=name,
        alike=max(round(float(counted.patterns.counts[at])), 1),
        pairs=pairs,
        votes=said,
        posterior=tuple((outcomes[outcome], float(posterior[outcome])) for outcome in ranked),
        contributions=contributions_of(fitted, only, component, outcomes, ranked),
        gold=truth,
    )


def _most_contested(only: Votes) -> int:
    """The component on which most of an item's votes contradict each other."""
    found = []
    for sets in only.outcome_sets:
        says = [sets.of_code[s][c] for s, c in zip(only.cast.sources, only.cast.codes, strict=True)]
        masks = sets.masks[[number for number in says if number >= 0]].astype(int)
        found.append(int((masks @ masks.T == 0).sum()))
    return int(np.argmax(found))


def contributions_of(
    fitted: Fitted, only: Votes, component: int, outcomes: list[str], ranked: list[int]
) -> tuple[Contribution, ...]:
    """What each vote on one item did to the odds of its two most probable outcomes, strongest first.

    ``ranked`` are the numbers of the outcomes of a component, most probable first.
    """
    if len(ranked) < 2:
        return ()
    sizes = [len(part) for part in fitted.tasks.label_space.components]
    start = sum(sizes[:component])
    table = fitted.explain(only).table.iloc[:, start : start + sizes[component]]
    first, second = ranked[:2]
    change = table.iloc[:, first] - table.iloc[:, second]
    told = [
        Contribution(str(who), float(odds), in_words(float(odds), outcomes[first], outcomes[second]))
        for who, odds in change.items()
        if who != "total"
    ]
    return tuple(sorted(told, key=lambda part: -abs(part.log_odds)))


def in_words(log_odds: float, first: str, second: str) -> str:
    """What a change of log-odds between two outcomes means.

    >>> in_words(1.2, "Doctor", "Lawyer")
    'makes Doctor 3.3 times as likely relative to Lawyer'
    >>> in_words(-0.02, "Doctor", "Lawyer")
    'hardly matters'
    """
    factor = float(np.exp(min(abs(log_odds), 50.0)))
    if factor < _HARDLY:
        return "hardly matters"
    gains, loses = (first, second) if log_odds > 0 else (second, first)
    times = f"{factor:.1f}" if factor < 10 else f"{factor:,.0f}" if factor < 1e6 else "millions of"
    return f"makes {gains} {times} times as likely relative to {loses}"
