"""What a label model is fitted on: the counts of all votes, and the items with gold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from assay.counts import SKETCH_SIZE, Tally, needs_counting_in_pieces, tally_of
from assay.engine import Engine, engine_of
from assay.errors import AssayError
from assay.gold import GoldItems, truth_of
from assay.model.estimate.methods import MOMENTS
from assay.model.settings import ModelSettings
from assay.votes import Piece, Schema, SparseCodes, Votes, aligned, as_votes, map_pieces, names_of, pieces_of, read


@dataclass(frozen=True, eq=False)
class Counted:
    """Counted votes, and the items among them that have gold."""

    tally: Tally
    gold: GoldItems | None = None

    def __add__(self, other: Counted) -> Counted:
        """These votes and later ones."""
        known = [one.gold for one in (self, other) if one.gold is not None]
        total = self.tally + other.tally
        if self.gold is None or other.gold is None:
            # Rows are counted from the first item, whichever of the two has gold.
            gold = known[0] if known else None
            if gold is not None:
                rows = gold.rows if self.gold is not None else gold.rows + self.tally.items
                gold = replace(gold, rows=rows, total=total.items)
            return Counted(total, gold)
        return Counted(total, self.gold + other.gold)


def counted_votes(
    votes: Any,
    settings: ModelSettings,
    *,
    gold: Any = None,
    like: Schema | None = None,
    engine: Engine | Literal["local"] = "local",
    progress: bool = True,
) -> Counted:
    """Count anything that :meth:`assay.LabelModel.fit` takes; ``like`` is the schema of earlier counts, if any."""
    # Moment methods use counts over all items, and patterns only for the class balance.
    size = SKETCH_SIZE // 8 if settings.method in MOMENTS else SKETCH_SIZE
    given = votes
    if not needs_counting_in_pieces(votes):
        given = as_votes(votes, settings.cardinality, lent=True) if like is None else aligned(votes, like, lent=True)
    elif gold is not None and (isinstance(votes, Tally | Iterator)):
        what = "counts" if isinstance(votes, Tally) else "a generator"
        raise AssayError(
            f"gold labels need votes that can be looked up: Votes, a Parquet file or folder, or a list of batches, "
            f"but got {what}"
        )
    tally = tally_of(given, engine=engine, size=size, progress=progress, like=like)
    if gold is None:
        return Counted(tally)
    if isinstance(given, Votes):
        return Counted(tally, GoldItems.among(given.unlinked, gold))
    return Counted(tally, gold_in_pieces(given, gold, tally.schema, engine_of(engine)))


def gold_in_pieces(votes: Any, gold: Any, schema: Schema, place: Engine) -> GoldItems:
    """The items with gold among votes in pieces; only pieces that have some are read."""
    pieces, items, _ = pieces_of(votes)
    assert items is not None
    whole = list(pieces)
    # Names are looked up only where gold may go by them: they are read from all pieces.
    named = hasattr(gold, "gold_for") or hasattr(gold, "index")
    names = _joined(list(map_pieces(place, names_of, whole))) if named else None
    nobody = Votes.from_codes(schema.tasks, np.full((items, 1), -1, dtype=np.int8), ("nobody",), ((),), names)
    truth, weights = truth_of(nobody, gold)
    rows = np.flatnonzero(truth.voted)
    starts = np.cumsum([0, *map(len, whole)])
    between = [rows[(rows >= start) & (rows < stop)] - start for start, stop in pairwise(starts)]
    wanted = [(piece, chosen) for piece, chosen in zip(whole, between, strict=True) if len(chosen)]
    found = list(place.map(_Look(schema), wanted))
    nothing = Votes(schema, SparseCodes.empty(len(schema.names)))
    votes_on_them = Votes.concat(found).like(schema) if found else nothing
    return GoldItems(votes_on_them, truth.take(rows), rows, items, weights[rows])


def _joined(names: Sequence[npt.NDArray[Any] | None]) -> npt.NDArray[Any] | None:
    known = [part for part in names if part is not None]
    return np.concatenate(known) if known and len(known) == len(names) else None


@dataclass(frozen=True)
class _Look:
    """Look up some rows of a piece; runs on a worker."""

    schema: Schema

    def __call__(self, wanted: tuple[Piece, npt.NDArray[np.int64]]) -> Votes:
        piece, rows = wanted
        parts, start = [], 0
        for votes in read(piece):
            within = (rows >= start) & (rows < start + len(votes))
            parts.append(votes.like(self.schema).take(rows[within] - start))
            start += len(votes)
        return Votes.concat(parts)
