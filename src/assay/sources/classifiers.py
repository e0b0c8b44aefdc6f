"""Classifiers as sources: anything that gives labels probabilities."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import polars as pl

from assay._core.rows import Batch
from assay.errors import DataError, SourceError, near_miss
from assay.sources.base import Emission, Failure, Source, levels_for
from assay.tasks import TaskGraph
from assay.votes import probability_table

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_DECIMALS = 12
"""Probabilities are rounded to this many: what libraries compute depends a little on how many rows they are given."""


class Asked(Protocol):
    """A classifier, however it is asked."""

    @property
    def classes(self) -> tuple[Any, ...]:
        """What it calls its classes."""
        ...

    def __call__(self, data: Any) -> FloatArray:
        """(rows, classes): their probabilities."""
        ...


@dataclass(frozen=True)
class ByArray:
    """One with ``predict_proba``, as in scikit-learn."""

    fitted: Any
    classes: tuple[Any, ...]

    def __call__(self, data: Any) -> FloatArray:
        return probability_table(self.fitted.predict_proba(data), len(self.classes))


@dataclass(frozen=True)
class ByTask:
    """An end model, asked about one of its tasks. That the task does not apply is something else than its labels."""

    fitted: Any
    task: str
    classes: tuple[Any, ...]

    def __call__(self, data: Any) -> FloatArray:
        return probability_table(self.fitted.label(data)[self.task][:, :-1], len(self.classes))


@dataclass(frozen=True)
class ByAnswers:
    """A function that answers with labels and scores, as pipelines of Hugging Face do."""

    function: Callable[[Any], Any]
    classes: tuple[Any, ...]

    def __call__(self, data: Any) -> FloatArray:
        answers = [[one] if isinstance(one, Mapping) else list(one) for one in self.function(data)]
        if len(answers) != len(data):
            raise DataError(f"expected an answer for each of {len(data)} rows, but got {len(answers)}")
        table = np.zeros((len(answers), len(self.classes)))
        for row, answer in enumerate(answers):
            for one in answer:
                if not isinstance(one, Mapping) or not {"label", "score"} <= one.keys():
                    raise DataError(f"expected answers like {{'label': 'spam', 'score': 0.9}}, but got {one!r}")
                if one["label"] not in self.classes:
                    raise DataError(f"its answer has a class {one['label']!r}. {near_miss(one['label'], self.classes)}")
                table[row, self.classes.index(one["label"])] += one["score"]
        return table


@dataclass(frozen=True, kw_only=True)
class ClassifierSource(Source):
    """A source that asks a fitted classifier for probabilities."""

    asked: Asked
    on: tuple[str, ...]
    meaning: tuple[Any, ...]
    """Per class the label that it stands for, or None for one that says nothing."""
    reads_table: bool

    def default_name(self) -> str:
        return f"classifier({', '.join(self.on)})"

    @property
    def declared(self) -> tuple[Any, ...]:
        return tuple(dict.fromkeys(label for label in self.meaning if label is not None))

    def emit(self, batch: Batch) -> Emission:
        columns = {name: self._column(batch, name) for name in self.on}
        rows = np.flatnonzero(np.logical_and.reduce([column.is_not_null().to_numpy() for column in columns.values()]))
        table = np.full((len(batch), len(self.declared)), np.nan)
        failures = []
        for some, answer in self._answers(pl.DataFrame(columns), rows):
            if isinstance(answer, Exception):
                failures.append(Failure(batch.start + int(some[0]), answer))
            else:
                table[some] = answer
        return Emission(np.empty(0, dtype=np.int32), self.declared, failures, probabilities=table)

    def _column(self, batch: Batch, name: str) -> pl.Series:
        try:
            column = batch.column(name)
        except DataError as error:
            raise DataError(f"source {self.name!r}: {error}") from error
        return column.fill_nan(None) if column.dtype.is_float() else column

    def _answers(self, columns: pl.DataFrame, rows: IntArray) -> Iterator[tuple[IntArray, FloatArray | Exception]]:
        """Rows and what the classifier says of them; if it fails on all at once, row by row, to find which."""
        if not len(rows):
            return
        try:
            yield rows, self._ask(columns[rows])
        except Exception as error:
            if len(rows) == 1:
                yield rows, error
                return
            for row in rows:
                yield from self._answers(columns, np.array([row]))

    def _ask(self, columns: pl.DataFrame) -> FloatArray:
        found = self.asked(self._data(columns))
        if len(found) != len(columns):
            raise DataError(f"expected probabilities for {len(columns)} rows, but got {len(found)}")
        declared = self.declared
        table = np.zeros((len(columns), len(declared)))
        for at, label in enumerate(self.meaning):
            if label is not None:
                table[:, declared.index(label)] += found[:, at]
        return np.round(table, _DECIMALS)

    def _data(self, columns: pl.DataFrame) -> Any:
        """What the classifier reads: texts as a list, numbers as an array, anything else as a table."""
        numbers = all(dtype.is_numeric() or dtype == pl.Boolean for dtype in columns.dtypes)
        if self.reads_table or (columns.width > 1 and not numbers):
            return columns.to_pandas()
        return columns.cast(pl.Float64).to_numpy() if numbers else columns.to_series().to_list()


def classifier(
    fitted: Any,
    *,
    on: str | Sequence[str],
    task: str | None = None,
    labels: Sequence[Any] | Mapping[Any, Any] | None = None,
    levels: Sequence[float] | None = None,
    name: str | None = None,
) -> Source:
    """Vote as a fitted classifier does, with its probabilities; abstain where what it reads is missing.

    It votes for its most probable label, at a level of confidence. How far to believe which level is learned by the
    label model, so that probabilities need not be calibrated.

    Parameters
    ----------
    fitted
        Anything with ``predict_proba``, as classifiers of scikit-learn and :class:`assay.EndModel` have it; or a
        function that takes a list and gives for each element ``{"label": ..., "score": ...}``, or a list of these
        for all labels, as text classification pipelines of Hugging Face do.
    on
        The columns that it reads. One column of texts is given as a list, columns of numbers as an array, and
        anything else, or if the classifier was fitted on a table, as a pandas table.
    task
        The task that its labels belong to.
    labels
        The labels that its classes stand for: in their order, or as a dict of class -> label, in which None is for
        classes that say nothing. By default classes are called like labels.
    levels
        As in :func:`source`.
    name
        What to call it; by default after the columns.

    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from assay import TaskGraph, apply
    >>> fitted = make_pipeline(CountVectorizer(), LogisticRegression()).fit(["a prize", "lunch today"], ["spam", "ham"])
    >>> clf = classifier(fitted, on=["text"], task="mail", levels=[0.5, 0.6], name="clf")
    >>> apply(clf, {"text": ["a prize", "lunch", None]}, TaskGraph.flat("mail", ["ham", "spam"])).to_pandas()
                     clf
    0     spam, 0.6 to 1
    1    ham, 0.5 to 0.6
    2               None
    """
    columns = (on,) if isinstance(on, str) else tuple(on)
    if not columns or not all(isinstance(column, str) for column in columns):
        raise SourceError(f"classifier() needs the names of the columns that it reads: on=['text'], but got {on!r}")
    asked = _asked(fitted, task, labels)
    return ClassifierSource(
        given_name=name,
        task=task if task is not None or not isinstance(asked, ByTask) else asked.task,
        asked=asked,
        on=columns,
        meaning=_meaning(asked.classes, labels),
        reads_table=hasattr(fitted, "feature_names_in_"),
        levels=levels_for(levels),
    )


def _asked(fitted: Any, task: str | None, labels: Any) -> Asked:
    """How to ask a classifier, and what its classes are called."""
    tasks = getattr(fitted, "tasks", None)
    if isinstance(tasks, TaskGraph) and hasattr(fitted, "label"):
        about = tasks.names[0] if task is None and len(tasks) == 1 else task
        if about is None or about not in tasks:
            raise SourceError(f"this model labels {', '.join(tasks.names)}: say which with task=..., not {task!r}")
        return ByTask(fitted, about, tuple(tasks[about].labels))
    if isinstance(labels, Mapping):
        listed = tuple(labels)
    else:
        listed = () if labels is None else tuple(labels)
    if hasattr(fitted, "predict_proba"):
        named = tuple(np.asarray(getattr(fitted, "classes_", ())).tolist())
        return ByArray(fitted, named or _told(listed))
    if callable(fitted):
        # Pipelines of Hugging Face know the names of their classes.
        config = getattr(getattr(fitted, "model", None), "config", None)
        return ByAnswers(fitted, tuple(getattr(config, "label2id", None) or ()) or _told(listed))
    raise SourceError(
        f"classifier() needs something with predict_proba, or a function, but got {type(fitted).__name__}"
    )


def _told(listed: tuple[Any, ...]) -> tuple[Any, ...]:
    if listed:
        return listed
    raise SourceError(
        "the classifier does not say what its classes are; say which labels they stand for: labels=[...] in the order "
        "of its classes, or labels={class: label, ...}"
    )


def _meaning(classes: tuple[Any, ...], labels: Any) -> tuple[Any, ...]:
    """Per class the label that it stands for."""
    if labels is None:
        return tuple(str(one) for one in classes)
    if isinstance(labels, Mapping):
        missing = [one for one in classes if one not in labels]
        if missing:
            raise SourceError(
                f"the classifier has a class {missing[0]!r}, which labels= lacks; map it to a label, or to None"
            )
        return tuple(labels[one] for one in classes)
    if len(tuple(labels)) != len(classes):
        raise SourceError(f"the classifier has {len(classes)} classes, but labels= has {len(tuple(labels))}")
    return tuple(labels)
