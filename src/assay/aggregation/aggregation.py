"""One line for a crowd: from a long table of items, workers and labels to labels, skills and agreement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import polars as pl
from scipy.special import expit, logit, ndtri

from assay._core.foreign_settings import ExplainsForeignNames, explains_foreign
from assay.aggregation.crowd_table import check_gold, crowd_frame, gold_by_item, in_words_of_crowds
from assay.baselines import majority_vote
from assay.errors import AssayError, UnidentifiableError, VoteError, near_miss
from assay.labels import Labels, write_table
from assay.model import LabelModel, next_items
from assay.votes import Alpha, Votes, krippendorff_alpha

if TYPE_CHECKING:
    import pandas as pd

_Z = float(ndtri(0.975))
"""Standard deviations on each side of a 95% interval."""


_INSTEAD = {
    "labels_": ".labels has the label of each item",
    "probas_": ".probabilities has those of all labels",
    "skills_": ".skills has the skill of each worker, with its interval",
    "errors_": ".confusion(worker) has what a worker confuses",
    "priors_": ".model.class_balance_ has the shares of labels",
    "loss_history_": ".model.notes_ and .model.advice_ say how the fit went",
    "fit": "it is fitted: .labels, .probabilities and .skills are the results",
    "fit_predict": "it is fitted: .labels are the results",
    "fit_predict_proba": "it is fitted: .probabilities are the results",
    "predict": ".labels has the label of each item; .model.predict(votes) is for other votes",
    "predict_proba": ".probabilities has those of all labels; .model.predict_proba(votes) is for other votes",
    "to_csv": "to_file('labels.csv') writes the table, and to_pandas() is that table",
    "to_json": "to_file('labels.jsonl') writes the table, and to_pandas() is that table",
    "to_jsonl": "to_file('labels.jsonl') writes the table, and to_pandas() is that table",
    "to_parquet": "to_file('labels.parquet') writes the table, and to_pandas() is that table",
    "to_excel": "to_file('labels.csv') writes the table, and to_pandas().to_excel(...) does so with pandas",
    "to_dict": ".labels.to_dict() has the labels, to_pandas().to_dict() the whole table",
    "head": "to_pandas().head() has the first items",
}
"""What crowd-kit's estimators and pandas' tables have, and what there is here."""


@dataclass(frozen=True, eq=False, repr=False)
class Aggregation(ExplainsForeignNames):
    """What a crowd said of each item, put together; made by :func:`aggregate`.

    Items, labels and workers are called what the table calls them; numbers stay numbers. In ``votes`` and ``model``
    the names of labels and workers are texts.
    """

    votes: Votes
    """Every worker is a source."""
    model: LabelModel
    """The label model that was fitted on them."""
    label_values: Mapping[str, Any] = field(default_factory=dict)
    """The value that the table has for each label, if these are numbers or truth values."""
    worker_values: Mapping[str, Any] = field(default_factory=dict)
    """The same for each worker."""
    item_column: str = "item"
    """The column of the table that has the items, after which indexes are called."""

    _FOREIGN: ClassVar[Mapping[str, str]] = _INSTEAD

    @cached_property
    def _posterior(self) -> Labels:
        return self.model.label(self.votes, progress=False)

    @cached_property
    def labels(self) -> pd.Series[Any]:
        """The most probable label of each item, by its name."""
        (task,) = self.votes.tasks.names
        found = self._by_item("label", [self.label_values.get(name, name) for name in self._posterior.names(task)])
        return found.infer_objects() if self.label_values else found

    @cached_property
    def probabilities(self) -> pd.DataFrame:
        """(items, labels): the probability of each label."""
        import pandas as pd

        (task,) = self.votes.tasks
        shares = self._posterior[task.name][:, : len(task.labels)]
        found = pd.DataFrame(shares, columns=task.labels, index=self._items)
        return self._as_in_table(found, self.label_values, axis=1)

    @cached_property
    def skills(self) -> pd.DataFrame:
        """Per worker the *skill*, the estimated share of their votes that are right, *low* and *high*, and *votes*.

        ``model.sources_`` has a row for each label that a worker gives.
        """
        found = pooled(self.model.sources_).rename(columns={"accuracy": "skill"})
        return self._as_in_table(found, self.worker_values).rename_axis("worker")

    @cached_property
    def agreement(self) -> Alpha | None:
        """Krippendorff's α with its 95% interval; None if nothing tells it, as where no item has two votes."""
        return krippendorff_alpha(self.votes)

    @cached_property
    def majority(self) -> pd.Series[Any]:
        """What a majority vote says of each item; None where votes are tied."""
        (task,) = self.votes.tasks
        shares = np.asarray(majority_vote(self.votes))
        tied = np.isclose(shares, shares.max(axis=1, keepdims=True)).sum(axis=1) > 1
        names = np.array([*(self.label_values.get(name, name) for name in task.labels), None], dtype=object)
        return self._by_item("majority", names[np.where(tied, len(task.labels), shares.argmax(axis=1))])

    @property
    def tied(self) -> int:
        """On how many items a majority vote is tied."""
        return int(self.majority.isna().sum())

    @property
    def differing(self) -> int:
        """How many labels differ from a majority vote that is not tied."""
        return int((self.majority.notna() & (self.majority != self.labels)).sum())

    @property
    def shares(self) -> pd.DataFrame:
        """Per label how many *items* have it, their *share*, and its share of *majority* votes that are not tied."""
        import pandas as pd

        counts = self.labels.value_counts().reindex(self.probabilities.columns, fill_value=0)
        decided = self.majority.dropna().value_counts().reindex(counts.index, fill_value=0)
        columns = {"items": counts, "share": counts / len(self.labels), "majority": decided / max(decided.sum(), 1)}
        return pd.DataFrame(columns).rename_axis("label")

    def to_pandas(self) -> pd.DataFrame:
        """Per item its *label*, the probability of that (*confidence*), the *majority* vote and how many *votes*."""
        import pandas as pd

        return pd.DataFrame(
            {
                "label": self.labels,
                "confidence": self.probabilities.max(axis=1),
                "majority": self.majority,
                "votes": np.bincount(self.votes.cast.row, minlength=len(self.votes)),
            }
        )

    def to_file(self, path: str | Path) -> Path:
        """Write the table of :meth:`to_pandas` to a ``.csv``, ``.jsonl`` or ``.parquet`` file, by its ending."""
        return write_table(self.to_pandas(), path)

    def confusion(self, worker: Any) -> pd.DataFrame:
        """(labels, labels): how often a worker says each label, by the true one, as the model estimates it.

        Rows are the truth and sum to one: they are shares of the worker's votes, and items without one do not count.
        """
        import pandas as pd

        name = {value: text for text, value in self.worker_values.items()}.get(worker, worker)
        if name not in self.votes.names:
            told = near_miss(worker, self.votes.names)
            raise VoteError(in_words_of_crowds(f"there is no worker {worker!r}. {told}", set(self.worker_values)))
        (task,) = self.votes.tasks
        cast = self.model.conditionals_[name][:-1]  # the last row is no vote
        said = [str(value) for value in self.votes.values[self.votes.names.index(name)]]
        found = pd.DataFrame((cast / cast.sum(axis=0)).T, index=task.labels, columns=said)
        # A worker may never say some label, or say that it is one of several.
        found = found.reindex(columns=list(dict.fromkeys([*task.labels, *said])), fill_value=0.0)
        by_truth = self._as_in_table(found, self.label_values)
        return self._as_in_table(by_truth, self.label_values, axis=1).rename_axis("truth").rename_axis("said", axis=1)

    def next_items(self, n: int = 20, *, seed: int = 0) -> list[Any]:
        """The names of ``n`` items to label by hand next, for gold, as :func:`assay.next_items` chooses them.

        Until there is gold they are drawn at random, so that gold also tells how good labels are; see
        :meth:`least_sure` for items to send out to workers again. Give their labels as ``gold`` to :func:`aggregate`,
        with those of all before: what has gold is not chosen again.
        """
        return self._items[next_items(self.model, self.votes, n, seed=seed)].tolist()

    def least_sure(self, n: int = 20) -> list[Any]:
        """The names of ``n`` items whose labels are least sure, the least sure first: those to send out again.

        Items with gold are left out. Labels of these items say little about labels in general: :meth:`next_items` has
        items for gold.
        """
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise AssayError(f"n must be the number of items, 1 or more, but is {n!r}")
        sure = self._posterior.confidence.copy()
        if self._posterior.gold is not None:
            sure[self._posterior.gold.rows] = np.inf
        rows = np.argsort(sure, kind="stable")[:n]
        return self._items[rows[np.isfinite(sure[rows])]].tolist()

    def to_label_studio(
        self, data: Any, path: str | Path | None = None, *, on: str | None = None, item: str | None = None
    ) -> list[dict[str, Any]]:
        """Tasks for Label Studio, with the labels as predictions; see :meth:`assay.Labels.to_label_studio`.

        ``data`` has what annotators see of each item, in the column ``on``, and the names of items in its index or in
        the column ``item``, which may be left out if it is called as in the crowd's table, or holds texts.
        """
        return self._posterior.to_label_studio(data, path, on=on, item=self._names_in(data, item))

    def to_argilla(
        self, data: Any, path: str | Path | None = None, *, on: str | None = None, item: str | None = None
    ) -> list[dict[str, Any]]:
        """Records for Argilla, with the labels as suggestions; the parameters are those of :meth:`to_label_studio`."""
        return self._posterior.to_argilla(data, path, on=on, item=self._names_in(data, item))

    def _names_in(self, data: Any, item: str | None) -> str | None:
        """The column of the data that has the names of items, if it has one that is called as that of the table."""
        columns = getattr(data, "columns", data if isinstance(data, Mapping) else ())
        return self.item_column if item is None and self.item_column in list(columns) else item

    @staticmethod
    def _as_in_table(found: pd.DataFrame, values: Mapping[str, Any], axis: Literal[0, 1] = 0) -> pd.DataFrame:
        """With the values that the table has in place of their texts, in their own order: 2 before 10."""
        if not values:
            return found
        return found.set_axis([values[name] for name in found.axes[axis]], axis=axis).sort_index(axis=axis)

    @property
    def _items(self) -> pd.Index[Any]:
        import pandas as pd

        assert self.votes.items is not None
        found: pd.Index[Any] = pd.Index(self.votes.items.tolist(), name=self.item_column)
        return found

    def _by_item(self, name: str, values: Any) -> pd.Series[Any]:
        import pandas as pd

        return pd.Series(values, index=self._items, name=name, dtype=object)

    def __repr__(self) -> str:
        items, workers = self.votes.shape
        (task,) = self.votes.tasks
        alpha = "unknown" if self.agreement is None else self.agreement
        return (
            f"Aggregation({items:,} items, {workers:,} workers, {len(task.labels)} labels; Krippendorff's α {alpha}; "
            f"{self.differing:,} labels differ from a majority vote, which is tied on {self.tied:,})"
        )


