"""Items with gold labels: their votes, and the outcomes that gold allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.votes import Votes

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class GoldItems:
    """Items with gold labels."""

    votes: Votes
    """The votes of the sources on them."""
    truth: Votes
    """Their true labels, as votes of one source."""

    @classmethod
    def split(cls, votes: Votes, gold: Any) -> tuple[GoldItems, Votes]:
        """The items that have gold, and the votes on those that have none.

        ``gold`` has any form that :meth:`assay.Votes.summary` takes.

        >>> known, others = GoldItems.split(Votes.from_matrix([[0], [1], [1]]), [1, -1, -1])
        >>> len(known), len(others), known.allowed(0).tolist()
        (1, 2, [[False, True]])
        """
        truth = votes.gold(gold)
        known = (truth.codes >= 0)[:, 0]
        return cls(votes.take(known), truth.take(known)), votes.take(~known)

    def __len__(self) -> int:
        return len(self.votes)

    def allowed(self, component: int) -> BoolArray:
        """(items, outcomes): the outcomes of a component that gold allows."""
        sets = self.truth.outcome_sets[component]
        everything = np.ones((1, sets.masks.shape[1]), dtype=bool)
        return np.vstack([sets.masks, everything])[sets.of_code[0][self.truth.codes[:, 0]]]
