"""Figures of tasks of which any subset of labels may apply: F1, precision and recall, and whole subsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from assay.evaluation.figures import Figure, ratio
from assay.labels import subsets
from assay.tasks import question

if TYPE_CHECKING:
    from assay.evaluation.scored import Scored

BoolArray = npt.NDArray[np.bool_]

FIGURES = ("micro_f1", "macro_f1", "precision", "recall", "subset_accuracy")


def subset_scores(scored: Scored, task: str) -> tuple[dict[str, Figure], int]:
    """The figures of one task, and the number of items that gold settles all of its labels for.

    *precision*, *recall* and *micro_f1* are over all labels of all items; *macro_f1* is the mean F1 of the labels that
    occur, in gold or here; *subset_accuracy* is the share of items with all labels right.
    """
    names = [question(task, label) for label in scored.tasks.multiple[task]]
    truth = np.column_stack([scored.labels[name] for name in names])
    known = (truth >= 0).all(axis=1)
    true, weights = truth[known] == 1, scored.weights[known]
    given = subsets([part[known] for part in scored.joint], scored.tasks, task)
    both = (true & given).sum(axis=1).astype(float)
    said, there = given.sum(axis=1).astype(float), true.sum(axis=1).astype(float)
    right = (true == given).all(axis=1).astype(float)
    found = {
        "micro_f1": ratio(2 * both, said + there, weights),
        "macro_f1": _macro_f1(true, given, weights),
        "precision": ratio(both, said, weights),
        "recall": ratio(both, there, weights),
        "subset_accuracy": ratio(right, np.ones(len(right)), weights),
    }
    return found, int(known.sum())


def _macro_f1(true: BoolArray, given: BoolArray, weights: npt.NDArray[np.float64]) -> Figure:
    """The mean F1 of the labels that occur; its interval is as if their errors were independent (MOVER)."""
    parts = []
    for own, said in zip(true.T, given.T, strict=True):
        some = own | said
        if some.any():
            both = (own & said)[some].astype(float)
            parts.append(ratio(2 * both, 1 + both, weights[some]))
    if not parts:
        return Figure(float("nan"), 0.0, 1.0)
    values, lows, highs = (np.array([getattr(part, name) for part in parts]) for name in ("value", "low", "high"))
    mean = float(values.mean())
    down, up = (float(np.sqrt((ends**2).sum())) / len(parts) for ends in (values - lows, highs - values))
    return Figure(mean, max(0.0, mean - down), min(1.0, mean + up))
