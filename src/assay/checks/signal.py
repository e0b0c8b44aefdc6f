"""Whether sources agree by more than chance, as sources must that know something.

What votes tell about accuracies is in how sources agree. Two sources that agree leave open which of them is how good;
it takes a third that agrees with both. So three sources or more must be related, and then any source may be left out
and the others still agree by more than chance. That is tested, by two statistics that votes of unrelated sources
exceed rarely: all agreement beyond chance taken together, and that of the most related pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from assay.checks.agreement import TINY, Agreement
from assay.checks.identifiability import Part
from assay.checks.problems import Problem
from assay.checks.vote_counts import VoteCounts
from assay.checks.wording import BY_HAND, joined, tasks_text

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

LEVEL = 0.02
"""How often sources that know nothing may pass, half of it for each statistic."""
FEW_MEETINGS = 500
"""Sources that are right seven times in ten and meet less often than this may well go unnoticed."""


@dataclass(frozen=True, eq=False)
class Signal:
    """What the agreement of some sources shows."""

    related: bool
    """Whether any of them are related."""
    related_without: BoolArray
    """(sources,): whether others are related, too."""
    pair: tuple[int, int] | None
    """The most related pair, if it is one beyond doubt."""

    @property
    def is_enough(self) -> bool:
        """Whether three sources or more are related."""
        return self.related and bool(self.related_without.all())


def signal_of(agreement: Agreement) -> Signal:
    """Test whether sources are related, and whether they are when any one of them is left out."""
    excess, variance = agreement.excess, agreement.variance
    pairs = max(int((variance > 0).sum()) // 2, 1)
    needed, needed_of_a_pair = (float(-ndtri(tail)) for tail in (LEVEL / 2, LEVEL / 4 / pairs))
    by_source = excess.sum(axis=1), variance.sum(axis=1)
    total = tuple(sums.sum() / 2 for sums in by_source)
    without = _in_deviations(total[0] - by_source[0], total[1] - by_source[1]) > needed
    deviations = np.abs(_in_deviations(excess, variance))
    one, other = (int(place) for place in np.unravel_index(deviations.argmax(), deviations.shape))
    found = bool(deviations[one, other] > needed_of_a_pair)
    if found:
        # Whoever else is left out, this pair stays.
        without |= ~np.isin(np.arange(len(excess)), (one, other))
        for source in (one, other):
            rest = np.delete(np.delete(deviations, source, axis=0), source, axis=1)
            without[source] |= rest.max(initial=0.0) > needed_of_a_pair
    related = found or bool(_in_deviations(*total) > needed)
    return Signal(related, without, (one, other) if found else None)


def _in_deviations(excess: FloatArray, variance: FloatArray) -> FloatArray:
    """Sums as standard deviations, made smaller where there are few terms (Bernstein's inequality)."""
    some = variance > TINY
    spread = np.sqrt(np.where(some, variance + np.abs(excess) / 3, 1.0))
    return np.where(some, excess / spread, 0.0)


def too_little_signal(counts: VoteCounts, agreement: Agreement, parts: Sequence[Part]) -> Iterator[Problem]:
    """A106: fewer than three sources are related.

    If the votes of all sources together show enough, a part of them that hardly meets is not held against it.
    """
    enough = signal_of(agreement).is_enough
    found: list[tuple[tuple[int, ...], Signal]] = []
    for part in parts:
        if part.sides is not None:
            continue  # A101 and A305 tell of these
        signal = signal_of(agreement.of(np.array(part.members)))
        if not signal.is_enough and not (enough and _meets_rarely(counts, part.members)):
            found.append((part.members, signal))
    if not found:
        return
    members, signal = max(found, key=lambda each: len(each[0]))
    message, fix = _told(counts, members, signal, agreement)
    more = f"; so it is with {len(found) - 1} more group{'s' * (len(found) > 2)} of sources" if len(found) > 1 else ""
    concerned = sorted(source for group, _ in found for source in group)
    yield Problem("A106", message + more, fix, tuple(counts.names[source] for source in concerned), counts.tasks)


def _told(counts: VoteCounts, members: Sequence[int], signal: Signal, agreement: Agreement) -> tuple[str, str]:
    """The message, and what to do."""
    names = [counts.names[source] for source in members]
    these, where = joined(names, most=4), f"accuracies on {tasks_text(counts.tasks)}"
    if not signal.related and _meets_rarely(counts, members):
        times = _meetings(counts, members)
        message = f"two of {these} meet on an item only {times:,} time{'s' * (times != 1)}, too rarely to tell {where}"
        return message, f"add items or sources so that more votes meet, or {BY_HAND}"
    if not signal.related:
        message = f"{these} agree no more than sources that guess: their votes tell nothing about {where}"
        return message, f"add sources that are better than random, or more items if these hardly are; or {BY_HAND}"
    if signal.pair is not None and not signal.related_without[list(signal.pair)].any():
        pair = joined([names[place] for place in signal.pair])
        agree = "agree" if agreement.of(np.array(members)).excess[signal.pair] > 0 else "conflict"
        message = (
            f"of {these} only {pair} {agree} more than by chance: votes do not tell which of the two is how good, "
            f"so {where} are known only up to a trade-off"
        )
        return message, f"add a source that is independent of {pair} and better than random, or {BY_HAND}"
    needed = [names[place] for place in np.flatnonzero(~signal.related_without)]
    message = (
        f"without {'any one of ' if len(needed) > 1 else ''}{joined(needed, most=4)} the other sources among {these} "
        f"agree no more than sources that guess: {where} are known only up to a trade-off"
    )
    return message, f"add items, or sources that are better than random; or {BY_HAND}"


def _meetings(counts: VoteCounts, members: Sequence[int]) -> int:
    overlap = (counts.overlap * counts.independent)[np.ix_(members, members)]
    return int(overlap.sum()) // 2


def _meets_rarely(counts: VoteCounts, members: Sequence[int]) -> bool:
    """Whether too few pairs of votes are left, on average, when one source is left out."""
    return _meetings(counts, members) * (1 - 2 / len(members)) < FEW_MEETINGS
