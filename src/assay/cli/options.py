"""Arguments and options that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.session import session

PRECISION = 0.95
"""How often labels must be right that need no check, unless another share is asked for."""

TEXTS, SEED = 6_000, 7
"""How many texts the example has, and their random seed."""


def _set_debug(value: bool) -> None:
    session.debug |= value


def _is_project(folder: Path) -> Path:
    """Refuse what is not a project before anything is loaded that it would need."""
    from assay._core.project_file import read_project_file

    read_project_file(folder)
    return folder


Folder = Annotated[
    Path,
    typer.Argument(help="The project folder, with its assay.toml.", show_default=False, callback=_is_project),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Debug = Annotated[
    bool, typer.Option("--debug", help="Show the traceback of an error.", callback=_set_debug, is_eager=True)
]

Engine = Annotated[
    str | None,
    typer.Option("--engine", metavar="local|dask|spark", help="Where to work, in place of the engine in assay.toml."),
]
Address = Annotated[
    str | None,
    typer.Option("--address", help="Of Dask's scheduler or Spark's master; without one, a cluster on this machine."),
]
OnError = Annotated[
    str | None,
    typer.Option(metavar="raise|abstain", help="What to do when a source fails on a row, in place of the setting."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Tell what prompts would ask and cost, and ask nothing.")]
Budget = Annotated[
    float | None,
    typer.Option(metavar="MONEY", help="As much may be spent on prompts, in place of the setting in assay.toml."),
]
