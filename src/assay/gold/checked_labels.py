"""Labels that gold can check: what was said of items before their gold was looked at, and what gold says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

UNSETTLED = -2
"""In place of a label number: gold does not say."""


@dataclass(frozen=True, eq=False)
class CheckedLabels:
    """Items with gold among those that were labeled, and the labels they would have had without their own gold.

    What taught a model may not score it: ``held_out`` are predictions of models that were fitted without the
    item's gold (cross-fitting), so that gold and prediction are as independent as on items that have no gold.
    """

    rows: IntArray
    """(items,): their rows among the labels, increasing."""
    allowed: tuple[BoolArray, ...]
    """Per component (items, outcomes): the outcomes that gold allows."""
    held_out: tuple[FloatArray, ...]
    """Per component (items, outcomes): the label without the item's own gold."""
    weights: FloatArray
    """How many items each stands for (items,), up to a factor; it is one over the chance that it was chosen with."""

    def __len__(self) -> int:
        return len(self.rows)

    def outcomes(self, component: int = 0) -> IntArray:
        """(items,): the only outcome that gold allows, −1 where it allows several."""
        allowed = self.allowed[component]
        found: IntArray = np.where(allowed.sum(axis=1) == 1, allowed.argmax(axis=1), -1)
        return found

    def labels(self, component: int, label_of: npt.NDArray[np.integer]) -> IntArray:
        """(items,): the label that all outcomes which gold allows have, −1 for N/A, −2 (`UNSETTLED`) if they differ.

        ``label_of`` (outcomes,) are the labels of a task in a component's outcomes.
        """
        labels = label_of.astype(np.int64)
        allowed = self.allowed[component]
        lowest = np.where(allowed, labels, np.iinfo(np.int64).max).min(axis=1)
        highest = np.where(allowed, labels, np.iinfo(np.int64).min).max(axis=1)
        found: IntArray = np.where(lowest == highest, lowest, UNSETTLED)
        return found

    def take(self, chosen: BoolArray, rows: IntArray) -> Self:
        """Some of the items, with their rows among other labels."""
        return type(self)(
            rows,
            tuple(part[chosen] for part in self.allowed),
            tuple(part[chosen] for part in self.held_out),
            self.weights[chosen],
        )

    @classmethod
    def concat(cls, parts: Sequence[Self], offsets: Sequence[int]) -> Self:
        """Those of several parts, whose labels start at these rows of all labels."""
        return cls(
            np.concatenate([part.rows + offset for part, offset in zip(parts, offsets, strict=True)]),
            tuple(np.concatenate(allowed) for allowed in zip(*(part.allowed for part in parts), strict=True)),
            tuple(np.concatenate(held_out) for held_out in zip(*(part.held_out for part in parts), strict=True)),
            np.concatenate([part.weights for part in parts]),
        )
