"""The votes of the demo's sources on its generated texts, with their truth."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

import assay
from assay.gold import outcome_numbers
from assay.project import Project, gold_votes
from assay.project.demo import write_example

TEXTS, SEEDS = 6_000, (7, 21, 22, 31, 32)


def demo_votes(seed: int, texts: int = TEXTS) -> tuple[assay.Votes, npt.NDArray[np.int64], list[list[str]]]:
    """Votes, (items,) numbers of true outcomes, and the dependencies that the demo declares."""
    with tempfile.TemporaryDirectory(prefix="assay-demo-") as folder:
        write_example(Path(folder), texts, seed)
        project = Project.load(folder)
        votes = assay.apply(project.sources(), project.data, project.tasks, progress=False)
        gold = gold_votes(project, votes)
    assert gold is not None
    return votes, outcome_numbers(gold), [list(pair) for pair in project.model.dependencies]
