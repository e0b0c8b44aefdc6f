"""Labels as tables in files: CSV, JSON lines or Parquet, by the ending of the name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay._core.atomic_files import writing
from assay.errors import AssayError
from assay.labels.files import write_labels

if TYPE_CHECKING:
    import pandas as pd

    from assay.labels.labels import Labels

ENDINGS = (".csv", ".jsonl", ".parquet")


def check_ending(path: str | Path) -> Path:
    """A path that a table can be written to, by its ending; asked before the work is done.

    >>> check_ending("labels.cvs")
    Traceback (most recent call last):
    assay.errors.AssayError: cannot write labels.cvs: expected a name that ends in .csv, .jsonl or .parquet
    """
    if Path(path).suffix not in ENDINGS:
        raise AssayError(
            f"cannot write {path}: expected a name that ends in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
        )
    return Path(path)


def write_table(table: pd.DataFrame, path: str | Path, *, mark: bool = False) -> Path:
    """Write a table, with its index as the first column if it has a name.

    ``mark`` starts a CSV with a byte order mark, by which spreadsheets know that it is UTF-8.
    """
    target = check_ending(path)
    named = table.index.name is not None
    with writing(target) as unfinished:
        if target.suffix == ".csv":
            _texts(table).to_csv(unfinished, index=named, encoding="utf-8-sig" if mark else "utf-8")
        elif target.suffix == ".jsonl":
            whole = table.reset_index() if named else table
            lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in map(_plain, whole.to_dict("records")))
            with unfinished.open("w", encoding="utf-8") as file:
                file.writelines(lines)
        else:
            table.to_parquet(unfinished, index=named)
    return target


def write_labels_table(labels: Labels, path: str | Path) -> Path:
    """Write labels: a Parquet file that can be read back, or the table of ``to_pandas`` as CSV or JSON lines."""
    target = check_ending(path)
    return write_labels([labels], target) if target.suffix == ".parquet" else write_table(labels.to_pandas(), target)


def _texts(table: pd.DataFrame) -> pd.DataFrame:
    """Lists of labels as texts with semicolons between, as gold in CSV files has them."""
    return table.map(lambda cell: ";".join(cell) if isinstance(cell, list) else cell)


def _plain(row: dict[Any, Any]) -> dict[str, Any]:
    return {str(name): None if value != value else _python(value) for name, value in row.items()}


def _python(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
