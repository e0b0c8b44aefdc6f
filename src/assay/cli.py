"""The command line: parse, call, print."""

from __future__ import annotations

import json
import os
import signal
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

import assay
from assay.errors import AssayError, CheckWarning

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pandas import DataFrame
    from rich.table import Table

    from assay.evaluation import Evaluation
    from assay.project import Project, Run
    from assay.report import AskingPlan
    from assay.sources import PromptCosts
    from assay.votes import Votes

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Turn many noisy label sources into one consistent training set, without gold labels.",
    epilog="Example: [bold]assay demo[/]",
)
_state: dict[str, Any] = {"debug": False}
_PRECISION = 0.95
"""How often labels must be right that need no check, unless another share is asked for."""


def _set_debug(value: bool) -> None:
    _state["debug"] |= value


def _print_version(value: bool) -> None:
    if value:
        print(f"assay {assay.__version__}")
        raise typer.Exit


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
DryRun = Annotated[bool, typer.Option("--dry-run", help="Tell what prompts would ask and cost, and ask nothing.")]
Budget = Annotated[
    float | None,
    typer.Option(metavar="MONEY", help="As much may be spent on prompts, in place of the setting in assay.toml."),
]


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
    debug: Debug = False,
) -> None:
    pass


@app.command(epilog="Example: [bold]assay init my-project[/]")
def init(
    folder: Annotated[Path, typer.Argument(help="The folder to write to.", show_default=False)],
    texts: Annotated[int, typer.Option(min=1, help="How many texts to generate.")] = 6_000,
    seed: Annotated[int, typer.Option(help="The random seed of the texts.")] = 7,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Write an example project: assay.toml, sources.py, generated texts, and gold labels to score with."""
    from assay.project.demo import write_example

    written = write_example(folder, texts, seed)
    if as_json:
        _print_json({"folder": str(folder), "files": written})
        return
    print(f"wrote {', '.join(written)} to {folder}")
    print(f"next: assay run {folder}")


@app.command(epilog="Example: [bold]assay apply my-project --workers 2[/]")
def apply(
    folder: Folder = Path("."),
    workers: Annotated[
        str | None,
        typer.Option(metavar="N|auto", help="Number of processes, in place of the setting in assay.toml."),
    ] = None,
    on_error: Annotated[
        str | None,
        typer.Option(metavar="raise|abstain", help="What to do when a source fails on a row, in place of the setting."),
    ] = None,
    dry_run: DryRun = False,
    budget: Budget = None,
    where: Annotated[
        str | None,
        typer.Option(
            metavar="all|unsure",
            help="Ask prompts about all items, or those that other sources leave the model unsure of.",
        ),
    ] = None,
    share: Annotated[
        float | None, typer.Option(metavar="SHARE", help="The share of items that these are, in place of the setting.")
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Apply all sources, even if their votes were kept from before.")
    ] = False,
    engine: Engine = None,
    address: Address = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Apply the project's sources to its data and write the votes; only what has changed is applied again."""
    from assay.project import (
        apply_sources,
        costs_of,
        hand_labels_of,
        kept_votes,
        plan_before,
        reuse_text,
        unsure_items,
        votes_path,
    )
    from assay.report import asking_table, show

    project = _load(folder).with_engine(engine, address)
    if where not in (None, "all", "unsure"):
        raise AssayError(f"--where must be 'all' or 'unsure', but is {where!r}")
    if share is not None and (where or project.ask_where) != "unsure":
        raise AssayError("--share says about how many unsure items prompts are asked; give --where unsure too")
    told_share = project.ask_share if share is None else share
    found = None
    if (where or project.ask_where) == "unsure":
        found = unsure_items(project, told_share, hand_labels=hand_labels_of(project))
    elif where == "all":
        project = replace(project, ask_where="all")
    told = {} if found is None else found.to_dict()
    if found is not None and not as_json:
        print(found)
    rows = None if found is None else found.rows.tolist()
    if dry_run:
        costs = costs_of(project, budget=budget, ask=rows)
        plan = None if found is None else plan_before(project, found, costs)
        _print_costs(costs, {**told, **_plan_told(plan)}, as_json)
        if plan is not None and not as_json:
            show(asking_table(plan))
        return
    changes: dict[str, Any] = {"workers": _workers(workers), "on_error": on_error, "budget": budget, "ask": rows}
    kept = kept_votes(project, fresh=fresh)
    votes = apply_sources(project, kept=kept, **{name: value for name, value in changes.items() if value is not None})
    reuse = () if kept is None else kept.reuse
    path = votes_path(project)
    if as_json:
        n, m = votes.shape
        faults = [vars(fault) for fault in votes.faults]
        used = [vars(one) for one in reuse]
        _print_json({"items": n, "sources": m, "votes": str(path), "faults": faults, "reuse": used, **told})
        return
    _print_faults(votes)
    for line in reuse_text(reuse):
        print(line)
    print(f"{votes!r} written to {path}")
    print(f"next: assay summary {folder}")


@app.command(epilog="Example: [bold]assay suggest my-project --out suggested.toml[/]")
def suggest(
    folder: Folder = Path("."),
    out: Annotated[
        Path | None, typer.Option(help="The file to write; by default suggested.toml in the project folder.")
    ] = None,
    items: Annotated[int, typer.Option(min=1, help="How many texts the model is shown.")] = 100,
    on: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column of texts; by default the one people are shown.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The random seed of the choice of texts.")] = 0,
    dry_run: DryRun = False,
    budget: Budget = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Ask a language model for words and patterns for each label, and write them to a file to review."""
    from assay.project import refuse_existing, suggest_costs, suggestion_table, write_suggestion
    from assay.project import suggest as suggest_rules
    from assay.report import show

    project = _load(folder)
    path = folder / "suggested.toml" if out is None else out
    asked = project.prompts if budget is None else replace(project.prompts, budget=budget)
    how: dict[str, Any] = {"on": on, "items": items, "seed": seed, "prompts": asked}
    if dry_run:
        _print_costs(suggest_costs(project, **how), {}, as_json)
        return
    refuse_existing(path)  # before anything is paid for
    found = suggest_rules(project, **how)
    write_suggestion(found, path)
    if as_json:
        _print_json({**found.to_dict(), "path": str(path)})
        return
    if found.sources:
        show(suggestion_table(found))
    print(f"{len(found.sources)} rules to review, and {len(found.refused)} refused with the reasons, in {path}")
    if found.sources:
        print(f"next: delete what is wrong, then: cat {path} >> {project.sources_file}")


@app.command(epilog="Example: [bold]assay cache my-project --clear[/]")
def cache(
    folder: Folder = Path("."),
    clear: Annotated[
        bool, typer.Option("--clear", help="Forget the answers; they will be asked and paid anew.")
    ] = False,
    model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="With --clear, only the answers of this model.")
    ] = None,
    votes: Annotated[
        bool, typer.Option("--votes", help="The votes of sources that are kept, in place of answers of prompts.")
    ] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show the answers of prompts that are kept and what they cost, or the votes of other sources; and forget them."""
    from assay.project import answers_kept, forget_answers, kept_table
    from assay.report import show

    project = _load(folder)
    if votes:
        _print_kept_votes(project, clear, as_json)
        return
    forgotten = forget_answers(project, model) if clear else None
    kept = answers_kept(project)
    if as_json:
        _print_json({**kept.to_dict(), **({} if forgotten is None else {"forgotten": forgotten})})
        return
    if forgotten is not None:
        print(f"forgot {forgotten:,} answers")
    if kept.models:
        show(kept_table(kept))
    else:
        print(f"{kept.path} holds no answers")


@app.command(epilog="Example: [bold]assay summary my-project --by task[/]")
def summary(
    folder: Folder = Path("."),
    by: Annotated[
        str, typer.Option(metavar="source|task|overall", help="One row for each source or task, or one for everything.")
    ] = "source",
    gold: Annotated[bool, typer.Option(help="Score against the project's gold labels, if it has any.")] = True,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show coverage, overlaps and conflicts of the sources, and their accuracy if there is gold."""
    from assay.project import gold_votes, stored_votes
    from assay.report import show, summary_table

    project = _load(folder)
    votes = stored_votes(project)
    table = votes.summary(gold_votes(project, votes) if gold else None, by=by)
    if as_json:
        _print_json(_records(table))
        return
    show(summary_table(table, f"{len(votes):,} items" + ("" if by == "overall" else f", by {by}")))
    _print_faults(votes)


@app.command(epilog="Example: [bold]assay check my-project[/]")
def check(folder: Folder = Path("."), as_json: Json = False, debug: Debug = False) -> None:
    """Check whether the accuracies of the sources can be learned from their votes; exit code 1 if not."""
    from assay.project import check_in_toml, check_votes, in_toml

    report = check_votes(_load(folder))
    if as_json:
        _print_json(check_in_toml(report))
    else:
        print(in_toml(str(report)))
    if not report.ok:
        raise typer.Exit(1)


@app.command(epilog="Example: [bold]assay dependencies my-project[/]")
def dependencies(folder: Folder = Path("."), as_json: Json = False, debug: Debug = False) -> None:
    """Find sources that agree more often than the truth explains, from their votes alone."""
    from assay.project import current_votes, hints_of, learned_dependencies
    from assay.report import dependencies_table, show

    project = _load(folder)
    votes = current_votes(project)
    learned = learned_dependencies(project, votes)
    hints = hints_of(project, votes)
    if as_json:
        _print_json({**learned.to_dict(), "hints": [vars(hint) for hint in hints]})
        return
    if learned.edges:
        show(dependencies_table(learned.to_pandas(), "correlations between sources that the truth does not explain"))
    else:
        print(learned.summary())
    for note in learned.notes:
        print(f"note: {note}")
    for hint in hints:
        print(f"hint: {hint}")
    if learned.pairs:
        print('to use them: dependencies = "learn" in [model] of assay.toml')


@app.command(epilog="Example: [bold]assay run my-project --class-balance Spam=0.15[/]")
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

    project = _load(folder).with_engine(engine, address)
    changes: dict[str, Any] = {
        "class_balance": class_balance_from(class_balance, project.tasks) if class_balance else None,
        "balance_strength": balance_strength,
        "balance_of": balance_of,
    }
    given = {name: value for name, value in changes.items() if value is not None}
    made = run_pipeline(project.with_model(**given), hand_labels=hand_labels, refine=refine)
    if as_json:
        _print_json({**made.to_dict(), **_told(made)})
    else:
        _print_run(made)


Count = Annotated[int, typer.Option("--n", min=1, help="How many items.")]
Random = Annotated[bool, typer.Option("--random", help="Only items that are chosen at random.")]


@app.command(epilog="Example: [bold]assay label my-project --n 50[/]")
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
    project = _load(folder)
    done = label_by_hand(project, by=who, n=n, random_only=random, file=file, console=console)
    if as_json:
        _print_json({**vars(done), "path": str(done.path)})
        return
    items = f"{done.answered:,} item{'s' * (done.answered != 1)}"
    print(f"{items} labeled by {who}, {done.skipped:,} skipped, {done.left:,} of this queue left; in {done.path}")
    if file is not None and file.resolve() not in [path.resolve() for path in project.hand_labels]:
        print("to learn from this file, add it to the path of [hand_labels] in assay.toml")
    print(f"next: assay run {folder}")


@app.command(name="next", epilog="Example: [bold]assay next my-project --n 50[/]")
def next_(
    folder: Folder = Path("."),
    n: Count = 20,
    random: Random = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show which items to label by hand next, and how they were chosen."""
    from assay.project import queue_rows, queue_table
    from assay.report import show

    rows = queue_rows(_load(folder), n, random)
    if as_json:
        _print_json(rows)
        return
    show(queue_table(rows))


@app.command(epilog="Example: [bold]assay train my-project[/]")
def train(
    folder: Folder = Path("."),
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start anew, even if earlier training was interrupted.")
    ] = False,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Also train on hand labels alone, on labels alone and on both, fifteen times in all, to see which "
            "labels items best whose hand labels were not used.",
        ),
    ] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Train the end model on the labels of the last run; resumes where it was interrupted."""
    from assay.project import compare_training
    from assay.project import train as train_project
    from assay.report import show, training_table

    project = _load(folder)
    done = train_project(project, fresh=fresh)
    last = json.loads(done.model.history_.iloc[-1:].to_json(orient="records")) if len(done.model.history_) else [{}]
    found = compare_training(project) if compare and not done.model.interrupted_ else None
    if as_json:
        told = {"items": done.items, "model": str(done.path), "interrupted": done.model.interrupted_}
        compared = {"comparison": found.to_dict()} if found is not None else {}
        _print_json({**told, "dev_score": done.model.dev_score_, **last[0], **compared})
    else:
        how = "".join(f", {name} {last[0][name]:.4f}" for name in ("loss", "dev_score") if name in last[0])
        print(f"trained on {done.items:,} items for {len(done.model.history_)} epochs{how}; {done.path}")
        if found is not None:
            show(training_table(found))
            print(found.advice)
        print(f"next: assay evaluate {folder}, or assay predict {folder} --data new.jsonl")
    if done.model.interrupted_:
        _complain("interrupted; the best weights so far were kept, and 'assay train' resumes from here")
        raise typer.Exit(130)


@app.command(epilog="Example: [bold]assay predict my-project --data new.jsonl[/]")
def predict(
    folder: Folder = Path("."),
    data: Annotated[Path | None, typer.Option(help="The rows to label, in place of the project's own.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="The file to write, .csv, .jsonl or .parquet; by default predictions.parquet in the output folder."
        ),
    ] = None,
    engine: Engine = None,
    address: Address = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Label rows with the trained end model, without asking the sources."""
    from assay.project import predict as predict_project

    done = predict_project(_load(folder).with_engine(engine, address), data, out)
    if as_json:
        _print_json({"items": done.items, "predictions": str(done.path)})
        return
    print(f"labels of {done.items:,} rows written to {done.path}")


@app.command(epilog="Example: [bold]assay annotate my-project new.jsonl --out new-labels.csv[/]")
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

    done = annotate_rows(_load(folder), data, out)
    if as_json:
        faults = [vars(fault) for fault in done.votes.faults]
        told = {"items": len(done.labels), "without_votes": done.without_votes, "labels": str(done.path)}
        _print_json({**told, "faults": faults})
        return
    _print_faults(done.votes)
    print(f"{len(done.labels):,} rows labeled, of which {done.without_votes:,} have no votes; {done.path}")


@app.command(epilog="Example: [bold]assay export my-project tasks.json --to label-studio[/]")
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
    on: Annotated[str, typer.Option(metavar="COLUMN", help="The column that annotators read.")] = "text",
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Write the labels of the last run as a table, or as suggestions for people who label in other tools."""
    from assay.project import export_labels

    labels, path = export_labels(_load(folder), out, to, on=on)
    if as_json:
        _print_json({"items": len(labels), "labels": str(path)})
        return
    print(f"{labels!r} written to {path}")


@app.command(name="import", epilog="Example: [bold]assay import my-project export.json --item id[/]")
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

    done = import_annotations(_load(folder), file, tool=tool, item=item, by=by, task=task)
    if as_json:
        _print_json(done.to_dict())
        return
    print(f"{done.answers:,} answers from {done.tool} added to {done.path}")
    print(f"next: assay run {folder}")


@app.command(epilog="Example: [bold]assay evaluate my-project --slice section[/]")
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

    project = _load(folder)
    found = compare_methods(project, slice_by)
    trainings = stored_comparison(project)
    last = list(found)[-1]
    if as_json:
        methods = {
            name: {**one.figures(), **({"interval": one.interval()} if one.cross_fitted else {})}
            for name, one in found.items()
        }
        compared = {} if trainings is None else {"trainings": trainings.to_dict()}
        _print_json({"items": found[last].items, "methods": methods, **compared})
        return
    show(_compared(found))
    for task, table in found[last].confusion.items():
        print(f"\n{task}, {last}\n{table}")
    if trainings is not None:
        show("", training_table(trainings))
        print(trainings.advice)
    elif "end model" not in found:
        print(f"\nto score end models by hand labels too: assay train {folder} --compare")


@app.command(epilog="Example: [bold]assay confident my-project --precision 0.9[/]")
def confident(
    folder: Folder = Path("."),
    precision: Annotated[
        float, typer.Option(metavar="SHARE", help="The share of these labels that must be right, with 95% confidence.")
    ] = _PRECISION,
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
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Write the labels that hand labels show to need no check, and a list of the items that are left for people."""
    from assay.project import confident_labels
    from assay.report import guarantee_text

    done = confident_labels(_load(folder), precision, task=task, out=out, rest=rest)
    if as_json:
        _print_json(done.to_dict())
        return
    print(guarantee_text(done.guarantee))
    print(f"{done.items:,} labels written to {done.path}; {len(done.guarantee.rest):,} items for people to {done.rest}")


@app.command(epilog="Example: [bold]assay report my-project[/]")
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

    path = write_report(_load(folder), out, texts=texts, items=items)
    if as_json:
        _print_json({"report": str(path), "bytes": path.stat().st_size})
        return
    print(f"open it in a browser: {path} ({path.stat().st_size / 1e6:.1f} MB, works offline)")


@app.command(epilog="Example: [bold]assay runs my-project[/]")
def runs(folder: Folder = Path("."), as_json: Json = False, debug: Debug = False) -> None:
    """List the runs that are kept: what was different, their scores, and how many labels they changed."""
    from assay.project import runs_of, runs_table
    from assay.report import show

    project = _load(folder)
    kept = runs_of(project)
    if as_json:
        _print_json([run.to_dict() for run in kept])
        return
    if not kept:
        print(f"{folder} has no runs yet; 'assay run {folder}' makes one")
        return
    show(runs_table(kept))
    if len(kept) > 1:
        print(f"what changed in the last one: assay compare {folder}")


@app.command(epilog="Example: [bold]assay compare my-project --from 2 --to 3[/]")
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
        _print_json(found.to_dict())
        return
    show(*change_tables(found))


@app.command(epilog="Example: [bold]assay studio my-project[/]")
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


@app.command(epilog="Example: [bold]assay demo --folder demo[/]")
def demo(
    folder: Annotated[Path, typer.Option(help="The folder of the example project.")] = Path("demo"),
    texts: Annotated[int, typer.Option(min=10, help="How many texts to generate.")] = 6_000,
    seed: Annotated[int, typer.Option(help="The random seed of the texts.")] = 7,
    llm: Annotated[
        bool, typer.Option("--llm", help="Add two prompts to a small language model on this machine to the sources.")
    ] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Run the whole pipeline on an example that generates its own data, without and with hand labels, and score it."""
    from assay._core.extras import how_to_install
    from assay.project.demo import run_demo
    from assay.report import show, summary_table

    done = run_demo(folder, texts, seed, llm=llm)
    made = done.run
    if as_json:
        held_out = {name: found.accuracy for name, found in done.held_out.items()}
        extras = {
            "with_hand_labels": {**done.taught.to_dict(), **_told(done.taught)},
            "held_out": held_out,
            "report": None if done.page is None else str(done.page),
            "prompts": None if done.prompts is None else done.prompts.to_dict(),
        }
        _print_json({**made.to_dict(), **{name: value for name, value in extras.items() if value}})
        return
    print(f"{len(made.votes):,} short texts about people and organisations, in {folder}")
    if done.kept:
        print(f"your own {', '.join(done.kept)} there was kept")
    print(f"\n{made.project.tasks!r}\n")
    show(summary_table(made.votes.summary(), "what the sources say"))
    _print_run(made)
    if done.prompts is not None:
        print(f"\n{done.prompts}")
        print("the small model is far too small to be right; name a larger one in [prompts] of assay.toml")
    if done.simulated:
        path = made.project.hand_labels[0]
        print(f"\nnow {done.simulated} random texts are labeled by hand: simulated answers, from gold, in {path}")
    _print_told(done.taught)
    if done.held_out:
        show(_compared(done.held_out))
    else:
        print(f"no end model was trained, since PyTorch is not installed: {how_to_install('torch')}")
    print(f"\nlook around in {folder}: change sources.py, then run 'assay run {folder}'")
    print(f"to label texts yourself, remove hand_labels.jsonl and run 'assay label {folder}'")
    if done.page is None:
        print(f"no report was written, since altair is not installed: {how_to_install('report')}")
    else:
        print(f"and open the report in a browser: {done.page}")


def main() -> None:
    """Run the command line; a user's mistake gives one readable message and exit code 2."""
    _state["debug"] = "--debug" in sys.argv
    signal.signal(signal.SIGTERM, _terminated)
    # What a check warns of is printed, in the words of assay.toml.
    warnings.simplefilter("ignore", CheckWarning)
    if "--json" in sys.argv:
        _keep_for_json()
    try:
        app()
    except SystemExit as ended:
        if _was_interrupted(ended):
            _complain(f"interrupted; {_kept()}")
        raise
    except AssayError as error:
        if _state["debug"]:
            raise
        from assay.project import in_toml

        _complain(in_toml(str(error)))
        sys.exit(2)
    except KeyboardInterrupt:
        _complain(f"interrupted; {_kept()}")
        sys.exit(130)
    except Exception as error:
        if _state["debug"]:
            raise
        _complain(f"{type(error).__name__}: {error}\nThis is a bug in Assay. Run again with --debug for the traceback.")
        sys.exit(1)


def _keep_for_json() -> None:
    """From now on whatever is printed goes to stderr, even by sources and workers; only JSON goes to stdout."""
    _state["out"] = os.dup(1)
    sys.stdout.flush()
    os.dup2(2, 1)


def _terminated(number: int, frame: Any) -> None:
    """End as after Ctrl-C, so that nothing half-written is left behind."""
    _complain(f"terminated; {_kept()}")
    sys.exit(128 + number)


def _was_interrupted(ended: BaseException) -> bool:
    """Whether it was Ctrl-C, of which typer only leaves an exit code, that ended the program."""
    cause: BaseException | None = ended
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__ or cause.__context__
    return cause is not None


def _kept() -> str:
    """What was written before the program was stopped."""
    from assay._core.atomic_files import finished

    kept = ", ".join(dict.fromkeys(str(path) for path in finished))
    return f"{f'kept: {kept}' if kept else 'nothing was written'}; nothing half-written is left behind"


def _complain(message: str) -> None:
    Console(stderr=True, highlight=False).print(f"[bold red]error:[/] {escape(message)}", soft_wrap=True)


def _compared(found: Mapping[str, Evaluation]) -> Table:
    from assay.report import comparison_table

    last = list(found.values())[-1]
    if last.cross_fitted == last.items:
        how = f"by {last.items:,} hand labels, each predicted without itself, with 95% intervals"
    elif any(name.startswith("end model") for name in found):
        how = f"against gold, on {last.items:,} items held out of training"
    else:
        how = f"against gold, on {last.items:,} items"
    return comparison_table(found, how)


def _print_costs(costs: PromptCosts, told: Mapping[str, Any], as_json: bool) -> None:
    """What prompts would cost."""
    from assay.project import costs_table
    from assay.report import show

    if as_json:
        _print_json({**costs.to_dict(), **told})
        return
    if costs.prompts:
        show(costs_table(costs))
    print(costs if costs.prompts else "no source is a prompt, so nothing is asked")


def _workers(said: str | None) -> int | str | None:
    return int(said) if said is not None and said.isdigit() else said


def _print_kept_votes(project: Project, clear: bool, as_json: bool) -> None:
    """How much is kept of what sources said, after it was forgotten if that is wanted."""
    from assay.project import kept_votes

    kept = kept_votes(project)
    if kept is None:
        raise AssayError("cache = false in [settings] of assay.toml says that no votes are kept")
    forgotten = kept.clear() if clear else None
    if as_json:
        extra = {} if forgotten is None else {"forgotten": forgotten}
        _print_json({"folder": str(kept.folder), "sources": kept.count, "bytes": kept.size, **extra})
        return
    if forgotten is not None:
        print(f"forgot the votes of {forgotten:,} sources")
    print(f"{kept.folder} holds the votes of {kept.count:,} sources, {kept.size / 1e6:,.1f} MB")


def _plan_told(plan: AskingPlan | None) -> dict[str, Any]:
    """What asking about more items is expected to change, for JSON."""
    return {} if plan is None else {"asking": [step.to_dict() for step in plan.steps]}


def _print_run(made: Run) -> None:
    """What a run gave: the check, the sources with their accuracies, and the scores."""
    from assay.project import in_toml, plan_for, reuse_text
    from assay.report import asking_table, score_table, show, sources_table

    model = made.model
    _print_faults(made.votes)
    for line in reuse_text(made.reuse):
        print(line)
    if made.check.problems:
        print(in_toml(f"{made.check}\n"))
    hand = made.hand_labels
    learned = "without gold" if hand is None else f"with {len(hand):,} items labeled by hand"
    show(sources_table(model.sources_, f"what the label model learned, {learned}"))
    for note in model.notes_:
        print(f"note: {in_toml(note)}")
    for sentence in model.advice_:
        print(f"- {in_toml(sentence)}")
    if made.evaluations:
        show(score_table(made.evaluations, "against gold"))
    _print_refined(made)
    plan = plan_for(made.project, made.votes, model)
    if plan is not None:
        show(asking_table(plan))
    _print_told(made)
    silent = 0 if made.labels.has_votes is None else int((~made.labels.has_votes).sum())
    if silent and made.refined is None:
        print(
            f"{silent:,} of {len(made.labels):,} items have no votes: their labels are only the class balance, and "
            "has_votes is false in the file"
        )
    kept = made.kept
    if kept is not None and kept.flipped is not None:
        changed = f"{kept.flipped:,} of {kept.items:,} items have another label than in run {kept.previous}"
        print(f"run {kept.number}: {changed}")
    print(f"votes, labels and the model are in {made.project.output}")


def _print_refined(made: Run) -> None:
    """What refined labels rest on, if there are some."""
    from assay.report import evidence_table, show

    facts = made.evidence
    if facts is None:
        return
    show(evidence_table(facts, "what refined labels rest on"))
    for note in facts.notes:
        print(f"note: {note}")
    print(f"refined labels are in {made.project.output / 'refined.parquet'}")


def _print_told(made: Run) -> None:
    """What hand labels tell of all items, if there are some."""
    from assay.report import guarantee_text, shares_table, show

    if made.labels.gold is None:
        return
    show(shares_table(made.labels.balance(), "how common each label is, by hand labels"))
    try:
        print(guarantee_text(made.labels.guarantee(_PRECISION)))
        print(f"to write these labels and a list of the rest: assay confident {made.project.folder}")
    except AssayError as error:
        print(f"labels that need no check: {error}")


def _told(made: Run) -> dict[str, Any]:
    """The same, for JSON."""
    if made.labels.gold is None:
        return {}
    shares = json.loads(made.labels.balance().to_json(orient="records"))
    try:
        return {"shares": shares, "guarantee": made.labels.guarantee(_PRECISION).to_dict()}
    except AssayError as error:
        return {"shares": shares, "guarantee": None, "no_guarantee": str(error)}


def _load(folder: Path) -> Project:
    from assay.project import Project

    return Project.load(folder)


def _print_faults(votes: Votes) -> None:
    for fault in votes.faults:
        print(f"source {fault.source!r} failed on {fault.count:,} rows, first on row {fault.row}: {fault.error}")


def _records(table: DataFrame) -> Any:
    return json.loads(table.reset_index().to_json(orient="records"))


def _print_json(value: Any) -> None:
    text = json.dumps(value, indent=2)
    if "out" not in _state:
        print(text)
        return
    with os.fdopen(os.dup(_state["out"]), "w", encoding="utf-8") as out:
        print(text, file=out)
