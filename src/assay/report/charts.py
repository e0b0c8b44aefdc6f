"""Charts of plain tables and matrices; they know nothing of votes and models.

Texts from data are only ever values of a field, never part of the name of a field or of an
expression, so a source may be called anything. What no picture can hold is written as an escape: the library that draws
would end the process.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from assay._core.extras import how_to_install
from assay._core.palette import LIGHT, Palette
from assay._core.texts import printable
from assay.errors import AssayError

try:
    import altair as alt
except ModuleNotFoundError as missing:
    if missing.name != "altair":
        raise
    raise AssayError(f"charts need altair, which is not installed: {how_to_install('report')}") from missing

FloatArray = npt.NDArray[np.float64]
Chart = alt.TopLevelMixin
Record = Mapping[str, Any]

FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"
"""Families of one width, so that labels have the room they were given whichever is at hand."""
WIDTH = 280
"""The inner width of a chart: with its labels it fits on a phone."""
_ROW = 18
"""The height of a row of text."""
_NUMBERED_CELLS = 13
"""Up to so many rows, the cells of a heat map have their numbers written in."""
_NAME_LENGTH = 150


def heat_map(
    matrix: npt.ArrayLike,
    names: Sequence[str],
    *,
    columns: Sequence[str] | None = None,
    form: str = ".0%",
    full: float = 1.0,
    row_title: str | None = None,
    column_title: str | None = None,
    palette: Palette = LIGHT,
) -> Chart:
    """A matrix whose rows, and columns, have names: the further from zero, the darker; below zero in another colour.

    In the cells of a small one their numbers are written, in hundredths.

    Parameters
    ----------
    matrix
        (rows, columns). Cells that are not a number are left empty.
    names
        Of the rows; and of the columns, if these have no ``columns`` of their own.
    form
        How numbers are told on hovering, in the notation of d3-format.
    full
        The number, or its opposite, that is darkest.
    row_title, column_title
        What rows and columns are.

    >>> chart = heat_map([[1.0, 0.8], [0.8, float("nan")]], ["kb", "tagger"])
    >>> len(chart.to_dict()["data"]["values"])
    3
    """
    cells = np.asarray(matrix, dtype=float)
    down = [printable(name) for name in names]
    across = down if columns is None else [printable(name) for name in columns]
    if cells.shape != (len(names), len(across)):
        raise AssayError(f"expected a matrix of {len(names)} × {len(across)} for its names, but got {cells.shape}")
    values = [
        {"row": down[i], "column": across[j], "value": float(cells[i, j])}
        | {"shade": min(abs(float(cells[i, j])) / full, 1.0), "below": bool(cells[i, j] < 0)}
        for i, j in np.argwhere(np.isfinite(cells))
    ]
    step = max(10, min(30, WIDTH // max(len(across), 1)))
    crowded = step < 16
    base = alt.Chart(_data(values), width=step * len(across), height=step * len(names)).encode(
        x=alt.X("column:N", scale=alt.Scale(domain=across), title=column_title).axis(
            labelAngle=-90 if crowded else -60, labelFontSize=9 if crowded else 11, labelOverlap=False
        ),
        y=alt.Y("row:N", scale=alt.Scale(domain=down), title=row_title).axis(
            labelFontSize=9 if crowded else 11, labelOverlap=False
        ),
        tooltip=[alt.Tooltip("row:N"), alt.Tooltip("column:N"), alt.Tooltip("value:Q", format=form)],
    )
    chart: Any = base.mark_rect(stroke=palette.paper, strokeWidth=1).encode(
        color=_of_condition("datum.below", palette.bad, palette.estimate),
        opacity=alt.Opacity("shade:Q", scale=alt.Scale(domain=[0, 1], range=[0.04, 1], clamp=True), legend=None),
    )
    if len(across) <= _NUMBERED_CELLS:
        numbers = base.transform_calculate(hundredths="100 * datum.value").mark_text(fontSize=10)
        written = numbers.encode(
            text=alt.Text("hundredths:Q", format=".0f"),
            color=_of_condition("datum.shade > 0.55", palette.paper, palette.ink),
        )
        chart = alt.layer(chart, written)
    return _styled(chart, palette)


def intervals(rows: Sequence[Record], *, title: str, palette: Palette = LIGHT, reference: float | None = None) -> Chart:
    """A forest plot: per row a ``name``, a ``value`` between 0 and 1 and its interval from ``low`` to ``high``.

    A row may also have ``gold``, which is drawn as a diamond. ``reference`` is where a line is drawn.

    >>> rows = [{"name": "kb: Doctor", "value": 0.9, "low": 0.85, "high": 0.93, "gold": 0.91}]
    >>> sorted(intervals(rows, title="accuracy").to_dict()["data"]["values"][0])
    ['gold', 'high', 'low', 'name', 'value']
    """
    base = alt.Chart(_data(rows), width=WIDTH, height=max(len(rows), 1) * _ROW).encode(
        y=alt.Y("name:N", scale=_in_order(rows, "name"), title=None),
        tooltip=[alt.Tooltip("name:N"), *(alt.Tooltip(f"{name}:Q", format=".1%") for name in ("value", "low", "high"))],
    )
    across = alt.Scale(domain=[0, 1])
    parts: list[Any] = [
        base.mark_rule(strokeWidth=2.5, color=palette.estimate, opacity=0.55).encode(
            x=alt.X("low:Q", scale=across, title=title).axis(format=".0%"), x2="high:Q"
        ),
        base.mark_circle(size=55, color=palette.estimate, opacity=1).encode(x=alt.X("value:Q", scale=across)),
    ]
    if any(row.get("gold") is not None for row in rows):
        known = base.transform_filter("isValid(datum.gold)")
        mark = known.mark_point(shape="diamond", size=70, color=palette.gold, strokeWidth=2, filled=False)
        parts.append(mark.encode(x=alt.X("gold:Q", scale=across), tooltip=["name:N", "gold:Q"]))
    if reference is not None:
        line = alt.Chart(_data([{"at": reference}])).mark_rule(color=palette.muted, strokeDash=[3, 3])
        parts.insert(0, line.encode(x=alt.X("at:Q", scale=across)))
    return _styled(alt.layer(*parts), palette)


def bars(
    rows: Sequence[Record], *, title: str, form: str = ".0%", palette: Palette = LIGHT, most: float | None = None
) -> Chart:
    """Horizontal bars: per row a ``name`` and a ``value``, and ``gold`` if that is known, drawn as a mark.

    >>> len(bars([{"name": "Doctor", "value": 0.4}], title="share").to_dict()["layer"])
    2
    """
    values = [{**row, "end": max(row["value"], row.get("gold") or 0.0)} for row in rows]
    highest = max([float(row[key]) for row in rows for key in ("value", "gold") if row.get(key) is not None] or [0.0])
    across = alt.Scale(domain=[0, most or max(highest * 1.18, 1e-9)], nice=False)
    base = alt.Chart(_data(values), width=WIDTH, height=max(len(rows), 1) * (_ROW + 4)).encode(
        y=alt.Y("name:N", scale=_in_order(rows, "name"), title=None).axis(ticks=False, domain=False),
        x=alt.X("value:Q", scale=across, title=title).axis(format=form, tickCount=4),
        tooltip=[alt.Tooltip("name:N"), alt.Tooltip("value:Q", format=form)],
    )
    parts: list[Any] = [
        base.mark_bar(color=palette.estimate, opacity=0.85, height={"band": 0.62}),
        base.mark_text(align="left", dx=5, color=palette.ink, fontSize=11).encode(
            x=alt.X("end:Q", scale=across), text=alt.Text("value:Q", format=form.replace(".0%", ".1%"))
        ),
    ]
    if any(row.get("gold") is not None for row in rows):
        known = base.transform_filter("isValid(datum.gold)")
        mark = known.mark_tick(color=palette.gold, thickness=2.5, height={"band": 0.85})
        parts.append(mark.encode(x=alt.X("gold:Q", scale=across)))
    return _styled(alt.layer(*parts), palette)


def histogram(
    edges: npt.ArrayLike, counts: npt.ArrayLike, *, title: str, count_title: str, palette: Palette = LIGHT
) -> Chart:
    """Counts between edges, as a share of all.

    >>> len(histogram([0, 0.5, 1], [3, 1], title="confidence", count_title="items").to_dict()["data"]["values"])
    2
    """
    ends, found = np.asarray(edges, dtype=float), np.asarray(counts, dtype=float)
    shares = found / max(float(found.sum()), 1e-300)
    values = [
        {"low": float(low), "high": float(high), "share": float(share), "count": float(count)}
        for low, high, share, count in zip(ends[:-1], ends[1:], shares, found, strict=True)
    ]
    base = alt.Chart(_data(values), width=WIDTH, height=150).mark_bar(
        color=palette.estimate, opacity=0.85, stroke=palette.paper
    )
    chart = base.encode(
        x=alt.X("low:Q", title=title, scale=alt.Scale(domain=[float(ends[0]), float(ends[-1])], nice=False)).axis(
            format=".0%"
        ),
        x2="high:Q",
        y=alt.Y("share:Q", title=count_title, scale=alt.Scale(zero=True)).axis(format=".0%", tickCount=4, grid=True),
        y2=alt.datum(0),
        tooltip=[alt.Tooltip("low:Q", format=".0%"), alt.Tooltip("high:Q", format=".0%"), "count:Q"],
    )
    return _styled(chart, palette)


def calibration(
    curves: Mapping[str, Sequence[Record]], *, places: Mapping[str, int] | None = None, palette: Palette = LIGHT
) -> Chart:
    """Accuracy over confidence, a line for each method; per point ``confidence``, ``accuracy`` and ``items``.

    ``places`` tell which of the palette's series a method is.

    >>> curve = [{"confidence": 0.62, "accuracy": 0.6, "items": 90}]
    >>> len(calibration({"label model": curve}).to_dict()["layer"])
    3
    """
    values = [{"method": method, **point} for method, points in curves.items() for point in points]
    low = min([0.5, *(min(point["confidence"], point["accuracy"]) for point in values)])
    scale = alt.Scale(domain=[np.floor(low * 10) / 10, 1], nice=False)
    colours = _series_scale(list(curves), palette, places)
    base = alt.Chart(_data(values), width=WIDTH - 20, height=WIDTH - 60).encode(
        x=alt.X("confidence:Q", scale=scale, title="confidence").axis(format=".0%", tickCount=5),
        y=alt.Y("accuracy:Q", scale=scale, title="accuracy").axis(format=".0%", tickCount=5),
        color=alt.Color("method:N", scale=colours, title=None).legend(orient="top", columns=2),
        tooltip=[
            "method:N",
            *(alt.Tooltip(f"{name}:Q", format=".1%") for name in ("confidence", "accuracy")),
            "items:Q",
        ],
    )
    diagonal = alt.Chart(_data([{"at": low}, {"at": 1.0}])).mark_line(
        color=palette.muted, strokeDash=[3, 3], strokeWidth=1
    )
    parts = (
        diagonal.encode(x=alt.X("at:Q", scale=scale), y=alt.Y("at:Q", scale=scale)),
        base.mark_line(strokeWidth=2),
        base.mark_circle(opacity=1).encode(size=alt.Size("items:Q", scale=alt.Scale(range=[15, 160]), legend=None)),
    )
    return _styled(alt.layer(*parts), palette)


def shrinking(rows: Sequence[Record], *, now: int, palette: Palette = LIGHT) -> Chart:
    """How error bars shrink: per point ``items``, ``half_width`` and the ``name`` of its line; ``now`` is today.

    >>> rows = [{"name": "widest", "items": n, "half_width": n**-0.5} for n in (100, 1000)]
    >>> len(shrinking(rows, now=100).to_dict()["layer"])
    2
    """
    names = list(dict.fromkeys(row["name"] for row in rows))
    base = alt.Chart(_data(rows), width=WIDTH, height=180)
    lines = base.mark_line(strokeWidth=2).encode(
        x=alt.X("items:Q", scale=alt.Scale(type="log", nice=False), title="items").axis(
            format="~s", tickCount=4, grid=False
        ),
        y=alt.Y("half_width:Q", title="error bar, ±").axis(format=".0%", tickCount=5, grid=True),
        color=alt.Color("name:N", scale=_series_scale(names, palette), title=None).legend(orient="top"),
        tooltip=["name:N", alt.Tooltip("items:Q", format=","), alt.Tooltip("half_width:Q", format=".2%")],
    )
    today = alt.Chart(_data([{"now": now}])).mark_rule(color=palette.muted, strokeDash=[3, 3])
    return _styled(alt.layer(lines, today.encode(x="now:Q")), palette)


def scores(rows: Sequence[Record], *, places: Mapping[str, int] | None = None, palette: Palette = LIGHT) -> Chart:
    """How good methods are: per row a ``method``, a ``figure`` (what was scored) and a ``value`` between 0 and 1.

    ``places`` tell which of the palette's series a method is.

    >>> rows = [{"method": "label model", "figure": "entity", "value": 0.9}]
    >>> scores(rows).to_dict()["data"]["values"][0]["value"]
    0.9
    """
    methods = list(dict.fromkeys(row["method"] for row in rows))
    figures = list(dict.fromkeys(row["figure"] for row in rows))
    low = max(min([0.5, *(float(row["value"]) - 0.05 for row in rows)]), 0.0)
    chart = (
        alt.Chart(_data(rows), width=WIDTH, height=len(figures) * 30)
        .mark_circle(size=95, opacity=0.95)
        .encode(
            y=alt.Y("figure:N", scale=_in_order(rows, "figure"), title=None).axis(grid=True),
            x=alt.X("value:Q", scale=alt.Scale(domain=[low, 1], nice=False), title="accuracy").axis(
                format=".0%", tickCount=5
            ),
            color=alt.Color("method:N", scale=_series_scale(methods, palette, places), title=None).legend(
                orient="top", columns=2
            ),
            tooltip=["method:N", "figure:N", alt.Tooltip("value:Q", format=".1%")],
        )
    )
    return _styled(chart, palette)


def to_svg(chart: Chart) -> str:
    """A chart as the text of an SVG picture, without any script.

    >>> to_svg(bars([{"name": "<b>", "value": 0.4}], title="share")).count("<b>")
    0
    """
    try:
        import vl_convert  # noqa: F401  by which altair saves
    except ModuleNotFoundError as missing:
        raise AssayError(f"pictures of charts need vl-convert: {how_to_install('report')}") from missing
    text = io.StringIO()
    chart.save(text, format="svg")
    return text.getvalue()


def _data(values: Sequence[Record]) -> Any:
    """Rows as part of the chart, however many."""
    data: Callable[..., Any] = alt.Data  # untyped in altair
    return data(values=[{key: _text(value) for key, value in row.items()} for row in values])


def _text(value: Any) -> Any:
    return printable(value) if isinstance(value, str) else value


def _series_scale(names: Sequence[str], palette: Palette, places: Mapping[str, int] | None = None) -> alt.Scale:
    """The colour of each name: that of its place, or those of the most important places."""
    colours = palette.series
    known = places or {name: max(len(colours) - len(names) + at, 0) for at, name in enumerate(names)}
    return alt.Scale(domain=[printable(name) for name in names], range=[colours[known.get(name, 0)] for name in names])


def _in_order(rows: Sequence[Record], field: str) -> alt.Scale:
    """Names in the order of their rows; as a plain list, since layers with other data would sort anew."""
    return alt.Scale(domain=list(dict.fromkeys(_text(row[field]) for row in rows)))


def _of_condition(test: str, then: str, other: str) -> Any:
    return alt.condition(test, alt.value(then), alt.value(other))


def _styled(chart: Any, palette: Palette) -> Chart:
    styled: Chart = (
        chart.configure(font=FONT, background=palette.paper, padding=4, aria=False, view=alt.ViewConfig(stroke=None))
        .configure_axis(
            labelColor=palette.ink,
            labelFontSize=11,
            labelLimit=_NAME_LENGTH,
            labelOverlap="greedy",
            labelSeparation=6,
            titleColor=palette.muted,
            titleFontSize=11,
            titleFontWeight="normal",
            gridColor=palette.grid,
            domainColor=palette.grid,
            tickColor=palette.grid,
        )
        .configure_legend(
            labelColor=palette.ink,
            labelFontSize=11,
            labelLimit=0,
            symbolOpacity=1,
            symbolType="circle",
            symbolStrokeWidth=2.5,
            padding=0,
        )
        .configure_axisY(grid=False)
    )
    return styled
