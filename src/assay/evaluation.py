"""How good labels are against gold: over outcomes, for each task, and for slices of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay._core import views
from assay.errors import AssayError, VoteError
from assay.gold import accuracy, micro_accuracy, outcome_numbers
from assay.labels import Labels
from assay.tasks import TaskGraph
from assay.votes import Votes

if TYPE_CHECKING:
    import pandas as pd

    from assay.report import EvaluationPlots

__all__ = ["Evaluation", "accuracy", "as_gold", "evaluate", "micro_accuracy", "over_trials"]

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
_UNKNOWN = -2
"""In place of a label number: gold does not say."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How labels compare with gold. Made by :func:`assay.evaluate`."""

    accuracy: float
    """The share of items whose most probable outcome is the true one: micro-averaged, over all components."""
    items: int
    """How many items have gold."""
    tasks: pd.DataFrame
    """Per task: *accuracy* and *macro_f1*, over its labels and N/A, and the number of *items* with gold."""
    confusion: dict[str, pd.DataFrame]
    """Per task how many items have which true label (rows) and which label here (columns)."""
    calibration: pd.DataFrame
    """Per range of confidence: the mean *confidence* in the most probable outcome, its *accuracy*, and the *items*."""
    calibration_error: float
    """The gap between confidence and accuracy, averaged over items."""
    slices: pd.DataFrame
    """Per slice: *accuracy*, and the number of its *items* with gold."""

    def __repr__(self) -> str:
        return (
            f"Evaluation({100 * self.accuracy:.1f}% of {self.items:,} outcomes right; "
            f"calibration error {100 * self.calibration_error:.1f}%)\n{self.tasks.round(3)}"
        )

    @property
    def plot(self) -> EvaluationPlots:
        """Pictures, as charts of altair: ``evaluation.plot.calibration()``, ``confusion(task)``."""
        plots: EvaluationPlots = views.plots_of(self)
        return plots

    def _repr_html_(self) -> str:
        return views.html_of(self)

    def figures(self) -> dict[str, float]:
        """The figures that can be compared over trials, by name."""
        found = {"accuracy": self.accuracy, "calibration_error": self.calibration_error}
        for task, row in self.tasks.iterrows():
            found |= {f"{task} accuracy": float(row["accuracy"]), f"{task} macro_f1": float(row["macro_f1"])}
        return found | {f"slice {name}": float(row["accuracy"]) for name, row in self.slices.iterrows()}


def as_gold(tasks: TaskGraph, gold: Any, items: int, names: npt.NDArray[Any] | None = None) -> Votes:
    """True labels in any of the shapes that :meth:`assay.Votes.summary` takes, for so many items."""
    votes = Votes.from_codes(tasks, np.full((items, 1), -1), ("labels",), ((),))
    return replace(votes, items=names).gold(gold)


def evaluate(labels: Labels, gold: Any, *, slices: Mapping[str, Any] | None = None, ranges: int = 10) -> Evaluation:
    """Compare labels with gold.

    Parameters
    ----------
    labels
        From :meth:`assay.EndModel.label`, or from :meth:`assay.LabelModel.label`.
    gold
        The truth about some items or all: a dict of task -> labels, in which None is N/A,
        outcome numbers (−1 unknown), labels, or dicts over tasks; or by item names, as
        :meth:`assay.Votes.summary` takes it.
    slices
        Name -> mask (items,): parts of the data to score separately.
    ranges
        The number of bins of equal width for the calibration.

    >>> labels = Labels(TaskGraph.flat("mail", ["ham", "spam"]), (np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]),))
    >>> evaluate(labels, ["ham", "spam", "spam"], slices={"short": [True, True, False]})
    Evaluation(66.7% of 3 outcomes right; calibration error 30.0%)
          accuracy  macro_f1  items
    task
    mail     0.667     0.667      3
    """
    import pandas as pd

    truth = as_gold(labels.tasks, gold, len(labels), labels.items)
    outcomes = [outcome_numbers(truth, index) for index in range(len(labels.joint))]
    rows, confusion = {}, {}
    for task in labels.tasks:
        table = _confusion(labels, truth, task.name)
        confusion[task.name] = table
        counts = table.to_numpy()
        rows[task.name] = {
            "accuracy": np.trace(counts) / counts.sum() if counts.any() else np.nan,
            "macro_f1": _macro_f1(counts),
            "items": int(counts.sum()),
        }
    calibration, error = _calibration(labels, outcomes, ranges)
    known = np.any([numbers >= 0 for numbers in outcomes], axis=0)
    return Evaluation(
        accuracy=micro_accuracy(labels.joint, outcomes),
        items=int(known.sum()),
        tasks=pd.DataFrame.from_dict(rows, orient="index").rename_axis("task").astype({"items": int}),
        confusion=confusion,
        calibration=calibration,
        calibration_error=error,
        slices=_slices(labels, outcomes, known, slices or {}),
    )


