"""One of the three tasks, read once: votes, texts and ids of all splits, and gold for scoring."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

import assay
from assay.project import Project
from benchmarks.experiments.prepare import HOME, SPLITS, items, prepare, prepared

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Problem:
    """What a project's sources say about each split, and what is known besides."""

    name: str
    project: Project
    votes: dict[str, assay.Votes]
    texts: dict[str, list[str]]
    ids: dict[str, list[str]]
    gold: dict[str, IntArray]
    """Outcome numbers of dev and test_a. Only dev is ever trained on, by the methods that say so."""

    @property
    def tasks(self) -> assay.TaskGraph:
        """The task graph."""
        return self.project.tasks

    @property
    def gold_names(self) -> list[str]:
        """Per outcome the name that gold has for it."""
        return _gold_names(self.name, self.tasks)


@cache
def load(name: str) -> Problem:
    """Apply a project's sources to every split, as ``prepare.py`` wrote it."""
    project = Project.load(HOME / name)
    rows = {split: list(items(name, split)) for split in SPLITS}
    sources = project.sources()
    votes = {split: assay.apply(sources, prepared(name, split), project.tasks, progress=False) for split in SPLITS}
    number = {said: outcome for outcome, said in enumerate(_gold_names(name, project.tasks))}
    return Problem(
        name,
        project,
        votes,
        {split: [row["text"] for row in rows[split]] for split in SPLITS},
        {split: [row["id"] for row in rows[split]] for split in SPLITS},
        {split: np.array([number[row["gold"]] for row in rows[split]]) for split in ("dev", "test_a")},
    )


def prepare_and_load(name: str) -> Problem:
    """The same where nothing may have been written yet."""
    for split in SPLITS:
        prepare(name, split)
    return load(name)


def _gold_names(name: str, tasks: assay.TaskGraph) -> list[str]:
    """Per outcome: openi's gold is the label of the finest task, as is trec50's; clinc90's is domain:intent."""
    root, *children = tasks.names
    names = []
    for outcome in tasks.label_space.outcomes:
        fine = next(outcome[task] for task in children if outcome[task] is not None)
        names.append(f"{outcome[root]}:{fine}" if name == "clinc90" else str(fine))
    return names
