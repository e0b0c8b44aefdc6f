"""Which items prompts should be asked about: those that the other sources leave the label model least sure of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from assay._core.arguments import random_numbers
from assay.errors import ProjectError
from assay.gold import HandLabels
from assay.labels import Labels
from assay.model import LabelModel
from assay.project.project import Project
from assay.sources import PromptSource, Source, apply


@dataclass(frozen=True)
class Unsure:
    """The items to ask about, and what asking can gain at most."""

    rows: npt.NDArray[np.int64]
    """Their numbers, ascending."""
    items: int
    """How many there are in all."""
    expected_errors: float
    """How many labels are wrong without the prompts, as the label model sees it."""
    expected_errors_asked: float
    """How many of these are among the items to ask about: what prompts that are always right would gain."""
    confidence: npt.NDArray[np.float64] = field(repr=False, default_factory=lambda: np.empty(0))
    """(items,): how probable the label of each is."""

    def __str__(self) -> str:
        """In a sentence."""
        return (
            f"asking about {len(self.rows):,} of {self.items:,} items, the least sure: "
            f"about {self.expected_errors:,.0f} labels are expected to be wrong without prompts, "
            f"{self.expected_errors_asked:,.0f} of them there"
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "items_asked": len(self.rows),
            "expected_errors": self.expected_errors,
            "expected_errors_asked": self.expected_errors_asked,
        }


def least_sure(labels: Labels, share: float, *, seed: int = 0) -> Unsure:
    """The given share of items with the least probable labels; which of equally sure ones, chance decides.

    Items with hand labels are chosen as if these were unknown: what hand labels tell about votes of prompts is told by
    those that prompts were asked about, and only if they were chosen like all others does it hold for these.
    """
    if not 0 < share <= 1:
        raise ProjectError(f"the share of items to ask about must be above 0 and at most 1, but is {share!r}")
    confidence = _confidence(labels.joint)
    by_votes = confidence.copy()
    if labels.gold is not None:
        by_votes[labels.gold.rows] = _confidence(labels.gold.held_out)
    shuffled = random_numbers(seed).permutation(len(confidence))
    order = shuffled[np.argsort(by_votes[shuffled], kind="stable")]
    rows = np.sort(order[: int(np.ceil(share * len(confidence)))])
    doubt = 1 - confidence
    return Unsure(rows, len(confidence), float(doubt.sum()), float(doubt[rows].sum()), confidence)


def _confidence(joint: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """(items,): the probability of the least sure label of each."""
    return np.asarray(np.min([part.max(axis=1) for part in joint], axis=0))


def unsure_items(
    project: Project, share: float, *, hand_labels: HandLabels | None = None, progress: bool = True
) -> Unsure:
    """The items that a project's other sources leave its label model least sure of.

    Raises
    ------
    ProjectError
        If no source is a prompt, or all are.
    """
    sources = project.sources()
    others = [source for source in sources if not isinstance(source, PromptSource)]
    if not others or len(others) == len(sources):
        missing = "other sources, which tell where it is unsure" if not others else "prompts"
        raise ProjectError(f"{project.folder} has no {missing}; leave out where, or add some")
    votes = apply(
        others,
        project.data,
        project.tasks,
        id=project.id,
        on_error=project.settings.on_error,
        workers=project.settings.workers,
        batch_size=project.settings.batch_size,
        progress=progress,
    )
    model = LabelModel(**_settings_for(project, others)).fit(votes, hand_labels, progress=progress)
    return least_sure(model.label(votes, progress=progress), share, seed=project.model.seed)


def _settings_for(project: Project, others: list[Source]) -> dict[str, Any]:
    """The settings of the label model, as far as they are about some of the sources; unsure is better than refused."""
    names = {source.name for source in others}
    said = dict(vars(project.model))
    if not isinstance(said["dependencies"], str):
        said["dependencies"] = tuple(group for group in said["dependencies"] if names >= set(group))
    for setting in ("adversarial", "asked_later"):
        said[setting] = tuple(name for name in said[setting] if name in names)
    if said["beliefs"] is not None:
        said["beliefs"] = {name: belief for name, belief in said["beliefs"].items() if name in names}
    return {**said, "allow_unidentifiable": True}
