"""The page of a report: one HTML file that needs nothing else.

The charts are pictures in the page's colours, so that they follow it from day to night and onto paper. The
only script is our own, known by its hash: whatever else a text from the data might bring along, browsers refuse.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from importlib.resources import files
from typing import TYPE_CHECKING

from assay._core.palette import DARK, LIGHT, Palette, variables
from assay.report.asking_section import asking_section
from assay.report.chart_sections import agreement_section, gold_section, labels_section, more_data_section
from assay.report.evidence import evidence_section
from assay.report.formatting import count, interval, percent, setting
from assay.report.hand_label_section import auto_label_section, shares_section, training_section
from assay.report.html import Content, Markup, section, tag, trusted
from assay.report.item_section import items_section
from assay.report.source_section import sources_section

if TYPE_CHECKING:
    from assay.checks import Problem
    from assay.report.report import Report

_MOST_PROBLEMS = 60
_URGENCY = {"stop": "blocking", "fix": "fix first", "look": "review", "fine": "note"}
_BEYOND_CHARTS = {
    LIGHT: {"--ground": "#f5f6f8", "--rule": "#cfd5dd", "--good": "#1d7a55"},
    DARK: {"--ground": "#0d1014", "--rule": "#424c59", "--good": "#63c79d"},
}
"""Colours that only the page has."""
_HEAD = Markup(
    '<meta charset="utf-8">'
    '<meta http-equiv="Content-Security-Policy" content="{}">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta name="color-scheme" content="light dark">'
    '<meta name="referrer" content="no-referrer">'
    '<link rel="icon" href="data:,">'
)


def page(report: Report) -> str:
    """The whole page."""
    script = _part("page.js")
    sections = {
        ("first", "What to fix first"): priorities_section(report),
        ("the-sources", "Sources"): sources_section(report),
        ("labels", "Labels"): labels_section(report),
        ("evidence", "Votes and data"): evidence_section(report),
        ("shares", "Shares"): shares_section(report),
        ("auto-label", "Auto-label"): auto_label_section(report),
        ("agreement", "Agreement"): agreement_section(report),
        ("disagreement", "Disagreement"): items_section(report),
        ("gold", "Gold"): gold_section(report),
        ("training", "Training"): training_section(report),
        ("asking", "Asking more"): asking_section(report),
        ("more-data", "More data"): more_data_section(report),
        ("check", "Check"): check_section(report),
        ("settings", "Settings"): settings_section(report),
    }
    shown = {place: made for place, made in sections.items() if made is not None}
    head = (
        _HEAD.format(security_policy()) + tag("title", f"{report.title} · Assay") + tag("style", trusted(style_sheet()))
    )
    menu = tag("ul", [tag("li", tag("a", name, href=f"#{anchor}")) for anchor, name in shown])
    body = (
        tag("header", tag("div", _heading(report)))
        + tag("nav", menu, aria_label="Sections")
        + tag("main", list(shown.values()))
        + tag("footer", _footer(report))
        + tag("script", trusted(script))
    )
    return f"<!doctype html>\n{tag('html', tag('head', head), tag('body', body), lang='en')}\n"


def security_policy() -> str:
    """What a browser may do with the page: nothing but to show it, and to run the one script that is ours."""
    digest = b64encode(hashlib.sha256(_part("page.js").encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:"


def style_sheet() -> str:
    """The colours and the style of the page, for other pages that look like it."""
    return f"{_colours()}\n{_part('page.css')}"


def _heading(report: Report) -> list[Content]:
    per_item = report.cast / max(report.items, 1)
    tiles: list[tuple[str, str, str]] = [
        ("Items", f"{report.items:,}", f"{per_item:.1f} votes each"),
        ("Sources", f"{len(report.sources):,}", f"on {count(len(report.tasks), 'task')}"),
        (
            "Items with votes",
            percent(min(part.covered for part in report.components)),
            "the others get the class balance",
        ),
        ("Items in conflict", percent(report.contradicted), "with votes that cannot all be true"),
        (
            "Expected accuracy",
            percent(min(part.right for part in report.components)),
            f"majority vote: {percent(min(part.majority_right for part in report.components))}",
        ),
    ]
    scored = report.evaluations.get("label model")
    if scored is not None:
        taught = f", {interval(*scored.interval())}, cross-fitted" if scored.cross_fitted else ""
        how = f"on {count(scored.items, 'item')}{taught}"
        by = "hand labels" if scored.cross_fitted == scored.items else "gold"
        tiles.append((f"Accuracy by {by}", percent(scored.accuracy), how))
    return [
        tag("div", "Assay report", class_="mark"),
        tag("h1", report.title),
        tag("p", _lead(report), class_="lead"),
        tag("button", "Light / dark", type="button", class_="theme", hidden=True),
        tag("dl", [tag("div", tag("dt", name), tag("dd", value, tag("small", note))) for name, value, note in tiles],
            class_="tiles"),
    ]  # fmt: skip


def _lead(report: Report) -> str:
    tasks = ", ".join(task.name for task in report.tasks[:6]) + (" …" if len(report.tasks) > 6 else "")
    said = f"{count(len(report.sources), 'source')} voted {report.cast:,} times on {count(report.items, 'item')}"
    return f"{said}; tasks: {tasks}."


def priorities_section(report: Report) -> Markup:
    """What to fix first, in sentences."""
    entries = [
        tag(
            "li",
            tag("span", _URGENCY[entry.urgency], class_=f"badge {entry.urgency}"),
            tag(
                "div",
                tag("p", _upper(entry.what), class_="what"),
                tag("p", _upper(entry.todo), class_="how") if entry.todo else None,
            ),
        )
        for entry in report.priorities
    ]
    return section("first", "What to fix first", tag("ul", entries, class_="todo"))


def check_section(report: Report) -> Markup:
    """What can be learned from the votes at all, as :func:`assay.check` says; and what the model found."""
    problems = report.check.problems
    shown = [_problem(problem) for problem in problems[:_MOST_PROBLEMS]]
    more = len(problems) - len(shown)
    return section(
        "check",
        "The check",
        tag("p", "What can be learned from the votes, checked before anything was fitted."),
        shown or tag("p", "No problems found."),
        tag("p", f"{count(more, 'more problem')}.", class_="note") if more else None,
        tag("h3", "What the model found", style="margin-top:18px"),
        [tag("p", sentence) for sentence in report.advice],
    )


def _problem(problem: Problem) -> Markup:
    return tag(
        "div",
        tag("span", f"{problem.severity} {problem.code}", class_=f"badge {problem.severity}"),
        tag("p", _upper(problem.message)),
        tag("p", tag("b", "Fix: "), problem.fix),
        class_="problem",
    )


def settings_section(report: Report) -> Markup:
    """The task graph, the settings of the label model, and the versions of what computed the figures."""
    settings = [
        tag("tr", tag("td", tag("code", name)), tag("td", tag("code", setting(value))))
        for name, value in report.settings.items()
    ]
    made = [tag("tr", tag("td", name), tag("td", version)) for name, version in report.versions.items()]
    learned = ", ".join(dict.fromkeys(report.methods))
    drawn = trusted(report.task_graph.to_svg())
    return section(
        "settings",
        "Task graph and settings",
        tag(
            "p",
            f"{count(report.items, 'item')}, {count(len(report.sources), 'source')}; parameters learned by {learned}.",
        ),
        tag(
            "div",
            tag("figure", tag("figcaption", "Task graph"), tag("div", drawn, class_="scroll")),
            tag("div", tag("h3", "Settings"), tag("table", tag("tbody", settings)), style="overflow-wrap:anywhere"),
            tag("div", tag("h3", "Versions"), tag("table", tag("tbody", made))),
            class_="charts even",
        ),
    )


def _footer(report: Report) -> str:
    texts = "" if report.shows_texts else " It contains none of the data itself."
    return (
        f"Made by Assay {report.versions['assay']}. This page is self-contained and makes no network requests.{texts}"
    )


def _colours() -> str:
    def block(palette: Palette) -> str:
        every = {**variables(palette), **_BEYOND_CHARTS[palette]}
        return "".join(f"{name}:{colour};" for name, colour in every.items())

    dark = block(DARK)
    return (
        f":root{{{block(LIGHT)}color-scheme:light}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}color-scheme:dark}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{{dark}color-scheme:dark}}}}"
    )


def _part(name: str) -> str:
    return files("assay.report").joinpath(name).read_text(encoding="utf-8")


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
