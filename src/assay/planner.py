"""The planner: how many items would bring the error bars to ± x?

Error bars shrink as :math:`n^{-1/2}`, the rate of Theorem 2 of the paper (see
:mod:`assay.theory`). Intervals of accuracies are made on the logit scale, where a wide
bar gets narrower a little more slowly than it looks; but near 0 and 1, where the logit
is steep, it would promise too much. So the more cautious of the two scales counts.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from assay.errors import DataError, listing

REQUIRED = ("source", "value", "accuracy", "low", "high")
"""The columns that a table of sources must have to be planned with."""

_EDGE = 1e-9
"""An accuracy nearer to 0 or 1 than this has no logit to speak of."""


def plan(sources: pd.DataFrame, items: int, target: float = 0.01) -> pd.DataFrame:
    """How many items would bring the error bar of every source accuracy to ± ``target``.

    Error bars shrink with the square root of the number of items: a little over four
    times the items for half the width. That holds for more items of the same kind,
    voted on by the same sources.

    Parameters
    ----------
    sources
        A table with the columns ``source``, ``value``, ``accuracy``, ``low`` and
        ``high``, such as the ``sources_`` of a fitted label model. A column ``task`` is
        kept if there is one; others are ignored.
    items
        How many items it was fitted on.
    target
        The half-width to reach.

    Returns
    -------
    DataFrame
        A row for each source and value: ``now``, the half-width today;
        ``items_needed`` for the target, infinite if the interval says nothing and
        missing if there is none; ``factor``, how many times as many as now. Its
        ``attrs["summary"]`` says it in a sentence.

    >>> sources = pd.DataFrame({
    ...     "source": ["kb", "kb", "tagger"], "value": ["Doctor", "Lawyer", "Person"],
    ...     "accuracy": [0.70, 0.80, 0.90], "low": [0.68, 0.79, 0.895], "high": [0.72, 0.81, 0.905],
    ... })
    >>> table = plan(sources, items=10_000, target=0.01)
    >>> table[["source", "value", "now", "items_needed", "factor"]].round(3)
       source   value    now  items_needed  factor
    0      kb  Doctor  0.020       40024.0   4.002
    1      kb  Lawyer  0.010       10000.0   1.000
    2  tagger  Person  0.005        2504.0   0.250
    >>> table.attrs["summary"]
    '±0.01 for every source needs about 40,000 items, 4.0 times as many as now; the widest is kb (Doctor)'
    """
    named = [name for name in sources.index.names if name in REQUIRED and name not in sources.columns]
    table = sources.reset_index(level=named) if named else sources
    missing = [column for column in REQUIRED if column not in table.columns]
    if missing:
        raise DataError(
            f"a table of sources needs the columns {listing(REQUIRED)}, but {listing(missing)} is missing; "
            f"it has {listing(table.columns)}"
        )
    shown = [column for column in ("source", "task", *REQUIRED[1:]) if column in table.columns]
    table = table[shown].reset_index(drop=True)
    try:
        intervals = table[["accuracy", "low", "high"]].to_numpy(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"the columns 'accuracy', 'low' and 'high' must hold numbers: {error}") from error
    table["now"] = (intervals[:, 2] - intervals[:, 1]) / 2
    table["items_needed"] = [items_needed(accuracy, low, high, items, target) for accuracy, low, high in intervals]
    table["factor"] = table["items_needed"] / items
    table.attrs["summary"] = plan_summary(table, items, target)
    return table


def plan_summary(table: pd.DataFrame, items: int, target: float) -> str:
    """What a table of :func:`plan` comes to, in a sentence."""
    goal = f"±{target:g} for every source"
    known = table[table["items_needed"].notna()]
    if known.empty:
        return f"{goal}: there is no interval to plan from"
    widest = known.sort_values("items_needed", kind="stable").iloc[-1]
    name = f"{widest['source']} ({widest['value']})"
    needed, factor = float(widest["items_needed"]), float(widest["factor"])
    if math.isinf(needed):
        return f"{goal} is out of reach: the votes say nothing about {name}"
    if factor <= 1:
        return f"{goal} is reached: about {_about(needed):,} of the {items:,} items were enough"
    times = f"{factor:.1f}" if factor < 100 else f"{_about(factor):,}"
    return f"{goal} needs about {_about(needed):,} items, {times} times as many as now; the widest is {name}"


def items_needed(accuracy: float, low: float, high: float, items: int, target: float) -> float:
    """How many items bring the interval [low, high] of an accuracy, found on ``items``, to ± ``target``.

    Not a number without an interval, infinite for [0, 1], which says nothing.

    >>> items_needed(0.7, 0.66, 0.74, items=1_000, target=0.01)
    16048.0
    """
    _check_items(items)
    if not 0 < target < 0.5:
        raise DataError(f"target is the half-width of an interval, above 0 and below 0.5, but is {target}")
    now = _half_width(accuracy, low, high)
    if math.isnan(now):
        return math.nan
    if now >= 0.5:
        return math.inf
    shrink = max(now / target, _logit_half_width(accuracy, now) / _logit_half_width(accuracy, target))
    return float(math.ceil(round(items * shrink**2, 6)))


def half_width_with(accuracy: float, low: float, high: float, items: int, more: int) -> float:
    """The half-width that the interval [low, high], found on ``items``, would have with another number of items.

    >>> round(half_width_with(0.7, 0.66, 0.74, items=1_000, more=4_000), 4)
    0.02
    """
    _check_items(items)
    _check_items(more)
    now = _half_width(accuracy, low, high)
    if math.isnan(now) or now >= 0.5:
        return now
    shrink = math.sqrt(items / more)
    return min(max(now * shrink, _from_logit(accuracy, _logit_half_width(accuracy, now) * shrink)), 0.5)


def _logit_half_width(accuracy: float, half: float) -> float:
    r"""The :math:`h` for which :math:`\mathrm{expit}(\mathrm{logit}(accuracy) \pm h)` is 2 ``half`` wide.

    The width is :math:`\sinh h / (\cosh h + \cosh \mathrm{logit}(accuracy))`, which is
    quadratic in :math:`e^h`. At 0 and 1, where the logit ends, the plain half-width
    stands for it.
    """
    if not _EDGE < accuracy < 1 - _EDGE:
        return half
    lean = 2 * half * _cosh_logit(accuracy)
    return math.log((lean + math.sqrt(lean**2 + 1 - 4 * half**2)) / (1 - 2 * half))


def _from_logit(accuracy: float, width: float) -> float:
    """What :func:`_logit_half_width` inverts."""
    if not _EDGE < accuracy < 1 - _EDGE:
        return width
    tail = math.exp(-width)  # sinh and cosh would overflow
    return 0.5 * (1 - tail**2) / (1 + tail**2 + 2 * tail * _cosh_logit(accuracy))


def _cosh_logit(accuracy: float) -> float:
    odds = accuracy / (1 - accuracy)
    return (odds + 1 / odds) / 2


def _half_width(accuracy: float, low: float, high: float) -> float:
    if math.isnan(accuracy) or math.isnan(low) or math.isnan(high):
        return math.nan
    if not 0 <= low <= high <= 1 or not 0 <= accuracy <= 1:
        raise DataError(
            f"an accuracy and its interval lie between 0 and 1, low before high, but got {accuracy} in [{low}, {high}]"
        )
    return (high - low) / 2


def _check_items(items: int) -> None:
    if not items >= 1:
        raise DataError(f"the number of items must be a positive integer, but is {items}")


def _about(count: float) -> int:
    """Rounded to two leading digits; more would pretend to a precision that is not there."""
    return int(round(count, 1 - math.floor(math.log10(count)))) if count >= 1 else math.ceil(count)
