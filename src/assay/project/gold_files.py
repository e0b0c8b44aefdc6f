"""A project's gold: for the items of its votes, and checked before any work is done."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay._core.urls import Url
from assay.errors import AssayError, ProjectError
from assay.evaluation import as_gold
from assay.project.project import Project
from assay.project.prompt_notes import PromptNotes
from assay.votes import of_some, rows_named, unknown_items

if TYPE_CHECKING:
    from assay.votes import Votes

_ROWS_SHOWN = 10


def gold_votes(project: Project, votes: Votes) -> Votes | None:
    """A project's gold labels for the items of ``votes``, or None if it has none.

    They are matched by the names of items if the gold has them too, and else by their order. Items that prompts show as
    examples have none: scores on them would be too good.
    """
    if project.gold is None:
        return None
    gold = gold_from(project, project.gold, votes)
    shown = PromptNotes.stored(project.output).example_rows(votes)
    rest = np.setdiff1d(np.arange(len(votes)), shown)
    return of_some(votes, gold.take(rest), rest) if len(shown) else gold


def gold_from(project: Project, path: Path, votes: Votes) -> Votes:
    """The gold labels in a file for the items of ``votes``, by their names or their order."""
    from assay.sources import names_in

    columns = project.gold_in(path)
    names = None if project.id is None else names_in(path, project.id)
    if names is None:
        return votes.gold(columns)
    rows = rows_named(votes.items, len(votes), names)
    if (rows < 0).any():
        told = unknown_items(names[rows < 0].tolist(), votes.items, len(votes), str(path))
        raise ProjectError(f"{told}. Where: {_numbers(rows)}, from 1")
    return of_some(votes, _gold_alone(project, columns), rows)


def _numbers(rows: npt.NDArray[np.int64]) -> str:
    """The numbers of the rows of a file whose items are not there."""
    lost = (np.flatnonzero(rows < 0) + 1).tolist()
    more = ", …" if len(lost) > _ROWS_SHOWN else ""
    return f"row{'s' * (len(lost) > 1)} {', '.join(map(str, lost[:_ROWS_SHOWN]))}{more}"


def _gold_alone(project: Project, columns: Mapping[str, Any]) -> Votes:
    return as_gold(project.tasks, columns, len(next(iter(columns.values()))))


def check_gold(project: Project) -> None:
    """Raise if a project's gold cannot be right for its data, before any work is done.

    Raises
    ------
    ProjectError
        If a column is misspelt, a label unknown, or there are more or fewer rows than in the data; names file and
        column.
    """
    given = [
        *([] if project.gold is None else [(project.data, project.gold)]),
        *filter(None, (project.dev, project.test)),
    ]
    for data, gold in given:
        _check_gold_file(project, data, gold)


def _check_gold_file(project: Project, data: Path | Url, gold: Path) -> None:
    """The same for one file of gold, and the data that it is about."""
    from assay._core.rows import batches, row_count
    from assay.sources import names_in

    columns = project.gold_in(gold)
    for name, labels in columns.items():
        try:
            as_gold(project.tasks, {name: labels}, len(labels))
        except AssayError as error:
            raise ProjectError(f"{gold}, column {name!r}: {error}") from error
    if project.id is not None and names_in(gold, project.id) is not None:
        return
    known = row_count(data)
    rows = sum(len(batch) for batch in batches(data)) if known is None else known
    found = len(next(iter(columns.values())))
    if rows != found:
        raise ProjectError(
            f"{gold} has {found:,} rows, but {data} has {rows:,}; gold needs a row for each item, with nothing where "
            "the label is unknown, or the id of [data] as a column"
        )
