"""One line for a crowd: from a long table of items, workers and labels to labels, skills and agreement."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, logit, ndtri

from assay._core.rows import as_polars
from assay.baselines import majority_vote
from assay.errors import VoteError
from assay.labels import Labels
from assay.model import LabelModel
from assay.votes import Alpha, Votes, krippendorff_alpha, long_columns

if TYPE_CHECKING:
    import pandas as pd

_Z = float(ndtri(0.975))
"""Standard deviations on each side of a 95% interval."""


@dataclass(frozen=True, eq=False, repr=False)
class Aggregation:
    """What a crowd said of each item, put together; made by :func:`aggregate`."""

    votes: Votes
    """Every worker is a source."""
    model: LabelModel
    """The label model that was fitted on them."""

    @cached_property
    def _posterior(self) -> Labels:
        return self.model.label(self.votes, progress=False)

    @cached_property
    def labels(self) -> pd.Series[Any]:
        """The most probable label of each item, by its name."""
        (task,) = self.votes.tasks.names
        return self._by_item("label", self._posterior.names(task))

    @cached_property
    def probabilities(self) -> pd.DataFrame:
        """(items, labels): the probability of each label."""
        import pandas as pd

        (task,) = self.votes.tasks
        return pd.DataFrame(self._posterior[task.name][:, : len(task.labels)], columns=task.labels, index=self._items)

    @cached_property
    def skills(self) -> pd.DataFrame:
        """Per worker the *skill*, the estimated share of their votes that are right, *low* and *high*, and *votes*.

        ``model.sources_`` has a row for each label that a worker gives.
        """
        return pooled(self.model.sources_).rename_axis("worker").rename(columns={"accuracy": "skill"})

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
        names = np.array([*task.labels, None], dtype=object)
        return self._by_item("majority", names[np.where(tied, len(task.labels), shares.argmax(axis=1))])

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

    @property
    def _items(self) -> pd.Index[Any]:
        import pandas as pd

        assert self.votes.items is not None
        found: pd.Index[Any] = pd.Index(self.votes.items.tolist(), name="item")
        return found

    def _by_item(self, name: str, values: Any) -> pd.Series[Any]:
        import pandas as pd

        return pd.Series(values, index=self._items, name=name, dtype=object)

    def __repr__(self) -> str:
        items, workers = self.votes.shape
        (task,) = self.votes.tasks
        tied = int(self.majority.isna().sum())
        differ = int((self.majority.notna() & (self.majority != self.labels)).sum())
        alpha = "unknown" if self.agreement is None else self.agreement
        return (
            f"Aggregation({items:,} items, {workers:,} workers, {len(task.labels)} labels; Krippendorff's α {alpha}; "
            f"{differ:,} labels differ from a majority vote, which is tied on {tied:,})"
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
        A dataframe, a dict of columns, or a path, with a row for each vote: an item, a worker, and a label.
    item, worker, label
        Its columns; by default those that are called so, or as in crowd-kit: ``task``, ``worker``, ``label``.
    gold
        True labels of some items, if there are any: a pandas Series by item, or what
        :meth:`assay.LabelModel.fit` takes.
    model
        The label model to fit; by default one with default settings.

    Returns
    -------
    Aggregation
        ``.labels``, ``.probabilities``, ``.skills``, ``.agreement``, ``.to_pandas()``.

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
    """
    frame = as_polars(table)
    columns = long_columns(frame.columns, {"item": item, "source": worker, "label": label})
    if frame[columns["label"]].is_null().all():
        raise VoteError("the table has no votes: expected rows with an item, a worker and a label")
    votes = Votes.from_long(frame, item=columns["item"], source=columns["source"], label=columns["label"])
    return Aggregation(votes, (LabelModel() if model is None else model).fit(votes, gold, progress=False))
