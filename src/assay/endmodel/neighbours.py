"""Labels of neighbours: an end model that needs no training, only a distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from assay.endmodel.features import as_matrix
from assay.endmodel.predictor import Predictor, labels_to_learn_from, rows_of
from assay.errors import AssayError, DataError
from assay.labels import Labels
from assay.tasks import TaskGraph

FloatArray = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]

RADII = (0.02, 0.04, 0.07, 0.1, 0.15, 0.2, 0.3)
"""How fast likeness fades, as cosine distances: those that are tried."""
_PIECE = 2**22
"""Likenesses that are computed together; bounds memory."""
_OWN = 0.5
"""How much the mean of all labels counts, as if it were that much of one neighbour."""
_TRIED = 2_000
"""Items that radii are tried on."""


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Items to look for neighbours among, their labels, and how far to look."""

    tasks: TaskGraph
    rows: Floats
    """(items, features), each of length one."""
    joint: tuple[FloatArray, ...]
    mean: tuple[FloatArray, ...]
    neighbours: int
    radius: float
    """Infinite if neighbours tell nothing: everyone then gets the mean label."""

    def label(self, rows: Floats, *, leave_out: bool = False) -> Labels:
        """Labels of items, from those of their neighbours; ``leave_out``: items are not their own neighbours."""
        parts: list[tuple[FloatArray, ...]] = []
        step = max(_PIECE // max(len(self.rows), 1), 1)
        for start in range(0, len(rows), step):
            near, likeness = self.nearest(rows[start : start + step], leave_out=leave_out)
            parts.append(self.weighted(near, likeness))
        empty = tuple(np.zeros((0, part.shape[1])) for part in self.joint)
        return Labels(self.tasks, tuple(np.concatenate(part) for part in zip(*(parts or [empty]), strict=True)))

    def nearest(self, rows: Floats, *, leave_out: bool = False) -> tuple[IntArray, Floats]:
        """(items, neighbours): which are nearest, and how alike they are, from −1 to 1."""
        alike = rows @ self.rows.T
        if leave_out:  # an item is most like itself
            alike[np.arange(len(rows)), alike.argmax(axis=1)] = -1
        count = min(self.neighbours, alike.shape[1])
        near = np.argpartition(-alike, count - 1, axis=1)[:, :count]
        near.sort(axis=1)  # sums then do not depend on how the partition left them
        return near.astype(np.int64), np.take_along_axis(alike, near, axis=1)

    def weighted(self, near: IntArray, likeness: Floats, radius: float | None = None) -> tuple[FloatArray, ...]:
        """Per component (items, outcomes): the mean label of neighbours, weighted by likeness."""
        used = self.radius if radius is None else radius
        if not np.isfinite(used):
            return tuple(np.tile(mean, (len(near), 1)) for mean in self.mean)
        # A neighbour at a distance of one radius counts one.
        weights = np.exp(1 + (likeness.astype(np.float64) - 1) / used)
        total = weights.sum(axis=1, keepdims=True) + _OWN
        return tuple(
            (np.einsum("ik,iko->io", weights, joint[near]) + _OWN * mean) / total
            for joint, mean in zip(self.joint, self.mean, strict=True)
        )


class NeighbourModel(Predictor[Neighbourhood]):
    """Labels an item like its nearest neighbours in an embedding: nothing is trained.

    With :func:`assay.refine` it smooths labels over neighbours: the votes of near items count for an item too. How far
    to look is learned, by how well items' labels are foreseen from those of their neighbours; where they are not, every
    item gets the mean label, which changes nothing.

    Parameters
    ----------
    neighbours
        At most how many neighbours count.
    references
        At most how many items neighbours are looked for among, drawn at random from those with labels: so the time
        for an item does not grow with their number.
    seed
        Determines which ones.

    >>> import assay
    >>> tasks = assay.TaskGraph.flat("mail", ["ham", "spam"])
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 2, 300)
    >>> rows = np.eye(2)[truth] + 0.2 * rng.normal(size=(300, 2))
    >>> labels = assay.Labels(tasks, (np.eye(2)[truth] * 0.6 + 0.2,))
    >>> NeighbourModel().fit(rows, labels).predict(np.array([[1.0, 0.1], [0.0, 2.0]]))
    array([0, 1])
    """

    def __init__(self, *, neighbours: int = 20, references: int = 20_000, seed: int = 0) -> None:
        self.neighbours = neighbours
        self.references = references
        self.seed = seed

    def fit(self, data: Any, labels: Any) -> Self:
        """Remember items and their labels.

        Parameters
        ----------
        data
            (items, features): an array, such as embeddings, a table of numbers, or a sparse matrix.
        labels
            What :meth:`assay.EndModel.fit` takes.
        """
        for name in ("neighbours", "references"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise AssayError(f"{name} must be a positive integer, but is {value!r}")
        given = labels_to_learn_from(labels)
        rows = _unit_rows(data)
        taught = rows_of(given, len(rows), data)
        rng = np.random.default_rng(self.seed)
        chosen = np.arange(len(taught))
        if len(taught) > self.references:
            chosen = np.sort(rng.choice(len(taught), self.references, replace=False))
        joint = tuple(part[chosen] for part in given.joint)
        mean = tuple(part.mean(axis=0) for part in given.joint)
        found = Neighbourhood(given.tasks, rows[taught[chosen]], joint, mean, self.neighbours, np.inf)
        self._fitted = Neighbourhood(given.tasks, found.rows, joint, mean, self.neighbours, _radius(found, rng))
        return self

    @property
    def radius_(self) -> float:
        """The cosine distance over which likeness fades; infinite if neighbours tell nothing."""
        return self._known.radius

    def label(self, data: Any) -> Labels:
        """Labels for every item, as :meth:`assay.LabelModel.label` gives them; they never contradict the task graph."""
        rows = _unit_rows(data)
        if rows.shape[1] != self._known.rows.shape[1]:
            raise DataError(f"expected rows of {self._known.rows.shape[1]} features, but they have {rows.shape[1]}")
        return self._known.label(rows)


def _radius(found: Neighbourhood, rng: np.random.Generator) -> float:
    """The radius whose neighbours foresee labels best, without their own; infinite if the mean label does."""
    if len(found.rows) < 2:
        return float("inf")
    tried = np.arange(len(found.rows))
    if len(tried) > _TRIED:
        tried = np.sort(rng.choice(tried, _TRIED, replace=False))
    near, likeness = [], []
    step = max(_PIECE // len(found.rows), 1)
    for start in range(0, len(tried), step):
        some = found.nearest(found.rows[tried[start : start + step]], leave_out=True)
        near.append(some[0])
        likeness.append(some[1])
    all_near, all_likeness = np.concatenate(near), np.concatenate(likeness)

    def loss(radius: float) -> float:
        parts = found.weighted(all_near, all_likeness, radius)
        return sum(
            -float((joint[tried] * np.log(np.maximum(part, 1e-6))).sum(axis=1).mean())
            for joint, part in zip(found.joint, parts, strict=True)
        )

    return min((float("inf"), *RADII), key=loss)


def _unit_rows(data: Any) -> Floats:
    """(items, features): rows of length one."""
    matrix = as_matrix(data)
    rows = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=np.float32)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(norms, 1e-12), dtype=np.float32)
