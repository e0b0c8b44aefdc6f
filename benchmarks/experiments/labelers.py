"""The ways to labels that are compared: each learns from votes on the training items, and labels all items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import assay
from assay.baselines import task_by_task
from benchmarks.experiments.prepare import SPLITS
from benchmarks.experiments.problem import Problem

FloatArray = npt.NDArray[np.float64]
Labeler = Callable[[Problem, assay.Votes, int], FloatArray]
"""(problem, votes, training items): (items, outcomes) probabilities; the first items are those to learn from."""

GOLD, VOTE, DP, DP_UI = "Gold (dev)", "hierarchical majority vote", "data programming", "data programming, unipolar"
SEPARATE, JOINT = "Assay, task by task", "Assay"
WITH_GOLD = "Assay + gold (dev)"
REFINED, REFINED_WITH_GOLD = "Assay, refined", "Assay + gold (dev), refined"
"""Labels that the end model's own view of the texts has corrected: made by refining.py."""
NONE, DECLARED, LEARNED = "Assay, no dependencies", "Assay, dependencies declared", "Assay, dependencies learned"


@dataclass(frozen=True, eq=False)
class Labeled:
    """(items, outcomes) for the training items that were used, and for all items of the other splits."""

    rows: npt.NDArray[np.int64]
    """Which training items."""
    train: FloatArray
    others: dict[str, FloatArray]


def label(problem: Problem, method: str, share: float = 1.0, seed: int = 0) -> Labeled:
    """Labels by one of :data:`LABELERS`, learned from a share of the training items, drawn by ``seed``."""
    items = len(problem.texts["train"])
    rows = np.sort(np.random.default_rng(seed).permutation(items)[: round(share * items)])
    train = problem.votes["train"].take(rows)
    votes = assay.Votes.concat([train, *(problem.votes[split] for split in SPLITS[1:])])
    found = LABELERS[method](problem, votes, len(rows))
    ends = np.cumsum([len(rows), *(len(problem.votes[split]) for split in SPLITS[1:])])
    parts = np.split(found, ends[:-1])
    return Labeled(rows, parts[0], dict(zip(SPLITS[1:], parts[1:], strict=True)))


def _joint(votes: assay.Votes, items: int, dependencies: object) -> FloatArray:
    model = assay.LabelModel(dependencies=dependencies).fit(votes.take(slice(0, items)))
    return model.predict_proba(votes)


def _by_itself(problem: Problem, votes: assay.Votes, items: int) -> FloatArray:
    def one(codes: npt.NDArray[np.integer], labels: int) -> FloatArray:
        # Some tasks have but one or two sources, which the check would refuse.
        model = assay.LabelModel(cardinality=labels, allow_unidentifiable=True)
        return model.fit(codes[:items]).predict_proba(codes)

    return task_by_task(votes, one)


def _with_gold(problem: Problem, votes: assay.Votes, items: int) -> FloatArray:
    """Learned from the votes on dev items too, and from their gold."""
    outcomes = problem.tasks.label_space.outcomes
    gold = [*([None] * items), *(outcomes[truth] for truth in problem.gold["dev"])]
    model = assay.LabelModel(dependencies=problem.project.model.dependencies)
    return model.fit(votes.take(slice(0, len(gold))), gold).predict_proba(votes)


# Majority votes learn nothing. Data programming, as the paper has it, labels the items that it learns from: here all.
LABELERS: dict[str, Labeler] = {
    VOTE: lambda problem, votes, items: assay.hierarchical_majority_vote(votes),
    DP: lambda problem, votes, items: assay.data_programming(votes),
    DP_UI: lambda problem, votes, items: assay.data_programming(votes, unipolar=True),
    SEPARATE: _by_itself,
    JOINT: lambda problem, votes, items: _joint(votes, items, problem.project.model.dependencies),
    NONE: lambda problem, votes, items: _joint(votes, items, ()),
    LEARNED: lambda problem, votes, items: _joint(votes, items, "learn"),
    WITH_GOLD: _with_gold,
}
MAIN = (GOLD, VOTE, DP, DP_UI, SEPARATE, JOINT)
"""The rows of the main table."""
