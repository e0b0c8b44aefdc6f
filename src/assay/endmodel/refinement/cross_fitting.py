"""Out-of-fold predictions: what a model says of items that it was not trained on, each fold kept once it is done."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay._core.atomic_files import read_arrays, write_arrays
from assay._core.progress import Progress
from assay._core.stored_arrays import stored_array
from assay.endmodel.refinement.views import View
from assay.errors import AssayError
from assay.labels import Labels
from assay.tasks import TaskGraph

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Joint = tuple[FloatArray, ...]


@dataclass(frozen=True, eq=False)
class CrossFitting:
    """Trains copies of a view's model, fold by fold."""

    tasks: TaskGraph
    folder: Path | None
    """Where the predictions of finished folds are kept, so that interrupted work goes on; None for nowhere."""
    bar: Progress

    def predictions(
        self,
        view: View,
        digest: str,
        joint: Joint,
        rows: IntArray,
        teaches: IntArray,
        folds: int,
        seed: int,
        title: str,
    ) -> Joint:
        """Per component (items, outcomes): what the model says of some rows of the data, each by one not taught by it.

        An item that teaches none of the models gets the mean of what all say.

        Parameters
        ----------
        digest
            Of the view.
        joint
            Per component (items, outcomes): the labels to learn from, of these rows.
        rows
            (items,): which rows of the data.
        teaches
            (items,): how often each item is among those that are learned from; 0 for never.
        """
        teachers = np.flatnonzero(teaches)
        fold = np.full(len(rows), -1)
        fold[np.random.default_rng([seed, folds]).permutation(teachers)] = np.arange(len(teachers)) % folds
        found = tuple(np.zeros_like(part) for part in joint)
        for number in range(folds):
            self.bar.describe(f"{title}, fold {number + 1} of {folds}")
            held = (fold == number) | (fold < 0)
            share = np.where(fold[held] < 0, 1 / folds, 1.0)[:, None]
            for whole, part in zip(found, self._fold(view, digest, joint, rows, teaches, held), strict=True):
                whole[held] += share * part
            self.bar.advance(1)
        return found

    def _fold(self, view: View, digest: str, joint: Joint, rows: IntArray, teaches: IntArray, held: BoolArray) -> Joint:
        # Shown several times rather than weighted, since not every model takes weights.
        taught = np.repeat(np.arange(len(rows)), np.where(held, 0, teaches))
        labels = Labels(self.tasks, tuple(part[taught] for part in joint))
        path = self._path(digest, labels, rows[taught], rows[held])
        if path is not None and path.is_file():
            return _read(path, [(int(held.sum()), part.shape[1]) for part in joint])
        model = _trained(view, view.rows(rows[taught]), labels)
        found: Joint = model.label(view.rows(rows[held])).joint
        if path is not None:
            write_arrays(path, {"predictions": len(found)}, {f"part {at}": part for at, part in enumerate(found)})
        return found

    def _path(self, digest: str, labels: Labels, taught: IntArray, held: IntArray) -> Path | None:
        """The file of a fold, named after all that decides what is in it."""
        if self.folder is None:
            return None
        purpose = hashlib.sha256(digest.encode())
        for array in (*labels.joint, taught, held):
            purpose.update(np.ascontiguousarray(array).tobytes())
        return self.folder / f"fold-{purpose.hexdigest()[:32]}.npz"


def _trained(view: View, data: Any, labels: Labels) -> Any:
    import inspect

    model = view.fresh_model()
    quiet = {"progress": False} if "progress" in inspect.signature(model.fit).parameters else {}
    model.fit(data, labels, **quiet)
    if getattr(model, "interrupted_", False):
        raise KeyboardInterrupt
    return model


def _read(path: Path, shapes: list[tuple[int, int]]) -> Joint:
    _, arrays = read_arrays(path, "file of predictions")
    try:
        return tuple(stored_array(arrays, f"part {at}", shape, low=0, high=1.001) for at, shape in enumerate(shapes))
    except (KeyError, ValueError) as error:
        raise AssayError(f"{path} does not hold the predictions that it should: {error}; delete it") from error
