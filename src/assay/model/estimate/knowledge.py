"""What is known about one component besides votes: the class balance, and something about sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from assay.counts import Layout

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Belief:
    """A prior belief about a source: how often a vote of it is right."""

    accuracy: float
    strength: float = 20.0
    """What the belief is worth, in votes for each outcome."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Knowledge:
    """What a user has told about the outcomes and the sources of one component."""

    signs: FloatArray
    """(sources,): +1, or −1 for a source declared adversarial."""
    balance: FloatArray | None = None
    """(outcomes,): the class balance if it is known; else it is learned."""
    beliefs: Mapping[int, Belief] = field(default_factory=dict)
    """Per source a prior belief, in place of the average source."""
    applies: tuple[BoolArray, ...] | None = None
    """Per source the outcomes its tasks apply to, for local accuracies; None ties globally."""
    ignore_abstentions: bool = False
    """Whether only what is said counts, not that it is said."""

    @classmethod
    def none(cls, layout: Layout) -> Knowledge:
        """Nothing is known."""
        return cls(signs=np.ones(len(layout.masks)))
