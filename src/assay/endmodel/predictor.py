"""What all end models have in common: labels for data, in three shapes."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay._core.settings import WithSettings
from assay.errors import AssayError, DataError
from assay.labels import Labels
from assay.tasks import TaskGraph

if TYPE_CHECKING:
    import pandas as pd

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class Predictor(WithSettings):
    """Labels items from their data alone."""

    @abstractmethod
    def label(self, data: Any) -> Labels:
        """Labels for every item, as :meth:`assay.LabelModel.label` gives them; they never contradict the task graph."""

    def predict_proba(self, data: Any) -> FloatArray | list[FloatArray]:
        """(items, outcomes): P(outcome | item); a list of those, one a component, if there are several."""
        joint = self.label(data).joint
        return joint[0] if len(joint) == 1 else list(joint)

    def predict(self, data: Any) -> pd.DataFrame:
        """A column for each task with the label of every item; None where the task does not apply."""
        import pandas as pd

        labels = self.label(data)
        return pd.DataFrame({task: pd.Series(labels.names(task), dtype=object) for task in labels})


def checked_labels(labels: Any, tasks: TaskGraph | None = None) -> Labels:
    """Labels that can be learned from: of these tasks, with probabilities for at least one item."""
    if not isinstance(labels, Labels):
        raise AssayError(
            f"expected assay.Labels to learn from, but got {type(labels).__name__}; LabelModel.label(votes) gives them"
        )
    if tasks is not None and labels.tasks != tasks:
        theirs, ours = (", ".join(graph.names) for graph in (labels.tasks, tasks))
        hint = "the same tasks with other labels or logic" if theirs == ours else f"{theirs}, rather than {ours}"
        raise AssayError(f"the labels are for another task graph than this model's: {hint}; label with the same tasks")
    if not len(labels):
        raise AssayError("there are no labels to learn from; were all items left out?")
    for joint in labels.joint:
        sound = np.isfinite(joint).all(axis=1) & (joint >= 0).all(axis=1) & (np.abs(joint.sum(axis=1) - 1) < 1e-6)
        if not sound.all():
            row = int((~sound).argmax())
            raise AssayError(f"labels are probabilities that sum to one, but those of item {row} are {joint[row]}")
    return labels


def rows_of(labels: Labels, count: int) -> IntArray:
    """Which rows of data the labels are of: all, those that were kept, or all of data that was cut already."""
    if labels.kept is not None and count == len(labels.kept):
        return np.flatnonzero(labels.kept)
    if count != len(labels):
        among = "" if labels.kept is None else f", chosen from {len(labels.kept)} rows"
        raise DataError(
            f"expected a row of data for each label, but there are {count} rows and {len(labels)} labels{among}; "
            "give the data that the labels were made for, in the same order"
        )
    return np.arange(count)