def over_trials(evaluations: Sequence[Evaluation]) -> pd.DataFrame:
    """Figures averaged over trials that differ in their seed, each with its 95% interval (Student's t).

    >>> labels = Labels(TaskGraph.flat("mail", ["ham", "spam"]), (np.array([[0.9, 0.1], [0.6, 0.4]]),))
    >>> trials = [evaluate(labels, ["ham", "spam"]), evaluate(labels, ["ham", "ham"])]
    >>> over_trials(trials).loc["accuracy"].round(2).tolist()
    [0.75, -2.43, 3.93, 2.0]
    """
    import pandas as pd
    from scipy.stats import t

    if not evaluations:
        raise AssayError("expected at least one evaluation, but there is none")
    table = pd.DataFrame([evaluation.figures() for evaluation in evaluations])
    count, mean = len(table), table.mean()
    # One trial says nothing about how trials differ.
    margin = table.std(ddof=1) / np.sqrt(count) * t.ppf(0.975, count - 1) if count > 1 else mean * np.nan
    found = pd.DataFrame({"mean": mean, "low": mean - margin, "high": mean + margin})
    return found.assign(trials=count).rename_axis("figure")


def label_numbers(gold: Votes, task: str) -> IntArray:
    """(items,): the number of a task's true label, −1 for N/A, −2 where gold leaves several."""
    index = gold.label_space.component_of(task)
    sets = gold.outcome_sets[index]
    labels = gold.label_space.components[index].label_of(task).astype(np.int64)
    lowest = np.where(sets.masks, labels, np.iinfo(np.int64).max).min(axis=1)
    highest = np.where(sets.masks, labels, np.iinfo(np.int64).min).max(axis=1)
    settled = np.append(np.where(lowest == highest, lowest, _UNKNOWN), _UNKNOWN)
    found: IntArray = settled[sets.of_code[0][gold.codes[:, 0]]]
    return found


def _confusion(labels: Labels, gold: Votes, task: str) -> pd.DataFrame:
    import pandas as pd

    index = labels.tasks.label_space.component_of(task)
    component = labels.tasks.label_space.components[index]
    names = [*labels.tasks[task].labels, *(["N/A"] if (component.label_of(task) < 0).any() else [])]
    true = label_numbers(gold, task)
    known = true > _UNKNOWN
    chosen = component.label_of(task)[labels.joint[index].argmax(axis=1)].astype(np.int64)
    counts = np.zeros((len(names), len(names)), dtype=np.int64)
    # −1, N/A, is the last row and column.
    np.add.at(counts, (true[known], chosen[known]), 1)
    return pd.DataFrame(counts, index=pd.Index(names, name="gold"), columns=pd.Index(names, name="label"))


def _macro_f1(counts: npt.NDArray[np.int64]) -> float:
    """The mean F1 of the labels that gold or the labels have."""
    right, true, said = np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
    occurs = true + said > 0
    return float((2 * right[occurs] / (true + said)[occurs]).mean()) if occurs.any() else float("nan")


def _calibration(labels: Labels, outcomes: list[IntArray], ranges: int) -> tuple[pd.DataFrame, float]:
    import pandas as pd

    if ranges < 1:
        raise AssayError(f"ranges must be a positive integer, but is {ranges!r}")
    confidence, right = [], []
    for joint, numbers in zip(labels.joint, outcomes, strict=True):
        known = numbers >= 0
        confidence.append(joint[known].max(axis=1))
        right.append(joint[known].argmax(axis=1) == numbers[known])
    table = pd.DataFrame({"confidence": np.concatenate(confidence), "accuracy": np.concatenate(right).astype(float)})
    at = np.minimum((table["confidence"] * ranges).astype(int), ranges - 1)
    grouped = table.groupby(at)
    found = grouped.mean().assign(items=grouped.size())
    found.index = pd.Index([f"{n / ranges:.0%}–{(n + 1) / ranges:.0%}" for n in found.index], name="range")
    gap = (found["confidence"] - found["accuracy"]).abs() * found["items"]
    return found, float(gap.sum() / max(len(table), 1))


def _slices(labels: Labels, outcomes: list[IntArray], known: BoolArray, slices: Mapping[str, Any]) -> pd.DataFrame:
    import pandas as pd

    rows = {}
    for name, given in slices.items():
        mask = np.asarray(given)
        if mask.shape != (len(labels),) or mask.dtype != bool:
            raise VoteError(
                f"the slice {name!r} must be True or False for each of the {len(labels)} items, "
                f"but has {mask.dtype} values of shape {mask.shape}"
            )
        within = mask & known
        score = (
            micro_accuracy([part[mask] for part in labels.joint], [numbers[mask] for numbers in outcomes])
            if within.any()
            else np.nan
        )
        rows[str(name)] = {"accuracy": score, "items": int(within.sum())}
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["accuracy", "items"])
    return table.rename_axis("slice").astype({"items": int})
