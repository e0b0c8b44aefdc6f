"""How far two sources agree beyond chance, for all pairs of sources, from counts of co-votes.

For two sources, let :math:`T_{xy}` count the items on which one says x and the other y, with shares
:math:`a_x` and :math:`b_y`, and let :math:`W_{xy}` be ½ if x and y can both be true and −½ if not. The agreement beyond
chance is :math:`t = \\sum T_{xy} D_{xy}`, where D is W without the means of its rows and columns under a and b. Sources
that are independent have :math:`t = 0` on average, with variance :math:`N \\sum a_x b_y D_{xy}^2`.

If what a source says hardly matters for agreement, as with one that says one thing only, t is always zero. Such sources
tell by when they speak at all: to abstain is then one more thing to say, for which W is zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from assay.checks.vote_counts import BoolArray, IntArray, ValuePairs, VoteCounts

FloatArray = npt.NDArray[np.float64]

BORROWED = 10.0
"""Where two sources rarely meet, their shares there are completed by this many votes with the shares that they have
over all items."""
LITTLE = 0.1
"""If less than this share of the variance of agreement depends on what both sources say, abstentions count too."""
ENOUGH_VOTES = 10
"""A source with fewer votes may well say one thing only by chance; its abstentions do not count."""
TINY = 1e-9
CELLS_AT_ONCE = 2**20


@dataclass(frozen=True, eq=False)
class Agreement:
    """Agreement beyond chance, of pairs of sources; the diagonals are zero."""

    excess: FloatArray
    """(sources, sources): on how many more items two sources agree, rather than conflict, than by chance."""
    variance: FloatArray
    """(sources, sources): the variance of that if the two are independent."""

    def among(self, pairs: BoolArray) -> Agreement:
        """The same with zeros for all other pairs."""
        return Agreement(np.where(pairs, self.excess, 0.0), np.where(pairs, self.variance, 0.0))

    def of(self, sources: npt.NDArray[np.intp]) -> Agreement:
        """The same for some sources only."""
        chosen = np.ix_(sources, sources)
        return Agreement(self.excess[chosen], self.variance[chosen])


def among_votes(counts: VoteCounts) -> Agreement:
    """Agreement on items on which both vote; zero for sources that cannot disagree."""
    pairs = counts.value_pairs()
    if pairs is None:
        return _by_source(counts)
    said = _votes(pairs, len(counts.names))
    return _off_diagonal(*_compared(pairs.counts, _scores(counts, pairs), said, said))


def with_abstentions(counts: VoteCounts, votes: Agreement) -> Agreement:
    """Agreement among votes, or for pairs that these say little about, in who votes and who abstains."""
    rows, columns = _better_told_by_abstaining(counts)
    concerned = np.flatnonzero((rows | columns).any(axis=1))
    if not len(concerned):
        return votes
    pairs = counts.value_pairs()
    if pairs is None:
        return _one_thing_each(counts, votes, rows & columns)
    excess, variance = votes.excess.copy(), votes.variance.copy()
    here = np.ix_(concerned, concerned)
    one_sided, both = _with_silence(counts, pairs, concerned)
    for where, found in ((rows & ~columns, one_sided), (rows & columns, both)):
        for target, values in zip((excess, variance), found, strict=True):
            target[here] = np.where(where[here], values, target[here])
            target[here] = np.where(where[here].T, values.T, target[here])
    return _off_diagonal(excess, variance)


def _better_told_by_abstaining(counts: VoteCounts) -> tuple[BoolArray, BoolArray]:
    """(sources, sources) twice: pairs for which abstentions of the first count, and of the second."""
    _, by_first, interaction = _variance_of_scores(counts, _score(counts.masks))
    by_second = by_first.T
    little = interaction <= LITTLE * (interaction + by_first + by_second) + TINY
    enough = counts.votes >= ENOUGH_VOTES
    little &= enough[:, None] & enough[None] & ~np.eye(len(enough), dtype=bool)
    return little & (by_first <= by_second + TINY), little & (by_second <= by_first + TINY)


def _variance_of_scores(counts: VoteCounts, scores: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(sources, sources) each: the mean score of two votes drawn apart from each other, and how it varies.

    The variance is split into what depends on the first vote alone, the transpose of that, and what depends on both.
    """
    shares = counts.uses / counts.votes[:, None]
    means = shares @ scores
    mean = means @ shares.T
    by_first = shares @ (means**2).T - mean**2
    interaction = shares @ scores**2 @ shares.T - mean**2 - by_first - by_first.T
    return mean, by_first, np.maximum(interaction, 0.0)


@dataclass(frozen=True, eq=False)
class _Kinds:
    """What sources may say, source after source."""

    source: IntArray
    """(kinds,): whose they are, in order."""
    share: FloatArray
    """(kinds,): in what share of all cases that source says so."""

    @cached_property
    def starts(self) -> IntArray:
        """(sources,): where the kinds of each begin."""
        return np.flatnonzero(np.diff(self.source, prepend=-1))

    def slice(self, start: int, stop: int) -> tuple[slice, _Kinds]:
        """Those of some consecutive sources."""
        ends = np.append(self.starts, len(self.source))
        part = slice(int(ends[start]), int(ends[stop]))
        return part, _Kinds(self.source[part] - start, self.share[part])


def _votes(pairs: ValuePairs, sources: int) -> _Kinds:
    uses = pairs.counts.diagonal().astype(float)
    totals = np.bincount(pairs.source, uses, minlength=sources)
    return _Kinds(pairs.source, uses / totals[pairs.source])


