"""The command for a crowd's table of votes, which needs no project: aggregate."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.options import Debug, Json
from assay.cli.output import print_json, records
from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.aggregation import Aggregation

commands = typer.Typer()

_MOST_WORKERS = 10
"""As many of the best and of the worst are shown."""


@commands.command(epilog="Example: [bold]assay aggregate crowd.csv --out labels.csv --skills skills.csv[/]")
def aggregate(
    table: Annotated[
        Path,
        typer.Argument(
            help="The votes, a .csv, .jsonl or .parquet file with an item, a worker and a label in each row; or the "
            "export of an annotation tool, .json, or of Mechanical Turk.",
            show_default=False,
        ),
    ],
    out: Annotated[Path | None, typer.Option(help="The file to write the labels to: .csv, .jsonl or .parquet.")] = None,
    skills: Annotated[Path | None, typer.Option(help="The file to write the skills of the workers to.")] = None,
    gold: Annotated[
        Path | None, typer.Option(metavar="FILE", help="True labels of some items: a file with a column of items.")
    ] = None,
    item: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column of items; by default as it is called.")
    ] = None,
    worker: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column of workers; by default as it is called.")
    ] = None,
    label: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column of labels; by default as it is called.")
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Put together what a crowd said of each item: labels, the skills of the workers, and how far they agree."""
    from assay.labels import check_ending, write_table

    for path in filter(None, (out, skills)):
        check_ending(path)
    found, warned = _aggregated(table, gold, {"item": item, "worker": worker, "label": label})
    if out is not None:
        found.to_file(out)
    if skills is not None:
        write_table(found.skills, skills)
    if as_json:
        written = {"out": None if out is None else str(out), "skills_out": None if skills is None else str(skills)}
        print_json({**_told(found), **written, "warnings": warned})
        return
    _print(found, warned)
    for what, written_to in (("labels", out), ("skills", skills)):
        if written_to is not None:
            print(f"{what} written to {written_to}")
    if out is None:
        print(f"to write the labels to a file: assay aggregate {table} --out labels.csv")


def _aggregated(table: Path, gold: Path | None, columns: dict[str, str | None]) -> tuple[Aggregation, list[str]]:
    """What the crowd said, and what its table lacks; advice is in the words of this command."""
    import warnings

    from assay.aggregation import aggregate as put_together
    from assay.aggregation import in_words_of_crowds
    from assay.annotations import read_annotations

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            given: Any = read_annotations(table) if _is_export(table) and not any(columns.values()) else table
            found = put_together(
                given, item=columns["item"], worker=columns["worker"], label=columns["label"], gold=gold
            )
        except AssayError as error:
            raise type(error)(_as_options(str(error))) from error
    numbers = set(found.worker_values)
    return found, [_as_options(in_words_of_crowds(str(one.message), numbers)) for one in caught]


def _is_export(table: Path) -> bool:
    """Whether a file is what an annotation tool or Mechanical Turk has written, and no table of votes."""
    if table.suffix != ".csv" or not table.is_file():
        return table.suffix == ".json"
    from assay.annotations import is_mturk

    with table.open(encoding="utf-8", errors="replace") as file:
        return is_mturk([name.strip('"') for name in file.readline().strip().split(",")])


_SAID = (
    (r"\n?model=assay\.LabelModel\(allow_unidentifiable=True\) fits it anyway\.?", ""),
    (r"label about (\d+) (random )?items by hand( and fit with them as gold)?",
     r"give true labels of about \1 \2items as --gold"),
    (r"\b(item|worker|label)=(?=')", r"--\1 "),
)  # fmt: skip
"""What advice says for programs, and what it says here, where there is no project."""


def _as_options(advice: str) -> str:
    for pattern, words in _SAID:
        advice = re.sub(pattern, words, advice)
    return advice


def _told(found: Aggregation) -> dict[str, Any]:
    """What came out, for JSON."""
    alpha = found.agreement
    items, workers = found.votes.shape
    return {
        "items": items,
        "workers": workers,
        "votes": len(found.votes.cast.codes),
        "agreement": None if alpha is None else vars(alpha),
        "labels": records(found.shares),
        "differ_from_majority": found.differing,
        "majority_tied": found.tied,
        "skills": records(found.skills.sort_values("skill", kind="stable")),
    }


def _print(found: Aggregation, warned: list[str]) -> None:
    from assay.report import labels_table, show, skills_table

    told = _told(found)
    for message in warned:
        print(f"warning: {message}\n")
    alpha = "is unknown: no two workers label the same item" if found.agreement is None else f"is {found.agreement}"
    print(f"{told['items']:,} items, {told['workers']:,} workers, {told['votes']:,} votes; Krippendorff's α {alpha}\n")
    show(labels_table(found.shares, "labels, and a majority vote"))
    print(f"{found.differing:,} labels differ from a majority vote, which is tied on {found.tied:,} items\n")
    skills = found.skills.sort_values("skill", kind="stable")
    if len(skills) <= 2 * _MOST_WORKERS:
        show(skills_table(skills, "workers, worst first"))
    else:
        show(skills_table(skills[:_MOST_WORKERS], f"the {_MOST_WORKERS} worst workers"))
        show(skills_table(skills[::-1][:_MOST_WORKERS], f"the {_MOST_WORKERS} best workers"))
