"""Refining the labels of the experiments by what an end model makes of the texts."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay
from benchmarks.experiments.labelers import Labeled
from benchmarks.experiments.prepare import SPLITS
from benchmarks.experiments.problem import Problem
from benchmarks.experiments.trial import SETTINGS, Embeddings, Reader


def refine(
    problem: Problem, votes: assay.Votes, data: Any, labels: assay.Labels, encoder: str, *, seed: int = 0, **more: Any
) -> assay.Labels:
    """Labels refined with the end model of an encoder."""
    return assay.refine(
        votes,
        data,
        labels,
        model=assay.EndModel(problem.tasks, **SETTINGS[encoder], seed=seed, calibrate=False),
        label_model=assay.LabelModel(dependencies=problem.project.model.dependencies),
        seed=seed,
        **more,
    )


def as_teacher(problem: Problem, encoder: str, embeddings: Embeddings | None, *, with_gold: bool) -> Labeled:
    """Refined labels of all items, for an end model to learn from."""
    votes, parts = all_splits(problem)
    data = Reader(problem, [("train", None)], embeddings)([(split, None) for split in SPLITS])
    given = label(problem, votes, parts)[int(with_gold)]
    found = refine(problem, votes, data, given, encoder).joint[0]
    others = {split: found[parts[split]] for split in SPLITS[1:]}
    return Labeled(np.arange(len(problem.texts["train"])), found[parts["train"]], others)


def all_splits(problem: Problem) -> tuple[assay.Votes, dict[str, slice]]:
    """The votes on all items, and where each split is among them."""
    ends = np.cumsum([0, *(len(problem.texts[split]) for split in SPLITS)])
    parts = {split: slice(ends[at], ends[at + 1]) for at, split in enumerate(SPLITS)}
    return assay.Votes.concat([problem.votes[split] for split in SPLITS]), parts


def label(problem: Problem, votes: assay.Votes, parts: dict[str, slice]) -> tuple[assay.Labels, assay.Labels]:
    """Labels of all items by the label model that learned from the training items, without and with dev's gold."""
    settings = {"dependencies": problem.project.model.dependencies}
    labels = assay.LabelModel(**settings).fit(votes.take(parts["train"]), progress=False).label(votes, progress=False)
    outcomes = problem.tasks.label_space.outcomes
    gold: list[Any] = [None] * len(votes)
    gold[parts["dev"]] = [outcomes[truth] for truth in problem.gold["dev"]]
    # Gold is found by row among the votes that are labeled, so these are what it learns from.
    with_gold = assay.LabelModel(**settings).fit(votes, gold, progress=False).label(votes, progress=False)
    return labels, with_gold
