"""Labels that another model or person already wrote into a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from assay._core.rows import Batch, positions_in
from assay.errors import DataError
from assay.sources.base import Emission, Failure, Source, levels_for
from assay.sources.rule import On, Recipe, Rule, name_of, place_of
from assay.tasks import LabelSet
from assay.votes import TOLERATED, intern, is_missing


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
        failures, scores = self.failures(batch), None
        if self.confidence is not None:
            sure = self._confidences(batch, self.confidence)
            column = column.to_frame("label").select(pl.when(pl.lit(sure) >= self.at_least).then("label"))["label"]
            if self.levels != ():
                scores = sure.fill_null(0.0).to_numpy()
                wrong = (scores < 0) | (scores > 1 + TOLERATED)
                failures += self._no_probabilities(batch, wrong & column.is_not_null().to_numpy(), scores)
                column = column.to_frame("label").select(pl.when(pl.lit(pl.Series(~wrong))).then("label"))["label"]
                scores = np.clip(scores, 0.0, 1.0)
        present = column.drop_nulls().unique(maintain_order=True)
        codes = positions_in(column, present).astype(np.int32)
        found = present.to_list()
        if self.mapping is None:
            values = [value if isinstance(value, str) else str(value) for value in found]
            return Emission(codes, values, failures, scores)
        unmapped = {
            code: DataError(
                f"{place_of(self.on)} holds {value!r}, which its mapping lacks; "
                "map it to a label, or to None to abstain"
            )
            for code, value in enumerate(found)
            if value not in self.mapping
        }
        for code, error in unmapped.items():
            failures += [Failure(batch.start + int(row), error) for row in np.flatnonzero(codes == code)]
        label_of, labels = intern([self.mapping.get(value) for value in found])
        return Emission(np.append(label_of, np.int32(-1))[codes], labels, failures, scores)

    def _confidences(self, batch: Batch, on: str) -> pl.Series:
        """The confidences as numbers, null where missing."""
        sure = self.column(batch, on)
        if not (sure.dtype.is_numeric() or sure.dtype == pl.Null):
            raise DataError(f"source {self.name!r} reads confidences, but {on!r} holds {sure.dtype}")
        return sure.cast(pl.Float64).fill_nan(None)

    def _no_probabilities(
        self, batch: Batch, wrong: npt.NDArray[np.bool_], scores: npt.NDArray[np.float64]
    ) -> list[Failure]:
        """The rows whose confidence is not a probability."""
        return [
            Failure(
                batch.start + int(row),
                DataError(
                    f"expected a confidence from 0 to 1, but column {self.confidence!r} holds {scores[row]:g}; "
                    "scale it, or give levels=[] to leave out votes by it and not count it otherwise"
                ),
            )
            for row in np.flatnonzero(wrong)
        ]

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
    levels: Sequence[float] | None = None,
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
        A column with the confidence of each label, from 0 to 1, and how much of it a vote takes. How far to believe a
        vote at which level of confidence is learned, so it need not be calibrated.
    levels
        As in :func:`source`; ``[]`` uses the confidence, then on any scale, to leave out votes and for nothing else.

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
        levels=levels_for(levels),
        recipe=Recipe(
            "column",
            {
                "column": on,
                "task": task,
                "mapping": mapping,
                "confidence": confidence,
                "at_least": at_least,
                "levels": levels,
            },
        ),
    )
