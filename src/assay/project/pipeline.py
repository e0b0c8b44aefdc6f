"""The way from a project folder to labels, one step after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from assay.baselines import by_majority
from assay.checks import CheckReport, check
from assay.errors import ProjectError
from assay.gold import micro_accuracy, outcome_numbers
from assay.labels import Labels
from assay.model import LabelModel
from assay.model.dependencies import LearnedDependencies, learn_dependencies
from assay.project.project import Project
from assay.report import ITEMS, Report
from assay.sources import apply
from assay.tasks import TaskGraph
from assay.votes import Votes

VOTES_FILE, LABELS_FILE, MODEL_FILE, REPORT_FILE = "votes.parquet", "labels.parquet", "model.npz", "report.html"


@dataclass(frozen=True)
class Score:
    """How often a method is right, over whole outcomes."""

    method: str
    accuracy: float


def votes_path(project: Project) -> Path:
    """Where a project's votes are kept."""
    return project.output / VOTES_FILE


def apply_sources(project: Project, *, progress: bool = True, **changes: Any) -> Votes:
    """Apply a project's sources to its data and keep the votes; ``changes`` override its settings."""
    settings = replace(project.settings, **changes)
    votes = apply(
        project.sources(),
        project.data,
        project.tasks,
        on_error=settings.on_error,
        workers=settings.workers,
        batch_size=settings.batch_size,
        progress=progress,
    )
    votes.to_parquet(votes_path(project))
    return votes


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


def stored_votes(project: Project) -> Votes:
    """The votes that :func:`apply_sources` kept."""
    return stored(project, votes_path(project), Votes.from_parquet, "votes", "assay apply")


def current_votes(project: Project) -> Votes:
    """The votes that a project has, made now if there are none yet."""
    return stored_votes(project) if votes_path(project).is_file() else apply_sources(project)


def check_votes(project: Project, votes: Votes | None = None) -> CheckReport:
    """What :func:`assay.check` says about a project's votes, with the dependencies it declares, or learns."""
    given = current_votes(project) if votes is None else votes
    declared = project.model.dependencies
    return check(given, learned_dependencies(project, given).pairs if declared == "learn" else declared)


def learned_dependencies(project: Project, votes: Votes | None = None) -> LearnedDependencies:
    """The dependencies between a project's sources that their votes show."""
    return learn_dependencies(current_votes(project) if votes is None else votes, seed=project.model.seed)


def gold_votes(project: Project, votes: Votes) -> Votes | None:
    """A project's gold labels for the items of ``votes``, or None if it has none."""
    columns = project.gold_columns()
    return None if columns is None else votes.gold(columns)


@dataclass(frozen=True)
class Run:
    """What the whole way from rows to labels gave."""

    project: Project
    votes: Votes
    model: LabelModel
    labels: Labels
    scores: list[Score]
    """Against gold, if the project has any: majority votes and the label model."""

    def report(self, path: str | Path, *, texts: bool = True, items: int = ITEMS) -> Path:
        """Write what the run gave as one HTML page; see :class:`assay.Report`."""
        report = Report.of(
            self.model,
            self.votes,
            gold=gold_votes(self.project, self.votes),
            data=self.project.data,
            texts=texts,
            items=items,
            title=self.project.title,
        )
        return report.save(path)


def label_model(project: Project) -> LabelModel:
    """The label model with a project's settings."""
    return LabelModel(**vars(project.model))


def run(project: Project, *, progress: bool = True) -> Run:
    """Apply the sources, learn the label model, label every item, and keep all of it in the output folder."""
    votes = apply_sources(project, progress=progress)
    model = label_model(project).fit(votes)
    labels = model.label(votes)
    model.save(project.output / MODEL_FILE)
    labels.to_parquet(project.output / LABELS_FILE)
    gold = gold_votes(project, votes)
    return Run(project, votes, model, labels, [] if gold is None else scores(votes, labels, gold))


def scores(votes: Votes, labels: Labels, gold: Votes) -> list[Score]:
    """How often majority votes and the label model are right about whole outcomes."""
    truths = [outcome_numbers(gold, index) for index in range(len(labels.joint))]
    return [Score(name, micro_accuracy(found.joint, truths)) for name, found in by_method(votes, labels).items()]


def by_method(votes: Votes, labels: Labels) -> dict[str, Labels]:
    """The labels of majority votes, and those of the label model."""
    return {**by_majority(votes), "label model": labels}
