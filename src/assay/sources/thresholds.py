"""A number on one side of a bound, or between two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import polars as pl

from assay._core.rows import Batch
from assay.errors import DataError, SourceError
from assay.sources.base import Emission, Source
from assay.sources.rule import On, Recipe, Rule, name_of, place_of

_COMPARE: dict[str, np.ufunc] = {">": np.greater, ">=": np.greater_equal, "<": np.less, "<=": np.less_equal}


@dataclass(frozen=True, kw_only=True)
class ThresholdRule(Rule):
    """A number on one side of a bound, or between two."""

    bounds: Mapping[str, float]
    """Sign -> number, e.g. ``{">=": 18}``."""

    def emit(self, batch: Batch) -> Emission:
        column = self.column(batch)
        if not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
            raise DataError(f"source {self.name!r} reads numbers, but {place_of(self.on)} holds {column.dtype}")
        number = column.cast(pl.Float64).to_numpy()
        inside = np.logical_and.reduce([_COMPARE[sign](number, bound) for sign, bound in self.bounds.items()])
        otherwise = 1 if len(self.values) > 1 else -1
        codes = np.where(np.isnan(number), -1, np.where(inside, 0, otherwise))
        return Emission(codes.astype(np.int32), self.values, self.failures(batch))


def threshold(
    on: On,
    label: Any,
    *,
    above: float | None = None,
    at_least: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    otherwise: Any = None,
    task: str | None = None,
    name: str | None = None,
) -> Source:
    """Vote for a label where a number is beyond a bound; abstain where it is missing.

    Parameters
    ----------
    on
        The numeric column.
    label
        The label to vote for where all given bounds hold.
    above, at_least, below, at_most
        The bounds.
    otherwise
        The label for the other numbers; abstain by default.
    task, name
        As in :func:`keywords`.

    >>> threshold("age", "Adult", at_least=18, otherwise="Minor").name
    'threshold(age >= 18)'
    """
    bounds = {">": above, ">=": at_least, "<": below, "<=": at_most}
    given = {sign: bound for sign, bound in bounds.items() if bound is not None}
    if not given:
        raise SourceError("threshold() needs a bound: above=, at_least=, below= or at_most=")
    for bound in given.values():
        if not isinstance(bound, Real) or bound != bound:
            raise SourceError(f"threshold() needs numbers as bounds, but got {bound!r}")
    return ThresholdRule(
        given_name=name,
        task=task,
        on=on,
        values=(label,) if otherwise is None else (label, otherwise),
        title=f"threshold({name_of(on)} {', '.join(f'{sign} {bound:g}' for sign, bound in given.items())})",
        bounds=given,
        recipe=Recipe(
            "threshold",
            {
                "threshold": on,
                "label": label,
                "above": above,
                "at_least": at_least,
                "below": below,
                "at_most": at_most,
                "otherwise": otherwise,
                "task": task,
            },
        ),
    )
