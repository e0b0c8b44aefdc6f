"""Kept runs and reused votes, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.markup import escape

from assay.report import percent, plain_table

if TYPE_CHECKING:
    from rich.table import Table

    from assay.project.runs import RunRecord
    from assay.sources import Reuse


def runs_table(runs: Sequence[RunRecord]) -> Table:
    """A row for each run, the latest last."""
    methods = list(dict.fromkeys(method for run in runs for method in run.scores))
    numbers = ("run", "items", "sources", "hand labels", *methods, "labels changed")
    table = plain_table("runs", "run", "when (UTC)", *numbers[1:], "what was different", numbers=numbers)
    for run in runs:
        table.add_row(
            str(run.number),
            run.when[:16].replace("T", " "),
            f"{run.items:,}",
            f"{len(run.sources):,}",
            f"{run.hand_labels:,}",
            *(percent(run.scores[method]) if method in run.scores else "–" for method in methods),
            "–" if run.flipped is None else f"{run.flipped:,}",
            escape(", ".join(run.changed) or ("–" if run.previous is None else "nothing")),
        )
    return table


def reuse_text(reuse: Sequence[Reuse]) -> Iterator[str]:
    """How much of the votes was kept from before, and of whom none are, in sentences."""
    kept = [one for one in reuse if one.kept and not one.applied]
    if kept:
        applied = [one.source for one in reuse if one.applied]
        told = f"votes of {len(kept):,} of {len(reuse):,} sources were kept from before"
        yield f"{told}; applied: {', '.join(applied)}" if applied else told
    partly = [one for one in reuse if one.kept and one.applied]
    if partly:
        rows = max(one.kept for one in partly)
        yield f"went on after the {rows:,} rows whose votes were kept from before"
    for one in reuse:
        if one.reason is not None:
            yield f"{one.source} is applied each time: {one.reason}"
