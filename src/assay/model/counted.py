"""What a label model is fitted to: the counts of all votes, and the items that have gold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.counts import Evidence, Layout, Patterns, Tally
from assay.gold import GoldItems
from assay.votes import Votes


@dataclass(frozen=True, eq=False)
class Counted:
    """Votes, counted."""

    tally: Tally
    """Of all items; with gold, without their patterns."""
    unlabeled: Tally
    """Of the items without gold: all of them, usually."""
    gold: GoldItems | None = None

    @classmethod
    def of(cls, tally: Tally) -> Counted:
        """Votes without gold."""
        return cls(tally, tally)

    @classmethod
    def with_gold(cls, votes: Votes, gold: Any, size: int) -> Counted:
        """Votes of which some items have gold, in any shape; sketches hold at most so many patterns."""
        known, others = GoldItems.split(votes, gold)
        return cls(Tally.of(votes, size=0), Tally.of(others, size), known)

    def evidence(self, component: int, layout: Layout) -> Evidence:
        """What one component is learned from."""
        if self.gold is None:
            return Evidence.of(self.tally, layout)
        rows = layout.rows(self.gold.votes.cast)
        evidence = Evidence.of(self.tally, layout, patterns=self.unlabeled.sketch.patterns())
        return evidence.with_gold(Patterns(rows, np.ones(len(rows))), self.gold.allowed(component))
