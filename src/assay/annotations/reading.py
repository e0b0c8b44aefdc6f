"""Reading the export of an annotation tool, whichever it is, or a plain table of labels."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay._core.readers import csv_lines
from assay._core.reading import reading
from assay._core.rows import as_polars
from assay.annotations.annotations import Annotation, Annotations
from assay.annotations.plain_tables import LabelColumns, Record, label_columns
from assay.annotations.tools import TABLE, TOOLS, Wanted
from assay.errors import DataError, near_miss
from assay.tasks import TaskGraph

_ENDINGS = (".json", ".jsonl", ".csv")


def read_annotations(
    path: str | Path,
    *,
    tool: str | None = None,
    item: str | None = None,
    by: str | None = None,
    labels: Sequence[str] = (),
    tasks: TaskGraph | None = None,
) -> Annotations:
    """Read what people said in Label Studio, doccano, Prodigy, Argilla or Mechanical Turk, or wrote into a table.

    Parameters
    ----------
    path
        The export: ``.json``, ``.jsonl`` or ``.csv``.
    tool
        ``"label-studio"``, ``"doccano"``, ``"prodigy"``, ``"argilla"``, ``"mturk"``, or ``"table"`` for a plain table
        with labels in its columns; by default as the file looks, and a CSV that no tool wrote is a table.
    item
        The field of the data that names the items, such as ``"id"``. By default ``item``, which Assay's own exports
        have, and else the tool's own id.
    by
        Who annotated, where the export does not say; by default the name of the file, since doccano writes one file a
        person.
    labels
        The columns of a table that hold labels, such as one for each level. By default those in which every value is a
        label of ``tasks``.
    tasks
        The task graph of the labels in a table. With it, values that are labels but for case or blanks around them are
        taken as these.

    Returns
    -------
    Annotations
        ``.hand_labels(tasks)`` is gold for a fit, ``.votes(tasks)`` has a source a person; of a table, ``.columns``
        says which columns were taken and which were not.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> export = pathlib.Path(tempfile.mkdtemp()) / "ann.jsonl"
    >>> _ = export.write_text('{"id": 7, "text": "Win now!", "label": ["spam"]}\\n')
    >>> read_annotations(export)
    Annotations(doccano: 1 item by ann)
    >>> _ = export.with_suffix(".csv").write_text("mail,verdict,note\\nm1,Spam,\\nm2,ham,short\\n")
    >>> tasks = TaskGraph.flat("kind", ["ham", "spam"])
    >>> said = read_annotations(export.with_suffix(".csv"), item="mail", tasks=tasks)
    >>> said.columns.taken, said.hand_labels(tasks).answers
    (('verdict',), {'m1': {'kind': 'spam'}, 'm2': {'kind': 'ham'}})
    """
    source = Path(path)
    return read_as(source, tool, Wanted(item, source.stem if by is None else by, tuple(labels), tasks))


def read_as(source: Path, tool: str | None, wanted: Wanted) -> Annotations:
    """The same, with all that the caller says of the export."""
    if tool is not None and tool not in TOOLS:
        raise DataError(f"there is no annotation tool {tool!r}. {near_miss(tool, TOOLS)}")
    if wanted.labels and tool not in (None, TABLE):
        raise DataError(f"labels= names columns of a plain table, but the tool is {tool!r}; leave one of them out")
    records = _records(source)
    chosen = tool or (TABLE if wanted.labels else _tool_of(records, source))
    columns = None
    with reading(source, "table of labels" if chosen == TABLE else f"export of {chosen}", DataError):
        if chosen == TABLE:
            columns = _columns_of(records, wanted)
            wanted = replace(wanted, item=columns.item, labels=columns.taken)
        said = tuple(_said(records, _places(source, len(records)), chosen, wanted))
    return Annotations(chosen, said, columns)


def _columns_of(records: list[Record], wanted: Wanted) -> LabelColumns:
    if not records:
        raise DataError("it has no rows")
    return label_columns(records, wanted.item, wanted.labels, wanted.tasks, wanted.usual_items)


def _said(records: list[Record], places: list[str], tool: str, wanted: Wanted) -> Iterator[Annotation]:
    for record, place in zip(records, places, strict=True):
        try:
            yield from (replace(one, place=place) for one in TOOLS[tool].read(record, wanted))
        except DataError as error:
            raise DataError(f"{place}: {error}") from error


def _places(path: Path, count: int) -> list[str]:
    """Where each record is in its file."""
    numbers = range(1, count + 1)
    if path.suffix == ".csv":
        lines = csv_lines(path)
        if len(lines) == count:
            return [f"line {number}" for number in lines]
    elif path.suffix == ".jsonl":
        lines = [at for at, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1) if line.strip()]
        return [f"line {number}" for number in lines]
    return [f"record {number}" for number in numbers]


def _tool_of(records: list[Record], path: Path) -> str:
    found = [name for name, tool in TOOLS.items() if records and tool.wrote(records[0])]
    if not found and records and path.suffix == ".csv":
        return TABLE
    if not found:
        told = f"its first record has {', '.join(list(records[0])[:8])}" if records else "it has no records"
        raise DataError(f"{path} looks like no export of {', '.join(TOOLS)}: {told}; if it is one, say tool=")
    return found[0]


def _records(path: Path) -> list[Record]:
    if path.suffix not in _ENDINGS:
        raise DataError(f"cannot read {path}: expected an export that ends in {', '.join(_ENDINGS)}")
    with reading(path, "export of annotations", DataError):
        if path.suffix == ".csv":
            return list(as_polars(path).iter_rows(named=True))
        text = path.read_text(encoding="utf-8")
        found: Any = (
            json.loads(text) if path.suffix == ".json" else [*map(json.loads, filter(str.strip, text.split("\n")))]
        )
        records = found if isinstance(found, list) else [found]
        for number, record in enumerate(records, start=1):
            if not isinstance(record, Mapping):
                raise DataError(f"record {number} must be an object, but is {record!r:.80}")
        return records
