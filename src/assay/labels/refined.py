"""What refined labels rest on: of each item, and what votes and data were worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

KINDS = ("class balance", "votes", "data", "votes and data", "gold")
"""What a label may rest on. An item without votes has the class balance, unless data says more."""


@dataclass(frozen=True, eq=False)
class Refined:
    """What labels that :func:`assay.refine` made rest on."""

    kinds: npt.NDArray[np.uint8]
    """(items,): the kind of evidence of each label, as its place in :data:`KINDS`."""
    votes_weight: tuple[float, ...]
    """Per component what the log-odds of the votes were multiplied by."""
    data_weights: Mapping[str, tuple[float, ...]]
    """Per view of the data and component what its log-odds were multiplied by."""
    notes: tuple[str, ...] = ()
    """What a user should know, in sentences."""

    @property
    def by_data(self) -> npt.NDArray[np.bool_]:
        """(items,): whether the data has a part in the label; and of an item with gold, would have without that."""
        told = np.isin(self.kinds, [KINDS.index("data"), KINDS.index("votes and data")])
        return told | (self.kinds == KINDS.index("gold")) if told.any() else told

    def take(self, chosen: npt.NDArray[np.bool_] | slice) -> Self:
        """That of some items."""
        return replace(self, kinds=self.kinds[chosen])

    @classmethod
    def concat(cls, parts: Sequence[Refined | None]) -> Refined | None:
        """That of several parts of labels which were refined together; None if some were not refined."""
        found = [part for part in parts if part is not None]
        if not found or len(found) < len(parts):
            return None
        return replace(found[0], kinds=np.concatenate([part.kinds for part in found]))

    def to_dict(self) -> dict[str, Any]:
        """All but the kinds, for JSON."""
        return {
            "votes": list(self.votes_weight),
            "data": {name: list(weights) for name, weights in self.data_weights.items()},
            "notes": list(self.notes),
        }

    @classmethod
    def from_dict(cls, kinds: npt.NDArray[np.uint8], stored: Mapping[str, Any]) -> Refined:
        """What :meth:`to_dict` gave; raises if anything is missing."""
        return cls(
            kinds,
            tuple(float(weight) for weight in stored["votes"]),
            {str(name): tuple(float(weight) for weight in weights) for name, weights in stored["data"].items()},
            tuple(str(note) for note in stored["notes"]),
        )
