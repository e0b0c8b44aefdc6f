"""What hand labels have brought so far, and what further ones are expected to bring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from assay.evaluation import evaluate
from assay.project.contents import Contents
from assay.project.runs import RunRecord

_Z = 1.96
_LEAST_SPREAD = 0.05
"""Of an accuracy near one: a few surprises are always possible."""


@dataclass(frozen=True)
class LabelWorth:
    """How well the accuracy of the labels is known, now and after more hand labels."""

    labels: int
    more: int
    accuracy: float
    """By hand labels, each item predicted without its own; what the model expects of itself if there are none."""
    is_measured: bool
    now: float | None
    """Half the width of its 95% interval; None without hand labels."""
    after: float
    """The same, after more of them."""


def label_worth(contents: Contents, more: int = 20) -> LabelWorth | None:
    """What more hand labels would tell of the accuracy of labels; None without labels."""
    labels = contents.labels
    if labels is None:
        return None
    count, taught = len(contents.hand), 0 if labels.gold is None else len(labels.gold)
    if taught:
        scored = evaluate(labels)
        accuracy, (low, high) = scored.accuracy, scored.interval()
        of_one = (high - low) / 2 * sqrt(taught)
    else:
        accuracy = float(contents.results.confidence.mean())
        of_one = _Z * sqrt(max(accuracy * (1 - accuracy), _LEAST_SPREAD * (1 - _LEAST_SPREAD)))
    now = of_one / sqrt(count) if count else None
    return LabelWorth(count, more, accuracy, bool(taught), now, of_one / sqrt(count + more))


def learning_curve(runs: Sequence[RunRecord], method: str = "label model") -> list[tuple[int, int, float]]:
    """Per run that has a score: its number, how many hand labels it had, and the accuracy against gold."""
    return [(run.number, run.hand_labels, run.scores[method]) for run in runs if method in run.scores]
