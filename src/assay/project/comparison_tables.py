"""What changed between two runs, as tables for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.markup import escape

from assay.report import percent, plain_table

if TYPE_CHECKING:
    from rich.console import RenderableType

    from assay.project.comparison import Comparison, FlippedItem

_MOST_ROWS = 15
_WORTH_TELLING = 0.005
"""Smaller changes of an accuracy are not listed."""


def change_tables(found: Comparison) -> list[RenderableType]:
    """Sentences and tables, the most important first."""
    told: list[RenderableType] = [escape(f"note: {note}") for note in found.notes]
    told += [
        f"[bold]{what}:[/] {escape(', '.join(names))}"
        for what, names in (("sources added", found.added), ("sources removed", found.removed))
        if names
    ]
    if found.edited:
        table = plain_table(
            f"sources whose votes changed, on {found.items:,} items",
            *("source", "changed", "votes"),
            numbers=("changed", "votes"),
        )
        for source in found.edited[:_MOST_ROWS]:
            table.add_row(escape(source.name), f"{source.changed:,}", f"{source.before:,} → {source.after:,}")
        told += [table, *_more(len(found.edited))]
    moved = found.accuracies[found.accuracies["moved"].abs() >= _WORTH_TELLING].to_dict("records")
    if moved:
        table = plain_table(
            "accuracies that changed",
            *("source", "value", "before", "after", "change", ""),
            numbers=("before", "after", "change"),
        )
        for row in moved[:_MOST_ROWS]:
            table.add_row(*_moved(row))
        told += [table, *_more(len(moved))]
    elif len(found.accuracies):
        told.append("no accuracy changed by half a point or more")
    if found.flipped:
        share = percent(found.flipped / max(found.items, 1))
        title = f"{found.flipped:,} items ({share}) have a different label"
        table = plain_table(title, "task", "before", "after", "items", numbers=("items",))
        for row in found.flips.head(_MOST_ROWS).to_dict("records"):
            table.add_row(*(escape(str(row[name])) for name in ("task", "before", "after")), f"{row['items']:,}")
        told += [table, *_more(len(found.flips))]
        told += [_item(item) for item in found.examples]
    elif found.items:
        told.append("no label changed")
    return told


def _moved(row: Any) -> tuple[str, ...]:
    return (
        escape(str(row["source"])),
        escape(str(row["value"])),
        percent(row["before"]),
        percent(row["after"]),
        f"{100 * row['moved']:+.1f}",
        "beyond its error bars" if row["beyond_error"] else "",
    )


def _more(count: int) -> list[RenderableType]:
    return [f"and {count - _MOST_ROWS:,} more"] if count > _MOST_ROWS else []


def _item(item: FlippedItem) -> str:
    who = f"item {item.name}" if item.name is not None else f"row {item.row}"
    change = (
        f"{item.task}: {item.before} ({percent(item.before_probability)}) → "
        f"{item.after} ({percent(item.after_probability)})"
    )
    votes = "; ".join(f"{source}: {was or 'abstained'} → {now or 'abstains'}" for source, was, now in item.votes)
    return escape(f"{who}, {change}" + (f"   [{votes}]" if votes else ""))
