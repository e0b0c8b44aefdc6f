"""The labels of a project that need no check, and the items that are left for people."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.errors import ProjectError
from assay.labels import Guarantee, Labels, check_ending
from assay.project.label_tables import named_rows, rows_of_project, write_beside, write_labels_of
from assay.project.project import Project
from assay.project.stored import stored_labels

if TYPE_CHECKING:
    import numpy.typing as npt
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
    with_data: bool = True,
) -> Confident:
    """Write the labels of the last run that are right as often as asked, and a table of the items that are left.

    That table has the columns of the data, so that people can read what they are to label, unless ``with_data`` says
    otherwise.
    """
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
    rows, table = for_people(labels, found, task)
    data = rows_of_project(project, rows) if with_data else pl.DataFrame(named_rows(labels, rows))
    path = write_labels_of(sure, project.output / CONFIDENT_FILE if out is None else out, project.data, with_data=False)
    left = write_beside(data, table, project.output / REST_FILE if rest is None else rest, project.data)
    return Confident(found, len(sure), path, left)


def for_people(
    labels: Labels, promise: Guarantee, task: str | None = None
) -> tuple[npt.NDArray[np.int64], pd.DataFrame]:
    """The items that are not covered, the least sure first: their rows, and a table of their confidence and labels."""
    import pandas as pd

    parts = labels.joint if task is None else (labels[task],)
    confidence = np.min([part[promise.rest].max(axis=1) for part in parts], axis=0)
    rows = promise.rest[np.argsort(confidence, kind="stable")]
    texts = {name: labels.names(name)[rows] for name in labels.tasks.names}
    return rows, pd.DataFrame({"confidence": np.sort(confidence).round(4), **texts})
