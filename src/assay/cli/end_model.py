"""Commands of the end model: train, predict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import Address, Debug, Engine, Folder, Json
from assay.cli.output import complain, load, print_json

commands = typer.Typer()


@commands.command(epilog="Example: [bold]assay train my-project[/]")
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
    """Train the end model on the labels of the last run, refined if it did so; resumes where it was interrupted."""
    from assay.project import compare_training
    from assay.project import train as train_project
    from assay.report import show, training_table

    project = load(folder)
    done = train_project(project, fresh=fresh)
    last = json.loads(done.model.history_.iloc[-1:].to_json(orient="records")) if len(done.model.history_) else [{}]
    found = compare_training(project) if compare and not done.model.interrupted_ else None
    if as_json:
        told = {
            "items": done.items,
            "refined": done.refined,
            "model": str(done.path),
            "interrupted": done.model.interrupted_,
        }
        compared = {"comparison": found.to_dict()} if found is not None else {}
        print_json({**told, "dev_score": done.model.dev_score_, **last[0], **compared})
    else:
        how = "".join(f", {name} {last[0][name]:.4f}" for name in ("loss", "dev_score") if name in last[0])
        which = "the refined labels of " if done.refined else ""
        print(f"trained on {which}{done.items:,} items for {len(done.model.history_)} epochs{how}; {done.path}")
        if found is not None:
            show(training_table(found))
            print(found.advice)
        if not done.refined:
            print(f"it mostly learns more from labels that the data has corrected: assay run {folder} --refine")
        print(f"next: assay evaluate {folder}, or assay predict {folder} --data new.jsonl")
    if done.model.interrupted_:
        complain("interrupted; the best weights so far were kept, and 'assay train' resumes from here")
        raise typer.Exit(130)


@commands.command(epilog="Example: [bold]assay predict my-project --data new.jsonl[/]")
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

    done = predict_project(load(folder).with_engine(engine, address), data, out)
    if as_json:
        print_json({"items": done.items, "predictions": str(done.path)})
        return
    print(f"labels of {done.items:,} rows written to {done.path}")
