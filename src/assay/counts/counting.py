"""Counting votes in memory, in files larger than memory, or on a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from assay._core.progress import Progress
from assay.counts.patterns import SKETCH_SIZE, Sketch
from assay.counts.tally import Tally, count_frequent, count_part
from assay.engine import Engine, Local, engine_of
from assay.errors import VoteError
from assay.votes import Piece, Schema, Votes, as_votes, is_in_pieces, pieces_of, read, schema_of


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
    given = votes if needs_counting_in_pieces(votes) else as_votes(votes)
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
    total = Tally.zero(schema, size)
    with Progress("counting votes", items, show=progress) as bar:
        for part in place.map(_Count(schema, size, once=not again), chain([first], stream)):
            total = total + part
            bar.advance(part.items)
    if not again or not total.sketch.needs_second_pass:
        return total
    with Progress("counting frequent votes", items, show=progress) as bar:
        frequent = Sketch.zero(len(schema.names), size=2**62)
        for counted, found in place.map(_CountFrequent(schema, total.sketch.crowded), pieces):
            frequent = frequent + found
            bar.advance(counted)
    return replace(total, sketch=total.sketch.with_frequent(frequent))


def needs_counting_in_pieces(votes: Any) -> bool:
    """Whether votes are counted already, or come in pieces."""
    return isinstance(votes, Tally) or is_in_pieces(votes)


@dataclass(frozen=True)
class _Count:
    """Count one piece; runs on a worker."""

    schema: Schema
    size: int
    once: bool
    """Whether the piece can be read only once, so that frequent patterns must be counted in the same pass."""

    def __call__(self, piece: Piece) -> Tally:
        total = Tally.zero(self.schema, self.size)
        for votes in _aligned(piece, self.schema):
            total = total + (Tally.of(votes, self.size) if self.once else count_part(votes, self.size))
        return total


@dataclass(frozen=True)
class _CountFrequent:
    """Count the frequent patterns of one piece; runs on a worker."""

    schema: Schema
    crowded: npt.NDArray[np.bool_]

    def __call__(self, piece: Piece) -> tuple[int, Sketch]:
        frequent, items = Sketch.zero(len(self.schema.names), size=2**62), 0
        for votes in _aligned(piece, self.schema):
            frequent = frequent + count_frequent(votes, self.crowded)
            items += len(votes)
        return items, frequent


def _aligned(piece: Piece, schema: Schema) -> Iterator[Votes]:
    return (votes.like(schema) for votes in read(piece))
