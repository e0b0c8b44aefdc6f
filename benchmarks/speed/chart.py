"""The picture of speed/run.py: seconds and memory against the number of items, a panel for each number of sources."""

from __future__ import annotations

from typing import Any

import altair as alt
import vl_convert  # noqa: F401  needed to save, and better missed before an hour of measuring than after

from benchmarks.support.contenders import ASSAY, COMPLETION, DAWID_SKENE, MAJORITY, SNORKEL

COLOURS = {
    ASSAY: "#1f5a99",
    COMPLETION: "#7fb2dc",
    MAJORITY: "#9a9a9a",
    SNORKEL: "#d1752a",
    DAWID_SKENE: "#3f8f5b",
}
_POWERS = "'10' + {3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸'}[round(log(datum.value) / LN10)]"


def drawn(found: list[dict[str, Any]]) -> Any:
    """Rows of panels: seconds for each number of classes, then peak memory for the fewest classes."""
    run = [_point(one) for one in found if "not_run" not in one]
    classes, sources = (sorted({one[key] for one in run}) for key in ("classes", "sources"))
    rows = [("seconds", "fit + predict, seconds", k) for k in classes] + [("peak", "peak memory, MB", classes[0])]
    panels = [
        alt.hconcat(
            *(
                _panel(
                    [p for p in run if (p["classes"], p["sources"]) == (k, m)], field, title, f"{m} sources, k = {k}"
                )
                for m in sources
            ),
            spacing=30,
        ).resolve_scale(y="shared")
        for field, title, k in rows
    ]
    return (
        alt.vconcat(*panels, spacing=30)
        .configure(padding=16, background="white", font="DejaVu Sans, Helvetica, Arial, sans-serif")
        .configure_title(anchor="start", fontSize=14, offset=8)
        .configure_axis(labelFontSize=12, titleFontSize=12, gridColor="#e8e8e8", titleFontWeight="normal")
        .configure_legend(labelFontSize=12, symbolSize=110, symbolOpacity=1)
        .configure_view(stroke="#cccccc")
    )


def _point(one: dict[str, Any]) -> dict[str, Any]:
    kept = {key: one[key] for key in ("contender", "items", "sources", "classes")}
    return kept | {"seconds": one["total"], "peak": one["memory"]["peak"] / 1e6}


def _panel(points: list[dict[str, Any]], field: str, title: str, heading: str) -> Any:
    present = [name for name in COLOURS if any(point["contender"] == name for point in points)]
    colour = alt.Scale(domain=present, range=[COLOURS[name] for name in present])
    ticks = [10.0**power for power in range(-4, 6)]
    return (
        alt.Chart(alt.Data(values=points))
        .mark_line(point=alt.OverlayMarkDef(size=42), strokeWidth=2.2)
        .encode(
            x=alt.X(
                "items:Q",
                title="items",
                scale=alt.Scale(type="log", nice=False, padding=10),
                axis=alt.Axis(values=sorted({point["items"] for point in points}), labelExpr=_POWERS),
            ),
            y=alt.Y(
                f"{field}:Q",
                title=title,
                scale=alt.Scale(type="log", nice=False, padding=10),
                axis=alt.Axis(values=ticks, format="~g"),
            ),
            color=alt.Color("contender:N", scale=colour, legend=alt.Legend(title=None)),
        )
        .properties(width=300, height=230, title=heading)
    )