def pooled(sources: pd.DataFrame) -> pd.DataFrame:
    """Per source one *accuracy* of all its votes, with *low* and *high*, from those of its values.

    The errors of a source's values are taken to be independent, except where votes tell none of them.
    """
    import pandas as pd

    said = sources[sources["votes"] > 0]
    of = said["source"]
    share = said["votes"] / said.groupby("source")["votes"].transform("sum")
    deviation = (said["high"] - said["low"]) / (2 * _Z)
    accuracy = (share * said["accuracy"]).groupby(of).sum().clip(0, 1)
    inside = accuracy.clip(1e-4, 1 - 1e-4)
    error = np.sqrt(((share * deviation) ** 2).groupby(of).sum()) / (inside * (1 - inside))
    untold = ((said["low"] <= 0) & (said["high"] >= 1)).groupby(of).all()
    low, high = (np.where(untold, end, expit(logit(inside) + side * _Z * error)) for side, end in ((-1, 0.0), (1, 1.0)))
    found = pd.DataFrame({"accuracy": accuracy, "low": np.minimum(low, accuracy), "high": np.maximum(high, accuracy)})
    found["votes"] = said.groupby("source")["votes"].sum()
    return found.loc[of.unique()]


@explains_foreign
def aggregate(
    table: Any,
    *,
    item: str | None = None,
    worker: str | None = None,
    label: str | None = None,
    gold: Any = None,
    model: LabelModel | None = None,
) -> Aggregation:
    """Put together what a crowd said: labels, class probabilities, skills of workers, and how far they agree.

    For several tasks, hierarchies or other sources beside a crowd, make votes of the table by
    :meth:`assay.Votes.from_long`.

    Parameters
    ----------
    table
        A dataframe, a dict of columns, or a path, with a row for each vote: an item, a worker, and a label. Or what
        :func:`assay.read_annotations` has read.
    item, worker, label
        Its columns; by default those that are called so, or as in crowd-kit: ``task``, ``worker``, ``label``.
    gold
        True labels of some items, if there are any: a pandas Series by item; a table, or a path to one, with a column
        of items and one of labels, or with items as its index; or what :meth:`assay.LabelModel.fit` takes. Where the
        labels of the table are numbers, those of gold are labels too.
    model
        The :class:`assay.LabelModel` to fit; by default one with default settings.

    Returns
    -------
    Aggregation
        ``.labels``, ``.probabilities``, ``.skills``, ``.agreement``, ``.majority``, ``.confusion(worker)``,
        ``.next_items(n)``, ``.least_sure(n)``, ``.to_pandas()``, ``.to_file(path)``, ``.to_label_studio(data, path)``.

    Raises
    ------
    VoteError
        If columns are missing, or there are no votes.
    UnidentifiableError
        If workers cannot check each other, as where there are two.

    Examples
    --------
    >>> table = {
    ...     "task": ["t1", "t1", "t1", "t2", "t2", "t2", "t3", "t3", "t3"],
    ...     "worker": ["ann", "bob", "cem"] * 3,
    ...     "label": ["cat", "cat", "dog", "dog", "dog", "dog", "cat", "cat", "cat"],
    ... }
    >>> result = aggregate(table)
    >>> result.labels.to_dict()
    {'t1': 'cat', 't2': 'dog', 't3': 'cat'}
    >>> result.probabilities.columns.tolist(), result.skills.columns.tolist()
    (['cat', 'dog'], ['skill', 'low', 'high', 'votes'])
    >>> result.confusion("cem").shape, sorted(result.next_items(3))
    ((2, 2), ['t1', 't2', 't3'])
    """
    if not (model is None or isinstance(model, LabelModel)):
        raise AssayError(
            f"model must be a label model, as in model=assay.LabelModel(method='em'), but is {model!r}; other models "
            "take votes: votes = assay.Votes.from_long(table, item='task'), assay.DawidSkene().fit(votes).label(votes)"
        )
    frame, columns = crowd_frame(table, item, worker, label)
    said, by = (_numbers(frame[columns[role]]) for role in ("label", "source"))
    # By the same texts as in the votes, where workers are cast by polars and labels are not.
    labels = {str(value): value for value in said.to_list()}
    workers = dict(zip(by.cast(pl.String).to_list(), by.to_list(), strict=True))
    numbers = {text for text, value in (*labels.items(), *workers.items()) if not isinstance(value, bool)}
    try:
        votes = Votes.from_long(frame, item=columns["item"], source=columns["source"], label=columns["label"])
        truth = gold_by_item(gold, columns["item"], columns["label"])
        (task,) = votes.tasks
        check_gold(truth, list(labels.values()) or task.labels)
        fitted = (LabelModel() if model is None else model).fit(votes, _in_texts(truth, labels), progress=False)
    except UnidentifiableError as error:
        found = in_words_of_crowds(str(error), numbers)
        raise UnidentifiableError(found.replace("LabelModel(allow", "model=assay.LabelModel(allow")) from None
    except VoteError as error:
        raise VoteError(in_words_of_crowds(str(error), numbers)) from None
    return Aggregation(votes, fitted, labels, workers, columns["item"])


def _numbers(column: pl.Series) -> pl.Series:
    """The distinct values of a column of numbers or truth values; none of another, whose values are used as texts."""
    kind = column.dtype
    plain = kind.is_integer() or kind.is_float() or kind.is_(pl.Boolean)
    return column.drop_nulls().unique() if plain else column[:0]


def _in_texts(gold: Any, values: Mapping[str, Any]) -> Any:
    """Gold with the names of labels in place of the table's numbers, which would be taken for positions of labels."""
    names = {value: name for name, value in values.items()}

    def named(value: Any) -> Any:
        if not isinstance(value, int | float | np.number | np.bool_) or np.isnan(value):
            return value
        # −1 is an item without gold, where it is no label; any other number that is no label is to be refused by name.
        return names.get(value, None if value == -1 else str(value))

    def translated(given: Any) -> Any:
        if isinstance(given, Mapping):
            return {key: translated(value) for key, value in given.items()}
        if hasattr(given, "iloc"):
            return given.astype(object).map(named)
        if isinstance(given, list | tuple) or (isinstance(given, np.ndarray) and given.ndim == 1):
            return [translated(value) for value in given]
        return named(given)

    return translated(gold) if values else gold
