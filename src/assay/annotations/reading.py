"""Reading the export of an annotation tool, whichever it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay._core.reading import reading
from assay._core.rows import as_polars
from assay.annotations.annotations import Annotations
from assay.annotations.tools import TOOLS, Record, Wanted
from assay.errors import DataError, near_miss

_ENDINGS = (".json", ".jsonl", ".csv")


def read_annotations(
    path: str | Path, *, tool: str | None = None, item: str | None = None, by: str | None = None
) -> Annotations:
    """Read what people said in Label Studio, doccano, Prodigy, Argilla or Mechanical Turk.

    Parameters
    ----------
    path
        The export: ``.json``, ``.jsonl`` or ``.csv``.
    tool
        ``"label-studio"``, ``"doccano"``, ``"prodigy"``, ``"argilla"`` or ``"mturk"``; by default as the file looks.
    item
        The field of the data that names the items, such as ``"id"``. By default ``item``, which Assay's own exports
        have, and else the tool's own id.
    by
        Who annotated, where the export does not say; by default the name of the file, since doccano writes one file a
        person.

    Returns
    -------
    Annotations
        ``.hand_labels(tasks)`` is gold for a fit, ``.votes(tasks)`` has a source a person.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> export = pathlib.Path(tempfile.mkdtemp()) / "ann.jsonl"
    >>> _ = export.write_text('{"id": 7, "text": "Win now!", "label": ["spam"]}\\n')
    >>> read_annotations(export)
    Annotations(doccano: 1 item by ann)
    """
    source = Path(path)
    if tool is not None and tool not in TOOLS:
        raise DataError(f"there is no annotation tool {tool!r}. {near_miss(tool, TOOLS)}")
    records = _records(source)
    chosen = tool or _tool_of(records, source)
    wanted = Wanted(item, source.stem if by is None else by)
    with reading(source, f"export of {chosen}", DataError):
        said = tuple(one for record in records for one in TOOLS[chosen].read(record, wanted))
    return Annotations(chosen, said)


def _tool_of(records: list[Record], path: Path) -> str:
    found = [name for name, tool in TOOLS.items() if records and tool.wrote(records[0])]
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


def _of_lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.split("\n") if line.strip()]
