"""Contested items: their votes, the resulting label, and the effect of each vote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.report.contested import ContestedItem, Contribution
from assay.report.formatting import count, cut, percent
from assay.report.html import Content, Markup, name_of, section, tag

if TYPE_CHECKING:
    from assay.report.report import Report

_MOST_CHARACTERS = 1_500
_MOST_FIELDS = 12
_MOST_OUTCOMES = 5
_MOST_CONTRIBUTIONS = 14


def items_section(report: Report) -> Markup | None:
    """The items on which votes contradict each other most, each behind a line that opens; None if there are none."""
    if not report.contested:
        return None
    intro = (
        "The items with the most pairs of contradicting votes; of items with the same votes, one is shown. Open an "
        "item to see who voted for what, and how each vote changed the odds of the two most probable labels."
    )
    if not report.shows_texts:
        intro += " The data itself is left out of this page."
    return section(
        "disagreement",
        "Where sources disagree most",
        tag("p", intro),
        None if report.is_exact else tag("p", "found in a sample of the items.", class_="note"),
        tag("div", tag("button", "Open or close all", type="button", data_opens="contested"), class_="tools"),
        tag("div", [_item(report, item) for item in report.contested], id="contested", style="margin-top:12px"),
    )


def _item(report: Report, item: ContestedItem) -> Markup:
    record = report.records.get(item.row, {}) if item.row is not None else {}
    best, chance = item.posterior[0]
    name = item.name if item.name is not None and report.shows_texts else None
    place = "item" if item.row is None else f"row {item.row}" if name is None else name
    excerpt = _excerpt(record) or f"{count(len(item.votes), 'vote')}, {count(item.pairs, 'contradicting pair')}"
    return tag(
        "details",
        tag(
            "summary",
            tag("span", place, class_="row", title=place),
            tag("span", excerpt, class_="excerpt"),
            tag("span", f"{best} {percent(chance)}", class_="verdict"),
        ),
        tag(
            "div",
            _record(record),
            tag(
                "div",
                tag("div", tag("h3", "Effect of each vote"), _contributions(item)),
                tag("div", tag("h3", "Resulting label"), _posterior(item)),
                class_="two",
            ),
            class_="inside",
        ),
    )


def _excerpt(record: Mapping[str, Any]) -> str:
    texts = [value for value in record.values() if isinstance(value, str)]
    return cut(max(texts, key=len), 200) if texts else ""


def _record(record: Mapping[str, Any]) -> Content:
    if not record:
        return None
    shown = list(record.items())[:_MOST_FIELDS]
    more = len(record) - len(shown)
    return tag(
        "dl",
        [(tag("dt", cut(name, 60)), tag("dd", cut(value, _MOST_CHARACTERS))) for name, value in shown],
        (tag("dt", "…"), tag("dd", f"and {count(more, 'more column')}")) if more else None,
        class_="record",
    )


def _contributions(item: ContestedItem) -> Markup:
    shown = item.contributions[:_MOST_CONTRIBUTIONS]
    scale = max((abs(part.log_odds) for part in shown), default=1.0) or 1.0
    rows = [_contribution(part, scale) for part in shown]
    more = len(item.contributions) - len(shown)
    if more:
        rows.append(tag("tr", tag("td", f"and {more} weaker ones", class_="pale", colspan=3)))
    return tag("div", tag("table", tag("tbody", rows), class_="wide did"), class_="scroll", style="margin-top:0")


def _contribution(part: Contribution, scale: float) -> Markup:
    width = f"width:{50 * abs(part.log_odds) / scale:.1f}%"
    pull = tag("span", tag("i", class_="for" if part.log_odds > 0 else "against", style=width), class_="pull")
    return tag("tr", tag("td", name_of(part.who), class_="name"), tag("td", pull), tag("td", part.words))


def _posterior(item: ContestedItem) -> Markup:
    shown = item.posterior[:_MOST_OUTCOMES]
    rest = sum(chance for _, chance in item.posterior[_MOST_OUTCOMES:])
    entries = [*shown, *([(f"{count(len(item.posterior) - len(shown), 'other')}", rest)] if rest else [])]
    notes = [] if item.gold is None else [tag("p", "Gold says ", tag("b", item.gold), ".")]
    if item.alike > 1:
        notes.append(tag("p", f"About {count(item.alike, 'item')} have these votes.", class_="hint"))
    return tag(
        "div",
        [
            (
                tag("span", name, class_="name", title=name),
                tag("span", class_="bar", style=f"width:{100 * chance:.1f}%"),
                tag("span", percent(chance), class_="number"),
            )
            for name, chance in entries
        ],
        class_="share",
    ) + tag("div", notes, style="margin-top:10px")
