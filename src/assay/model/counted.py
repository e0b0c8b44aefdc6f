"""What a label model is fitted on: the counts of all votes, and the items with gold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay.counts import SKETCH_SIZE, Evidence, Layout, Patterns, Tally, needs_counting_in_pieces, tally_of
from assay.engine import Engine
from assay.errors import AssayError
from assay.gold import GoldItems
from assay.model.settings import MOMENTS, ModelSettings
from assay.votes import Schema, Votes, aligned, as_votes


@dataclass(frozen=True, eq=False)
class Counted:
    """Counted votes."""

    tally: Tally
    """The counts of all items; without patterns if some items have gold."""
    unlabeled: Tally
    """The counts of the items without gold."""
    gold: GoldItems | None = None

    @classmethod
    def of(cls, tally: Tally) -> Counted:
        """Votes without gold."""
        return cls(tally, tally)

    @classmethod
    def with_gold(cls, votes: Votes, gold: Any, size: int) -> Counted:
        """Votes on items of which some have gold, in any form; ``size`` is that of the pattern sketch."""
        known, others = GoldItems.split(votes, gold)
        return cls(Tally.of(votes, size=0), Tally.of(others, size), known)

    def evidence(self, component: int, layout: Layout) -> Evidence:
        """What one component is fitted on."""
        if self.gold is None:
            return Evidence.of(self.tally, layout)
        rows = layout.rows(self.gold.votes.cast)
        evidence = Evidence.of(self.tally, layout, patterns=self.unlabeled.sketch.patterns())
        return evidence.with_gold(Patterns(rows, np.ones(len(rows))), self.gold.allowed(component))


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
        given = as_votes(votes, settings.cardinality) if like is None else aligned(votes, like)
    elif gold is not None:
        raise AssayError("gold labels can only be given with votes in memory, but these votes come in pieces")
    if gold is not None:
        return Counted.with_gold(given, gold, size)
    return Counted.of(tally_of(given, engine=engine, size=size, progress=progress, like=like))
