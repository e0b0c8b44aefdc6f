"""The end model as the paper trains it: ``ASSAY_DATA=... python -m benchmarks.experiments.paper_lstm``.

A bidirectional LSTM of 150 units with layers of 200 and 50 above it learns from the joint model's labels for up to 50
epochs, and the weights of the epoch that is best on dev are kept. The learning rate and the ℓ2 penalty are chosen on
dev too, by one training each with those of the paper's three tasks; the paper itself tried ten at random. So this end
model has seen dev's gold, which those of ``benchmarks.experiments.run`` have not; their LSTM stands beside it, with the
figures which that run has left in ``experiments.json``. Needs what that run needs. Prints tables; writes
``experiments_paper_lstm.md`` and ``.json``. A run that was interrupted goes on where it was, trial by trial.
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
from benchmarks.experiments.prepare import TASKS
from benchmarks.experiments.problem import IntArray, Problem, prepare_and_load
from benchmarks.experiments.summary import Figure, majority_accuracy
from benchmarks.experiments.tables import table
from benchmarks.experiments.trial import LSTM, PAPER_LSTM, Trial, train

SCRATCH = RESULTS / "scratch" / "paper_lstm"
SEARCHED = ((1e-2, 1e-4), (1e-3, 1e-4), (1e-3, 1e-3))
"""Learning rates and ℓ2 penalties of the paper's OntoNotes, TACRED and OpenI."""
LABELS, OURS, PAPERS, DEV = "label model", f"end model, {LSTM}", f"end model, {PAPER_LSTM}", "*the same on dev*"
ROWS = (VOTE, LABELS, OURS, PAPERS, DEV)


def main(
    tasks: Annotated[list[str] | None, typer.Argument(help="which of openi, trec50, clinc90; default: all")] = None,
    trials: Annotated[int, typer.Option(help="trainings for each task with the settings that are best on dev")] = 3,
) -> None:
    """Train what has not been trained yet, then write the tables."""
    warnings.simplefilter("ignore", assay.CheckWarning)  # `assay check` tells them
    for seed in range(trials):
        for task in tasks or TASKS:
            searched = [_done(task, *settings, 0) for settings in SEARCHED]
            best = max(searched, key=best_on_dev)
            if seed:
                _done(task, best["learning_rate"], best["l2"], seed)
    summarize()


def best_on_dev(trial: dict[str, Any]) -> float:
    """The share of dev items that are right after the best epoch."""
    return max(trial["dev_scores"])


def _done(task: str, learning_rate: float, l2: float, seed: int) -> dict[str, Any]:
    """One training, now or earlier."""
    path = SCRATCH / f"{task}_{learning_rate:g}_{l2:g}_{seed}.json"
    if not path.is_file():
        found = one_trial(prepare_and_load(task), learning_rate, l2, seed)
        print(f"{path.stem}: {found['seconds']:.0f} seconds, dev {100 * best_on_dev(found):.1f}", flush=True)
        with writing(path) as unfinished:
            unfinished.write_text(json.dumps(found))
    return json.loads(path.read_text())


def one_trial(problem: Problem, learning_rate: float, l2: float, seed: int) -> dict[str, Any]:
    """One training, and what the labels say without it about test_a."""
    labeled = _labeled(problem)
    settings = {"learning_rate": learning_rate, "l2": l2}
    trained = train(problem, Trial(problem.name, JOINT, PAPER_LSTM, 1.0, seed), labeled, more=settings)
    return trained | settings | {"labels": labeled.others["test_a"].argmax(axis=1).tolist()}


@cache
def _labeled(problem: Problem) -> Labeled:
    return label(problem, JOINT)


def figures_of(trials: Sequence[dict[str, Any]], gold: IntArray) -> dict[str, Figure]:
    """Of one task and setting: accuracies on test_a, and on dev after the epoch that was best there."""
    right = {LABELS: [np.mean(np.array(trials[0]["labels"]) == gold)]}
    right[PAPERS] = [np.mean(np.array(trial["predictions"]["test_a"]) == gold) for trial in trials]
    right[DEV] = [best_on_dev(trial) for trial in trials]
    return {row: Figure.of(shares) for row, shares in right.items()}


def chosen(trials: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The trials of one task whose settings are best on dev, by the first training of each."""
    best = max((trial for trial in trials if trial["seed"] == 0), key=best_on_dev)
    return [trial for trial in trials if (trial["learning_rate"], trial["l2"]) == (best["learning_rate"], best["l2"])]


def summarize() -> None:
    """The tables of all trials that are there."""
    found = [json.loads(path.read_text()) for path in sorted(SCRATCH.glob("*.json"))]
    groups = {task: [trial for trial in found if trial["task"] == task] for task in TASKS}
    groups = {task: trials for task, trials in groups.items() if trials}
    problems = {task: prepare_and_load(task) for task in groups}
    gold = {task: problems[task].gold["test_a"] for task in groups}
    figures = {task: figures_of(chosen(trials), gold[task]) for task, trials in groups.items()}
    for task in groups:
        figures[task][VOTE] = Figure.of([majority_accuracy(problems[task])])
        stored = _stored(task)
        if stored is not None:
            figures[task][OURS] = stored
    rows = [[row, *(figures[task].get(row, "–") for task in groups)] for row in ROWS]
    counts = ", ".join(f"{task} {figures[task][PAPERS].trials}" for task in groups)
    searched = [
        {"task": trial["task"], "learning_rate": trial["learning_rate"], "l2": trial["l2"]}
        | {"dev": 100 * best_on_dev(trial), "test_a": figures_of([trial], gold[trial["task"]])[PAPERS].mean}
        | {"best_epoch": int(np.argmax(trial["dev_scores"])) + 1, "epochs": len(trial["dev_scores"])}
        | {"seconds": trial["seconds"]}
        for trials in groups.values()
        for trial in trials
        if trial["seed"] == 0
    ]
    tried = [
        [
            *(one[name] for name in ("task", "learning_rate", "l2")),
            *(f"{one[name]:.1f}" for name in ("dev", "test_a")),
            f"{one['best_epoch']} of {one['epochs']}",
        ]
        for one in searched
    ]
    header = ["task", "learning rate", "ℓ2", "dev", "test_a", "best epoch"]
    page = (
        f"### The paper's LSTM, test_a, trainings: {counts}\n\n{table(['', *groups], rows)}\n\n"
        "± is half of the 95% interval over trainings. Epoch and settings were chosen on dev, so its row flatters.\n\n"
        f"The search, one training each; the choice is by dev:\n\n{table(header, tried)}\n"
    )
    (RESULTS / "experiments_paper_lstm.md").write_text(page, encoding="utf-8")
    told = [
        {"task": task, "row": row.strip("*"), "mean": figure.mean, "margin": figure.margin, "trials": figure.trials}
        for task, of_task in figures.items()
        for row, figure in of_task.items()
    ]
    (RESULTS / "experiments_paper_lstm.json").write_text(
        json.dumps({"figures": told, "search": searched}, indent=1) + "\n", encoding="utf-8"
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
