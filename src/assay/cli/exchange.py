"""Commands that take rows and labels in and out: annotate, export, import."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import Debug, Json, OnError
from assay.cli.output import load, print_faults, print_json
from assay.errors import AssayError

commands = typer.Typer()
WithData = Annotated[
    bool, typer.Option("--with-data", help="In a table, put the columns of your data before the labels.")
]


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
    with_data: WithData = False,
    on_error: OnError = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Label new rows with the sources and the label model of the last run; nothing is fitted again."""
    from assay.project import annotate as annotate_rows

    done = annotate_rows(load(folder).with_settings(on_error=on_error), data, out, with_data=with_data)
    if as_json:
        faults = [vars(fault) for fault in done.votes.faults]
        told = {"items": len(done.labels), "without_votes": done.without_votes, "labels": str(done.path)}
        print_json({**told, "faults": faults})
        return
    print_faults(done.votes)
    silent = f"{done.without_votes:,} {'has' if done.without_votes == 1 else 'have'} no votes"
    print(f"{len(done.labels):,} row{'s' * (len(done.labels) != 1)} labeled, of which {silent}; {done.path}")


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
    with_data: WithData = False,
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
            metavar="TOOL",
            help="label-studio, doccano, prodigy, argilla, mturk, or table for a plain table; by default as the file "
            "looks.",
        ),
    ] = None,
    item: Annotated[
        str | None, typer.Option(metavar="FIELD", help="The field that names items, if it is not called item.")
    ] = None,
    by: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who labeled, where the file does not say; by default its name.")
    ] = None,
    task: Annotated[str | None, typer.Option(metavar="TASK", help="The task that the labels belong to.")] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="A column of a plain table that holds labels; may be given again, for finer ones. By default each "
            "column that has labels alone.",
        ),
    ] = None,
    skip_unknown: Annotated[
        bool, typer.Option("--skip-unknown", help="Leave out items that the data does not have, and say which.")
    ] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Read what people labeled in another tool, or in a table, as hand labels for the next run to learn from."""
    from assay.project import import_annotations

    with _as_options():
        done = import_annotations(
            load(folder),
            file,
            tool=tool,
            item=item,
            by=by,
            task=task,
            labels=tuple(label or ()),
            skip_unknown=skip_unknown,
        )
    if as_json:
        print_json(done.to_dict())
        return
    columns = done.columns
    if columns is not None:
        print(f"items from the column {columns.item!r}, labels from {', '.join(map(repr, columns.taken))}")
        for name, why in columns.ignored.items():
            print(f"ignored: the column {name!r} ({why})")
    if done.unknown:
        print(f"left out, as the data does not have them: {', '.join(done.unknown)}")
    print(f"{done.answers:,} answer{'s' * (done.answers != 1)} from {_called(done.tool)} added to {done.path}")
    print(f"next: assay run {folder}")


def _called(tool: str) -> str:
    return "a plain table" if tool == "table" else tool


_OPTIONS = {"labels=": "--label", "skip_unknown=True": "--skip-unknown"}
"""Arguments whose options are not called as they are."""


@contextmanager
def _as_options() -> Iterator[None]:
    """Errors that tell which argument to give tell the option of the command line instead."""
    try:
        yield
    except AssayError as error:
        told = str(error)
        for argument, option in _OPTIONS.items():
            told = told.replace(argument, option)
        raise type(error)(re.sub(r"\b(tool|item|by|task)=(?!\w)", r"--\1", told)) from error
