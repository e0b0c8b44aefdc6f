"""How the error bars of source accuracies would shrink with more items of the same kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from assay.planner import half_width_with, plan

if TYPE_CHECKING:
    import pandas as pd

TARGET = 0.02
"""The half-width that a report plans for."""
_AHEAD = (0.25, 0.5, 1, 2, 4, 8, 16, 32)
"""How many times as many items as now the curves are drawn for."""
_WIDEST = 8


@dataclass(frozen=True)
class WideErrorBar:
    """The error bar of one accuracy, and how many items would bring it to the target."""

    source: str
    value: str
    now: float
    items: float
    """How many it needs; infinite if the votes say nothing about it."""


@dataclass(frozen=True)
class ErrorBarForecast:
    """How error bars would shrink with more items."""

    target: float
    sentence: str
    widest: tuple[WideErrorBar, ...]
    curves: tuple[tuple[str, int, float], ...]
    """(which error bar, items, half-width)."""


def forecast_error_bars(sources: pd.DataFrame, items: int, target: float = TARGET) -> ErrorBarForecast | None:
    """A forecast from the ``sources_`` of a model and the number of items it was fitted on; None if nobody votes."""
    used = sources[sources["votes"] > 0]
    if used.empty or items < 1:
        return None
    table = plan(used, items, target)
    order = table.sort_values("items_needed", ascending=False, kind="stable")
    known = table[table["now"].notna() & (table["now"] < 0.5)].sort_values("now", kind="stable")
    curves: list[tuple[str, int, float]] = []
    for name, at in (("the median error bar", (len(known) - 1) // 2), ("the widest", len(known) - 1)):
        if len(known):
            row = known.iloc[at]
            bar = float(row["accuracy"]), float(row["low"]), float(row["high"])
            ahead = dict.fromkeys(max(round(items * times), 1) for times in _AHEAD)
            curves += [(name, more, half_width_with(*bar, items, more)) for more in ahead]
    rows = order.head(_WIDEST).to_dict("records")
    needed = tuple(
        WideErrorBar(str(row["source"]), str(row["value"]), float(row["now"]), float(row["items_needed"]))
        for row in rows
        if not np.isnan(row["items_needed"])
    )
    return ErrorBarForecast(target, str(table.attrs["summary"]), needed, tuple(curves))
