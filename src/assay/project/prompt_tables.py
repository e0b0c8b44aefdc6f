"""Prompts in the terminal: what they would cost, and which of their answers are kept."""

from __future__ import annotations

from typing import Any

from rich.markup import escape
from rich.table import Table

from assay._core.texts import printable
from assay.project.kept_answers import AnswersKept
from assay.report import plain_table
from assay.sources import PromptCosts

_TOKENS = ("tokens in", "tokens out")


def costs_table(costs: PromptCosts) -> Table:
    """What prompts would ask and cost, a row for each."""
    numbers = ("questions", "kept", *_TOKENS, "cost")
    table = plain_table("what prompts would ask", "prompt", "model", *numbers, "tokens by", numbers=numbers)
    for one in costs.prompts:
        counts = (one.questions, one.kept, one.input_tokens, one.output_tokens)
        table.add_row(_text(one.source), _text(one.model), *map(_number, counts), _money(one.cost), one.basis)
    return table


def kept_table(kept: AnswersKept) -> Table:
    """Which answers are kept, a row for each model."""
    numbers = ("answers", *_TOKENS, "cost")
    title = f"answers in {kept.path}, {kept.bytes / 1e6:,.1f} MB"
    table = plain_table(title, "model", *numbers, "last", "server", numbers=numbers)
    for one in kept.models:
        counts = (one["answers"], one["input_tokens"], one["output_tokens"])
        cost, server = _money(one["cost"]), _text(one["url"].removesuffix("/chat/completions"))
        table.add_row(_text(one["model"]), *map(_number, counts), cost, one["last"], server)
    return table


def _text(value: Any) -> str:
    return escape(printable(str(value)))


def _number(value: int) -> str:
    return f"{value:,}"


def _money(value: float | None) -> str:
    return "no price" if value is None else f"{value:.4g}"
