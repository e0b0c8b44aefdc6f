"""A project's labels from votes and data together, kept beside those of the label model."""

from __future__ import annotations

import shutil
from pathlib import Path

from assay._core.extras import how_to_install
from assay.errors import ProjectError
from assay.labels import Labels
from assay.model import LabelModel
from assay.project.extras import can_train
from assay.project.project import Project
from assay.project.provenance import LABELS, REFINED, REFINED_FILE, check_made_from, forget, record, records
from assay.votes import Votes

FOLDS_FOLDER = "refining"


def check_can_refine() -> None:
    """Raise if what refining needs is not installed; asked before the sources, which may cost money, are."""
    if not can_train():
        raise ProjectError(f"refining labels needs an end model: {how_to_install('torch')}; or run without --refine")


def refine_labels(
    project: Project, votes: Votes, labels: Labels, label_model: LabelModel, *, progress: bool = True
) -> Labels:
    """Refine the labels of a run with the project's end model, and keep them in the output folder.

    Work that was interrupted goes on where it was; what was kept for that is removed at the end.
    """
    check_can_refine()
    from assay.endmodel.refinement import refine
    from assay.project.end_model import untrained

    settings = project.refine
    folds = project.output / FOLDS_FOLDER
    better = refine(
        votes,
        project.data,
        labels,
        # What its log-odds are worth is learned here, so that it need not be calibrated.
        model=untrained(project).set_params(calibrate=False),
        label_model=label_model,
        rounds=settings.rounds,
        folds=settings.folds,
        seed=settings.seed,
        checkpoint=folds,
        progress=progress,
    )
    path = better.to_parquet(project.output / REFINED_FILE)
    record(project.output, refined_labels=(path, {"labels": records(project.output)[LABELS]["file"]}))
    shutil.rmtree(folds, ignore_errors=True)
    return better


def forget_refined(project: Project) -> None:
    """Remove refined labels of an earlier run, which are not those of this one."""
    (project.output / REFINED_FILE).unlink(missing_ok=True)
    forget(project.output, REFINED)


def stored_refined(project: Project, items: int) -> Labels | None:
    """The refined labels of the last run, if it made some."""
    path: Path = project.output / REFINED_FILE
    if not path.is_file():
        return None
    check_made_from(project, REFINED, path)
    labels = Labels.from_parquet(path)
    if labels.tasks != project.tasks or len(labels) != items:
        raise ProjectError(f"{path} has labels of other items or tasks; run 'assay run {project.folder}' again")
    return labels
