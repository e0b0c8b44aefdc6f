"""The report on a project's last run: its votes, its label model, and its end model if there is one."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from assay.errors import ProjectError
from assay.model import LabelModel
from assay.project.end_model import MODEL_FILE as END_MODEL_FILE
from assay.project.end_model import compare_methods
from assay.project.pipeline import MODEL_FILE, REPORT_FILE, gold_votes, stored_votes
from assay.project.project import Project
from assay.report import ITEMS, Report


def report_on(project: Project, *, texts: bool = True, items: int = ITEMS) -> Report:
    """Look at what a project's last run gave.

    ``texts`` is whether anything of the data itself is shown; ``items`` how many contested items are.
    """
    votes = stored_votes(project)
    path = project.output / MODEL_FILE
    if not path.is_file():
        raise ProjectError(f"{project.folder} has no label model yet; run 'assay run {project.folder}' first")
    model = LabelModel.load(path)
    gold = gold_votes(project, votes)
    trained = (project.output / END_MODEL_FILE).is_file() and importlib.util.find_spec("torch") is not None
    return Report.of(
        model,
        votes,
        gold=gold,
        data=project.data,
        texts=texts,
        items=items,
        evaluations=compare_methods(project) if trained and gold is not None else None,
        title=project.title,
    )


def write_report(project: Project, out: Path | None = None, *, texts: bool = True, items: int = ITEMS) -> Path:
    """Write the page of :func:`report_on`, by default to the output folder."""
    return report_on(project, texts=texts, items=items).save(project.output / REPORT_FILE if out is None else out)
