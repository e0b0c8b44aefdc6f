"""Which sources behave differently from before: how often they vote, and how often they agree with others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from assay.counts import MAX_TABLED, Tally

if TYPE_CHECKING:
    import pandas as pd

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Figure = Literal["coverage", "agreement"]

FALSE_ALARMS = 0.01
"""The probability that any source at all is named, if none has changed."""
LEAST_CHANGE = 0.01
"""Smaller changes of a share are not worth telling, however sure they are."""

_MOST_COMPARED = 1_000
"""With more sources than are compared each with each other, as many that vote most often are."""


@dataclass(frozen=True)
class Drift:
    """A share that is not what it was."""

    source: str
    figure: Figure
    """How often it votes, or how often it agrees with another source where both vote (the median over the others)."""
    before: float
    after: float
    p_value: float
    """The probability of a difference like that by chance, in any of all sources."""

    def __str__(self) -> str:
        """In a sentence."""
        what = "votes on" if self.figure == "coverage" else "agrees with others on"
        return (
            f"{self.source!r} behaves differently from before: it {what} {self.after:.1%} of items, "
            f"where it was {self.before:.1%}"
        )


def drift(before: Tally, after: Tally, *, false_alarms: float = FALSE_ALARMS) -> list[Drift]:
    """The sources that behave differently in later votes than in earlier ones.

    Each source is tested for how often it votes and, pair by pair, for how often it agrees with the others. A source
    that changed shows in all its pairs, and in one pair of each other source; so the middle of its pairs counts, and
    the p-value is twice that pair's, which holds however the pairs depend on each other. Together the tests name a
    source by mistake with a probability of at most ``false_alarms``.

    >>> from assay.simulate import flat_world
    >>> votes = flat_world(sources=5, seed=1).draw(4000).votes
    >>> one, other = Tally.of(votes.take(slice(0, 2000))), Tally.of(votes.take(slice(2000, 4000)))
    >>> drift(one, other)
    []
    """
    found: list[Drift] = []
    for (one, at, columns), (other, _, _) in zip(before.each_component(), after.each_component(), strict=True):
        # Where components are taken apart, only those are tested that may speak about one.
        if len(columns):
            found += _on_component(one, other, at)
    return _beyond_chance(found, false_alarms)


def _on_component(before: Tally, after: Tally, component: int) -> Iterator[Drift]:
    """The tests of all sources on one component, before the number of tests is taken into account."""
    votes = [tally.votes_on(component) for tally in (before, after)]
    p_values = different(votes[0], before.items, votes[1], after.items)
    for j, name in enumerate(before.names):
        share, later = votes[0][j] / max(before.items, 1), votes[1][j] / max(after.items, 1)
        yield Drift(name, "coverage", float(share), float(later), float(p_values[j]))
    compared = np.arange(len(before.names))
    if len(compared) > MAX_TABLED:
        compared = np.sort(np.argsort(-(votes[0] + votes[1]), kind="stable")[:_MOST_COMPARED])
    was, now = (tally.overlaps(component, compatible=True, among=compared) for tally in (before, after))
    pairs = different(was.agreement, was.overlap, now.agreement, now.overlap)
    met = (was.overlap > 0) & (now.overlap > 0) & ~np.eye(len(compared), dtype=bool)
    for j, name in enumerate(before.names[source] for source in compared):
        others = np.flatnonzero(met[j])
        if not len(others):
            continue
        order = others[np.argsort(pairs[j, others], kind="stable")]
        middle = len(order) // 2
        share, later = (np.median(part.agreement[j, others] / part.overlap[j, others]) for part in (was, now))
        combined = min(1.0, pairs[j, order[middle]] * len(order) / (middle + 1))
        yield Drift(name, "agreement", float(share), float(later), float(combined))


def different(hits: IntArray, trials: IntArray | int, later_hits: IntArray, later_trials: IntArray | int) -> FloatArray:
    """P-values, two-sided, that two shares are the same; 1 where there is nothing to compare.

    Given how often the rarer of the two outcomes occurred in all, it falls into the later trials as a binomial number,
    whose spread is at least the true one: so the p-values are right, or too large, for the smallest counts too.
    """
    from scipy.special import bdtr, bdtrc

    n, m = (np.broadcast_to(np.asarray(count, dtype=np.int64), np.shape(hits)) for count in (trials, later_trials))
    is_common = 2 * (hits + later_hits) > n + m
    first, second = np.where(is_common, n - hits, hits), np.where(is_common, m - later_hits, later_hits)
    total = first + second
    share = m / np.maximum(n + m, 1)
    low = bdtr(second, total, share)
    high = np.where(second > 0, bdtrc(second - 1, total, share), 1.0)
    p_values: FloatArray = np.minimum(2 * np.minimum(low, high), 1.0)
    return np.where((n > 0) & (m > 0) & (total > 0), p_values, 1.0)


def _beyond_chance(found: list[Drift], false_alarms: float) -> list[Drift]:
    """Those whose p-values are small among so many (Holm), the surest first."""
    order = sorted(found, key=lambda one: one.p_value)
    kept: list[Drift] = []
    adjusted = 0.0
    for rank, one in enumerate(order):
        adjusted = max(adjusted, min(1.0, one.p_value * (len(order) - rank)))
        if adjusted > false_alarms:
            break
        if abs(one.after - one.before) >= LEAST_CHANGE:
            kept.append(Drift(one.source, one.figure, one.before, one.after, adjusted))
    return kept


def drift_table(found: list[Drift]) -> pd.DataFrame:
    """A row for each: *source*, *figure*, *before*, *after*, *p_value*."""
    import pandas as pd

    columns = ["source", "figure", "before", "after", "p_value"]
    return pd.DataFrame([[getattr(one, name) for name in columns] for one in found], columns=columns)
