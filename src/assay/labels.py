"""Labels: posterior probabilities per item, joint over outcomes and marginal per task."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from assay._core import views
from assay._core.atomic_files import writing
from assay.errors import AssayError, VoteError, near_miss
from assay.gold import CheckedLabels
from assay.tasks import TaskGraph
from assay.votes import Votes, on_the_same_task

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from assay.report import LabelPlots

FloatArray = npt.NDArray[np.float64]

_KEY = b"assay.labels"


@dataclass(frozen=True, eq=False)
class Labels:
    """Probabilistic labels that never contradict the task graph.

    ``labels["person"]`` is an array (items, labels + 1) with the probability of
    each of the task's labels and, last, of N/A: the task does not apply.

    >>> tasks = TaskGraph.flat("mail", ["ham", "spam"])
    >>> labels = Labels(tasks, (np.array([[0.9, 0.1], [0.2, 0.8]]),))
    >>> labels["mail"]
    array([[0.9, 0.1, 0. ],
           [0.2, 0.8, 0. ]])
    >>> labels.names("mail").tolist()
    ['ham', 'spam']
    """

    tasks: TaskGraph
    joint: tuple[FloatArray, ...]
    """Per component of the label space (items, outcomes): P(outcome | votes)."""
    items: npt.NDArray[Any] | None = None
    """(items,): the names of the items, if the votes had any."""
    kept: npt.NDArray[np.bool_] | None = None
    """(rows of the data,): the rows that these labels belong to, after some were dropped; None for all."""
    gold: CheckedLabels | None = None
    """The items whose gold the model has learned from, with what it would have said of them without; None if none."""

    @classmethod
    def concat(cls, parts: Iterable[Labels]) -> Labels:
        """Concatenate the labels of several parts."""
        found = list(parts)
        if not found:
            raise VoteError("nothing to concatenate: expected at least one Labels")
        if len(found) == 1:
            return found[0]
        named = [part.items for part in found if part.items is not None]
        kept = [np.ones(len(part), dtype=bool) if part.kept is None else part.kept for part in found]
        return cls(
            found[0].tasks,
            tuple(np.concatenate(joint) for joint in zip(*(part.joint for part in found), strict=True)),
            np.concatenate(named) if len(named) == len(found) else None,
            None if all(part.kept is None for part in found) else np.concatenate(kept),
        )

    def __len__(self) -> int:
        return len(self.joint[0])

    def __iter__(self) -> Iterator[str]:
        return iter(self.tasks.names)

    def __repr__(self) -> str:
        return f"Labels({len(self):,} items, tasks: {', '.join(self.tasks.names)})"

    def __getitem__(self, task: str) -> FloatArray:
        """(items, labels + 1): the marginal of one task; the last column is N/A."""
        if task not in self.tasks:
            raise VoteError(f"there is no task {task!r}. {near_miss(task, self.tasks.names)}")
        index = self.tasks.label_space.component_of(task)
        component = self.tasks.label_space.components[index]
        marginal = np.zeros((len(self), len(self.tasks[task].labels) + 1))
        for outcome, label in enumerate(component.label_of(task)):
            marginal[:, label] += self.joint[index][:, outcome]
        return marginal

    def names(self, task: str) -> npt.NDArray[np.object_]:
        """(items,): the label of a task in the most probable outcome; None where the task does not apply."""
        index = self.tasks.label_space.component_of(task)
        component = self.tasks.label_space.components[index]
        texts = np.array([*self.tasks[task].labels, None], dtype=object)
        chosen: npt.NDArray[np.object_] = texts[component.label_of(task)[self.joint[index].argmax(axis=1)]]
        return chosen

    @property
    def plot(self) -> LabelPlots:
        """Altair charts: ``labels.plot.confidence()``, ``counts(task)``."""
        plots: LabelPlots = views.plots_of(self)
        return plots

    def _repr_html_(self) -> str:
        return views.html_of(self)

    # Selection for training

    def where(self, chosen: Any) -> Labels:
        """The labels of the items in a mask (items,); ``kept`` then marks the rows of the data they belong to.

        :meth:`assay.EndModel.fit` takes them with the data of all rows; otherwise use ``data[labels.kept]``.

        >>> labels = Labels(TaskGraph.flat("mail", ["ham", "spam"]), (np.array([[0.9, 0.1], [0.5, 0.5]]),))
        >>> labels.where([True, False]).kept
        array([ True, False])
        """
        mask = np.asarray(chosen)
        if mask.shape != (len(self),) or mask.dtype != bool:
            raise AssayError(
                f"expected True or False for each of the {len(self)} items, "
                f"but got {mask.dtype} values of shape {mask.shape}"
            )
        kept = np.ones(len(self), dtype=bool) if self.kept is None else self.kept.copy()
        kept[np.flatnonzero(kept)[~mask]] = False
        items = None if self.items is None else self.items[mask]
        return Labels(self.tasks, tuple(joint[mask] for joint in self.joint), items, kept)

    def voted(self, votes: Any) -> Labels:
        """Drop the items that no source voted on: their labels are only the class balance.

        >>> votes = Votes.from_matrix([[0, 1], [-1, -1]])
        >>> len(Labels(votes.tasks, (np.full((2, 2), 0.5),)).voted(votes))
        1
        """
        rows = len(self) if self.kept is None else len(self.kept)
        votes = votes if isinstance(votes, Votes) else on_the_same_task(votes, self.tasks)
        if votes.tasks != self.tasks or len(votes) != rows:
            raise AssayError(
                f"expected the votes that these labels were made from, on {rows} items, "
                f"but got votes on {len(votes)}" + ("" if votes.tasks == self.tasks else " and other tasks")
            )
        has_votes = np.diff(votes.cast.starts) > 0
        return self.where(has_votes if self.kept is None else has_votes[self.kept])

    def confident(self, at_least: float, task: str | None = None) -> Labels:
        """Drop the items whose most probable outcome, or label of ``task``, is less probable than ``at_least``.

        With several components, each must reach it.
        """
        if not 0 <= at_least <= 1:
            raise AssayError(f"at_least must be a probability, but is {at_least!r}")
        parts = self.joint if task is None else (self[task],)
        return self.where(np.all([part.max(axis=1) >= at_least for part in parts], axis=0))

    def rebalance(self, to: Literal["median", "min"] | None, task: str | None = None, *, seed: int = 0) -> Labels:
        """Drop random items of frequent classes, until no class has more than the median, or the rarest, class had.

        Parameters
        ----------
        to
            ``"median"``, ``"min"``, or None to change nothing.
        task
            The task whose labels are the classes; by default the outcomes are.
        seed
            Determines which items are dropped.

        >>> labels = Labels(TaskGraph.flat("mail", ["ham", "spam"]), (np.eye(2)[[0, 0, 0, 1]],))
        >>> labels.rebalance("min").names("mail").tolist()
        ['ham', 'spam']
        """
        if to not in ("median", "min", None):
            raise AssayError(f"expected 'median', 'min' or None to rebalance to, but got {to!r}")
        if to is None or not len(self):
            return self
        if task is None and len(self.joint) > 1:
            raise AssayError(f"there are several components; name a task. {near_miss('', self.tasks.names)}")
        classes = (self.joint[0] if task is None else self[task]).argmax(axis=1)
        counts = np.bincount(classes)
        found = counts[counts > 0]
        most = int(found.min() if to == "min" else np.median(found))
        shuffled = np.random.default_rng(seed).permutation(len(self))
        chosen = np.zeros(len(self), dtype=bool)
        for number in np.flatnonzero(counts):
            chosen[shuffled[classes[shuffled] == number][:most]] = True
        return self.where(chosen)

    def tempered(self, temperature: float) -> Labels:
        """Probabilities to the power of 1 / temperature, normalised: sharper below 1, flatter above."""
        if not 0 < temperature < np.inf:
            raise AssayError(f"temperature must be a positive number, but is {temperature!r}")
        return replace(self, joint=tuple(_tempered(joint, temperature) for joint in self.joint))

    def hard(self) -> Labels:
        """All probability on the most probable outcome; on the first one in a tie."""
        return replace(self, joint=tuple(np.eye(joint.shape[1])[joint.argmax(axis=1)] for joint in self.joint))

    # Export

    def to_pandas(self) -> pd.DataFrame:
        """A column for each task with its label, and one for each label with its probability."""
        import pandas as pd

        columns: dict[str, Any] = {}
        for task in self.tasks:
            columns[task.name] = pd.Series(self.names(task.name), dtype=object)
            columns |= self._probabilities(task.name)
        table = pd.DataFrame(columns)
        if self.items is not None:
            table.index = pd.Index(self.items, name="item")
        return table

    def _probabilities(self, task: str) -> dict[str, FloatArray]:
        """A column for each label of a task, and for N/A if the task may not apply."""
        index = self.tasks.label_space.component_of(task)
        component = self.tasks.label_space.components[index]
        marginal = self[task]
        columns = {f"{task}={label}": marginal[:, at] for at, label in enumerate(self.tasks[task].labels)}
        if (component.label_of(task) < 0).any():
            columns[f"{task}=N/A"] = marginal[:, -1]
        return columns

    def to_arrow(self) -> pa.Table:
        """An Arrow table: the columns of :meth:`to_pandas`, then the outcomes of components with several tasks."""
        import pyarrow as pa

        columns: dict[str, Any] = {}
        names = None
        if self.items is not None:
            names = next(name for name in ("item", "item_", "item__", "_item_") if name not in self.tasks.names)
            columns[names] = pa.array(self.items)
        for task in self.tasks:
            index = self.tasks.label_space.component_of(task.name)
            component = self.tasks.label_space.components[index]
            chosen = component.label_of(task.name)[self.joint[index].argmax(axis=1)].astype(np.int32)
            texts = pa.array(task.labels, type=pa.string())
            columns[task.name] = pa.DictionaryArray.from_arrays(pa.array(chosen, mask=chosen < 0), texts)
            columns |= self._probabilities(task.name)
        for index, joint in enumerate(self.joint):
            for outcome, name in enumerate(_outcome_columns(self.tasks, index)):
                columns.setdefault(name, joint[:, outcome])
        stored = {_KEY: json.dumps({"version": 2, "tasks": self.tasks.to_dict(), "items": names}).encode()}
        return pa.table(columns).replace_schema_metadata(stored)

    def to_parquet(self, path: str | Path) -> Path:
        """Write the table of :meth:`to_arrow` to a Parquet file that any tool can read."""
        return write_labels([self], path)

    @classmethod
    def from_parquet(cls, path: str | Path) -> Labels:
        """Labels from a file that :meth:`to_parquet` wrote."""
        from assay._core.parquet import read_parquet

        table = read_parquet(Path(path))
        stored = (table.schema.metadata or {}).get(_KEY)
        if stored is None:
            raise VoteError(f"{path} is not a labels file written by Assay")
        said = json.loads(stored)
        tasks = TaskGraph.from_dict(said["tasks"])
        try:
            joint = tuple(
                np.column_stack([table.column(name).to_numpy() for name in _outcome_columns(tasks, index)])
                for index in range(len(tasks.label_space.components))
            )
        except KeyError as error:
            raise VoteError(f"{path} is not a valid labels file: {error}") from error
        items = table.column(said["items"]).to_numpy() if said["items"] else None
        return cls(tasks, joint, items)


def _tempered(joint: FloatArray, temperature: float) -> FloatArray:
    # Each row is divided by its largest entry first, so that the powers do not underflow.
    powers = (joint / joint.max(axis=1, keepdims=True)) ** (1 / temperature)
    tempered: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return tempered


def _outcome_columns(tasks: TaskGraph, index: int) -> list[str]:
    """The columns that hold a component's outcome probabilities; the task's own, if outcomes are its labels."""
    component = tasks.label_space.components[index]
    task = component.tasks[0]
    if len(component.tasks) == 1 and np.array_equal(component.label_of(task), np.arange(len(tasks[task].labels))):
        return [f"{task}={label}" for label in tasks[task].labels]
    return [f"outcome {index}.{outcome}" for outcome in range(len(component))]


def _kind_of_items(schema: pa.Schema) -> str:
    column = json.loads(schema.metadata[_KEY])["items"]
    return "missing" if column is None else str(schema.field(column).type)


def write_labels(parts: Iterable[Labels], path: str | Path) -> Path:
    """Write labels to a Parquet file, part by part and atomically."""
    import pyarrow.parquet as pq

    target = Path(path)
    with ExitStack() as open_files:
        unfinished = open_files.enter_context(writing(target))
        writer = None
        for part in parts:
            table = part.to_arrow()
            if writer is None:
                # Probabilities hardly ever repeat, so dictionary encoding would only cost space.
                texts = [name for name in table.column_names if name in part.tasks]
                writer = pq.ParquetWriter(unfinished, table.schema, compression="zstd", use_dictionary=texts)
                open_files.enter_context(writer)
            elif not table.schema.equals(writer.schema):
                first, other = (_kind_of_items(schema) for schema in (writer.schema, table.schema))
                raise VoteError(
                    "labels in one file must all have item names of the same type, or none, "
                    f"but some are {first} and others {other}"
                )
            writer.write_table(table)
        if writer is None:
            raise VoteError("there are no labels to write")
    return target
