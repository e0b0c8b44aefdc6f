"""A project's way in and out: new rows for the saved model, labels for annotation tools, and answers from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from assay._core.rows import batches, row_count
from assay._core.urls import place_of
from assay.annotations import Annotations, LabelColumns, Wanted, read_as
from assay.errors import DataError, ProjectError, VoteError
from assay.gold import HandAnswer, HandLabels, append_answer
from assay.labels import Labels, check_ending
from assay.project.label_tables import write_labels_of
from assay.project.pipeline import votes_on
from assay.project.project import Project
from assay.project.provenance import check_data
from assay.project.stored import stored_label_model, stored_labels, votes_path
from assay.sources import names_in
from assay.votes import Names, Votes, rows_named, unknown_items, without_new_values

_PLACES_SHOWN = 20
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


def annotate(
    project: Project,
    data: str | Path,
    out: str | Path | None = None,
    *,
    with_data: bool = False,
    progress: bool = True,
) -> Annotated:
    """Label new rows with a project's sources and the label model of its last run; nothing is fitted again.

    ``out`` is a file that ends in ``.csv``, ``.jsonl`` or ``.parquet``; by default annotated.parquet in the output
    folder. ``with_data`` puts the columns of the rows before those of the labels. Where a source fails, or says what
    the model never heard from it, the project's ``on_error`` decides.
    """
    path = check_ending(project.output / ANNOTATED_FILE if out is None else out)
    model = stored_label_model(project)
    votes = votes_on(project, Path(data), progress=progress)
    known = model.fitted_.schema
    less = without_new_values(votes, known)
    new = less.faults[len(votes.faults) :]
    if new and project.settings.on_error != "abstain":
        raise ProjectError(
            f"{data}, row {new[0].row}: source {new[0].source!r}: {new[0].error}; run 'assay run {project.folder}' on "
            "data that has it, or give --on-error abstain to label these rows without it"
        )
    labels = model.label(less, progress=progress)
    return Annotated(less, labels, write_labels_of(labels, path, place_of(data), with_data=with_data))


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
    else:
        if with_data:
            check_data(project, votes_path(project))
        write_labels_of(labels, target, project.data, with_data=with_data)
    return labels, target


@dataclass(frozen=True, eq=False)
class Imported:
    """What was read from an annotation tool."""

    tool: str
    answers: int
    """How many answers, or items that were skipped, were added."""
    path: Path
    """The file of hand labels that they were added to."""
    columns: LabelColumns | None = None
    """The columns of a plain table that labels were read from, and those that were not."""
    unknown: tuple[str, ...] = ()
    """Items that the data does not have, and that were left out, each with its place in the file."""

    def to_dict(self) -> dict[str, Any]:
        """The same for JSON."""
        told: dict[str, Any] = {"tool": self.tool, "answers": self.answers, "hand_labels": str(self.path)}
        if self.columns is not None:
            told |= {"label_columns": list(self.columns.taken), "ignored_columns": dict(self.columns.ignored)}
        return {**told, "unknown_items": list(self.unknown)}


def import_annotations(
    project: Project,
    export: str | Path,
    *,
    tool: str | None = None,
    item: str | None = None,
    by: str | None = None,
    task: str | None = None,
    labels: Sequence[str] = (),
    skip_unknown: bool = False,
) -> Imported:
    """Add what people said in an annotation tool to a project's hand labels; what is there already is not added again.

    The parameters are those of :func:`assay.read_annotations`; ``task`` is the task of labels that several tasks have.
    In a plain table, items are named by the column that names them in the data, if there is one of that name. Items
    that the data does not have are left out with ``skip_unknown``.

    Raises
    ------
    DataError
        If the file cannot be read, or a label is not among those of the tasks; or if the data does not have an item.
        Nothing is added then.
    """
    source = Path(export)
    usual = () if project.id is None else (project.id,)
    found = read_as(source, tool, Wanted(item, source.stem if by is None else by, tuple(labels), project.tasks, usual))
    found, unknown = _known_items(project, found, source, skip_unknown)
    try:
        said = found.answers(project.tasks, task)
        _check_answers(project, found, said)
    except DataError as error:
        raise DataError(f"{source}, {error}") from error
    path = project.hand_labels[0]
    known = {(one.item, one.by): one.answer for one in (HandLabels.read(path).said if path.is_file() else ())}
    new = [one for one in said if (one.item, one.by) not in known or known[one.item, one.by] != one.answer]
    for one in new:
        append_answer(path, one)
    return Imported(found.tool, len(new), path, found.columns, unknown)


def _known_items(
    project: Project, found: Annotations, source: Path, skip_unknown: bool
) -> tuple[Annotations, tuple[str, ...]]:
    """What was said about items that the data has, and the places of what was said about others."""
    names, count = _items_of_data(project)
    if names is not None and names.dtype.kind == "O":  # names may all be numbers in the file, but not in the data
        found = replace(found, said=tuple(replace(one, item=str(one.item)) for one in found.said))
    items = list(dict.fromkeys(one.item for one in found.said))
    rows = dict(zip(items, rows_named(names, count, items).tolist(), strict=True))
    strange = {one.item: f"{one.item} ({one.place})" for one in reversed(found.said) if rows[one.item] < 0}
    places = tuple(reversed(strange.values()))
    if places and not skip_unknown:
        lost = [item for item in items if rows[item] < 0]
        shown = ", ".join(places[:_PLACES_SHOWN]) + (", …" if len(places) > _PLACES_SHOWN else "")
        raise DataError(
            f"{unknown_items(lost, names, count, str(source))}. Where: {shown}. Nothing was imported; mend the file, "
            "or give skip_unknown=True to import the others"
        )
    return replace(found, said=tuple(one for one in found.said if rows[one.item] >= 0)), places


def _items_of_data(project: Project) -> tuple[Names | None, int]:
    """The names of a project's items, and how many there are."""
    names = None if project.id is None else names_in(project.data, project.id)
    if names is not None:
        return names, len(names)
    known = row_count(project.data)
    return None, sum(len(batch) for batch in batches(project.data)) if known is None else known


def _check_answers(project: Project, found: Annotations, said: Sequence[HandAnswer]) -> None:
    """Refuse answers that cannot be: nothing gets into the file of hand labels that would stop a run."""
    places = {(one.item, one.by): one.place for one in found.said}
    for one in said:
        if one.answer is None:
            continue
        try:
            project.tasks.label_space.vote(one.answer)
        except VoteError as error:
            raise DataError(f"{places[one.item, one.by]}: item {one.item!r}: {error}") from error
