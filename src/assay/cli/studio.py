"""The command that opens a project in a browser: studio."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import Debug, Folder
from assay.errors import AssayError

commands = typer.Typer()


@commands.command(epilog="Example: [bold]assay studio my-project[/]")
def studio(
    folder: Folder = Path("."),
    host: Annotated[
        str, typer.Option(help="Where to listen. Any place but this machine itself needs a --token.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="The port; by default the first that is free from 8765 on.")
    ] = None,
    token: Annotated[
        str | None, typer.Option(metavar="KEY", help="The key that the link carries; by default a new one each time.")
    ] = None,
    by: Annotated[str | None, typer.Option(metavar="NAME", help="Who labels; by default the name of the user.")] = None,
    debug: Debug = False,
) -> None:
    """Open the project in a browser: look at data, write sources, label by hand, run, and read the report."""
    from getpass import getuser

    from assay._core.extras import how_to_install

    try:
        from assay.studio import serve
    except ImportError as error:
        raise AssayError(f"the studio needs {error.name}: {how_to_install('studio')}") from error
    serve(folder, host=host, port=port, token=token, by=getuser() if by is None else by)
