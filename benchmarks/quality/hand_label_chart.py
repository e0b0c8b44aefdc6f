"""The picture of quality/hand_labels.py: accuracy against the number of labels, by kind of votes, a line a method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import vl_convert  # noqa: F401  needed to save, and better missed before the measuring than after

from benchmarks.quality import peers
from benchmarks.quality.chart import COLOURS, styled
from benchmarks.quality.hand_labels import METHODS, REGRESSION, WITH, Row, large, mean
from benchmarks.quality.methods import DEFAULT, MAJORITY
from benchmarks.quality.sets import KINDS
from benchmarks.quality.summary import KIND_NAMES

LINES = {
    WITH: COLOURS[DEFAULT],
    DEFAULT: "#7fb2dc",
    MAJORITY: "#555555",
    REGRESSION: "#d1752a",
    peers.DAWID_SKENE: COLOURS[peers.DAWID_SKENE],
    peers.HYPER: COLOURS[peers.HYPER],
}
_WITHOUT_GOLD = (DEFAULT, MAJORITY)
_BELOW = 4.0
"""How far below the lowest of Assay and the majority vote the picture goes; other lines may leave it."""


def points(rows: Sequence[Row], kind: str) -> list[dict[str, Any]]:
    """Means over the large sets, at the numbers of labels that all of them have: a line is of the same sets throughout.

    Assay with the gold of no items is Assay without gold.
    """
    every = len(large(rows, DEFAULT, kind, 0))
    found = []
    for labels in sorted({one.labels for one in rows}):
        for method in METHODS:
            its = large(rows, DEFAULT if method == WITH and not labels else method, kind, labels)
            if its and len(its) == every:
                found.append({"method": method, "labels": labels, "accuracy": mean(its, "accuracy")})
    return found


def drawn(rows: Sequence[Row]) -> Any:
    by_kind = {kind: found for kind in KINDS if (found := points(rows, kind))}
    methods = [name for name in LINES if any(point["method"] == name for its in by_kind.values() for point in its)]
    panels = [_panel(its, kind, methods, len(large(rows, DEFAULT, kind, 0))) for kind, its in by_kind.items()]
    return styled(alt.hconcat(*panels, spacing=30).resolve_scale(y="independent"))


def _panel(its: Sequence[dict[str, Any]], kind: str, methods: Sequence[str], sets: int) -> Any:
    base = [point["accuracy"] for point in its if point["method"] in (WITH, *_WITHOUT_GOLD)]
    low, high = min(base) - _BELOW, max(point["accuracy"] for point in its) + 0.5
    seen = [point for point in its if point["accuracy"] >= low]
    below = {point["method"] for point in its} - {point["method"] for point in seen}
    notes = [f"means over {sets} sets" if sets > 1 else "one set"]
    notes.append(f"below: {', '.join(name for name in methods if name in below)}" if below else " ")
    ticks = sorted({point["labels"] for point in its})
    encodings = {
        # Much happens between 0 and 100 labels, and a logarithm has no zero.
        "x": alt.X(
            "labels:Q",
            title="labels by hand",
            scale=alt.Scale(type="sqrt", domain=[0, ticks[-1]], nice=False),
            axis=alt.Axis(values=ticks, labelFlush=False),
        ),
        "y": alt.Y("accuracy:Q", title="% right of all other items", scale=alt.Scale(domain=[low, high], nice=False)),
        "color": alt.Color(
            "method:N",
            scale=alt.Scale(domain=list(methods), range=[LINES[name] for name in methods]),
            legend=alt.Legend(title=None, orient="bottom", columns=6, labelLimit=300),
        ),
    }
    without_gold = alt.FieldOneOfPredicate(field="method", oneOf=list(_WITHOUT_GOLD))
    lines = (
        alt.Chart(alt.Data(values=list(its)))
        .mark_line(clip=True)
        .encode(
            **encodings,
            strokeDash=alt.condition(without_gold, alt.value([5, 4]), alt.value([1, 0])),
            size=alt.condition(alt.FieldEqualPredicate(field="method", equal=WITH), alt.value(3), alt.value(1.8)),
        )
    )
    dots = alt.Chart(alt.Data(values=seen)).mark_circle(size=40, opacity=1).encode(**encodings)
    title = alt.TitleParams(KIND_NAMES[kind].capitalize(), subtitle=notes, subtitleFontSize=11)
    return alt.layer(lines, dots).properties(width=330, height=330, title=title)
