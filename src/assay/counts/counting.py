"""Counting votes in memory, in files larger than memory, or on a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Literal

import numpy as np

from assay._core.progress import Progress
from assay.counts.patterns import EVERYTHING, SKETCH_SIZE, Hashes
from assay.counts.tally import Crowded, Frequent, Tally, count_frequent, count_part, sum_frequent, sum_of
from assay.engine import Engine, Local, engine_of
from assay.errors import VoteError
from assay.votes import Piece, Schema, Votes, as_votes, is_in_pieces, map_pieces, pieces_of, read, schema_of


def count(
    votes: Any,
    *,
    engine: Engine | Literal["local"] = "local",
    size: int = SKETCH_SIZE,
    progress: bool = True,
) -> Tally:
    """Count votes: all that a label model is fitted on. Counts add, and can be saved.

    Parameters
    ----------
    votes
        :class:`assay.Votes`, or a matrix of class numbers with −1 for abstain; a Parquet file
        written by :meth:`assay.Votes.to_parquet`, or a folder of those, which may be larger
        than memory; or batches of votes.
    engine
        Where to count: ``"local"``, or a cluster as ``assay.engine.Dask(client)`` or
        ``assay.engine.Spark(session)``. The counts do not depend on it.
    size
        The size of the sketch of vote patterns: a pattern counts as one, and each of its
        votes as one more. Everything else is counted exactly.
    progress
        Whether to show progress on a terminal.

    Returns
    -------
    Tally
        ``yesterday + today`` are the counts of both; ``LabelModel().fit(counts)`` fits a model on them.

    >>> monday, tuesday = Votes.from_matrix([[0, 1, 0]] * 5), Votes.from_matrix([[1, 1, 1]] * 7)
    >>> (count(monday) + count(tuesday)).items
    12
    """
    if not isinstance(size, int) or size < 1:
        raise VoteError(f"size must be a positive integer, but got {size!r}")
    given = votes if needs_counting_in_pieces(votes) else as_votes(votes, lent=True)
    return tally_of(given, engine=engine, size=size, progress=progress)


def tally_of(
    votes: Any, *, engine: Engine | Literal["local"], size: int, progress: bool, like: Schema | None = None
) -> Tally:
    """The tally of votes; a tally is returned unchanged. ``like`` gives the sources and values to count."""
    if isinstance(votes, Tally):
        return votes
    place = engine_of(engine)
    if isinstance(votes, Votes) and isinstance(place, Local):
        return Tally.of(votes if like is None else votes.like(like), size)
    pieces, items, again = pieces_of(votes)
    stream = iter(pieces)
    first = next(stream, None)
    if first is None:
        raise VoteError("expected batches of votes, but there are none")
    schema = schema_of(first) if like is None else like
    job = _Count(schema, size, once=not again)
    all_pieces: Iterable[Piece] = chain([first], stream)
    with Progress("counting votes", items, show=progress) as bar:
        sums = _Sums()
        guess = EVERYTHING
        if again and items is not None and isinstance(place, Local):
            sums.add(job(first))
            bar.advance(sums.items)
            guess = job.limit[0] = sums.total.sketch.expected_limit(items)
            all_pieces = stream
        total = _count_pieces(place, job, all_pieces, sums, bar)
        if guess < EVERYTHING and total.sketch.limit >= guess:
            # More patterns would have fitted than were looked for: rows repeat more often than in the first piece.
            job = replace(job, limit=np.full(1, EVERYTHING))
            total = _count_pieces(place, job, pieces, _Sums(), bar)
    if not again or not total.needs_second_pass:
        return total
    crowded = total.crowded
    frequent: Frequent = (None,) * len(crowded)
    with Progress("counting frequent votes", items, show=progress) as bar:
        for counted, found in map_pieces(place, _CountFrequent(schema, crowded), pieces):
            frequent = sum_frequent(frequent, found)
            bar.advance(counted)
    return total.with_frequent(frequent)


def _count_pieces(place: Engine, job: _Count, pieces: Iterable[Piece], sums: _Sums, bar: Progress) -> Tally:
    for part in map_pieces(place, job, pieces):
        sums.add(part)
        # Seen by the pieces that are counted in this process from now on.
        job.limit[0] = min(job.limit[0], sums.limit)
        bar.advance(part.items)
    return sums.total


def needs_counting_in_pieces(votes: Any) -> bool:
    """Whether votes are counted already, or come in pieces."""
    return isinstance(votes, Tally) or is_in_pieces(votes)


class _Sums:
    """A sum of many tallies: always of two that have about as many pieces, so that large ones are seldom added."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, Tally]] = []

    def add(self, part: Tally) -> None:
        pieces = 1
        while self._parts and self._parts[-1][0] <= pieces:
            before, total = self._parts.pop()
            pieces, part = before + pieces, total + part
        self._parts.append((pieces, part))

    @property
    def items(self) -> int:
        return sum(part.items for _, part in self._parts)

    @property
    def limit(self) -> np.uint64:
        """The highest hash of a pattern that there is room for."""
        return min(part.sketch.limit for _, part in self._parts)

    @property
    def total(self) -> Tally:
        return sum_of(part for _, part in reversed(self._parts))


@dataclass(frozen=True)
class _Count:
    """Count one piece; runs on a worker."""

    schema: Schema
    size: int
    once: bool
    """Whether the piece can be read only once, so that frequent patterns must be counted in the same pass."""
    limit: Hashes = field(default_factory=lambda: np.full(1, EVERYTHING))
    """(1,): the highest hash of a pattern that all pieces so far leave room for. With more items it only gets lower, so
    that later pieces need not collect what would be dropped as soon as it is added."""

    def __call__(self, piece: Piece) -> Tally:
        parts = [self._counted(votes) for votes in _aligned(piece, self.schema)]
        return sum_of(parts) if parts else Tally.zero(self.schema, self.size)

    def _counted(self, votes: Votes) -> Tally:
        return Tally.of(votes, self.size) if self.once else count_part(votes, self.size, self.limit[0])


@dataclass(frozen=True)
class _CountFrequent:
    """Count the frequent patterns of one piece; runs on a worker."""

    schema: Schema
    crowded: Crowded

    def __call__(self, piece: Piece) -> tuple[int, Frequent]:
        frequent: Frequent = (None,) * len(self.crowded)
        items = 0
        for votes in _aligned(piece, self.schema):
            frequent = sum_frequent(frequent, count_frequent(votes, self.crowded))
            items += len(votes)
        return items, frequent


def _aligned(piece: Piece, schema: Schema) -> Iterator[Votes]:
    return (votes.like(schema) for votes in read(piece))
