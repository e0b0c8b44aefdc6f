"""What silence says in a majority vote, where any subset of labels may apply and most sources name those that do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.votes import SILENCE_AGAINST, OutcomeSets, Schema

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

_NO_VOTE = 0.01
"""What speaks against a label that nobody votes on."""


@dataclass(frozen=True, eq=False)
class Silence:
    """Sets of outcomes without a label, in addition to those that votes say, and who says them by silence."""

    sets: OutcomeSets
    """Those that votes say, then for each label the outcomes without it."""
    able: FloatArray
    """(labels,): how many sources name it, and never say that it does not apply."""
    names: FloatArray
    """(sets that votes say, labels): the part of the votes for a set that are of such sources and name the label."""

    @classmethod
    def of(cls, schema: Schema, sets: OutcomeSets) -> Silence:
        """For one component, by itself, in which every task asks whether a label applies."""
        (component,) = schema.label_space.components
        without = np.array([component.label_of(task) == 0 for task in component.tasks])
        says_yes = ~(sets.masks[:, None, :] & without[None]).any(axis=2)
        says_no = ~(sets.masks[:, None, :] & ~without[None]).any(axis=2)
        emits = np.zeros((len(schema.names), len(sets.masks)), dtype=bool)
        for source, of_code in enumerate(sets.of_code):
            emits[source, of_code[of_code >= 0]] = True
        one_sided = (emits @ says_yes) & ~(emits @ says_no)
        # Votes are counted by set, not by source: of those who may say it, so many are one-sided on the label.
        voters = np.maximum(emits.sum(axis=0), 1)[:, None]
        return cls(
            OutcomeSets(np.vstack([sets.masks, without]), sets.of_code, sets.levels),
            one_sided.sum(axis=0).astype(float),
            says_yes * (emits.T.astype(float) @ one_sided) / voters,
        )

    def added(self, counts: npt.NDArray[np.integer]) -> FloatArray:
        """(items, sets): the votes for each set, with what silence adds."""
        silent = np.maximum(self.able - counts @ self.names, 0.0)
        found: FloatArray = np.hstack([counts, SILENCE_AGAINST * silent + _NO_VOTE])
        return found
