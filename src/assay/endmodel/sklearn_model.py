"""Any scikit-learn classifier as an end model."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from assay.endmodel.heads import Heads, NotApplicable
from assay.endmodel.predictor import Predictor, checked_labels, rows_of
from assay.errors import AssayError
from assay.labels import Labels

FloatArray = npt.NDArray[np.float64]
_LEAST = 1e-3
"""Rows of a smaller weight than this are not worth their time."""


class SklearnEndModel(Predictor):
    """A scikit-learn classifier that learns from probabilistic labels.

    Every item becomes a row for each label that it may have, weighed by how probable
    that label is: the classifier then minimises the loss that is expected under the labels.

    Parameters
    ----------
    estimator
        The classifier; it must take ``sample_weight`` and give ``predict_proba``. A pipeline
        may go before it, to make features of texts for one.
    per
        ``"task"``: one classifier a task, from which the joint over outcomes is composed.
        ``"outcome"``: one for the outcomes themselves.
    not_applicable
        With ``per="task"``, as for :class:`assay.EndModel`.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> import assay
    >>> tasks = assay.TaskGraph.flat("mail", ["ham", "spam"])
    >>> labels = assay.Labels(tasks, (np.array([[0.9, 0.1], [0.2, 0.8]]),))
    >>> model = SklearnEndModel(LogisticRegression(C=1e6)).fit(np.array([[0.0], [1.0]]), labels)
    >>> model.predict_proba(np.array([[0.0], [1.0]])).round(2)
    array([[0.9, 0.1],
           [0.2, 0.8]])
    """

    def __init__(
        self, estimator: Any, *, per: Literal["task", "outcome"] = "task", not_applicable: NotApplicable = "masked"
    ) -> None:
        self.estimator = estimator
        self.per = per
        self.not_applicable = not_applicable

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_estimators")

    def fit(self, data: Any, labels: Labels) -> Self:
        """Learn from items, as the classifier takes them, and their labels."""
        try:
            from sklearn.base import clone
        except ModuleNotFoundError as missing:
            raise AssayError("assay.SklearnEndModel needs scikit-learn: pip install scikit-learn") from missing
        if self.per not in ("task", "outcome"):
            raise AssayError(f"per must be 'task' or 'outcome', but is {self.per!r}")
        if not hasattr(self.estimator, "predict_proba"):
            raise AssayError(f"{self.estimator!r} has no predict_proba; choose a classifier that gives probabilities")
        weight_name = _weight_name(self.estimator)
        rows = rows_of(checked_labels(labels), _count(data))
        heads = Heads(labels.tasks, self.not_applicable)
        if self.per == "task":
            targets = heads.targets(labels)
            parts: list[npt.NDArray[Any]] = [targets[:, head] for head in heads.slices]
        else:
            parts = [*labels.joint]
        estimators = []
        for part in parts:
            at, label = np.nonzero(part >= _LEAST)
            if len(np.unique(label)) < 2:  # nothing to tell apart, which classifiers refuse to learn
                estimators.append(int(label[0]) if len(label) else 0)
                continue
            weights = {weight_name: part[at, label]}
            estimators.append(clone(self.estimator).fit(_taken(data, rows[at]), label, **weights))
        self._tasks, self._heads, self._estimators = labels.tasks, heads, estimators
        self._sizes = [part.shape[1] for part in parts]
        return self

    def label(self, data: Any) -> Labels:
        """Labels for every item, as :meth:`assay.LabelModel.label` gives them; they never contradict the task graph."""
        if not hasattr(self, "_estimators"):
            raise AssayError("this SklearnEndModel has not learned yet; call fit(data, labels) first")
        given = _taken(data, slice(None))
        parts = [_chances(each, size, given) for each, size in zip(self._estimators, self._sizes, strict=True)]
        if self.per == "outcome":
            return Labels(self._tasks, tuple(parts))
        return self._heads.labels(np.log(np.maximum(np.concatenate(parts, axis=1), np.finfo(float).tiny)))


def _chances(estimator: Any, size: int, data: Any) -> FloatArray:
    """(items, labels): the classifier's probabilities; none for labels that it never saw."""
    chances = np.zeros((_count(data), size))
    if isinstance(estimator, int):
        chances[:, estimator] = 1
    else:
        chances[:, estimator.classes_] = estimator.predict_proba(data)
    return chances


def _weight_name(estimator: Any) -> str:
    """What ``sample_weight`` is called when it is given to an estimator, or to the last step of a pipeline."""
    from sklearn.utils.validation import has_fit_parameter

    steps = getattr(estimator, "steps", None)
    name, last = ("", estimator) if steps is None else (f"{steps[-1][0]}__", steps[-1][1])
    if not has_fit_parameter(last, "sample_weight"):
        raise AssayError(f"{last!r} takes no sample_weight, so it cannot learn from probabilities; choose another")
    return f"{name}sample_weight"


def _count(data: Any) -> int:
    return int(data.shape[0]) if hasattr(data, "shape") else len(data)


def _taken(data: Any, rows: Any) -> Any:
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    return data[rows] if hasattr(data, "shape") else np.array(data, dtype=object)[rows]
