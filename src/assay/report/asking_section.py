"""The section of a report on asking prompts about more items, and the same as a table for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from assay.report.asking import AskingPlan, AskingStep
from assay.report.formatting import count, percent
from assay.report.html import Markup, section, tag
from assay.report.terminal import plain_table

if TYPE_CHECKING:
    from assay.report.report import Report

_COLUMNS = ("next items", "share", "questions", "tokens", "cost", "expected wrong", "expected gain")


def _cells(step: AskingStep) -> tuple[str, ...]:
    gain = "not known yet" if step.expected_gain is None else f"{step.expected_gain:,.1f}"
    cost = "no price" if step.cost is None else f"{step.cost:.4g}"
    sizes = (f"{step.items:,}", percent(step.share), f"{step.questions:,}", f"{step.tokens:,}")
    return (*sizes, cost, f"{step.expected_errors:,.1f}", gain)


def asking_table(plan: AskingPlan) -> Table:
    """What asking about more items is expected to change, a row for each number of them."""
    table = plain_table("what asking about more items is expected to change", *_COLUMNS, numbers=_COLUMNS)
    for step in plan.steps:
        table.add_row(*_cells(step))
    return table


def asking_section(report: Report) -> Markup | None:
    """Expected gain against cost; None if there is nobody left to ask about, or nobody to ask."""
    plan = report.asking
    if plan is None or not plan.steps:
        return None
    head = tag("tr", [tag("th", name.capitalize(), class_="number") for name in _COLUMNS])
    rows = [tag("tr", [tag("td", cell, class_="number") for cell in _cells(step)]) for step in plan.steps]
    return section(
        "asking",
        "Asking prompts about more items",
        tag(
            "p",
            f"Prompts were asked about {plan.asked:,} of {count(plan.items, 'item')}. What asking about the next ones, "
            "the least sure first, costs, and how many labels it is expected to put right.",
        ),
        tag("div", tag("table", tag("thead", head), tag("tbody", rows)), class_="scroll"),
        tag(
            "p",
            "Expected wrong: labels that are wrong now, as the model sees it; no prompt can gain more. Expected gain: "
            "of these, with prompts as good as they appear to be where they were asked. Both are the model's own "
            "expectations, and no more right than it is.",
            class_="note",
        ),
    )
