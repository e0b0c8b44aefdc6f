"""What commands share: loading the project, and printing tables, JSON and errors."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from assay.cli.session import session

if TYPE_CHECKING:
    from pandas import DataFrame

    from assay.project import Project
    from assay.votes import Votes


def load(folder: Path) -> Project:
    """The project in a folder; only now is anything loaded that takes time."""
    from assay.project import Project

    return Project.load(folder)


def print_faults(votes: Votes) -> None:
    """Say which sources failed, how often, and where first."""
    for fault in votes.faults:
        print(f"source {fault.source!r} failed on {fault.count:,} rows, first on row {fault.row}: {fault.error}")


def tell_stale(project: Project, votes: Votes) -> str | None:
    """Say on stderr if sources were edited after they voted; returns what was said, for JSON."""
    from assay.project import why_stale

    told = why_stale(project, votes)
    if told is not None:
        note(told)
    return told


def note(message: str) -> None:
    """Say something on stderr that does not stop the work."""
    Console(stderr=True, highlight=False).print(f"[bold yellow]note:[/] {escape(message)}", soft_wrap=True)


def records(table: DataFrame) -> Any:
    """The rows of a table, as JSON has them."""
    return json.loads(table.reset_index().to_json(orient="records"))


def keep_for_json() -> None:
    """From now on whatever is printed goes to stderr, even by sources and workers; only JSON goes to stdout."""
    session.json_out = os.dup(1)
    sys.stdout.flush()
    os.dup2(2, 1)


def print_json(value: Any) -> None:
    """Print what machines read."""
    text = json.dumps(value, indent=2)
    if session.json_out is None:
        print(text)
        return
    with os.fdopen(os.dup(session.json_out), "w", encoding="utf-8") as out:
        print(text, file=out)


def complain(message: str) -> None:
    """Say what went wrong, in one message on stderr."""
    Console(stderr=True, highlight=False).print(f"[bold red]error:[/] {escape(message)}", soft_wrap=True)
