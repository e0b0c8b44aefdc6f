"""The way from a project folder to labels, one step after the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.baselines import hierarchical_majority_vote, majority_vote
from assay.checks import CheckReport, check
from assay.errors import ProjectError
from assay.graph import Dependency
from assay.project import Project
from assay.scoring import accuracy
from assay.sources.apply import apply
from assay.votes import Votes

VOTES_FILE = "votes.parquet"


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


def stored_votes(project: Project) -> Votes:
    """The votes that :func:`apply_sources` kept."""
    path = votes_path(project)
    if not path.is_file():
        raise ProjectError(f"{project.folder} has no votes yet; run 'assay apply {project.folder}' first")
    votes = Votes.from_parquet(path)
    if votes.tasks != project.tasks:
        raise ProjectError(
            f"{path} was made for other tasks than assay.toml has now; run 'assay apply {project.folder}' again"
        )
    return votes


def current_votes(project: Project) -> Votes:
    """The votes that a project has, made now if there are none yet."""
    return stored_votes(project) if votes_path(project).is_file() else apply_sources(project)


def check_votes(project: Project, dependencies: Iterable[Dependency] = ()) -> CheckReport:
    """What :func:`assay.check` says about a project's votes."""
    return check(current_votes(project), dependencies)


def gold_votes(project: Project, votes: Votes) -> Votes | None:
    """A project's gold labels for the items of ``votes``, or None if it has none."""
    columns = project.gold_columns()
    return None if columns is None else votes.gold(columns)


def baseline_scores(votes: Votes, gold: Votes) -> list[Score]:
    """What majority votes reach, if the tasks form one component."""
    truth = outcome_numbers(gold)
    return [
        Score("majority vote", accuracy(np.asarray(majority_vote(votes)), truth)),
        Score("hierarchical majority vote", accuracy(np.asarray(hierarchical_majority_vote(votes)), truth)),
    ]


def outcome_numbers(gold: Votes) -> npt.NDArray[np.int64]:
    """(items,): the outcome that gold leaves for each item, −1 where it leaves several."""
    (sets,) = gold.outcome_sets
    single = np.append(np.where(sets.masks.sum(axis=1) == 1, sets.masks.argmax(axis=1), -1), -1)
    numbers: npt.NDArray[np.int64] = single[sets.of_code[0][gold.codes[:, 0]]]
    return numbers
