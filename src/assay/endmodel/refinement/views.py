"""A view of the items: their data, and the model that is to learn from it; several views may look at the same items."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.endmodel.hashed_texts import HashedTexts
from assay.endmodel.predictor import Predictor
from assay.errors import AssayError, DataError
from assay.tasks import TaskGraph

IntArray = npt.NDArray[np.int64]
_ONLY = "data"
"""The name of a view that is the only one."""
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


@dataclass(frozen=True, eq=False)
class View:
    """One way to look at the items."""

    name: str
    data: Any
    model: Predictor[Any]
    """An end model with its settings; it is never fitted itself, only copies of it are."""

    def __len__(self) -> int:
        return int(self.data.shape[0]) if hasattr(self.data, "shape") else len(self.data)

    def rows(self, rows: IntArray) -> Any:
        """The data of some items, as the model takes it."""
        data = self._read_ahead
        if isinstance(data, HashedTexts):
            return data.take(rows)
        if hasattr(data, "iloc"):
            return data.iloc[rows]
        if hasattr(data, "shape"):
            return data[rows]
        return [data[row] for row in rows]

    @cached_property
    def _read_ahead(self) -> Any:
        """The data, read as far as that is the same for all folds."""
        return self.model.read_ahead(self.data)

    def fresh_model(self) -> Any:
        """The same settings, nothing learned."""
        return type(self.model)(**self.model.get_params(deep=False))

    def digest(self) -> str:
        """Of the data and the settings: predictions of another view are no use."""
        settings = _ADDRESS.sub("", repr(sorted(self.model.get_params(deep=False).items())))
        found = hashlib.sha256(f"{self.name}|{type(self.model).__name__}|{settings}".encode())
        for part in _pieces(self.data):
            found.update(part)
        return found.hexdigest()


def views_of(data: Any, model: Any, tasks: TaskGraph, items: int) -> tuple[View, ...]:
    """What a user gave as data and model: one of each, or a dict of either, with the same names."""
    if isinstance(model, Mapping):
        if not isinstance(data, Mapping) or set(data) != set(model) or not model:
            names = ", ".join(map(repr, model))
            came = "a dict of " + ", ".join(map(repr, data)) if isinstance(data, Mapping) else type(data).__name__
            raise AssayError(
                f"there are several models, for the views {names}, so data must be a dict with the same names, "
                f"but it is {came}"
            )
        given = [(str(name), data[name], model[name]) for name in model]
    else:
        given = [(_ONLY, data, model)]
    found = []
    for name, part, wanted in given:
        rows = _in_memory(part)
        view = View(name, rows, _default_model(rows, tasks) if wanted is None else wanted)
        if not isinstance(view.model, Predictor):
            raise AssayError(
                "model must be an end model, such as assay.EndModel(tasks) or assay.SklearnEndModel(classifier), "
                f"but is {type(view.model).__name__}"
            )
        if len(view) != items:
            raise DataError(
                f"expected a row of data for each of the {items:,} items, but there are {len(view):,}; "
                "give the data that the votes are about, in the same order"
            )
        found.append(view)
    return tuple(found)


def _in_memory(data: Any) -> Any:
    """Data of which rows can be taken: a list, an array, a sparse matrix, or a table."""
    is_series = hasattr(data, "to_list") and not hasattr(data, "columns")
    if is_series:
        return data.to_list()
    if isinstance(data, str | Path | Mapping) or hasattr(data, "to_pandas") or not hasattr(data, "__getitem__"):
        from assay._core.rows import as_polars

        return as_polars(data).to_pandas()
    if hasattr(data, "tocsr"):
        return data.tocsr()
    return data


def _default_model(data: Any, tasks: TaskGraph) -> Predictor[Any]:
    """An end model over n-grams for texts, and over the numbers themselves for an array or a table of numbers.

    It need not be calibrated: what its log-odds are worth is learned here.
    """
    from assay.endmodel.features import Features
    from assay.endmodel.model import EndModel

    if hasattr(data, "columns"):
        are_texts = "text" in data.columns
    elif isinstance(data, list | tuple):
        are_texts = any(isinstance(row, str) for row in data)
    else:
        are_texts = np.dtype(data.dtype).kind in "OU"
    return EndModel(tasks, encoder=None if are_texts else Features(), calibrate=False)


def _pieces(data: Any) -> Any:
    """The bytes that a digest is made of."""
    if hasattr(data, "indptr"):
        return (np.ascontiguousarray(part).tobytes() for part in (data.indptr, data.indices, data.data))
    if hasattr(data, "columns"):
        return (repr((name, data[name].tolist())).encode() for name in data.columns)
    if isinstance(data, np.ndarray) and data.dtype.kind not in "OU":
        return (str(data.shape).encode(), np.ascontiguousarray(data).tobytes())
    return (repr(row).encode() for row in data)
