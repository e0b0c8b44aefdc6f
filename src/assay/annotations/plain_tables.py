"""Labels in a plain table: a row an item, and the labels in columns of their own, one for each level if there are some.

Such a table has no form of its own. Which columns hold labels is told, or follows from what is in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay._core.texts import same_but_for_case, spelled
from assay.errors import DataError, listing, near_miss
from assay.tasks import TaskGraph

Record = Mapping[str, Any]
_ITEM_COLUMNS = ("item", "id")
"""What a column may be called that names items, if none is told."""
_SHOWN, _LONGEST = 3, 40
"""So many values that are no labels are quoted, and so much of each."""


@dataclass(frozen=True)
class LabelColumns:
    """The columns of a table that labels were read from, and those that were not."""

    item: str
    """The column that names the items."""
    taken: tuple[str, ...]
    ignored: Mapping[str, str]
    """Column -> why it was not taken."""


def label_columns(
    records: Sequence[Record],
    item: str | None,
    told: Sequence[str] = (),
    tasks: TaskGraph | None = None,
    usual_items: Sequence[str] = (),
) -> LabelColumns:
    """Find the columns of a table that hold labels: those told, or those in which every value is a label.

    >>> rows = [{"Ticket": "T1", "Kind": "spam", "Note": "?"}, {"Ticket": "T2", "Kind": None, "Note": None}]
    >>> found = label_columns(rows, "Ticket", tasks=TaskGraph.flat("mail", ["ham", "spam"]))
    >>> found.taken, dict(found.ignored)
    (('Kind',), {'Note': "'?' is no label"})
    """
    columns = list(records[0])
    named = item or next((name for name in (*usual_items, *_ITEM_COLUMNS) if name in columns), None)
    if named is None:
        raise DataError(f"which column names the items? Say item=, as one of {listing(columns)}")
    for name in (named, *told):
        if name not in columns:
            raise DataError(f"it has no column {name!r}. {near_miss(name, columns)}")
    others = [name for name in columns if name != named]
    if told:
        return LabelColumns(named, tuple(told), {name: "not asked for" for name in others if name not in told})
    if tasks is None:
        raise DataError(f"which columns hold labels? Say labels=, as some of {listing(others)}, or tasks=")
    known = _all_labels(tasks)
    ignored = {name: why for name in others if (why := _why_no_labels(records, name, known)) is not None}
    taken = tuple(name for name in others if name not in ignored)
    if not taken:
        why = "; ".join(f"{name!r}: {why}" for name, why in ignored.items()) or "it has no other column"
        raise DataError(
            f"no column holds labels alone ({why}); mend the table, or say which columns hold labels as labels="
        )
    return LabelColumns(named, taken, ignored)


def _why_no_labels(records: Sequence[Record], column: str, known: Sequence[str]) -> str | None:
    """Why a column cannot be one of labels; None if it can."""
    values = dict.fromkeys(spelled(record[column]) for record in records if not _is_empty(record[column]))
    if not values:
        return "empty"
    strange = [value for value in values if not _labels_in(value, known)]
    if not strange:
        return None
    shown = listing([value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…" for value in strange], most=_SHOWN)
    return f"{shown} is no label" if len(strange) == 1 else f"{shown} are no labels"


def labels_said(record: Record, column: str, tasks: TaskGraph | None) -> tuple[str, ...]:
    """The labels in one cell, none if it is empty; several, of tasks that may have several, have semicolons between."""
    cell = record[column]
    if _is_empty(cell):
        return ()
    text = spelled(cell).strip()
    if tasks is None:
        return (text,)
    known = _all_labels(tasks)
    found = _labels_in(text, known)
    if not found:
        raise DataError(f"column {column!r}: no task has the label {text!r}. {near_miss(text, known)}")
    return found


def is_empty_row(record: Record) -> bool:
    """Whether a row has nothing in it, as spreadsheets leave them behind."""
    return all(_is_empty(value) for value in record.values())


def _is_empty(value: Any) -> bool:
    return value is None or value != value or (isinstance(value, str) and not value.strip())


def _all_labels(tasks: TaskGraph) -> list[str]:
    return list(dict.fromkeys(label for task in tasks.declared for label in task.labels))


def _labels_in(text: str, known: Sequence[str]) -> tuple[str, ...]:
    whole = same_but_for_case(text, known)
    if whole is not None:
        return (whole,)
    parts = [same_but_for_case(part, known) for part in text.split(";") if part.strip()]
    return tuple(_found(parts)) if len(parts) > 1 and None not in parts else ()


def _found(parts: Sequence[str | None]) -> Iterator[str]:
    return (part for part in parts if part is not None)