def _score(masks: BoolArray) -> FloatArray:
    """(sets, sets): ½ for sets of outcomes that share some, −½ for others."""
    numbers = masks.astype(np.float32)
    return np.where(numbers @ numbers.T > 0, 0.5, -0.5)


def _scores(counts: VoteCounts, pairs: ValuePairs) -> FloatArray:
    """(values, values): the same for the values of all sources."""
    return _score(counts.masks)[pairs.said][:, pairs.said]


def _with_silence(
    counts: VoteCounts, pairs: ValuePairs, concerned: npt.NDArray[np.intp]
) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """Excess and variance among some sources: where abstentions of the first count, and where those of both do."""
    kept = np.isin(pairs.source, concerned)
    source = np.searchsorted(concerned, pairs.source[kept])
    pairs = ValuePairs(source, pairs.said[kept], pairs.counts[np.ix_(kept, kept)])
    size = len(concerned)
    votes, uses = counts.votes[concerned], pairs.counts.diagonal()
    owner = np.concatenate([source, np.arange(size)])
    place = np.argsort(np.argsort(owner, kind="stable"))
    voted, silent = place[: len(source)], place[len(source) :]
    said = _votes(pairs, size)
    together, scores = np.zeros((len(owner), len(owner))), np.zeros((len(owner), len(owner)))
    alone = uses[None] - np.add.reduceat(pairs.counts, said.starts, axis=0)
    together[np.ix_(voted, voted)] = pairs.counts
    together[np.ix_(silent, voted)], together[np.ix_(voted, silent)] = alone, alone.T
    overlap = counts.overlap[np.ix_(concerned, concerned)]
    together[np.ix_(silent, silent)] = counts.items - votes[:, None] - votes[None] + overlap
    scores[np.ix_(voted, voted)] = _scores(counts, pairs)
    share = np.empty(len(owner))
    share[place] = np.concatenate([uses, counts.items - votes]) / counts.items
    everything = _Kinds(np.sort(owner), share)
    return (
        _compared(together[:, voted], scores[:, voted], everything, said),
        _compared(together, scores, everything, everything),
    )


def _compared(
    together: npt.NDArray[np.int64] | FloatArray, scores: FloatArray, rows: _Kinds, columns: _Kinds
) -> tuple[FloatArray, FloatArray]:
    """(sources, sources) twice: agreement beyond chance and its variance, from (kinds, kinds) co-votes."""
    sources = len(rows.starts)
    step = max(CELLS_AT_ONCE * sources // max(together.size, 1), 1)
    parts = []
    for start in range(0, sources, step):
        part, some = rows.slice(start, min(start + step, sources))
        parts.append(_compared_at_once(together[part].astype(float), scores[part], some, columns))
    return np.concatenate([excess for excess, _ in parts]), np.concatenate([variance for _, variance in parts])


def _compared_at_once(
    together: FloatArray, scores: FloatArray, rows: _Kinds, columns: _Kinds
) -> tuple[FloatArray, FloatArray]:
    def over_rows(cells: FloatArray) -> FloatArray:
        return np.add.reduceat(cells, rows.starts, axis=0)

    def over_columns(cells: FloatArray) -> FloatArray:
        return np.add.reduceat(cells, columns.starts, axis=1)

    first, second = over_columns(together), over_rows(together)
    items = over_rows(first)
    a = (first + BORROWED * rows.share[:, None]) / (items[rows.source] + BORROWED)
    b = (second + BORROWED * columns.share) / (items[:, columns.source] + BORROWED)
    scored = b[rows.source] * scores
    by_row, by_column = over_columns(scored), over_rows(a[:, columns.source] * scores)
    mean = over_rows(a * by_row)
    squares = over_columns(over_rows(a[:, columns.source] * scored * scores))
    spread = squares - over_rows(a * by_row**2) - over_columns(b * by_column**2) + mean**2
    agreed = over_columns(over_rows(together * scores))
    excess = agreed - over_rows(first * by_row) - over_columns(second * by_column) + items * mean
    return excess, items * np.maximum(spread, 0.0)


def _by_source(counts: VoteCounts) -> Agreement:
    """From how often two sources meet and agree alone, where there are too many values to count pairs of them."""
    same = np.eye(len(counts.masks))
    chance, by_first, interaction = _variance_of_scores(counts, same)
    # Shares are those over all votes of a source, so they vary less the more of these are where the other votes too.
    elsewhere = by_first * (1 - counts.overlap / counts.votes[:, None])
    variance = counts.overlap * (interaction + elsewhere + elsewhere.T)
    return _off_diagonal(counts.agreement - counts.overlap * chance, variance)


def _one_thing_each(counts: VoteCounts, votes: Agreement, where: BoolArray) -> Agreement:
    """The same for sources that say one thing only: whether they meet more often than by chance."""
    says = counts.uses.argmax(axis=1)
    score = _score(counts.masks)[says][:, says]
    rate = counts.votes / max(counts.items, 1)
    spread = rate * (1 - rate)
    excess = score * (counts.overlap - counts.items * np.outer(rate, rate))
    variance = score**2 * counts.items * np.outer(spread, spread)
    return _off_diagonal(np.where(where, excess, votes.excess), np.where(where, variance, votes.variance))


def _off_diagonal(excess: FloatArray, variance: FloatArray) -> Agreement:
    pairs = ~np.eye(len(excess), dtype=bool) & (variance > TINY)
    return Agreement(excess, variance).among(pairs)
