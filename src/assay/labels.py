"""Labels: what the label model believes, per item, jointly and for each task."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay.errors import VoteError, near_miss
from assay.store import writing
from assay.tasks import TaskGraph

if TYPE_CHECKING:
    import pandas as pd

FloatArray = npt.NDArray[np.float64]

_KEY = b"assay.labels"


@dataclass(frozen=True, eq=False)
class Labels:
    """Probabilistic labels that never contradict the task graph.

    ``labels["person"]`` is an array (items, labels + 1) with the probability of
    each of the task's labels and, last, of N/A: that the task does not apply.

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
    """(items,): what the rows are called, if the votes had names for them."""

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
        """(items,): the most probable label of a task in the most probable outcome; None where it does not apply."""
        index = self.tasks.label_space.component_of(task)
        component = self.tasks.label_space.components[index]
        texts = np.array([*self.tasks[task].labels, None], dtype=object)
        chosen: npt.NDArray[np.object_] = texts[component.label_of(task)[self.joint[index].argmax(axis=1)]]
        return chosen

    def to_pandas(self) -> pd.DataFrame:
        """A column for each task with its label, and one for each label with its probability."""
        import pandas as pd

        columns: dict[str, Any] = {}
        for task in self.tasks:
            marginal = self[task.name]
            columns[task.name] = pd.Series(self.names(task.name), dtype=object)
            for position, label in enumerate((*task.labels, "N/A")):
                if label != "N/A" or marginal[:, -1].any():
                    columns[f"{task.name}={label}"] = marginal[:, position]
        table = pd.DataFrame(columns)
        if self.items is not None:
            table.index = pd.Index(self.items, name="item")
        return table

    def to_parquet(self, path: str | Path) -> Path:
        """Write a Parquet file: the columns of :meth:`to_pandas`, and the outcomes' probabilities behind them."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        frame = self.to_pandas()
        names = None
        if self.items is not None:
            names = next(name for name in ("item", "item_", "item__", "_item_") if name not in frame.columns)
            frame.index.name = names
        table = pa.Table.from_pandas(frame, preserve_index=names is not None)
        for index, joint in enumerate(self.joint):
            for outcome in range(joint.shape[1]):
                table = table.append_column(f"outcome {index}.{outcome}", pa.array(joint[:, outcome]))
        stored = {_KEY: json.dumps({"version": 1, "tasks": self.tasks.to_dict(), "items": names}).encode()}
        target = Path(path)
        with writing(target) as unfinished:
            pq.write_table(table.replace_schema_metadata({**(table.schema.metadata or {}), **stored}), unfinished)
        return target

    @classmethod
    def from_parquet(cls, path: str | Path) -> Labels:
        """Labels from a file that :meth:`to_parquet` wrote."""
        from assay.vote_table import read

        table = read(Path(path))
        stored = (table.schema.metadata or {}).get(_KEY)
        if stored is None:
            raise VoteError(f"{path} holds no labels that Assay wrote")
        said = json.loads(stored)
        tasks = TaskGraph.from_dict(said["tasks"])
        try:
            joint = tuple(
                np.column_stack([table.column(f"outcome {index}.{y}").to_numpy() for y in range(len(component))])
                for index, component in enumerate(tasks.label_space.components)
            )
        except KeyError as error:
            raise VoteError(f"{path} is not a sound file of labels: {error}") from error
        items = table.column(said["items"]).to_numpy() if said["items"] else None
        return cls(tasks, joint, items)
