"""Commands that take rows and labels in and out: annotate, export, import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import Debug, Json
from assay.cli.output import load, print_faults, print_json

commands = typer.Typer()


@commands.command(epilog="Example: [bold]assay annotate my-project new.jsonl --out new-labels.csv[/]")
def annotate(
    folder: Annotated[Path, typer.Argument(help="The project folder, with its assay.toml.")],
    data: Annotated[Path, typer.Argument(help="The new rows: a .csv, .jsonl or .parquet file.", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option(
            help="The file to write, .csv, .jsonl or .parquet; by default annotated.parquet in the output folder."
        ),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Label new rows with the sources and the label model of the last run; nothing is fitted again."""
    from assay.project import annotate as annotate_rows

    done = annotate_rows(load(folder), data, out)
    if as_json:
        faults = [vars(fault) for fault in done.votes.faults]
        told = {"items": len(done.labels), "without_votes": done.without_votes, "labels": str(done.path)}
        print_json({**told, "faults": faults})
        return
    print_faults(done.votes)
    print(f"{len(done.labels):,} rows labeled, of which {done.without_votes:,} have no votes; {done.path}")


@commands.command(epilog="Example: [bold]assay export my-project tasks.json --to label-studio[/]")
def export(
    folder: Annotated[Path, typer.Argument(help="The project folder, with its assay.toml.")],
    out: Annotated[Path, typer.Argument(help="The file to write.", show_default=False)],
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORM",
            help="csv, jsonl or parquet, which the ending tells, or records for label-studio or argilla, in JSON.",
        ),
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The column that annotators read; by default the first that is shown."),
    ] = None,
    with_data: Annotated[
        bool, typer.Option("--with-data", help="In a table, put the columns of your data before the labels.")
    ] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Write the labels of the last run as a table, or as suggestions for people who label in other tools."""
    from assay.project import export_labels

    labels, path = export_labels(load(folder), out, to, on=on, with_data=with_data)
    if as_json:
        print_json({"items": len(labels), "labels": str(path)})
        return
    print(f"{labels!r} written to {path}")


@commands.command(name="import", epilog="Example: [bold]assay import my-project export.json --item id[/]")
def import_(
    folder: Annotated[Path, typer.Argument(help="The project folder, with its assay.toml.")],
    file: Annotated[Path, typer.Argument(help="What the tool exported: .json, .jsonl or .csv.", show_default=False)],
    tool: Annotated[
        str | None,
        typer.Option(
            metavar="TOOL", help="label-studio, doccano, prodigy, argilla or mturk; by default as the file looks."
        ),
    ] = None,
    item: Annotated[
        str | None, typer.Option(metavar="FIELD", help="The field that names items, if it is not called item.")
    ] = None,
    by: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who labeled, where the file does not say; by default its name.")
    ] = None,
    task: Annotated[str | None, typer.Option(metavar="TASK", help="The task that the labels belong to.")] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Read what people labeled in another tool as hand labels, for the next run to learn from."""
    from assay.project import import_annotations

    done = import_annotations(load(folder), file, tool=tool, item=item, by=by, task=task)
    if as_json:
        print_json(done.to_dict())
        return
    print(f"{done.answers:,} answers from {done.tool} added to {done.path}")
    print(f"next: assay run {folder}")
