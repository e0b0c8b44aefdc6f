"""The command that shows everything on an example: demo."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import SEED, TEXTS, Debug, Json
from assay.cli.output import print_json
from assay.cli.run_output import comparison_of, print_run, print_told, told_by_hand_labels

commands = typer.Typer()


@commands.command(epilog="Example: [bold]assay demo --folder demo[/]")
def demo(
    folder: Annotated[Path, typer.Option(help="The folder of the example project.")] = Path("demo"),
    texts: Annotated[int, typer.Option(min=10, help="How many texts to generate.")] = TEXTS,
    seed: Annotated[int, typer.Option(help="The random seed of the texts.")] = SEED,
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
            "with_hand_labels": {**done.taught.to_dict(), **told_by_hand_labels(done.taught)},
            "held_out": held_out,
            "report": None if done.page is None else str(done.page),
            "prompts": None if done.prompts is None else done.prompts.to_dict(),
        }
        print_json({**made.to_dict(), **{name: value for name, value in extras.items() if value}})
        return
    print(f"{len(made.votes):,} short texts about people and organisations, in {folder}")
    if done.kept:
        print(f"your own {', '.join(done.kept)} there was kept")
    print(f"\n{made.project.tasks!r}\n")
    show(summary_table(made.votes.summary(), "what the sources say"))
    print_run(made)
    if done.prompts is not None:
        print(f"\n{done.prompts}")
        print("the small model is far too small to be right; name a larger one in [prompts] of assay.toml")
    if done.simulated:
        path = made.project.hand_labels[0]
        print(f"\nnow {done.simulated} random texts are labeled by hand: simulated answers, from gold, in {path}")
    print_told(done.taught)
    if done.held_out:
        show(comparison_of(done.held_out))
    else:
        print(f"no end model was trained, since PyTorch is not installed: {how_to_install('torch')}")
    print(f"\nlook around in {folder}: change sources.py, then run 'assay run {folder}'")
    print(f"to label texts yourself, remove hand_labels.jsonl and run 'assay label {folder}'")
    if done.page is None:
        print(f"no report was written, since altair is not installed: {how_to_install('report')}")
    else:
        print(f"and open the report in a browser: {done.page}")
