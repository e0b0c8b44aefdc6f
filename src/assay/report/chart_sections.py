"""The sections of a report that are mostly pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay._core.palette import PAGE
from assay.report import charts
from assay.report.facts import LabelShare
from assay.report.formatting import NAME, count, cut, distinct, interval, percent
from assay.report.html import Content, Markup, name_of, section, tag, trusted
from assay.report.plots import confusion_map

if TYPE_CHECKING:
    import pandas as pd

    from assay.evaluation import Evaluation
    from assay.report.report import Report

_MOST_BARS = 25
_MOST_TASKS = 24
_MOST_PAIRS = 12
_TOO_FEW = 0.01
"""Ranges of confidence with a smaller share of the items than this are left out of calibration curves."""
_FEW = 5
"""Nor do fewer items than this, if there are some hundred."""
_PLACES = {"majority vote": 0, "hierarchical majority vote": 1, "label model": 2, "end model": 3}
"""The colours of methods."""


def figure(chart: charts.Chart | Markup, title: str, what: str = "") -> Markup:
    """A chart, drawn as SVG in the colours of the page, with what it shows."""
    picture = chart if isinstance(chart, Markup) else trusted(charts.to_svg(chart))
    return tag("figure", tag("figcaption", title, tag("small", what) if what else None), picture)


def labels_section(report: Report) -> Markup:
    """How common outcomes and labels are, and how confident the model is."""
    figures: list[Content] = []
    for part in report.components:
        of = "" if len(report.components) == 1 else f": {cut(', '.join(part.tasks), 40)}"
        figures.append(
            _shares(part.balance, f"Class balance{of}", "how common each outcome is, as learned by the model")
        )
        some = "items" if part.covered == 1 else f"the {percent(part.covered)} of the items with votes"
        what = f"{some}, by how probable their label is"
        chart = charts.histogram(
            part.edges, part.confidence, title="probability of the label", count_title="items", palette=PAGE
        )
        figures.append(figure(chart, f"Confidence{of}", what))
    figures += [
        _shares(task.labels, f"Labels of {cut(task.name, 40)}", f"voted on by {count(task.sources, 'source')}")
        for task in report.tasks[:_MOST_TASKS]
    ]
    more = len(report.tasks) - _MOST_TASKS
    return section(
        "labels",
        "Labels",
        tag("p", "How the items were labeled, and how confident the model is."),
        tag("p", f"{count(more, 'more task')} are left out.", class_="note") if more > 0 else None,
        None if report.is_exact else tag("p", "counted in a sample of the items.", class_="note"),
        tag("div", figures, class_="charts even"),
    )


def _shares(shares: Sequence[LabelShare], title: str, what: str) -> Markup:
    shown = sorted(shares, key=lambda entry: -entry.share)[:_MOST_BARS] if len(shares) > _MOST_BARS else shares
    rest = len(shares) - len(shown)
    note = what + (f"; {count(rest, 'rarer one')} left out" if rest else "")
    if any(entry.gold is not None for entry in shown):
        note += "; the mark shows gold"
    names = distinct([entry.name for entry in shown])
    rows = [{"name": n, "value": e.share, "gold": e.gold} for n, e in zip(names, shown, strict=True)]
    return figure(charts.bars(rows, title="share of items", palette=PAGE), title, note)


def agreement_section(report: Report) -> Markup:
    """Which sources agree, how much of that the truth does not explain, and which dependencies were declared."""
    figures: list[Content] = []
    names = distinct(report.agreement.names)
    if len(names) > 1:
        figures.append(
            figure(
                charts.heat_map(report.agreement.cells, names, palette=PAGE),
                "Agreement",
                "of the items that both vote on, the share where both can be right; empty where there are hardly any",
            )
        )
    if report.residuals is not None and len(names) > 1:
        figures.append(
            figure(
                charts.heat_map(report.residuals.cells, names, form=".2f", full=0.5, palette=PAGE),
                "Residual correlation",
                "agreement beyond what the truth explains: 100% for copies, about 0% for independent sources; "
                "declared dependencies show as well",
            )
        )
    figures.append(_graph(report))
    left_out = report.agreement.left_out
    note = f"the {count(len(names), 'source')} that overlap most with others are shown, of {len(report.sources):,}."
    return section(
        "agreement",
        "How sources agree",
        tag("p", "Similar sources are next to each other."),
        tag("p", note, class_="note") if left_out else None,
        tag("div", figures, _redundancy(report), class_="charts"),
    )


def _graph(report: Report) -> Markup:
    graph = report.graph
    title = "Learned dependencies" if report.learned else "Declared dependencies"
    if not graph.edges:
        how = "found" if report.learned else "declared"
        what = f"none were {how}: the model treats all sources as independent given the truth"
        return figure(tag("p", "No dependencies.", class_="pale"), title, what)
    joined = [clique for clique in graph.cliques if len(clique) > 1]
    alone = sum(len(clique) == 1 for clique in graph.cliques)
    what = f"{count(len(joined), 'clique')} of dependent sources, {count(alone, 'independent source')}"
    if graph.edges != graph.declared:
        what += "; dashed: added to make the graph chordal"
    scores = {pair: score for pair, score in report.dependence.items() if np.isfinite(score)} or None
    what += "; numbers are residual correlations" if scores else ""
    return figure(trusted(graph.to_svg(scores)), title, what)


def _redundancy(report: Report) -> Content:
    if not report.redundant:
        return None
    rows = []
    for one, other, pair in report.redundant[:_MOST_PAIRS]:
        if pair.by_meeting:
            seen, due = f"vote together on {pair.seen:,.0f} items", f"{pair.expected:,.0f}"
        else:
            seen, due = f"agree on {percent(pair.seen)} of {pair.met:,.0f}", percent(pair.expected)
        cells = tag("td", name_of(one), class_="name"), tag("td", name_of(other), class_="name")
        rows.append(tag("tr", *cells, tag("td", seen, class_="seen"), tag("td", due, class_="number")))
    more = len(report.redundant) - len(rows)
    head = tag(
        "tr", *(tag("th", name) for name in ("Source", "Repeats", "They")), tag("th", "If independent", class_="number")
    )
    return tag(
        "div",
        tag("h3", "Sources that repeat each other"),
        tag("p", "more often than independent sources would", class_="hint"),
        tag("div", tag("table", tag("thead", head), tag("tbody", rows)), class_="scroll"),
        tag("p", f"{count(more, 'more pair')} like these.", class_="hint") if more else None,
    )


def gold_section(report: Report) -> Markup | None:
    """Methods against gold; None without gold."""
    found = report.evaluations
    if not found:
        return None
    # The table has all methods, pictures those that have a colour.
    methods = {name: score for name, score in _telling(found).items() if name in _PLACES}
    first = next(iter(found.values()))
    tasks = [str(task) for task in first.tasks.index][:_MOST_TASKS]
    rows: list[dict[str, Any]] = []
    for name, score in methods.items():
        rows.append({"method": name, "figure": "outcome", "value": score.accuracy})
        if len(tasks) > 1:
            rows += [
                {"method": name, "figure": cut(task, NAME), "value": share}
                for task, share in zip(tasks, score.tasks["accuracy"].tolist(), strict=False)
                if not np.isnan(share)
            ]
    curves: dict[str, Any] = {name: _curve(score.calibration) for name, score in methods.items()}
    best = list(found)[-1]
    held = ", held out of training" if "end model" in found else ""
    figures: list[Content] = [
        figure(charts.scores(rows, places=_PLACES, palette=PAGE), "Scores", "the share of items labeled correctly"),
        figure(
            charts.calibration(curves, places=_PLACES, palette=PAGE),
            "Calibration",
            "how often labels of a given confidence are right; the dashed line is perfect calibration",
        ),
        *_confusions(found[best], best),
    ]
    return section(
        "gold",
        "Against hand labels" if _all_taught(found) else "Against gold",
        tag("p", f"On {count(first.items, 'item')} with {_what_gold(found)}{held}.{_how_scored(found)}"),
        _score_table(found),
        tag("div", figures, class_="charts even"),
    )


def _curve(calibration: pd.DataFrame) -> list[Any]:
    """The points of a calibration curve, except those of too few items to mean anything."""
    total = calibration["items"].sum()
    enough = calibration["items"] >= max(_TOO_FEW * total, min(_FEW, total / 20))
    return calibration[enough].to_dict("records")


def _telling(found: Any) -> dict[str, Evaluation]:
    """Without the hierarchical majority vote where it is the same as the plain one."""
    plain, other = found.get("majority vote"), found.get("hierarchical majority vote")
    if plain is not None and other is not None and plain.figures() == other.figures():
        return {name: score for name, score in found.items() if score is not other}
    return dict(found)


def _how_scored(found: Mapping[str, Evaluation]) -> str:
    """What is special about scores on items that taught the model."""
    taught = max(score.cross_fitted for score in found.values())
    if not taught:
        return ""
    which = "They" if _all_taught(found) else f"{count(taught, 'item')} of these"
    return (
        f" {which} taught the model; each is scored by what it would have said without "
        "the item's gold (cross-fitted). In brackets: 95% intervals."
    )


def _all_taught(found: Mapping[str, Evaluation]) -> bool:
    return all(score.cross_fitted == score.items for score in found.values())


def _what_gold(found: Mapping[str, Evaluation]) -> str:
    return "hand labels" if _all_taught(found) else "gold labels"


def _score_table(found: Any) -> Markup:
    first = next(iter(found.values()))
    tasks = list(first.tasks.index)[:_MOST_TASKS]
    head = [
        "Outcome accuracy",
        *([str(task) for task in tasks] if len(tasks) > 1 else []),
        "Macro F1",
        "Calibration error",
    ]
    rows = []
    for name, score in found.items():
        shares = [score.accuracy, *(score.tasks.loc[tasks, "accuracy"] if len(tasks) > 1 else [])]
        shares += [float(score.tasks["macro_f1"].mean()), score.calibration_error]
        rows.append(
            tag(
                "tr",
                tag("td", name, class_="name"),
                [
                    tag(
                        "td",
                        percent(share),
                        _interval(score) if at == 0 else None,
                        class_="number",
                        data_sort=f"{share:.6g}",
                    )
                    for at, share in enumerate(shares)
                ],
            )
        )
    titles = tag("tr", tag("th", "Method"), [
        tag("th", tag("button", name, type="button"), class_="number") for name in head
    ])  # fmt: skip
    table = tag("table", tag("thead", titles), tag("tbody", rows), class_="sortable", id="scores")
    return tag("div", table, class_="scroll")


def _interval(score: Evaluation) -> str | None:
    """That of the accuracy, where gold is a sample that taught the model."""
    return f" ({interval(*score.interval())})" if score.cross_fitted else None


def _confusions(score: Evaluation, method: str) -> list[Markup]:
    what = f"{method}: of 100 items with each gold label, how many got which label"
    return [
        figure(confusion_map(table, PAGE), f"Confusion, {cut(task, 40)}", what)
        for task, table in list(score.confusion.items())[:_MOST_TASKS]
        if table.to_numpy().any()
    ]


def more_data_section(report: Report) -> Markup | None:
    """How error bars would shrink with more items; None where there are no error bars."""
    ahead = report.forecast
    if ahead is None:
        return None
    rows = [{"name": name, "items": items, "half_width": half} for name, items, half in ahead.curves]
    head = tag("tr", tag("th", "Source"), tag("th", "Label"), [
        tag("th", name, class_="number") for name in ("Now", f"Items for ±{ahead.target:.0%}")
    ])  # fmt: skip
    body = [
        tag(
            "tr",
            tag("td", name_of(needed.source), class_="name"),
            tag("td", needed.value),
            tag("td", f"±{percent(needed.now)}", class_="number"),
            tag("td", "out of reach" if np.isinf(needed.items) else f"{needed.items:,.0f}", class_="number"),
        )
        for needed in ahead.widest
    ]
    table = tag("table", tag("thead", head), tag("tbody", body))
    chart = charts.shrinking(rows, now=report.items, palette=PAGE) if rows else None
    return section(
        "more-data",
        "More data",
        tag("p", f"{ahead.sentence}. This holds for more items of the same kind, voted on by the same sources."),
        tag(
            "div",
            figure(chart, "Error bars of accuracies", f"the dashed line is today: {count(report.items, 'item')}")
            if chart is not None
            else None,
            tag("div", tag("h3", "The widest error bars"), tag("div", table, class_="scroll")),
            class_="charts",
        ),
    )
