"""Labels against gold: all figures in one value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay._core import views
from assay.errors import AssayError, VoteError, near_miss
from assay.evaluation.figures import Figure, accuracy_figure, calibration_figures, log_loss_figure, task_scores
from assay.evaluation.many_labels import FIGURES, subset_scores
from assay.evaluation.scored import Scored, as_gold
from assay.labels import Labels, StoredLabels, labels_of_rows
from assay.votes import Votes

if TYPE_CHECKING:
    import pandas as pd

    from assay.report import EvaluationPlots


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How labels compare with gold. Made by :func:`assay.evaluate`."""

    accuracy: float
    """The share of items whose most probable outcome is the true one: micro-averaged, over all components."""
    items: int
    """How many items have gold."""
    tasks: pd.DataFrame
    """Per task: *accuracy* and *macro_f1*, over its labels and N/A, and the number of *items* with gold.

    Where any subset of labels may apply, there is a row for each label: whether it applies is a task of its own."""
    subsets: pd.DataFrame
    """Per task of which any subset of labels may apply: *micro_f1*, *macro_f1*, *precision*, *recall*,
    *subset_accuracy* (all labels of an item are right), and the number of *items* whose labels gold settles."""
    confusion: dict[str, pd.DataFrame]
    """Per task how many items have which true label (rows) and which label here (columns)."""
    calibration: pd.DataFrame
    """Per range of confidence: the mean *confidence* in the most probable outcome, its *accuracy*, and the *items*."""
    calibration_error: float
    """The gap between confidence and accuracy, averaged over items."""
    slices: pd.DataFrame
    """Per slice: *accuracy*, and the number of its *items* with gold."""
    log_loss: float
    """Minus the mean logarithm of the true outcome's probability; one below 0.001 counts as 0.001."""
    intervals: pd.DataFrame
    """Per figure, named as in :meth:`figures`, and the F1 of each label: its *value*, and its 95% interval, *low* to
    *high*, for items like these."""
    cross_fitted: int
    """How many of the items taught the model, and are scored by what it would have said without their gold."""

    def __repr__(self) -> str:
        taught = "" if not self.cross_fitted else f", {self.cross_fitted:,} of them cross-fitted"
        return (
            f"Evaluation({100 * self.accuracy:.1f}% of {self.items:,} outcomes right{taught}; "
            f"calibration error {100 * self.calibration_error:.1f}%)\n"
            + "\n".join(str(table.round(3)) for table in (self.subsets, self.tasks) if len(table))
        )

    @property
    def plot(self) -> EvaluationPlots:
        """Pictures, as charts of altair: ``evaluation.plot.calibration()``, ``confusion(task)``."""
        plots: EvaluationPlots = views.plots_of(self)
        return plots

    def _repr_html_(self) -> str:
        return views.html_of(self)

    def interval(self, figure: str = "accuracy") -> tuple[float, float]:
        """The 95% interval of a figure."""
        if figure not in self.intervals.index:
            raise AssayError(f"there is no figure {figure!r}. {near_miss(figure, map(str, self.intervals.index))}")
        low, high = self.intervals.loc[figure, ["low", "high"]].to_numpy(dtype=np.float64)
        return float(low), float(high)

    def figures(self) -> dict[str, float]:
        """The figures that can be compared over trials, by name."""
        found = {"accuracy": self.accuracy, "calibration_error": self.calibration_error, "log_loss": self.log_loss}
        for task, row in self.tasks.iterrows():
            found |= {f"{task} accuracy": float(row["accuracy"]), f"{task} macro_f1": float(row["macro_f1"])}
        for task, row in self.subsets.iterrows():
            found |= {f"{task} {name}": float(row[name]) for name in FIGURES}
        return found | {f"slice {name}": float(row["accuracy"]) for name, row in self.slices.iterrows()}


