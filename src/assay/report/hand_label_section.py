"""The sections of a report on what hand labels tell of all items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay._core.palette import PAGE
from assay.report import charts
from assay.report.chart_sections import figure
from assay.report.formatting import count, cut, distinct, interval, percent
from assay.report.html import Content, Markup, section, tag

if TYPE_CHECKING:
    from assay.report.report import Report

_MOST_TASKS = 24
_MOST_LABELS = 25


def shares_section(report: Report) -> Markup | None:
    """How common each label is, with error bars; None without hand labels."""
    facts = report.hand_labels
    if facts is None:
        return None
    tasks = list(dict.fromkeys(facts.shares["task"]))
    figures: list[Content] = []
    for task in tasks[:_MOST_TASKS]:
        table = facts.shares[facts.shares["task"] == task].sort_values("share", ascending=False, kind="stable")
        shown = table.head(_MOST_LABELS)
        rows = [
            {"name": name, "value": share, "low": low, "high": high}
            for name, share, low, high in zip(
                distinct(shown["label"].tolist()), shown["share"], shown["low"], shown["high"], strict=True
            )
        ]
        rest = len(table) - len(shown)
        what = f"by {count(int(table['gold'].iloc[0]), 'hand label')}" + (
            f"; {rest} rarer ones left out" if rest else ""
        )
        figures.append(figure(charts.intervals(rows, title="share of items", palette=PAGE), cut(task, 40), what))
    more = len(tasks) - _MOST_TASKS
    return section(
        "shares",
        "Shares",
        tag(
            "p",
            "How many of all items have each label: counted on hand labels, sharpened by the labels of all items, "
            "with 95% intervals. They hold whether or not the labels are right.",
        ),
        tag("p", f"{count(more, 'more task')} are left out.", class_="note") if more > 0 else None,
        tag("div", figures, class_="charts even"),
    )


def auto_label_section(report: Report) -> Markup | None:
    """Which labels are right as often as asked, and how many items are left for people; None without hand labels."""
    facts = report.hand_labels
    if facts is None:
        return None
    names = ("Right at least", "From confidence", "Items", "Left for people", "Seen right", "Hand labels")
    head = tag("tr", [tag("th", name, class_="number") for name in names])
    rows = []
    for entry in facts.promises:
        found = entry.guarantee
        first = tag("td", percent(entry.precision), class_="number")
        if found is None:
            rows.append(tag("tr", first, tag("td", entry.why_not or "", colspan="5")))
            continue
        cells = (
            f"{found.threshold:.3f}",
            percent(found.coverage),
            f"{len(found.rest):,}",
            f"{percent(found.estimate)} ({interval(found.low, found.high)})",
            f"{found.gold:,}",
        )
        rows.append(tag("tr", first, [tag("td", cell, class_="number") for cell in cells]))
    return section(
        "auto-label",
        "Labels that need no check",
        tag(
            "p",
            "From which confidence on labels are right as often as asked, with 95% confidence, by hand labels "
            "that the model had not seen when it was asked about them.",
        ),
        tag("div", tag("table", tag("thead", head), tag("tbody", rows)), class_="scroll"),
    )


def training_section(report: Report) -> Markup | None:
    """What to train on: hand labels, labels, or both; None if that was not compared."""
    found = report.trainings
    if found is None:
        return None
    rows = [
        {"name": name, "value": score.value, "low": score.low, "high": score.high}
        for name, score in found.accuracy.items()
    ]
    head = tag("tr", tag("th", "Trained on"), [tag("th", name, class_="number") for name in ("Items", "Accuracy")])
    body = [
        tag(
            "tr",
            tag("td", name, class_="name"),
            tag("td", f"{found.trained_on[name]:,}", class_="number"),
            tag("td", f"{percent(score.value)} ({interval(score.low, score.high)})", class_="number"),
        )
        for name, score in found.accuracy.items()
    ]
    chart = charts.intervals(rows, title="accuracy", palette=PAGE)
    return section(
        "training",
        "What to train on",
        tag("p", found.advice),
        tag(
            "p",
            f"End models trained on hand labels alone, on labels that know of none, and on both, each scored on "
            f"{count(found.items, 'hand-labeled item')} that it was not trained with ({found.folds} folds). "
            "In brackets: 95% intervals. Differences are judged on the same items, so they are surer than these.",
            class_="note",
        ),
        tag(
            "div",
            tag("div", tag("table", tag("thead", head), tag("tbody", body)), class_="scroll"),
            figure(chart, "Accuracy", "by hand labels"),
            class_="charts even",
        ),
    )
