"""Any scikit-learn classifier as an end model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from assay._core.reading import reading
from assay._core.stored_arrays import of_type
from assay.endmodel.heads import Heads
from assay.endmodel.predictor import Predictor, labels_to_learn_from, rows_of
from assay.endmodel.settings import NotApplicable
from assay.endmodel.sklearn_files import StoredClassifiers
from assay.errors import AssayError
from assay.labels import Labels
from assay.tasks import TaskGraph

FloatArray = npt.NDArray[np.float64]
_LEAST = 1e-3
"""Rows of a smaller weight than this are not worth their time."""


@dataclass(frozen=True, eq=False)
class FittedClassifiers:
    """What was learned: a classifier for each task, or for the outcomes of each component."""

    tasks: TaskGraph
    heads: Heads | None
    """How the joint is composed from the tasks; None where there is a classifier for the outcomes themselves."""
    classifiers: tuple[Any, ...]
    """Or, where there was nothing to tell apart, the number of the only label."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many labels, or outcomes, each classifier tells apart."""
        return tuple(map(len, self.tasks.label_space.components)) if self.heads is None else self.heads.sizes

    def label(self, data: Any) -> Labels:
        """Labels for every item."""
        parts = [_chances(each, size, data) for each, size in zip(self.classifiers, self.sizes, strict=True)]
        if self.heads is None:
            return Labels(self.tasks, tuple(parts))
        return self.heads.labels(np.log(np.maximum(np.concatenate(parts, axis=1), np.finfo(float).tiny)))


class SklearnEndModel(Predictor[FittedClassifiers]):
    """A scikit-learn classifier that learns from probabilistic labels.

    Every item becomes a row for each label that it may have, weighted by how probable
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
    tasks
        The task graph. By default it is that of the labels; where :meth:`fit` is given bare
        class numbers or label names, a flat task of these.

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
        self,
        estimator: Any,
        *,
        per: Literal["task", "outcome"] = "task",
        not_applicable: NotApplicable = "masked",
        tasks: TaskGraph | None = None,
    ) -> None:
        self.estimator = estimator
        self.per = per
        self.not_applicable = not_applicable
        self.tasks = tasks

    def fit(self, data: Any, labels: Any) -> Self:
        """Learn from items and their labels.

        Parameters
        ----------
        data
            The items, as the classifier takes them.
        labels
            :class:`assay.Labels`; or an array (items, outcomes) of probabilities; or true labels, as class
            numbers for one, of which those that settle no outcome are left out. In ``GridSearchCV``, which
            scores with what it is given to fit, these are what to use.
        """
        try:
            from sklearn.base import clone
        except ModuleNotFoundError as missing:
            raise AssayError("assay.SklearnEndModel needs scikit-learn: pip install scikit-learn") from missing
        if self.per not in ("task", "outcome"):
            raise AssayError(f"per must be 'task' or 'outcome', but is {self.per!r}")
        if not hasattr(self.estimator, "predict_proba"):
            raise AssayError(f"{self.estimator!r} has no predict_proba; choose a classifier that gives probabilities")
        weight_name = _weight_name(self.estimator)
        given = labels_to_learn_from(labels, self.tasks)
        rows = rows_of(given, _count(data), data)
        heads = Heads(given.tasks, self.not_applicable) if self.per == "task" else None
        if heads is None:
            parts: list[npt.NDArray[Any]] = [*given.joint]
        else:
            targets = heads.targets(given)
            parts = [targets[:, head] for head in heads.slices]
        classifiers = []
        for part in parts:
            at, label = np.nonzero(part >= _LEAST)
            if len(np.unique(label)) < 2:  # nothing to tell apart, which classifiers refuse to learn
                classifiers.append(int(label[0]) if len(label) else 0)
                continue
            weights = {weight_name: part[at, label]}
            classifiers.append(clone(self.estimator).fit(_taken(data, rows[at]), label, **weights))
        self._fitted = FittedClassifiers(given.tasks, heads, tuple(classifiers))
        return self

    def label(self, data: Any) -> Labels:
        """Labels for every item, as :meth:`assay.LabelModel.label` gives them; they never contradict the task graph."""
        return self._known.label(_taken(data, slice(None)))

    def save(self, path: str | Path) -> Path:
        """Write the model to one file, without pickle: :meth:`load` restores it.

        Classifiers are stored by skops, which has to be installed. What cannot be imported by name, a lambda in a
        pipeline for one, cannot be saved.
        """
        fitted = self._known
        settings = {"per": self.per, "not_applicable": self.not_applicable, "has_tasks": self.tasks is not None}
        return StoredClassifiers(settings, fitted.tasks.to_dict(), self.estimator, fitted.classifiers).write(path)

    @classmethod
    def load(cls, path: str | Path, *, trusted: Sequence[str] = ()) -> Self:
        """A model from a file that :meth:`save` wrote.

        Parameters
        ----------
        trusted
            The full names of types in the file that may be loaded although skops does not know them to be safe, such
            as ``"sklearn.tree._tree.Tree"``, or a class of your own. Without these, the error names them; loading a
            type may run its code, so allow only what you know.

        >>> import tempfile
        >>> from sklearn.linear_model import LogisticRegression
        >>> model = SklearnEndModel(LogisticRegression()).fit(np.array([[0.0], [1.0]]), ["ham", "spam"])
        >>> same = SklearnEndModel.load(model.save(Path(tempfile.mkdtemp()) / "model.npz"))
        >>> same.label(np.array([[0.9]])).names("label").tolist()
        ['spam']
        """
        stored = StoredClassifiers.read(path, trusted)
        with reading(path, "scikit-learn end model"):
            said = stored.settings
            per, mode = of_type(Literal["task", "outcome"], said["per"]), said["not_applicable"]
            tasks = TaskGraph.from_dict(stored.tasks)
            fitted = FittedClassifiers(tasks, Heads(tasks, mode) if per == "task" else None, stored.classifiers)
            _check_classifiers(fitted)
            model = cls(stored.estimator, per=per, not_applicable=mode, tasks=tasks if said["has_tasks"] else None)
        model._fitted = fitted
        return model


def _check_classifiers(fitted: FittedClassifiers) -> None:
    """Raise unless each classifier tells apart the labels that it should."""
    for classifier, size in zip(fitted.classifiers, fitted.sizes, strict=True):
        classes = [classifier] if isinstance(classifier, int) else np.asarray(classifier.classes_).tolist()
        if not all(isinstance(label, int) and 0 <= label < size for label in classes):
            raise ValueError(f"expected a classifier of the labels 0 to {size - 1}, but it is one of {classes}")


def _chances(estimator: Any, size: int, data: Any) -> FloatArray:
    """(items, labels): the classifier's probabilities; none for labels that it never saw."""
    chances = np.zeros((_count(data), size))
    if isinstance(estimator, int):
        chances[:, estimator] = 1
    elif len(chances):  # classifiers refuse to look at nothing
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
