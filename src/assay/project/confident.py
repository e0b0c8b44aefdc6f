"""The labels of a project that need no check, and the items that are left for people."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import ProjectError
from assay.labels import Guarantee, Labels, check_ending, write_table
from assay.project.project import Project
from assay.project.stored import stored_labels

if TYPE_CHECKING:
    import pandas as pd

CONFIDENT_FILE, REST_FILE = "confident.parquet", "for_people.csv"


@dataclass(frozen=True, eq=False)
class Confident:
    """Labels that are right as often as asked, in a file, and the others in another."""

    guarantee: Guarantee
    items: int
    """How many labels need no check."""
    path: Path
    rest: Path

    def to_dict(self) -> dict[str, Any]:
        """What it says, for JSON."""
        figures = self.guarantee.to_dict()
        return {**figures, "confident": self.items, "labels": str(self.path), "for_people": str(self.rest)}


def confident_labels(
    project: Project,
    precision: float,
    *,
    task: str | None = None,
    out: Path | None = None,
    rest: Path | None = None,
) -> Confident:
    """Write the labels of the last run that are right as often as asked, and a table of the items that are left."""
    for path in (out, rest):
        if path is not None:
            check_ending(path)
    labels = stored_labels(project)
    if labels.gold is None:
        raise ProjectError(
            "no hand labels check the labels of the last run, and votes alone do not tell how often they are right; "
            f"label a hundred items with 'assay label {project.folder}', then run 'assay run {project.folder}'"
        )
    found = labels.guarantee(precision, task)
    sure = labels.confident(found.threshold, task)
    path = sure.to_file(project.output / CONFIDENT_FILE if out is None else out)
    left = write_table(for_people(labels, found, task), project.output / REST_FILE if rest is None else rest)
    return Confident(found, len(sure), path, left)


def for_people(labels: Labels, promise: Guarantee, task: str | None = None) -> pd.DataFrame:
    """The items that are not covered, a row each, the least sure first: name or row number, confidence, and labels."""
    import pandas as pd

    parts = labels.joint if task is None else (labels[task],)
    confidence = np.min([part[promise.rest].max(axis=1) for part in parts], axis=0)
    rows = promise.rest[np.argsort(confidence, kind="stable")]
    named: dict[str, Any] = {"row": rows} if labels.items is None else {"item": labels.items[rows]}
    texts = {name: labels.names(name)[rows] for name in labels.tasks.names}
    return pd.DataFrame({**named, "confidence": np.sort(confidence).round(4), **texts})
