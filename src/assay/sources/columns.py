"""Labels that another model or person already wrote into a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay._core.rows import Batch, positions_in
from assay.errors import DataError
from assay.sources.base import Emission, Failure, Source
from assay.sources.rule import On, Recipe, Rule, name_of, place_of
from assay.tasks import LabelSet
from assay.votes import intern, is_missing


@dataclass(frozen=True, kw_only=True)
class ColumnRule(Rule):
    """Labels that are in the data already."""

    mapping: Mapping[Any, Any] | None
    confidence: str | None
    at_least: float

    @property
    def declared(self) -> tuple[Any, ...] | None:  # type: ignore[override]
        return self.values or None

    def emit(self, batch: Batch) -> Emission:
        column = self.column(batch)
        if column.dtype == pl.Object:
            return self._of_objects(column.to_list(), batch)
        if column.dtype.is_float():
            column = column.fill_nan(None)
        if self.confidence is not None:
            sure = self.column(batch, self.confidence)
            if not (sure.dtype.is_numeric() or sure.dtype == pl.Null):
                raise DataError(f"source {self.name!r} reads confidences, but {self.confidence!r} holds {sure.dtype}")
            column = column.to_frame("label").select(
                pl.when(pl.lit(sure.cast(pl.Float64)).fill_nan(None) >= self.at_least).then("label")
            )["label"]
        present = column.drop_nulls().unique(maintain_order=True)
        codes = positions_in(column, present).astype(np.int32)
        found = present.to_list()
        if self.mapping is None:
            values = [value if isinstance(value, str) else str(value) for value in found]
            return Emission(codes, values, self.failures(batch))
        unmapped = {
            code: DataError(
                f"{place_of(self.on)} holds {value!r}, which its mapping lacks; "
                "map it to a label, or to None to abstain"
            )
            for code, value in enumerate(found)
            if value not in self.mapping
        }
        failures = self.failures(batch)
        for code, error in unmapped.items():
            failures += [Failure(batch.start + int(row), error) for row in np.flatnonzero(codes == code)]
        label_of, labels = intern([self.mapping.get(value) for value in found])
        return Emission(np.append(label_of, np.int32(-1))[codes], labels, failures)

    def _of_objects(self, said: list[Any], batch: Batch) -> Emission:
        """Labels that are not texts alone, such as :func:`assay.one_of`, as they are."""
        strange = [value for value in said if not (is_missing(value) or isinstance(value, str | LabelSet | Mapping))]
        if strange or self.mapping is not None or self.confidence is not None:
            raise DataError(f"source {self.name!r} reads labels, but {place_of(self.on)} holds values of mixed types")
        codes, labels = intern(said)
        return Emission(codes, labels, self.failures(batch))


def column(
    on: On,
    *,
    task: str | None = None,
    name: str | None = None,
    mapping: Mapping[Any, Any] | None = None,
    confidence: str | None = None,
    at_least: float = 0.0,
) -> Source:
    """Take labels that another model or person already wrote into a column; missing means abstain.

    Parameters
    ----------
    on
        The column with the labels.
    task, name
        As in :func:`keywords`.
    mapping
        What the column says -> the label it means; ``None`` abstains.
    confidence, at_least
        A column with the confidence of each label, and how much of it a vote takes.

    >>> column("llm", task="entity", confidence="llm_score", at_least=0.8).name
    'column(llm)'
    """
    _, labels = intern(list((mapping or {}).values()))
    return ColumnRule(
        given_name=name,
        task=task,
        on=on,
        values=tuple(labels),
        title=f"column({name_of(on)})",
        mapping=None if mapping is None else dict(mapping),
        confidence=confidence,
        at_least=at_least,
        recipe=Recipe(
            "column",
            {"column": on, "task": task, "mapping": mapping, "confidence": confidence, "at_least": at_least},
        ),
    )
