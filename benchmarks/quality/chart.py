"""The picture of quality/run.py: means over labeling functions and crowds, and each set against the majority vote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import vl_convert  # noqa: F401  needed to save, and better missed before an hour of measuring than after

from benchmarks.quality import peers as peers
from benchmarks.quality.methods import DEFAULT, MAJORITY, OURS
from benchmarks.quality.summary import KIND_NAMES, Cell, Summary, figures_of

COLOURS = {
    DEFAULT: "#1f5a99",
    peers.HYPER: "#7b4fa3",
    peers.EBCC: "#b8860b",
    peers.DAWID_SKENE: "#3f8f5b",
    peers.SNORKEL: "#d1752a",
}
"""The methods that the second panel tells apart."""
_OURS, _THEIRS, _VOTE = "#7fb2dc", "#a8a29a", "#555555"
_SIGNED = "datum.value == 0 ? '0' : format(datum.value, '+d')"
_WIDTH, _HEIGHT = 470, 480
_CHARACTER, _LINE = 6.1, 14
"""About the size of a letter, in pixels."""
_LOWEST = 75.0
"""Methods with a lower mean over crowds are named below the title, or the others would be one heap."""
AXES = ("lf", "crowd")
"""The kinds of votes whose means are drawn; the third has few sets."""
Box = tuple[float, float, float, float]


def drawn(cells: Sequence[Cell], summary: Summary) -> Any:
    run = [cell for cell in cells if "not_run" not in cell]
    return styled(alt.hconcat(_means(summary), _by_set(run), spacing=50).resolve_scale(color="independent"))


def styled(chart: Any) -> Any:
    """In the type and the greys of all pictures of quality/."""
    return (
        chart.configure(padding=18, background="white", font="DejaVu Sans, Helvetica, Arial, sans-serif")
        .configure_title(anchor="start", frame="group", fontSize=14, offset=10)
        .configure_axis(labelFontSize=12, titleFontSize=12, gridColor="#ececec", titleFontWeight="normal")
        .configure_legend(labelFontSize=12, symbolSize=90, symbolOpacity=1)
        .configure_view(stroke="#cccccc")
    )


def _means(summary: Summary) -> Any:
    """A point for each method that ran on both kinds of votes; a mark at its name says if sets are missing."""
    found = _points(summary)
    points = [point for point in found if point["crowd"] >= _LOWEST]
    if not points:
        return alt.Chart(alt.Data(values=[])).mark_point()
    (left, right), (bottom, top) = (_range([point[kind] for point in points]) for kind in AXES)
    spots = [
        ((point["lf"] - left) / (right - left) * _WIDTH, (top - point["crowd"]) / (top - bottom) * _HEIGHT)
        for point in points
    ]
    # Names keep off the dashed lines too.
    lines: list[Box] = []
    for point, (x, y) in zip(points, spots, strict=True):
        if point["method"] == MAJORITY:
            lines = [(x - 1, 0, x + 1, _HEIGHT), (0, y - 1, _WIDTH, y + 1)]
    places = _label_places([point["name"] for point in points], spots, lines)
    for point, (x, y) in zip(points, places, strict=True):
        point["label_lf"] = left + x / _WIDTH * (right - left)
        point["label_crowd"] = top - y / _HEIGHT * (top - bottom)
    x_scale, y_scale = (alt.Scale(domain=ends, nice=False, zero=False) for ends in ((left, right), (bottom, top)))
    base = alt.Chart(alt.Data(values=points))
    colour = alt.Color("colour:N", scale=None)
    dots = base.mark_circle(size=95, opacity=1).encode(
        x=alt.X("lf:Q", title="mean score over sets of labeling functions", scale=x_scale),
        y=alt.Y("crowd:Q", title="mean score over crowds", scale=y_scale),
        color=colour,
    )
    labels = base.mark_text(align="left", baseline="middle", fontSize=11).encode(
        x=alt.X("label_lf:Q", scale=x_scale),
        y=alt.Y("label_crowd:Q", scale=y_scale),
        text="name:N",
        color=colour,
    )
    votes = alt.Data(values=[point for point in points if point["method"] == MAJORITY])
    rules = [
        alt.Chart(votes).mark_rule(strokeDash=[4, 4], color=_VOTE, opacity=0.6).encode(x=alt.X("lf:Q", scale=x_scale)),
        alt.Chart(votes)
        .mark_rule(strokeDash=[4, 4], color=_VOTE, opacity=0.6)
        .encode(y=alt.Y("crowd:Q", scale=y_scale)),
    ]
    title = alt.TitleParams("Means over sets: upper right is better", subtitle=_notes(found), subtitleFontSize=11)
    return alt.layer(*rules, dots, labels).properties(width=_WIDTH, height=_HEIGHT, title=title)


def _points(summary: Summary) -> list[dict[str, Any]]:
    """The methods, those to be told apart first; of several with the same means only the first."""
    points: dict[tuple[float, float], dict[str, Any]] = {}
    for method in sorted(summary.methods, key=lambda method: method not in (*COLOURS, MAJORITY)):
        lf, crowd = (summary.of(method, kind) for kind in AXES)
        if lf and crowd and lf.sets and crowd.sets:
            missing = "*" if lf.missing or crowd.missing else ""
            where = {"lf": lf.means["score"], "crowd": crowd.means["score"]}
            point = {"method": method, "name": method + missing, "colour": _colour(method), **where}
            points.setdefault((round(where["lf"], 1), round(where["crowd"], 1)), point)
    return list(points.values())


def _notes(found: Sequence[dict[str, Any]]) -> list[str]:
    told = "dashed: majority vote; blue: Assay's methods"
    if any(point["name"].endswith("*") for point in found):
        told += "; * not on all sets"
    below = [
        f"{point['name']} ({point['lf']:.0f}, {point['crowd']:.0f})" for point in found if point["crowd"] < _LOWEST
    ]
    pairs = [", ".join(below[start : start + 2]) for start in range(0, len(below), 2)]
    return [told, *(f"below the picture: {pair}" for pair in pairs)]


def _colour(method: str) -> str:
    if method == MAJORITY:
        return _VOTE
    return COLOURS.get(method, _OURS if method in OURS else _THEIRS)


def _range(values: Sequence[float]) -> tuple[float, float]:
    """With a margin, wider at the upper end, where names need room."""
    margin = 0.06 * (max(values) - min(values)) + 0.5
    return min(values) - margin, max(values) + 3.4 * margin


def _label_places(
    names: Sequence[str], spots: Sequence[tuple[float, float]], taken: Sequence[Box]
) -> list[tuple[float, float]]:
    """Left ends of the names, in pixels, each by its point and off the other points and names where that can be."""
    taken = [*taken, *((x - 6, y - 6, x + 6, y + 6) for x, y in spots)]
    places = []
    for name, (x, y) in zip(names, spots, strict=True):
        width = _CHARACTER * len(name)
        sides = [(x + 9, y), (x - 9 - width, y)]
        sides += [
            (x + across - width / 2, y + side * step)
            for step in (15, 29, 43)
            for side in (-1, 1)
            for across in (0, width / 2, -width / 2)
        ]
        boxes = [(left, middle - _LINE / 2, left + width, middle + _LINE / 2) for left, middle in sides]
        best = min(range(len(sides)), key=lambda side: (_trouble(boxes[side], taken), side))
        taken.append(boxes[best])
        places.append(sides[best])
    return places


def _trouble(box: Box, taken: Sequence[Box]) -> float:
    """How much of a box is off the panel or covered by others."""
    left, top, right, bottom = box
    outside = max(0.0, -left) + max(0.0, right - _WIDTH) + max(0.0, -top) + max(0.0, bottom - _HEIGHT)
    covered = sum(
        max(0.0, min(right, other[2]) - max(left, other[0])) * max(0.0, min(bottom, other[3]) - max(top, other[1]))
        for other in taken
    )
    return 100 * outside + covered


def _by_set(run: Sequence[Cell]) -> Any:
    """A row for each set; the methods that have no colour are grey ticks behind."""
    majority = figures_of(run, MAJORITY, "score")
    points = [
        {"method": cell["method"], "set": _short(cell["set"]), "kind": KIND_NAMES[cell["kind"]]}
        | {"gain": cell["score"] - majority[cell["set"]]}
        for cell in run
        if cell["set"] in majority and cell["method"] not in (MAJORITY, "vote shares")
    ]
    present = [name for name in COLOURS if any(point["method"] == name for point in points)]
    rows = []
    for kind in KIND_NAMES.values():
        mine = [point for point in points if point["kind"] == kind]
        if mine:
            rows.append(_rows_of(mine, present, kind))
    return alt.vconcat(*rows, spacing=24).resolve_scale(x="shared")


def _short(name: str) -> str:
    return name.split("_")[0] if len(name) > 12 else name


def _rows_of(points: Sequence[dict[str, Any]], present: Sequence[str], kind: str) -> Any:
    gain = alt.X(
        "gain:Q",
        title="score minus that of the majority vote (right is better)",
        scale=alt.Scale(type="symlog", constant=2, domain=[-95, 30], nice=False),
        axis=alt.Axis(values=[-80, -40, -20, -10, -5, -2, 0, 2, 5, 10, 20], labelExpr=_SIGNED),
    )
    row = alt.Y("set:N", title=None, axis=alt.Axis(grid=True))
    others = [point for point in points if point["method"] not in COLOURS]
    colour = alt.Scale(domain=list(present), range=[COLOURS[name] for name in present])
    zero = alt.Chart(alt.Data(values=[{"gain": 0}])).mark_rule(strokeDash=[4, 4], color=_VOTE).encode(x="gain:Q")
    behind = alt.Chart(alt.Data(values=others)).mark_tick(color="#bbbbbb", thickness=1.5, size=9).encode(x=gain, y=row)
    dots = (
        alt.Chart(alt.Data(values=[point for point in points if point["method"] in COLOURS]))
        .mark_circle(size=80, opacity=0.9)
        .encode(
            x=gain,
            y=row,
            color=alt.Color("method:N", scale=colour, legend=alt.Legend(title=None, orient="bottom", columns=3)),
            order=alt.Order("front:Q"),
        )
        .transform_calculate(front=f"datum.method == '{DEFAULT}' ? 1 : 0")
    )
    title = alt.TitleParams(f"Sets of {kind}", subtitle="grey: all other methods", subtitleFontSize=11)
    return alt.layer(zero, behind, dots).properties(width=520, height=190, title=title)
