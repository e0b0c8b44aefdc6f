"""Labels as the tables that a project writes: alone, or behind the rows of its data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay._core.readers import frames, starts_with_mark
from assay._core.texts import free_name
from assay._core.urls import Url
from assay.labels import Labels, write_table
from assay.project.project import Project
from assay.project.provenance import check_data
from assay.project.stored import votes_path

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

_ROWS_AT_A_TIME = 50_000
_DIGITS = 6
"""So many digits behind the point have probabilities in CSV, which people read."""


def write_labels_of(labels: Labels, path: str | Path, data: Path | Url, *, with_data: bool) -> Path:
    """Write the labels of all rows of a data file; ``with_data`` puts its columns before those of the labels.

    A CSV starts with a byte order mark if the data does: whoever made that opens both in a spreadsheet.
    """
    if with_data:
        return write_beside(rows_at(data, None), labels.to_pandas().reset_index(drop=True), path, data)
    if Path(path).suffix != ".csv":
        return labels.to_file(path)
    return write_table(labels.to_pandas().round(_DIGITS), path, mark=starts_with_mark(data))


def write_beside(rows: pl.DataFrame, told: pd.DataFrame, path: str | Path, data: Path | Url) -> Path:
    """Write rows of a data file and a table about them side by side."""
    rounded = told.round(_DIGITS) if Path(path).suffix == ".csv" else told
    return write_table(beside(rows.to_pandas(), rounded), path, mark=starts_with_mark(data))


def beside(rows: pd.DataFrame, told: pd.DataFrame) -> pd.DataFrame:
    """Two tables side by side; a column that both have gets an underscore in the second."""
    import pandas as pd

    names: list[str] = []
    for name in told.columns:
        names.append(free_name(name, {*rows.columns, *names}))
    return pd.concat([rows, told.set_axis(names, axis="columns")], axis="columns")


def rows_at(data: Path | Url, rows: npt.NDArray[np.int64] | None) -> pl.DataFrame:
    """Some rows of a data file, by number and in this order, or all; no others are held in memory."""
    found: list[pl.DataFrame] = []
    start = 0
    wanted = None if rows is None else np.sort(rows)
    for frame in frames(data, _ROWS_AT_A_TIME):
        if wanted is None:
            found.append(frame)
        else:
            here = wanted[(wanted >= start) & (wanted < start + len(frame))] - start
            found.append(frame[here.tolist()])
        start += len(frame)
    whole = pl.concat(found) if found else pl.DataFrame()
    return whole if rows is None or wanted is None else whole[np.searchsorted(wanted, rows).tolist()]


def rows_of_project(project: Project, rows: npt.NDArray[np.int64]) -> pl.DataFrame:
    """Some rows of a project's data, which must still be what the sources were applied to."""
    check_data(project, votes_path(project))
    return rows_at(project.data, rows)


def named_rows(labels: Labels, rows: npt.NDArray[np.int64]) -> dict[str, Any]:
    """What names some items in a table without their data: a column *item*, or *row* if they are only numbered."""
    return {"row": rows} if labels.items is None else {"item": labels.items[rows]}
