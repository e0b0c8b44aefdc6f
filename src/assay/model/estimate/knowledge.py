"""Prior knowledge about one component: the class balance, and its sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from assay.model.estimate.balance_belief import BalanceBelief

if TYPE_CHECKING:
    from assay.counts import Layout

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Belief:
    """A prior on the accuracy of a source."""

    accuracy: float
    strength: float = 20.0
    """The pseudo-count of the prior, in votes per outcome."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Knowledge:
    """What a user has declared about the outcomes and the sources of one component."""

    signs: FloatArray
    """(sources,): +1, or −1 for a source declared adversarial."""
    balance: BalanceBelief | None = None
    """What was said of the class balance, all of it or some, and how much that counts; else it is estimated."""
    beliefs: Mapping[int, Belief] = field(default_factory=dict)
    """Per source a prior, in place of the average source."""
    applies: tuple[BoolArray, ...] | None = None
    """Per source the outcomes its tasks apply to, for local accuracies; None for global ones."""
    ignore_abstentions: bool = False
    """Whether abstentions carry no information."""
    names_labels: bool = False
    """Whether any subset of labels may apply, so that sources name those that do, and silence is evidence."""

    @classmethod
    def none(cls, layout: Layout) -> Knowledge:
        """Nothing is known."""
        return cls(signs=np.ones(len(layout.masks)))
