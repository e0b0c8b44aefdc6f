"""A project's way in and out: new rows for the saved model, labels for annotation tools, and answers from them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from assay._core.rows import as_polars
from assay._core.texts import free_name
from assay.annotations import read_annotations
from assay.errors import ProjectError
from assay.gold import HandLabels, append_answer
from assay.labels import Labels, check_ending, write_table
from assay.project.pipeline import votes_on
from assay.project.project import Project
from assay.project.provenance import check_data
from assay.project.stored import stored_label_model, stored_labels, votes_path
from assay.votes import Votes

if TYPE_CHECKING:
    import pandas as pd

ANNOTATED_FILE = "annotated.parquet"
Form = Literal["csv", "jsonl", "parquet", "label-studio", "argilla"]


@dataclass(frozen=True, eq=False)
class Annotated:
    """New rows with their labels."""

    votes: Votes
    labels: Labels
    path: Path

    @property
    def without_votes(self) -> int:
        """How many rows no source votes on; they get the class balance."""
        return int(np.sum(~self.votes.voted))


def annotate(project: Project, data: str | Path, out: str | Path | None = None, *, progress: bool = True) -> Annotated:
    """Label new rows with a project's sources and the label model of its last run; nothing is fitted again.

    ``out`` is a file that ends in ``.csv``, ``.jsonl`` or ``.parquet``; by default annotated.parquet in the output
    folder.
    """
    path = check_ending(project.output / ANNOTATED_FILE if out is None else out)
    model = stored_label_model(project)
    votes = votes_on(project, Path(data), progress=progress)
    labels = model.label(votes, progress=progress)
    return Annotated(votes, labels, labels.to_file(path))


def export_labels(
    project: Project, out: str | Path, form: str | None = None, *, on: str | None = None, with_data: bool = False
) -> tuple[Labels, Path]:
    """Write the labels of a project's last run as a table, or with its data for Label Studio or Argilla.

    ``on`` is the column that annotators read, by default the first that people are shown. ``with_data`` puts the
    columns of the data before those of the labels.
    """
    target = Path(out)
    form = target.suffix.removeprefix(".") if form is None else form
    if form not in get_args(Form):
        raise ProjectError(
            f"labels can be written as {', '.join(get_args(Form))}, but not as {form!r}; give the file one of these "
            "endings, or say label-studio or argilla"
        )
    for_a_tool = form in ("label-studio", "argilla")
    if for_a_tool and target.suffix != ".json":
        raise ProjectError(f"records for {form} are a JSON file, but {target} does not end in .json")
    if not for_a_tool and target.suffix != f".{form}":
        raise ProjectError(f"a table as {form} is a file that ends in .{form}, but {target} does not")
    if for_a_tool and with_data:
        raise ProjectError(f"records for {form} have the data with them anyway; leave --with-data out")
    labels = stored_labels(project)
    read = on or next(iter(project.show), None)
    if form == "label-studio":
        labels.to_label_studio(project.data, target, on=read, item=project.id)
    elif form == "argilla":
        labels.to_argilla(project.data, target, on=read, item=project.id)
    elif with_data:
        write_table(_beside_data(project, labels), target)
    else:
        labels.to_file(target)
    return labels, target


def _beside_data(project: Project, labels: Labels) -> pd.DataFrame:
    """The rows of the data, with their labels behind; a column that both have gets an underscore there."""
    import pandas as pd

    check_data(project, votes_path(project))
    data = as_polars(project.data).to_pandas()
    told = labels.to_pandas().reset_index(drop=True)
    names: list[str] = []
    for name in told.columns:
        names.append(free_name(name, {*data.columns, *names}))
    return pd.concat([data, told.set_axis(names, axis="columns")], axis="columns")


@dataclass(frozen=True, eq=False)
class Imported:
    """What was read from an annotation tool."""

    tool: str
    answers: int
    """How many answers, or items that were skipped, were added."""
    path: Path
    """The file of hand labels that they were added to."""

    def to_dict(self) -> dict[str, Any]:
        """The same for JSON."""
        return {"tool": self.tool, "answers": self.answers, "hand_labels": str(self.path)}


def import_annotations(
    project: Project,
    export: str | Path,
    *,
    tool: str | None = None,
    item: str | None = None,
    by: str | None = None,
    task: str | None = None,
) -> Imported:
    """Add what people said in an annotation tool to a project's hand labels; what is there already is not added again.

    The parameters are those of :func:`assay.read_annotations`; ``task`` is the task of labels that several tasks have.
    """
    found = read_annotations(export, tool=tool, item=item, by=by)
    said = found.answers(project.tasks, task)
    path = project.hand_labels[0]
    known = {(one.item, one.by): one.answer for one in (HandLabels.read(path).said if path.is_file() else ())}
    new = [one for one in said if (one.item, one.by) not in known or known[one.item, one.by] != one.answer]
    for one in new:
        append_answer(path, one)
    return Imported(found.tool, len(new), path)
