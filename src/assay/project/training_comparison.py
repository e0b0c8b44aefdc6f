"""Whether a project's end model should be trained on hand labels, on labels, or on both."""

from __future__ import annotations

from pathlib import Path

from assay._core.atomic_files import read_json, write_json
from assay._core.reading import reading
from assay.errors import ProjectError
from assay.evaluation import TrainingComparison
from assay.project.end_model import to_train_on, untrained
from assay.project.pipeline import label_model
from assay.project.project import Project
from assay.project.provenance import file_digest
from assay.project.stored import LABELS_FILE, hand_labels_of, stored_labels, stored_votes

COMPARISON_FILE = "training_comparison.json"


def compare_training(project: Project, *, progress: bool = True) -> TrainingComparison:
    """Train the end model on hand labels alone, labels alone and both, score each on hand labels that it has not seen.

    What was found is kept in the output folder, for the report.
    """
    from assay.endmodel import compare_training as compare

    votes = stored_votes(project)
    stored_labels(project)  # what was found is about the labels of the last run
    hand = hand_labels_of(project)
    if hand is None:
        raise ProjectError(f"there are no hand labels to compare with; 'assay label {project.folder}' asks for some")
    found = compare(
        untrained(project),
        project.data,
        votes,
        hand,
        label_model=label_model(project),
        choose=lambda labels: to_train_on(project, votes, labels),
        seed=project.endmodel.seed,
        progress=progress,
    )
    write_json(project.output / COMPARISON_FILE, {**found.to_dict(), "labels": _digest(project)})
    return found


def stored_comparison(project: Project) -> TrainingComparison | None:
    """What :func:`compare_training` found, if it was about the labels that the project has now."""
    path: Path = project.output / COMPARISON_FILE
    if not path.is_file() or not (project.output / LABELS_FILE).is_file():
        return None
    said = read_json(path, "comparison of end models; remove it", ProjectError)
    if said.get("labels") != _digest(project):
        return None
    with reading(path, "comparison of end models; remove it", ProjectError):
        return TrainingComparison.from_dict(said)


def _digest(project: Project) -> str:
    """Tells the labels of one run from those of another."""
    return file_digest(project.output / LABELS_FILE)
