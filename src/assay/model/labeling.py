"""Labeling votes in memory, in files larger than memory, or on a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay._core.progress import Progress
from assay.engine import Engine, Local, engine_of
from assay.errors import VoteError
from assay.labels import Labels
from assay.model.fitted import Fitted
from assay.model.scorer import Scorer
from assay.votes import Piece, Schema, SparseCodes, Votes, is_in_pieces, map_pieces, pieces_of, read

_NOWHERE = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
"""No items with gold, and no rows of them."""


def labels_of(votes: Any, fitted: Fitted, engine: Engine | Literal["local"], progress: bool) -> Iterator[Labels]:
    """The labels, part by part, of any votes that :meth:`assay.LabelModel.fit` takes."""
    place = engine_of(engine)
    given = votes if is_in_pieces(votes) else fitted.aligned(votes, lent=True)
    job = _Label(fitted.schema, tuple(part.scorer for part in fitted.components))
    if isinstance(given, Votes) and isinstance(place, Local):
        here, rows = _NOWHERE if fitted.gold is None else fitted.gold.found_in(given)
        yield fitted.labels(job.labels(given), here, rows).put_together()
        return
    pieces, items, _ = pieces_of(given)
    found = map_pieces(place, job, pieces)
    some_pieces = False
    labeled = 0
    with Progress("labeling", items, show=progress) as bar:
        for parts in found:
            some_pieces = True
            for part in filter(len, parts):
                here, rows = (
                    _NOWHERE
                    if fitted.gold is None
                    else fitted.gold.found_between(labeled, part.items, len(part), items)
                )
                labeled += len(part)
                yield fitted.labels(part, here, rows).put_together()
                bar.advance(len(part))
    if not some_pieces:
        raise VoteError("expected batches of votes, but there are none")
    if not labeled:
        yield job.labels(Votes(fitted.schema, SparseCodes.empty(len(fitted.names)))).put_together()


@dataclass(frozen=True)
class _Label:
    """Label one piece; runs on a worker."""

    schema: Schema
    scorers: tuple[Scorer, ...]

    def __call__(self, piece: Piece) -> list[Labels]:
        return [self.labels(votes.like(self.schema)) for votes in read(piece)]

    def labels(self, votes: Votes) -> Labels:
        """The labels of votes with the schema that the model was fitted on."""
        joint = tuple(scorer(votes) for scorer in self.scorers)
        return Labels(votes.tasks, joint, votes.items, has_votes=votes.voted)
