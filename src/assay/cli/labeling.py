"""Commands that make labels: run, and labeling by hand, label and next."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from assay.cli.options import Address, Debug, Engine, Folder, Json, OnError
from assay.cli.output import load, print_json
from assay.cli.run_output import print_run, told_by_hand_labels

commands = typer.Typer()

Count = Annotated[int, typer.Option("--n", min=1, help="How many items.")]
Random = Annotated[bool, typer.Option("--random", help="Only items that are chosen at random.")]


@commands.command(epilog="Example: [bold]assay run my-project --class-balance Spam=0.15[/]")
def run(
    folder: Folder = Path("."),
    class_balance: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LABEL=SHARE",
            help="What is known of the class balance, in place of the setting: Spam=0.15, a range as in "
            "Spam=0.1..0.2, TASK.LABEL=SHARE where tasks share label names. May be given several times.",
        ),
    ] = None,
    balance_strength: Annotated[
        str | None,
        typer.Option(
            metavar="ITEMS|exact",
            help="How many items the class balance is worth, in place of the setting. "
            "Without either it is weighed against what the votes tell.",
        ),
    ] = None,
    balance_of: Annotated[
        str | None,
        typer.Option(metavar="all|voted", help="Which items the class balance is about, in place of the setting."),
    ] = None,
    hand_labels: Annotated[bool, typer.Option(help="Learn from the project's hand labels too, if it has any.")] = True,
    on_error: OnError = None,
    engine: Engine = None,
    address: Address = None,
    refine: Annotated[
        bool | None,
        typer.Option(
            "--refine/--no-refine",
            help="Refine labels by what the data says, with the end model of assay.toml, in place of the setting.",
        ),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Run the whole pipeline: apply the sources, learn their accuracies, and label every item."""
    from assay.project import class_balance_from
    from assay.project import run as run_pipeline

    project = load(folder).with_engine(engine, address).with_settings(on_error=on_error)
    changes: dict[str, Any] = {
        "class_balance": class_balance_from(class_balance, project.tasks) if class_balance else None,
        "balance_strength": balance_strength,
        "balance_of": balance_of,
    }
    given = {name: value for name, value in changes.items() if value is not None}
    made = run_pipeline(project.with_model(**given), hand_labels=hand_labels, refine=refine)
    if as_json:
        print_json({**made.to_dict(), **told_by_hand_labels(made)})
    else:
        print_run(made)


@commands.command(epilog="Example: [bold]assay label my-project --n 50[/]")
def label(
    folder: Folder = Path("."),
    n: Count = 20,
    by: Annotated[str | None, typer.Option(metavar="NAME", help="Who labels; by default the name of the user.")] = None,
    random: Random = False,
    file: Annotated[
        Path | None, typer.Option(help="The file that answers go to, in place of the one in assay.toml.")
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Label items by hand, one key an answer; every answer is on disk before the next item shows."""
    from getpass import getuser

    from assay.project import label_by_hand

    # The last line is for machines, so that what people see goes elsewhere.
    console = Console(highlight=False, stderr=as_json)
    who = getuser() if by is None else by
    project = load(folder)
    done = label_by_hand(project, by=who, n=n, random_only=random, file=file, console=console)
    if as_json:
        print_json({**vars(done), "path": str(done.path)})
        return
    items = f"{done.answered:,} item{'s' * (done.answered != 1)}"
    print(f"{items} labeled by {who}, {done.skipped:,} skipped, {done.left:,} of this queue left; in {done.path}")
    if file is not None and file.resolve() not in [path.resolve() for path in project.hand_labels]:
        print("to learn from this file, add it to the path of [hand_labels] in assay.toml")
    print(f"next: assay run {folder}")


@commands.command(name="next", epilog="Example: [bold]assay next my-project --n 50[/]")
def next_(
    folder: Folder = Path("."),
    n: Count = 20,
    random: Random = False,
    least_sure: Annotated[
        bool, typer.Option("--least-sure", help="Items whose labels are least sure, to be looked at again.")
    ] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show which items to label by hand next, and how they were chosen."""
    from assay.project import queue_rows, queue_table
    from assay.report import show

    rows = queue_rows(load(folder), n, random, least_sure=least_sure)
    if as_json:
        print_json(rows)
        return
    show(queue_table(rows))
