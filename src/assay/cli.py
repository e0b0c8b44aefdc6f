"""The command line: parse, call, print."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

import assay
from assay.errors import AssayError

if TYPE_CHECKING:
    from rich.table import Table

    from assay.evaluation import Evaluation
    from assay.project import Project, Run
    from assay.votes import Votes

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Turn many noisy label sources into one consistent training set, without gold labels.",
    epilog="Example: [bold]assay demo[/]",
)
_state = {"debug": False}


def _set_debug(value: bool) -> None:
    _state["debug"] |= value


def _print_version(value: bool) -> None:
    if value:
        print(f"assay {assay.__version__}")
        raise typer.Exit


Folder = Annotated[Path, typer.Argument(help="The project folder, with its assay.toml.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of tables.")]
Debug = Annotated[
    bool, typer.Option("--debug", help="Show the traceback of an error.", callback=_set_debug, is_eager=True)
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
    folder: Annotated[Path, typer.Argument(help="Where to write it.", show_default=False)],
    texts: Annotated[int, typer.Option(min=1, help="How many example texts to make.")] = 6_000,
    seed: Annotated[int, typer.Option(help="What they are made from.")] = 7,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Write an example project: assay.toml, sources, texts made from a seed, and gold to score with."""
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
    workers: Annotated[int | None, typer.Option(min=1, help="Processes to use, instead of the setting.")] = None,
    on_error: Annotated[
        str | None, typer.Option(metavar="raise|abstain", help="When a source fails on a row, instead of the setting.")
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Apply the project's sources to its data and write the votes."""
    from assay.project import apply_sources, votes_path

    project = _load(folder)
    changes: dict[str, Any] = {"workers": workers, "on_error": on_error}
    votes = apply_sources(project, **{name: value for name, value in changes.items() if value is not None})
    path = votes_path(project)
    if as_json:
        n, m = votes.shape
        faults = [vars(fault) for fault in votes.faults]
        _print_json({"items": n, "sources": m, "votes": str(path), "faults": faults})
        return
    _print_faults(votes)
    print(f"{votes!r} written to {path}")
    print(f"next: assay summary {folder}")


@app.command(epilog="Example: [bold]assay summary my-project --by task[/]")
def summary(
    folder: Folder = Path("."),
    by: Annotated[str, typer.Option(metavar="source|task|overall", help="What to tell about.")] = "source",
    gold: Annotated[bool, typer.Option(help="Score against the project's gold labels, if it has any.")] = True,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Tell how much the sources say and how they agree; against gold where there is some."""
    from assay.project import gold_votes, stored_votes
    from assay.report import show, summary_table

    project = _load(folder)
    votes = stored_votes(project)
    table = votes.summary(gold_votes(project, votes) if gold else None, by=by)
    if as_json:
        _print_json(json.loads(table.reset_index().to_json(orient="records")))
        return
    show(summary_table(table, f"{len(votes):,} items" + ("" if by == "overall" else f", by {by}")))
    _print_faults(votes)


@app.command(epilog="Example: [bold]assay check my-project[/]")
def check(folder: Folder = Path("."), as_json: Json = False, debug: Debug = False) -> None:
    """Check that the accuracies of the sources can be learned from their votes; exit code 1 if not."""
    from assay.project import check_votes

    report = check_votes(_load(folder))
    if as_json:
        _print_json(report.to_dict())
    else:
        print(report)
    if not report.ok:
        raise typer.Exit(1)


@app.command(epilog="Example: [bold]assay dependencies my-project[/]")
def dependencies(folder: Folder = Path("."), as_json: Json = False, debug: Debug = False) -> None:
    """Find sources that have more in common than the truth explains, from their votes alone."""
    from assay.project import current_votes, learned_dependencies
    from assay.report import dependencies_table, show
    from assay.sources import dependency_hints

    project = _load(folder)
    labels = [label for task in project.tasks.tasks for label in task.labels]
    votes = current_votes(project)
    learned = learned_dependencies(project, votes)
    hints = dependency_hints(project.sources(), votes=votes, ignore=labels)
    if as_json:
        _print_json({**learned.to_dict(), "hints": [vars(hint) for hint in hints]})
        return
    if learned.edges:
        show(dependencies_table(learned.to_pandas(), "what sources have in common beyond the truth"))
    else:
        print(learned.told())
    for note in learned.notes:
        print(f"note: {note}")
    for hint in hints:
        print(f"hint: {hint}")
    if learned.pairs:
        print('to use them: dependencies = "learn" in [model] of assay.toml')


@app.command(epilog="Example: [bold]assay run my-project[/]")
def run(folder: Folder = Path("."), as_json: Json = False, debug: Debug = False) -> None:
    """Go all the way: apply the sources, learn their accuracies without gold, and write labels for every item."""
    from assay.project import run as run_pipeline

    _tell(run_pipeline(_load(folder)), as_json)


@app.command(epilog="Example: [bold]assay train my-project[/]")
def train(
    folder: Folder = Path("."),
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget training that was interrupted.")] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Train the end model on the labels of the last run; goes on where it was interrupted."""
    from assay.project import train as train_project

    done = train_project(_load(folder), fresh=fresh)
    last = json.loads(done.model.history_.iloc[-1:].to_json(orient="records")) if len(done.model.history_) else [{}]
    if as_json:
        told = {"items": done.items, "model": str(done.path), "interrupted": done.model.interrupted_}
        _print_json({**told, "dev_score": done.model.dev_score_, **last[0]})
    else:
        how = "".join(f", {name} {last[0][name]:.4f}" for name in ("loss", "dev_score") if name in last[0])
        print(f"trained on {done.items:,} items for {len(done.model.history_)} epochs{how}; {done.path}")
        print(f"next: assay evaluate {folder}, or assay predict {folder} --data new.jsonl")
    if done.model.interrupted_:
        _complain("interrupted; the best weights so far were kept, and 'assay train' goes on from here")
        raise typer.Exit(130)


@app.command(epilog="Example: [bold]assay predict my-project --data new.jsonl[/]")
def predict(
    folder: Folder = Path("."),
    data: Annotated[Path | None, typer.Option(help="Rows to label, instead of the project's own.")] = None,
    out: Annotated[Path | None, typer.Option(help="The Parquet file to write, instead of the default.")] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Label rows with the trained end model; the sources are not asked."""
    from assay.project import predict as predict_project

    labels, path = predict_project(_load(folder), data, out)
    if as_json:
        _print_json({"items": len(labels), "predictions": str(path)})
        return
    print(f"{labels!r} written to {path}")


@app.command(epilog="Example: [bold]assay evaluate my-project --slice section[/]")
def evaluate(
    folder: Folder = Path("."),
    slice_by: Annotated[
        str | None, typer.Option("--slice", metavar="COLUMN", help="A column whose values are scored one by one.")
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Compare majority votes, the label model and the end model on items that were held out of training."""
    from assay.project import compare_methods
    from assay.report import show

    found = compare_methods(_load(folder), slice_by)
    if as_json:
        _print_json({"items": found["end model"].items, "methods": {name: e.figures() for name, e in found.items()}})
        return
    show(_compared(found))
    for task, table in found["end model"].confusion.items():
        print(f"\n{task}, end model\n{table}")


@app.command(epilog="Example: [bold]assay report my-project[/]")
def report(
    folder: Folder = Path("."),
    out: Annotated[Path | None, typer.Option(help="The HTML file to write, instead of the default.")] = None,
    texts: Annotated[bool, typer.Option(help="Show the data of contested items.")] = True,
    items: Annotated[int, typer.Option(min=0, help="How many contested items to show.")] = 20,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Write what the last run gave as one HTML page to look at; what to fix first comes first."""
    from assay.project import write_report

    path = write_report(_load(folder), out, texts=texts, items=items)
    if as_json:
        _print_json({"report": str(path), "bytes": path.stat().st_size})
        return
    print(f"open it in a browser: {path} ({path.stat().st_size / 1e6:.1f} MB, needs nothing else)")


@app.command(epilog="Example: [bold]assay compare my-project/before my-project[/]")
def compare(
    one: Annotated[Path, typer.Argument(help="A project folder, or the output folder of a run.", show_default=False)],
    other: Annotated[Path, typer.Argument(help="Another one.", show_default=False)],
    items: Annotated[int, typer.Option(min=0, help="How many items to name whose labels changed.")] = 10,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Tell what changed between two runs: sources, their accuracies, labels."""
    from assay.project import change_tables
    from assay.project import compare as compare_runs
    from assay.report import show

    found = compare_runs(one, other, items=items)
    if as_json:
        _print_json(found.to_dict())
        return
    show(*change_tables(found))


@app.command(epilog="Example: [bold]assay demo --folder demo[/]")
def demo(
    folder: Annotated[Path, typer.Option(help="Where the example project goes.")] = Path("demo"),
    texts: Annotated[int, typer.Option(min=10, help="How many texts to make.")] = 6_000,
    seed: Annotated[int, typer.Option(help="What they are made from.")] = 7,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Run the main job end to end on an example that makes its own data, and score it with hidden gold."""
    from assay.project import compare_methods, write_report
    from assay.project import run as run_pipeline
    from assay.project import train as train_project
    from assay.project.demo import write_example
    from assay.report import show, summary_table

    kept = write_example(folder, texts, seed, keep_edited=True)
    made = run_pipeline(_load(folder))
    if not as_json:
        print(f"{len(made.votes):,} short texts about people and organisations, in {folder}")
        if kept:
            print(f"your own {', '.join(kept)} there was kept")
        print(f"\n{made.project.tasks!r}\n")
        show(summary_table(made.votes.summary(), "what the sources say"))
    can_train = _has("torch", "safetensors")
    if can_train:
        train_project(made.project, fresh=True)
    compared = compare_methods(made.project) if can_train else {}
    page = write_report(made.project) if _has("altair", "vl_convert") else None
    _tell(made, as_json, compared, page)
    if not as_json:
        if compared:
            show(_compared(compared))
        else:
            print("no end model was trained, since PyTorch is not installed: pip install 'assay[torch]'")
        print(f"\nlook around in {folder}: change sources.py, then run 'assay run {folder}'")
        if page is None:
            print("no report was written, since altair is not installed: pip install 'assay[report]'")
        else:
            print(f"and open the report in a browser: {page}")


def main() -> None:
    """Run the command line; a user's mistake gives one readable message and exit code 2."""
    _state["debug"] = "--debug" in sys.argv
    try:
        app()
    except AssayError as error:
        if _state["debug"]:
            raise
        _complain(str(error))
        sys.exit(2)
    except KeyboardInterrupt:
        _complain("interrupted; nothing half-written was left behind")
        sys.exit(130)
    except Exception as error:
        if _state["debug"]:
            raise
        _complain(f"{type(error).__name__}: {error}\nThis is a fault in Assay. Run again with --debug to see where.")
        sys.exit(1)


def _has(*packages: str) -> bool:
    return all(importlib.util.find_spec(package) is not None for package in packages)


def _complain(message: str) -> None:
    Console(stderr=True, highlight=False).print(f"[bold red]error:[/] {escape(message)}", soft_wrap=True)


def _compared(found: dict[str, Evaluation]) -> Table:
    from assay.report import comparison_table

    return comparison_table(found, f"against gold, on {found['end model'].items:,} items held out of training")


def _tell(made: Run, as_json: bool, compared: dict[str, Evaluation] | None = None, page: Path | None = None) -> None:
    """What a run gave: the check, the sources with their accuracies, and the scores."""
    from assay.report import score_table, show, sources_table

    model, output = made.model, made.project.output
    if as_json:
        _print_json(
            {
                "items": len(made.votes),
                "output": str(output),
                "check": model.check_.to_dict(),
                "converged": model.converged_,
                "notes": model.notes_,
                "learned_dependencies": None if model.learned_ is None else model.learned_.to_dict()["edges"],
                "advice": model.advice_,
                "sources": json.loads(model.sources_.to_json(orient="records")),
                "accuracy": {score.method: score.accuracy for score in made.scores},
                **({"held_out": {name: found.accuracy for name, found in compared.items()}} if compared else {}),
                **({} if page is None else {"report": str(page)}),
            }
        )
        return
    if model.check_.problems:
        print(f"{model.check_}\n")
    show(sources_table(model.sources_, "what the label model learned, without gold"))
    for note in model.notes_:
        print(f"note: {note}")
    for sentence in model.advice_:
        print(f"- {sentence}")
    if made.scores:
        show(score_table([(score.method, score.accuracy) for score in made.scores], "against gold"))
    print(f"votes, labels and the model are in {output}")


def _load(folder: Path) -> Project:
    from assay.project import Project

    return Project.load(folder)


def _print_faults(votes: Votes) -> None:
    for fault in votes.faults:
        print(f"source {fault.source!r} failed on {fault.count:,} rows, first on row {fault.row}: {fault.error}")


def _print_json(value: Any) -> None:
    print(json.dumps(value, indent=2))
