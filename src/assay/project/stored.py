"""What a project has on disk: votes, labels and a label model that belong to it as it is now, and hand labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from assay.errors import AssayError, ProjectError
from assay.project.project import Project
from assay.project.provenance import FILES, LABELS, MODEL, VOTES, check_data, check_made_from, source_changes

if TYPE_CHECKING:
    from assay.gold import HandLabels
    from assay.labels import Labels
    from assay.model import LabelModel
    from assay.tasks import TaskGraph
    from assay.votes import Votes

VOTES_FILE, LABELS_FILE, MODEL_FILE = FILES[VOTES], FILES[LABELS], FILES[MODEL]


def votes_path(project: Project) -> Path:
    """Where a project's votes are kept."""
    return project.output / VOTES_FILE


class _OfTasks(Protocol):
    """Something that was made for certain tasks."""

    @property
    def tasks(self) -> TaskGraph: ...


Made = TypeVar("Made", bound=_OfTasks)


def stored(project: Project, path: Path, read: Callable[[Path], Made], what: str, command: str) -> Made:
    """What a command kept in the output folder, if it is there and was made for the project's tasks."""
    if not path.is_file():
        raise ProjectError(f"{project.folder} has no {what} yet; run '{command} {project.folder}' first")
    made = read(path)
    if made.tasks != project.tasks:
        raise ProjectError(
            f"{path} was made for other tasks than assay.toml has now; run '{command} {project.folder}' again"
        )
    return made


def stored_label_model(project: Project, votes: Votes | None = None) -> LabelModel:
    """The label model of a project's last run, which must have learned from the votes that there are now."""
    from assay.model import LabelModel

    path = project.output / MODEL_FILE
    if not path.is_file():
        raise ProjectError(f"{project.folder} has no label model yet; run 'assay run {project.folder}' first")
    check_made_from(project, MODEL, path)
    model = LabelModel.load(path)
    if model.tasks_ != project.tasks:
        raise ProjectError(f"{path} was made for other tasks than assay.toml has now; run 'assay run {project.folder}'")
    if votes is not None and model.fitted_.names != votes.names:
        raise ProjectError(
            f"{path} has learned from other sources than there are votes of now; run 'assay run {project.folder}' again"
        )
    return model


def stored_labels(project: Project) -> Labels:
    """The labels of a project's last run, which must be those of the votes that there are now."""
    from assay.labels import Labels

    path = project.output / LABELS_FILE
    if path.is_file():
        check_made_from(project, LABELS, path)
    return stored(project, path, Labels.from_parquet, "labels", "assay run")


def stored_votes(project: Project) -> Votes:
    """The votes that :func:`apply_sources` kept."""
    from assay.votes import Votes

    votes = stored(project, votes_path(project), Votes.from_parquet, "votes", "assay apply")
    if (votes.items is None) != (project.id is None):
        raise ProjectError(
            f"{votes_path(project)} was made {'without' if votes.items is None else 'with'} names of items, but "
            f"assay.toml has {'no' if project.id is None else 'an'} id in [data] now; "
            f"run 'assay apply {project.folder}' again"
        )
    check_data(project, votes_path(project))
    return votes


def why_stale(project: Project, votes: Votes) -> str | None:
    """Why stored votes are not those of the sources as they are now, and what to run; None if they are.

    Told rather than refused: whoever looks at votes may well have sources open in an editor.
    """
    try:
        changes = source_changes(project, project.sources() if project.has_sources else (), votes.names)
    except AssayError as error:
        return f"whether these votes are those of the sources as they are now cannot be told: {error}"
    if not changes:
        return None
    return f"these votes are older than the sources: {changes}; run 'assay apply {project.folder}' to apply them again"


def current_votes(project: Project, *, progress: bool = True) -> Votes:
    """The votes that a project has, made now if there are none yet."""
    if votes_path(project).is_file():
        return stored_votes(project)
    from assay.project.pipeline import apply_sources

    return apply_sources(project, progress=progress)


def hand_labels_of(project: Project) -> HandLabels | None:
    """What people said about a project's items by hand, or None if nobody has given an answer yet."""
    hand = all_said(project)
    return hand if len(hand) else None


def all_said(project: Project, also: Sequence[Path] = ()) -> HandLabels:
    """What people said about a project's items by hand, answers or not; ``also`` are further files."""
    from assay.gold import HandLabels

    for path in project.hand_labels[1:]:
        if not path.is_file():
            raise ProjectError(f"[hand_labels] path names {path.name!r}, but there is no such file in {path.parent}")
    files = dict.fromkeys(path.resolve() for path in (*project.hand_labels, *also) if path.is_file())
    return HandLabels.read(files)
