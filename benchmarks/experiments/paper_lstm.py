"""The end model as the paper trains it: ``ASSAY_DATA=... python -m benchmarks.experiments.paper_lstm``.

A bidirectional LSTM of 150 units with layers of 200 and 50 above it learns from the joint model's labels for 50 epochs,
and the weights of the epoch that is best on dev are kept. So it has seen dev's gold, which the end models of
``benchmarks.experiments.run`` have not; their LSTM stands beside it, with the figures which that run has left in
``experiments.json``. Needs what that run needs. Prints a table; writes ``experiments_paper_lstm.md`` and ``.json``. A
run that was interrupted goes on where it was, trial by trial.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.markdown import Markdown

import assay
from assay._core.atomic_files import writing
from benchmarks.experiments.jobs import RESULTS
from benchmarks.experiments.labelers import JOINT, VOTE, Labeled, label
from benchmarks.experiments.prepare import SPLITS, TASKS, prepare
from benchmarks.experiments.problem import IntArray, Problem, load
from benchmarks.experiments.summary import Figure
from benchmarks.experiments.tables import table
from benchmarks.experiments.trial import LSTM, PAPER_LSTM, Trial, train

SCRATCH = RESULTS / "scratch" / "paper_lstm"
LABELS, OURS, PAPERS, DEV = "label model", f"end model, {LSTM}", f"end model, {PAPER_LSTM}", "*the same on dev*"
ROWS = (VOTE, LABELS, OURS, PAPERS, DEV)


def main(
    tasks: Annotated[list[str] | None, typer.Argument(help="which of openi, trec50, clinc90; default: all")] = None,
    trials: Annotated[int, typer.Option(help="trainings for each task")] = 3,
) -> None:
    """Train what has not been trained yet, then write the table."""
    warnings.simplefilter("ignore", assay.CheckWarning)  # `assay check` tells them
    for seed in range(trials):
        for task in tasks or TASKS:
            path = SCRATCH / f"{task}_{seed}.json"
            if not path.is_file():
                found = one_trial(_problem(task), seed)
                print(f"{task}, seed {seed}: {found['seconds']:.0f} seconds", flush=True)
                with writing(path) as unfinished:
                    unfinished.write_text(json.dumps(found))
    summarize()


def one_trial(problem: Problem, seed: int) -> dict[str, Any]:
    """One training, and what votes and labels say without it about test_a."""
    labeled = _labeled(problem)
    alone = {VOTE: assay.hierarchical_majority_vote(problem.votes["test_a"]), LABELS: labeled.others["test_a"]}
    trained = train(problem, Trial(problem.name, JOINT, PAPER_LSTM, 1.0, seed), labeled)
    return trained | {"alone": {row: said.argmax(axis=1).tolist() for row, said in alone.items()}}


@cache
def _problem(task: str) -> Problem:
    for split in SPLITS:
        prepare(task, split)
    return load(task)


@cache
def _labeled(problem: Problem) -> Labeled:
    return label(problem, JOINT)


def figures_of(trials: Sequence[dict[str, Any]], gold: IntArray) -> dict[str, Figure]:
    """Of one task: accuracies on test_a, and the score on dev that was the highest of any epoch."""
    right = {row: [np.mean(np.array(said) == gold)] for row, said in trials[0]["alone"].items()}
    right[PAPERS] = [np.mean(np.array(trial["predictions"]["test_a"]) == gold) for trial in trials]
    right[DEV] = [max(trial["dev_scores"]) for trial in trials]
    return {row: Figure.of(shares) for row, shares in right.items()}


def summarize() -> None:
    """The table of all trials that are there."""
    found = [json.loads(path.read_text()) for path in sorted(SCRATCH.glob("*.json"))]
    groups = {task: [trial for trial in found if trial["task"] == task] for task in TASKS}
    groups = {task: trials for task, trials in groups.items() if trials}
    figures = {task: figures_of(trials, _problem(task).gold["test_a"]) for task, trials in groups.items()}
    for task in groups:
        stored = _stored(task)
        if stored is not None:
            figures[task][OURS] = stored
    rows = [[row, *(figures[task].get(row, "–") for task in groups)] for row in ROWS]
    counts = ", ".join(f"{task} {len(trials)}" for task, trials in groups.items())
    seconds = {task: float(np.mean([trial["seconds"] for trial in trials])) for task, trials in groups.items()}
    epochs = {task: [int(np.argmax(t["dev_scores"])) + 1 for t in trials] for task, trials in groups.items()}
    page = (
        f"### The paper's LSTM, test_a, trainings: {counts}\n\n{table(['', *groups], rows)}\n\n"
        "± is half of the 95% interval over trainings. The last row is on dev, by which the epoch was chosen.\n"
    )
    (RESULTS / "experiments_paper_lstm.md").write_text(page, encoding="utf-8")
    told = [
        {"task": task, "row": row, "mean": figure.mean, "margin": figure.margin, "trials": figure.trials}
        for task, of_task in figures.items()
        for row, figure in of_task.items()
    ]
    (RESULTS / "experiments_paper_lstm.json").write_text(
        json.dumps({"figures": told, "seconds_of_a_trial": seconds, "best_epochs": epochs}, indent=1) + "\n"
    )
    Console().print(Markdown(page))


def _stored(task: str) -> Figure | None:
    """The LSTM of ``benchmarks.experiments.run`` on the joint model's labels, as that run left it."""
    path = RESULTS / "experiments.json"
    for known in json.loads(path.read_text())["end_model"] if path.is_file() else []:
        if (known["task"], known["encoder"], known["method"], known["share"]) == (task, LSTM, JOINT, 1.0):
            return Figure(known["mean"], known["margin"], known["trials"])
    return None


if __name__ == "__main__":
    typer.run(main)
