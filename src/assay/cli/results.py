"""Commands that look at what runs gave: evaluate, confident, report, runs, compare."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import PRECISION, Debug, Folder, Json
from assay.cli.output import load, print_json
from assay.cli.run_output import comparison_of

commands = typer.Typer()


@commands.command(epilog="Example: [bold]assay evaluate my-project --slice section[/]")
def evaluate(
    folder: Folder = Path("."),
    slice_by: Annotated[
        str | None,
        typer.Option(
            "--slice",
            metavar="COLUMN",
            help="A column of the data; items are scored separately for each of its values.",
        ),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Compare majority votes, the label model and the end model: on items held out of training, or by hand labels."""
    from assay.project import compare_methods, stored_comparison
    from assay.report import show, training_table

    project = load(folder)
    found = compare_methods(project, slice_by)
    trainings = stored_comparison(project)
    last = list(found)[-1]
    if as_json:
        methods = {
            name: {**one.figures(), **({"interval": one.interval()} if one.cross_fitted else {})}
            for name, one in found.items()
        }
        compared = {} if trainings is None else {"trainings": trainings.to_dict()}
        print_json({"items": found[last].items, "methods": methods, **compared})
        return
    show(comparison_of(found))
    for task, table in found[last].confusion.items():
        print(f"\n{task}, {last}\n{table}")
    if trainings is not None:
        show("", training_table(trainings))
        print(trainings.advice)
    elif "end model" not in found:
        print(f"\nto score end models by hand labels too: assay train {folder} --compare")


@commands.command(epilog="Example: [bold]assay confident my-project --precision 0.9[/]")
def confident(
    folder: Folder = Path("."),
    precision: Annotated[
        float, typer.Option(metavar="SHARE", help="The share of these labels that must be right, with 95% confidence.")
    ] = PRECISION,
    task: Annotated[
        str | None, typer.Option(metavar="TASK", help="The task whose labels must be right; by default all of them.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="The file to write, .csv, .jsonl or .parquet; by default confident.parquet in the output folder."
        ),
    ] = None,
    rest: Annotated[
        Path | None,
        typer.Option(help="The list of the other items, likewise; by default for_people.csv in the output folder."),
    ] = None,
    with_data: Annotated[
        bool, typer.Option(help="Whether that list has the columns of your data, so that people can read the items.")
    ] = True,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Write the labels that hand labels show to need no check, and a list of the items that are left for people."""
    from assay.project import confident_labels
    from assay.report import guarantee_text

    done = confident_labels(load(folder), precision, task=task, out=out, rest=rest, with_data=with_data)
    if as_json:
        print_json(done.to_dict())
        return
    print(guarantee_text(done.guarantee))
    print(f"{done.items:,} labels written to {done.path}; {len(done.guarantee.rest):,} items for people to {done.rest}")


@commands.command(epilog="Example: [bold]assay report my-project[/]")
def report(
    folder: Folder = Path("."),
    out: Annotated[
        Path | None, typer.Option(help="The HTML file to write; by default report.html in the output folder.")
    ] = None,
    texts: Annotated[bool, typer.Option(help="Show the data of items that the sources disagree on.")] = True,
    items: Annotated[int, typer.Option(min=0, help="How many such items to show.")] = 20,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Write the results of the last run as one HTML page: what to fix first, sources, labels, disagreements."""
    from assay.project import write_report

    path = write_report(load(folder), out, texts=texts, items=items)
    if as_json:
        print_json({"report": str(path), "bytes": path.stat().st_size})
        return
    print(f"open it in a browser: {path} ({path.stat().st_size / 1e6:.1f} MB, works offline)")


@commands.command(epilog="Example: [bold]assay runs my-project[/]")
def runs(folder: Folder = Path("."), as_json: Json = False, debug: Debug = False) -> None:
    """List the runs that are kept: what was different, their scores, and how many labels they changed."""
    from assay.project import runs_of, runs_table
    from assay.report import show

    project = load(folder)
    kept = runs_of(project)
    if as_json:
        print_json([run.to_dict() for run in kept])
        return
    if not kept:
        print(f"{folder} has no runs yet; 'assay run {folder}' makes one")
        return
    show(runs_table(kept))
    if len(kept) > 1:
        print(f"what changed in the last one: assay compare {folder}")


@commands.command(epilog="Example: [bold]assay compare my-project --from 2 --to 3[/]")
def compare(
    one: Annotated[Path, typer.Argument(help="A project folder, or the output folder of a run.", show_default=False)],
    other: Annotated[
        Path | None,
        typer.Argument(
            help="The project or output folder to compare it with; by default the last two runs of one project are "
            "compared.",
            show_default=False,
        ),
    ] = None,
    first: Annotated[int | None, typer.Option("--from", help="The number of a run of the first project.")] = None,
    second: Annotated[
        int | None, typer.Option("--to", help="The number of the run to compare it with, of the second project if any.")
    ] = None,
    items: Annotated[int, typer.Option(min=0, help="How many items with changed labels to list.")] = 10,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show what changed between two runs: sources, their accuracies, labels."""
    from assay.project import change_tables, runs_to_compare
    from assay.project import compare as compare_runs
    from assay.report import show

    found = compare_runs(*runs_to_compare(one, other, first, second), items=items)
    if as_json:
        print_json(found.to_dict())
        return
    show(*change_tables(found))
