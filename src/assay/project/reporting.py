"""The report on a project's last run: its votes, its label model, and its end model if there is one."""

from __future__ import annotations

from pathlib import Path

from assay.labels import Labels
from assay.project.asking import plan_for
from assay.project.end_model import compare_methods, has_current_end_model
from assay.project.extras import can_train
from assay.project.pipeline import REPORT_FILE, report_of
from assay.project.project import Project
from assay.project.refined_labels import stored_refined
from assay.project.stored import LABELS_FILE, stored_label_model, stored_labels, stored_votes
from assay.project.training_comparison import stored_comparison
from assay.report import ITEMS, Report


def report_on(project: Project, *, texts: bool = True, items: int = ITEMS) -> Report:
    """Look at what a project's last run gave.

    ``texts`` is whether anything of the data itself is shown; ``items`` how many contested items are.
    """
    votes = stored_votes(project)
    model = stored_label_model(project, votes)
    has_end_model = has_current_end_model(project) and can_train()
    labels = _labels_with_gold(project)
    is_scored = labels is not None if project.gold is None else has_end_model
    return report_of(
        project,
        model,
        votes,
        labels=labels,
        refined=stored_refined(project, len(votes)),
        texts=texts,
        items=items,
        evaluations=compare_methods(project) if is_scored else None,
        trainings=stored_comparison(project),
        asking=plan_for(project, votes, model),
    )


def _labels_with_gold(project: Project) -> Labels | None:
    """The labels of the last run, if they carry the gold that taught them."""
    labels = stored_labels(project) if (project.output / LABELS_FILE).is_file() else None
    return labels if labels is not None and labels.gold is not None else None


def is_report_old(project: Project) -> bool:
    """Whether a project has a report, and labels that are newer."""
    page, labels = project.output / REPORT_FILE, project.output / LABELS_FILE
    return page.is_file() and labels.is_file() and labels.stat().st_mtime > page.stat().st_mtime


def write_report(project: Project, out: Path | None = None, *, texts: bool = True, items: int = ITEMS) -> Path:
    """Write the page of :func:`report_on`, by default to the output folder."""
    return report_on(project, texts=texts, items=items).save(project.output / REPORT_FILE if out is None else out)
