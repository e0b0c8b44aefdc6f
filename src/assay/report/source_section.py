"""The table of sources: how much each one votes, and a forest plot of its estimated accuracy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.facts import SourceFacts, ValueFacts
from assay.report.formatting import count, interval, percent
from assay.report.html import Content, Markup, name_of, section, tag

if TYPE_CHECKING:
    from assay.report.report import Report

_MOST_SOURCES = 1_000
"""As many rows as a browser sorts without delay; of more sources, those with the most votes are shown."""
_MOST_VALUES = 6


def sources_section(report: Report) -> Markup:
    """All sources; a row for each."""
    shown = report.sources
    if len(shown) > _MOST_SOURCES:
        shown = tuple(sorted(shown, key=lambda source: -source.votes)[:_MOST_SOURCES])
    has_gold = any(source.gold is not None for source in shown)
    partners = _partners(report)
    columns: list[tuple[str, str, bool]] = [
        ("Source", "", False),
        ("Accuracy, with its 95% interval", f"the share of its votes that are right, estimated {_how(report)}", True),
        *([("Gold", "the share of its votes that are right, by the gold labels", True)] if has_gold else []),
        ("Coverage", "the share of items it votes on", True),
        ("Overlaps", "the share of items on which another source votes too", True),
        ("Conflicts", "the share of items on which another vote contradicts it", True),
        ("Votes", "", True),
        *([("Repeats", "sources it agrees with more often than the truth explains", False)] if partners else []),
    ]
    head = tag(
        "tr",
        [
            tag(
                "th",
                tag("button", name, type="button", title=what or None),
                class_="number" if at > 1 and right else None,
            )
            for at, (name, what, right) in enumerate(columns)
        ],
    )
    rows = [_row(source, has_gold, partners.get(source.name, ()) if partners else None) for source in shown]
    intro = "What each source votes for, and how accurate it appears to be."
    find = tag(
        "input",
        type="search",
        placeholder="Find a source, a task, a label",
        data_filters="sources",
        aria_label="Find a source",
    )
    table = tag("table", tag("thead", head), tag("tbody", rows), class_="sortable wide sources", id="sources")
    return section(
        "the-sources",
        "Sources",
        tag("p", intro, f" The estimates were learned {_how(report)}." if has_gold or report.taught else ""),
        tag("div", find, _legend(has_gold), class_="tools"),
        _truncation(report, len(shown)),
        tag("div", table, class_="scroll"),
    )


def _how(report: Report) -> str:
    """What estimates were learned from."""
    return f"from votes and {count(report.taught, 'hand label')}" if report.taught else "without gold labels"


def _partners(report: Report) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for one, other, _ in report.redundant:
        found[one] = (*found.get(one, ()), other)
        found[other] = (*found.get(other, ()), one)
    return found


def _truncation(report: Report, shown: int) -> Content:
    notes = []
    if shown < len(report.sources):
        notes.append(f"the {shown:,} sources with the most votes are shown, of {len(report.sources):,}.")
    if not report.is_exact:
        notes.append("overlaps and conflicts are from a sample of the items, all other figures from all of them.")
    return [tag("p", note, class_="note") for note in notes]


def _legend(has_gold: bool) -> Markup:
    return tag(
        "div",
        tag("span", _strip(0.5, 0.1, 0.9, None, None), "estimate, 95% interval"),
        tag("span", tag("span", tag("i", class_="chance", style="left:50%"), class_="strip"), "by chance"),
        tag("span", tag("span", tag("i", class_="truth", style="left:50%"), class_="strip"), "gold")
        if has_gold
        else "",
        class_="legend",
    )


def _row(source: SourceFacts, has_gold: bool, partners: tuple[str, ...] | None) -> Markup:
    return tag(
        "tr",
        tag("td", name_of(source.name), tag("small", source.tasks), class_="name"),
        tag("td", _values(source), data_sort=_number(source.accuracy)),
        _gold(source) if has_gold else None,
        *(
            tag("td", percent(share), class_="number", data_sort=_number(share), data_label=name)
            for name, share in (
                ("coverage", source.coverage),
                ("overlaps", source.overlaps),
                ("conflicts", source.conflicts),
            )
        ),
        tag("td", f"{source.votes:,}", class_="number", data_sort=source.votes, data_label="votes"),
        None if partners is None else _repeats(partners),
        class_="astray" if source.is_worse_than_chance else None,
    )


def _repeats(partners: tuple[str, ...]) -> Markup:
    named = ", ".join(partners[:3]) + (" …" if len(partners) > 3 else "")
    return tag("td", name_of(named), class_="repeats", data_label="repeats" if named else None)


def _gold(source: SourceFacts) -> Markup:
    if source.gold is None:
        return tag("td", "–", class_="number pale", data_sort=-1, data_label="gold")
    told = f"{source.gold.accuracy:.1%} of {count(source.gold.votes, 'vote')}, "
    told += f"{interval(source.gold.low, source.gold.high)}"
    shown = percent(source.gold.accuracy)
    return tag("td", shown, class_="number", data_sort=_number(source.gold.accuracy), title=told, data_label="gold")


def _values(source: SourceFacts) -> Markup:
    if not source.values:
        return tag("span", "never votes", class_="pale")
    parts = [_value(value) for value in source.values[:_MOST_VALUES]]
    more = len(source.values) - _MOST_VALUES
    if more > 0:
        parts.append(tag("span", f"and {count(more, 'rarer label')}", class_="more"))
    return tag("div", parts, class_="values")


def _value(value: ValueFacts) -> Markup:
    gold = None if value.gold is None else value.gold.accuracy
    around = tag("span", interval(value.low, value.high), class_="pale")
    return (
        tag("span", value.label, class_="label", title=f"{value.label} ({value.task}): {count(value.votes, 'vote')}")
        + _strip(value.accuracy, value.low, value.high, value.chance, gold)
        + tag("span", tag("b", percent(value.accuracy)), " ", around, class_="figures")
        + (_levels(value) if value.levels else Markup(""))
    )


def _levels(value: ValueFacts) -> Markup:
    """Accuracy by confidence: a bar for each level, from the least sure to the surest."""
    told = [f"{level.level}: {percent(level.accuracy)} of {count(level.votes, 'vote')}" for level in value.levels]
    bars = [
        tag("i", tag("b", style=f"height:{100 * level.accuracy:.0f}%"), title=text)
        for level, text in zip(value.levels, told, strict=True)
    ]
    first, last = value.levels[0], value.levels[-1]
    spoken = f"by confidence, {first.level}: {percent(first.accuracy)}; {last.level}: {percent(last.accuracy)}"
    picture = tag("span", bars, class_="bars", role="img", aria_label="; ".join(told))
    return tag("span", picture, spoken, class_="levels")


def _strip(accuracy: float, low: float, high: float, chance: float | None, gold: float | None) -> Markup:
    """An accuracy on a scale from 0 to 100%."""

    def at(share: float) -> str:
        return f"left:{100 * share:.1f}%"

    return tag(
        "span",
        None if chance is None else tag("i", class_="chance", style=at(chance)),
        tag("i", class_="interval", style=f"{at(low)};width:{100 * (high - low):.1f}%"),
        None if gold is None else tag("i", class_="truth", style=at(gold)),
        tag("i", class_="dot", style=at(accuracy)),
        class_="strip",
        role="img",
        aria_label=f"{percent(accuracy)}, between {percent(low)} and {percent(high)}",
    )


def _number(value: float | None) -> str:
    return "-1" if value is None else f"{value:.6g}"
