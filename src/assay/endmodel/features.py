"""Items that are rows of numbers already: a dense array, a table, or a sparse matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay._core.stored_arrays import of_type, stored_array
from assay.endmodel.encoder import Encoder, Learned, Reader
from assay.errors import DataError

if TYPE_CHECKING:
    from torch import nn

    from assay.endmodel.inputs import Inputs

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class Features(Encoder):
    """Items as rows of numbers: a dense array, a dataframe, or a SciPy sparse matrix, which stays sparse.

    Parameters
    ----------
    standardize
        Whether dense features are standardised: shifted and scaled to mean 0 and standard
        deviation 1 on the training data. Sparse ones are taken as they are.
    columns
        The columns to use, where data is given as a table or a file; all by default.

    >>> Features().learn(np.array([[1.0, 20.0], [3.0, 40.0]])).width
    2
    """

    standardize: bool = True
    columns: tuple[str, ...] | None = None

    def learn(self, data: Any) -> FeatureReader:
        """Find out how many features there are, and how they are spread."""
        from scipy.sparse import issparse

        matrix = as_matrix(data, self.columns)
        if issparse(matrix) or not self.standardize:
            return FeatureReader(self, matrix.shape[1], bool(issparse(matrix)), None)
        spread = matrix.std(axis=0)
        return FeatureReader(self, matrix.shape[1], False, (matrix.mean(axis=0), np.where(spread > 0, spread, 1)))

    def restore(self, learned: Learned) -> FeatureReader:
        """The reader that had learned this."""
        width = int(of_type(int, learned.said["width"]))
        shape = None
        if "mean" in learned.arrays:
            mean, spread = (stored_array(learned.arrays, name, (width,), np.float32) for name in ("mean", "spread"))
            shape = mean, spread
        return FeatureReader(self, width, bool(of_type(bool, learned.said["sparse"])), shape)


@dataclass(frozen=True, eq=False)
class FeatureReader(Reader):
    """Knows how many features there are, and how they are spread."""

    encoder: Features
    width: int
    is_sparse: bool
    shape: tuple[Floats, Floats] | None
    """The mean and the standard deviation of each feature, by which it is standardised."""

    def read(self, data: Any) -> Inputs:
        """The rows, as numbers in single precision."""
        from scipy.sparse import csr_matrix

        from assay.endmodel.inputs import DenseInputs, SparseInputs

        matrix = self.matrix(data)
        if self.is_sparse:
            rows = csr_matrix(matrix)
            return SparseInputs(rows.indptr.astype(np.int64), rows.indices.astype(np.int32, copy=False), rows.data)
        return DenseInputs(matrix if isinstance(matrix, np.ndarray) else matrix.toarray())

    def matrix(self, data: Any) -> Any:
        """The rows, dense or sparse, with as many features as were learned from."""
        matrix = as_matrix(data, self.encoder.columns)
        if matrix.shape[1] != self.width:
            raise DataError(f"expected rows of {self.width} features, but they have {matrix.shape[1]}")
        return matrix

    def body(self) -> nn.Module:
        """Standardises the features."""
        import torch
        from torch import nn

        from assay.endmodel.network import Standardize

        if self.shape is None:
            return nn.Identity()
        return Standardize(*(torch.from_numpy(array) for array in self.shape))

    def learned(self) -> Learned:
        """The number of features, their means and standard deviations."""
        arrays = {} if self.shape is None else dict(zip(("mean", "spread"), self.shape, strict=True))
        return Learned({"width": self.width, "sparse": self.is_sparse}, arrays)


def as_matrix(data: Any, columns: tuple[str, ...] | None = None) -> Any:
    """Data as a dense or sparse matrix in single precision, with a finite number everywhere."""
    from scipy.sparse import csr_matrix, issparse

    if issparse(data):
        matrix: Any = csr_matrix(data)  # type: ignore[call-overload]
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        matrix = matrix.astype(np.float32, copy=False)
        _check_finite(
            matrix.data,
            lambda at: (int(np.searchsorted(matrix.indptr, at, side="right")) - 1, int(matrix.indices[at])),
        )
        return matrix
    try:
        array = data if isinstance(data, np.ndarray) else _array(data, columns)
        dense = np.ascontiguousarray(array, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise DataError(f"expected rows of numbers, but they cannot be read as such: {error}") from error
    if dense.ndim != 2 or not dense.shape[1]:
        raise DataError(f"expected features as items × features, but their shape is {dense.shape}")
    _check_finite(dense.ravel(), lambda at: divmod(at, dense.shape[1]))
    return dense


def _array(data: Any, columns: tuple[str, ...] | None) -> npt.NDArray[Any]:
    from assay._core.rows import as_polars
    from assay.errors import near_miss

    if isinstance(data, list | tuple):
        return np.asarray(data)
    if hasattr(data, "numpy"):  # a tensor
        return np.asarray(data.numpy())
    frame = as_polars(data)
    for name in columns or ():
        if name not in frame.columns:
            raise DataError(f"the data has no column {name!r}. {near_miss(name, frame.columns)}")
    return frame.select(columns or frame.columns).to_numpy()


def _check_finite(values: npt.NDArray[Any], place: Callable[[int], tuple[int, int]]) -> None:
    wrong = ~np.isfinite(values)
    if wrong.any():
        at = int(wrong.argmax())
        row, column = place(at)
        raise DataError(
            f"expected a finite number everywhere, but row {row} has {values[at]} for feature {column} "
            f"({int(wrong.sum())} such in all); "
            "fill in what is missing, or drop these rows from the labels too"
        )
