"""The pictures: methods side by side, labels alone against the end model, more unlabeled items, hand labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert  # noqa: F401  needed to save, and better missed before an hour of training than after

from benchmarks.experiments.labelers import DP, DP_UI, GOLD, JOINT, MAIN, SEPARATE, VOTE
from benchmarks.experiments.summary import Figures

COLOURS = {GOLD: "#a8a29a", VOTE: "#555555", DP: "#d1752a", DP_UI: "#e0a878", SEPARATE: "#7fb2dc", JOINT: "#1f5a99"}
_FONT = "DejaVu Sans, Helvetica, Arial, sans-serif"


def draw(folder: Path, figures: Figures, alone: Mapping[tuple[str, str], float], encoders: Sequence[str]) -> None:
    """Write all pictures."""
    for name, chart in {
        "methods": _methods(figures, encoders),
        "label_model": _label_model(figures, alone, encoders),
        "scaling": _scaling(figures, encoders[0]),
    }.items():
        _save(folder, name, chart)


def _save(folder: Path, name: str, chart: Any) -> None:
    chart.configure(padding=14, background="white", font=_FONT).configure_axis(
        labelFontSize=12, titleFontSize=12, gridColor="#ececec", titleFontWeight="normal"
    ).configure_title(anchor="start", frame="group", fontSize=14, offset=10).configure_header(
        labelFontSize=13, labelFontWeight="bold", title=None
    ).configure_legend(labelFontSize=12, title=None).configure_view(stroke="#cccccc").save(
        folder / f"experiments_{name}.png", scale_factor=2
    )


def _methods(figures: Figures, encoders: Sequence[str]) -> Any:
    rows = [
        {"task": task, "method": method, "encoder": encoder, "mean": found.mean}
        | {"low": found.mean - found.margin, "high": found.mean + found.margin}
        for task in figures.problems
        for method in MAIN
        for encoder in encoders
        for found in [figures.accuracy(task, encoder, method)]
    ]
    lowest = 5 * int(min(row["low"] for row in rows) // 5)
    scale = alt.Scale(domain=[lowest, 108], nice=False, zero=False)  # beyond 100 there is room for figures
    axis = alt.Axis(values=list(range(10 * (-(-lowest // 10)), 101, 10)))
    base = alt.Chart().encode(
        y=alt.Y("method:N", sort=list(MAIN), title=None, axis=alt.Axis(labelLimit=240)),
        yOffset=alt.YOffset("encoder:N", sort=list(encoders)),
        color=alt.Color("method:N", scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values())), legend=None),
    )
    dots = base.mark_point(size=70, filled=True, opacity=1).encode(
        x=alt.X("mean:Q", title="accuracy on test_a, %", scale=scale, axis=axis),
        shape=alt.Shape(
            "encoder:N", sort=list(encoders), legend=alt.Legend(orient="bottom", title=None, labelLimit=300)
        ),
    )
    bars = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", scale=scale, title=""), x2="high:Q")
    values = base.mark_text(align="left", dx=12, fontSize=10).encode(
        x=alt.X("high:Q", scale=scale, title=""), text=alt.Text("mean:Q", format=".1f")
    )
    panels = alt.layer(bars, dots, values, data=alt.Data(values=rows)).properties(width=250, height=270)
    return panels.facet(
        column=alt.Column("task:N", sort=list(figures.problems), title=None),
        title="The end model, by the labels that it learned from (bars: 95% over trials)",
    )


def _label_model(figures: Figures, alone: Mapping[tuple[str, str], float], encoders: Sequence[str]) -> Any:
    methods = [method for method in MAIN if method != GOLD]
    kinds = ["labels alone", *(f"end model, {encoder}" for encoder in encoders)]
    rows = [
        {"task": task, "method": method, "what": kind, "accuracy": value}
        for task in figures.problems
        for method in methods
        for kind, value in zip(
            kinds,
            [alone[task, method], *(figures.accuracy(task, encoder, method).mean for encoder in encoders)],
            strict=True,
        )
    ]
    scale = alt.Scale(domain=[5 * int(min(row["accuracy"] for row in rows) // 5), 100], nice=False, zero=False)
    base = alt.Chart().encode(y=alt.Y("method:N", sort=methods, title=None, axis=alt.Axis(labelLimit=240)))
    line = base.mark_rule(color="#bbbbbb", strokeWidth=2).encode(
        x=alt.X("min(accuracy):Q", scale=scale, title=""), x2="max(accuracy):Q"
    )
    dots = base.mark_point(filled=True, size=90, opacity=1).encode(
        x=alt.X("accuracy:Q", title="accuracy on test_a, %", scale=scale),
        color=alt.Color(
            "what:N",
            sort=kinds,
            scale=alt.Scale(domain=kinds, range=["#d1752a", "#1f5a99", "#7fb2dc", "#3f8f5b"][: len(kinds)]),
            legend=alt.Legend(orient="bottom", title=None, labelLimit=300),
        ),
        shape=alt.Shape("what:N", sort=kinds, legend=None),
    )
    panels = alt.layer(line, dots, data=alt.Data(values=rows)).properties(width=250, height=170)
    return panels.facet(
        column=alt.Column("task:N", sort=list(figures.problems), title=None),
        title="What the end model makes of labels",
    )


def _scaling(figures: Figures, encoder: str) -> Any:
    rows = [
        {"task": task, "items": round(share * len(figures.problems[task].texts["train"])), "mean": found.mean}
        | {"low": found.mean - found.margin, "high": found.mean + found.margin}
        for task, kind, method, share in figures.keys
        if (kind, method) == (encoder, JOINT)
        for found in [figures.accuracy(task, encoder, JOINT, share)]
    ]
    base = alt.Chart().encode(
        x=alt.X("items:Q", scale=alt.Scale(type="log"), title="unlabeled items", axis=alt.Axis(tickCount=5)),
    )
    area = base.mark_area(opacity=0.2, color="#1f5a99").encode(
        y=alt.Y("low:Q", title="accuracy on test_a, %", scale=alt.Scale(zero=False)), y2="high:Q"
    )
    line = base.mark_line(color="#1f5a99", point=alt.OverlayMarkDef(size=60, color="#1f5a99", filled=True)).encode(
        y=alt.Y("mean:Q", title="accuracy on test_a, %", scale=alt.Scale(zero=False))
    )
    panels = alt.layer(area, line, data=alt.Data(values=rows)).properties(width=250, height=220)
    return panels.facet(
        column=alt.Column("task:N", sort=list(figures.problems), title=None),
        title=f"Assay with more unlabeled items (end model, {encoder}; band: 95% over trials)",
    ).resolve_scale(x="independent", y="independent")


def draw_hand_labels(
    folder: Path,
    points: Sequence[Mapping[str, Any]],
    vote: Mapping[str, float],
    methods: Sequence[str],
    encoder: str,
) -> None:
    """Write the picture of accuracy against hand labels.

    Points have a task, method, count, mean, low and high; ``vote`` is a majority vote's accuracy for each task.
    """
    _save(folder, "hand_labels", _hand_labels(points, vote, methods, encoder))


def _hand_labels(
    points: Sequence[Mapping[str, Any]], vote: Mapping[str, float], methods: Sequence[str], encoder: str
) -> Any:
    names = [VOTE, *methods]
    flat = [
        {"task": task, "method": VOTE, "count": count, "mean": accuracy}
        for task, accuracy in vote.items()
        for count in sorted({point["count"] for point in points if point["task"] == task})
    ]
    accuracy = alt.Y("mean:Q", title="accuracy on test_a, %", scale=alt.Scale(zero=False))
    base = alt.Chart().encode(
        x=alt.X(
            "count:Q",
            title="hand labels",
            axis=alt.Axis(values=sorted({point["count"] for point in points}), labelOverlap=True),
            scale=alt.Scale(nice=False, padding=8),
        ),
        color=alt.Color(
            "method:N",
            sort=names,
            scale=alt.Scale(domain=names, range=[COLOURS[VOTE], COLOURS[GOLD], "#d1752a", COLOURS[JOINT]]),
            legend=alt.Legend(
                orient="bottom", labelLimit=300, symbolType="stroke", symbolOpacity=1, symbolStrokeWidth=3
            ),
        ),
    )
    models = base.transform_filter(alt.datum.method != VOTE)
    area = models.mark_area(opacity=0.2).encode(
        y=alt.Y("low:Q", title="accuracy on test_a, %", scale=alt.Scale(zero=False)), y2="high:Q"
    )
    line = models.mark_line(point=alt.OverlayMarkDef(size=50, filled=True)).encode(y=accuracy)
    dashed = base.transform_filter(alt.datum.method == VOTE).mark_line(strokeDash=[5, 4]).encode(y=accuracy)
    panels = alt.layer(area, dashed, line, data=alt.Data(values=[*points, *flat])).properties(width=270, height=260)
    return panels.facet(
        column=alt.Column("task:N", sort=list(vote), title=None),
        title=f"What hand labels add ({encoder}; band: lowest and highest of the draws)",
    ).resolve_scale(x="independent", y="independent")
