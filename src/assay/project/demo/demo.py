"""The main job from end to end, on the example: from sources to labels, an end model, scores and a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.evaluation import Evaluation
from assay.project.demo.example import write_example
from assay.project.end_model import compare_methods, train
from assay.project.extras import can_draw, can_train
from assay.project.pipeline import Run, run
from assay.project.project import Project
from assay.project.reporting import write_report


@dataclass(frozen=True)
class Demo:
    """What the demo gave."""

    run: Run
    held_out: Mapping[str, Evaluation]
    """All methods against gold, on items held out of training; empty where no end model can be trained."""
    page: Path | None
    """The report; None where charts cannot be drawn."""
    kept: list[str]
    """Files that were edited before, and left alone."""


def run_demo(folder: Path, texts: int, seed: int, *, progress: bool = True) -> Demo:
    """Write the example to a folder, and do all that can be done with it."""
    kept = write_example(folder, texts, seed, keep_edited=True)
    project = Project.load(folder)
    made = run(project, progress=progress)
    if can_train():
        train(project, fresh=True, progress=progress)
    return Demo(
        run=made,
        held_out=compare_methods(project) if can_train() else {},
        page=write_report(project) if can_draw() else None,
        kept=kept,
    )