def evaluate(
    labels: Labels | str | Path,
    gold: Any = None,
    *,
    slices: Mapping[str, Any] | None = None,
    ranges: int = 10,
    weights: Any = None,
) -> Evaluation:
    """Compare labels with gold.

    What taught a model may not score it. Items whose gold the labels were learned from (``labels.gold``) are scored by
    what the model would have said without it: they are *cross-fitted*.

    Intervals are those of a random sample of items like these, and allow for weights: score intervals (Wilson's) of
    the effective number of items for shares and log loss; for a macro-F1 recovered from those of the labels; for
    the calibration error by simulating what chance makes of it.

    Parameters
    ----------
    labels
        From :meth:`assay.EndModel.label`, or from :meth:`assay.LabelModel.label`; or a Parquet file of them, which may
        be larger than memory: only the labels of items with gold are kept.
    gold
        The truth about some items or all: a dict of task -> labels, in which None is N/A,
        outcome numbers (−1 unknown), labels, or dicts over tasks. By default
        the gold that the labels were learned from.
    slices
        Name -> mask (items,): parts of the data to score separately.
    ranges
        The number of bins of equal width for the calibration.
    weights
        (items,): how many items each one with gold stands for, up to a factor: one over the chance that it was
        chosen with. By default all are alike; but if all of them taught the model, as they were chosen then.

    >>> from assay import TaskGraph
    >>> labels = Labels(TaskGraph.flat("mail", ["ham", "spam"]), (np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]),))
    >>> found = evaluate(labels, ["ham", "spam", "spam"], slices={"short": [True, True, False]})
    >>> found
    Evaluation(66.7% of 3 outcomes right; calibration error 30.0%)
          accuracy  macro_f1  items
    task
    mail     0.667     0.667      3
    >>> found.intervals.loc["accuracy"].round(2).tolist()
    [0.67, 0.21, 0.94]
    """
    import pandas as pd

    if ranges < 1:
        raise AssayError(f"ranges must be a positive integer, but is {ranges!r}")
    if not isinstance(labels, Labels | str | Path):
        raise AssayError(
            f"expected labels, as model.label(votes) gives them, or a file of them, but got {type(labels).__name__}; "
            "of an (items, classes) array P of probabilities make labels by assay.Labels(tasks, (P,))"
        )
    if isinstance(labels, str | Path):
        labels, gold, known_rows, items = _with_gold(Path(labels), gold)
        slices = {name: _mask(name, given, items)[known_rows] for name, given in (slices or {}).items()}
        weights = weights if weights is None or np.shape(weights) != (items,) else np.asarray(weights)[known_rows]
    scored = Scored.of(labels, gold, weights)
    known = np.any([numbers >= 0 for numbers in scored.outcomes], axis=0)
    if not known.any():
        raise VoteError("the gold labels determine the outcome of no item, so there is nothing to score against")
    calibration = calibration_figures(scored, ranges)
    figures = {
        "accuracy": accuracy_figure(scored),
        "calibration_error": calibration.error,
        "log_loss": log_loss_figure(scored),
    }
    rows, confusion = {}, {}
    for task in labels.tasks:
        names = _names(labels, task.name)
        found = task_scores(scored, task.name, len(names))
        confusion[task.name] = pd.DataFrame(
            found.counts, index=pd.Index(names, name="gold"), columns=pd.Index(names, name="label")
        )
        rows[task.name] = {
            "accuracy": found.accuracy.value,
            "macro_f1": found.macro_f1.value,
            "items": int(found.counts.sum()),
        }
        figures |= {f"{task.name} accuracy": found.accuracy, f"{task.name} macro_f1": found.macro_f1}
        figures |= {f"{task.name}={name} f1": figure for name, figure in zip(names, found.f1, strict=True)}
    whole = {}
    for name in labels.tasks.multiple:
        scores, items = subset_scores(scored, name)
        whole[name] = {figure: score.value for figure, score in scores.items()} | {"items": items}
        figures |= {f"{name} {figure}": score for figure, score in scores.items()}
    parts = _slices(labels, scored, slices or {})
    figures |= {f"slice {name}": figure for name, (figure, _) in parts.items()}
    return Evaluation(
        accuracy=figures["accuracy"].value,
        items=int(known.sum()),
        tasks=pd.DataFrame.from_dict(rows, orient="index").rename_axis("task").astype({"items": int}),
        subsets=pd.DataFrame.from_dict(whole, orient="index", columns=[*FIGURES, "items"]).rename_axis("task"),
        confusion=confusion,
        calibration=pd.DataFrame(
            {"confidence": calibration.confidence, "accuracy": calibration.accuracy, "items": calibration.items},
            index=pd.Index([f"{n / ranges:.0%}–{(n + 1) / ranges:.0%}" for n in calibration.ranges], name="range"),
        ),
        calibration_error=calibration.error.value,
        slices=pd.DataFrame(
            {
                "accuracy": [figure.value for figure, _ in parts.values()],
                "items": np.array([items for _, items in parts.values()], dtype=int),
            },
            index=pd.Index(list(parts), name="slice"),
        ),
        log_loss=figures["log_loss"].value,
        intervals=pd.DataFrame.from_dict(
            {name: vars(figure) for name, figure in figures.items()}, orient="index", columns=["value", "low", "high"]
        ).rename_axis("figure"),
        cross_fitted=scored.cross_fitted,
    )


def over_trials(evaluations: Sequence[Evaluation]) -> pd.DataFrame:
    """Figures averaged over trials that differ in their seed, each with its 95% interval (Student's t).

    >>> from assay import TaskGraph
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


def _names(labels: Labels, task: str) -> list[str]:
    """The labels of a task, and N/A if it can occur."""
    index = labels.tasks.label_space.component_of(task)
    may_not_apply = (labels.tasks.label_space.components[index].label_of(task) < 0).any()
    return [*labels.tasks[task].labels, *(["N/A"] if may_not_apply else [])]


def _with_gold(path: Path, gold: Any) -> tuple[Labels, Votes | None, npt.NDArray[np.int64], int]:
    """The labels of a file whose items have gold, that gold, their rows, and the number of all items."""
    stored = StoredLabels.of(path)
    if gold is None:
        rows = np.empty(0, dtype=np.int64) if stored.gold is None else stored.gold.rows
        return labels_of_rows(path, rows), None, rows, stored.items
    truth = as_gold(stored.tasks, gold, stored.items, stored.item_names())
    rows = np.flatnonzero(truth.voted)
    return labels_of_rows(path, rows), truth.take(rows), rows, stored.items


def _mask(name: str, given: Any, items: int) -> npt.NDArray[np.bool_]:
    mask = np.asarray(given)
    if mask.shape != (items,) or mask.dtype != bool:
        raise VoteError(
            f"the slice {name!r} must be True or False for each of the {items} items, "
            f"but has {mask.dtype} values of shape {mask.shape}"
        )
    return mask


def _slices(labels: Labels, scored: Scored, slices: Mapping[str, Any]) -> dict[str, tuple[Figure, int]]:
    """Per slice the accuracy, and how many of its items have gold."""
    found = {}
    for name, given in slices.items():
        part = scored.within(_mask(name, given, len(labels)))
        items = int(np.any([numbers >= 0 for numbers in part.outcomes], axis=0).sum())
        found[str(name)] = accuracy_figure(part), items
    return found
