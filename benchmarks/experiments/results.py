"""Tables, charts and files of the experiments."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.markdown import Markdown

from assay.gold import micro_accuracy
from benchmarks.experiments.charts import draw
from benchmarks.experiments.labelers import DECLARED, DP, GOLD, JOINT, LEARNED, MAIN, NONE, VOTE
from benchmarks.experiments.prepare import TASKS
from benchmarks.experiments.problem import Problem
from benchmarks.experiments.summary import Figure, Figures, best_trial
from benchmarks.experiments.tables import table
from benchmarks.experiments.trial import ENCODERS

FloatArray = npt.NDArray[np.float64]
Alone = Mapping[tuple[str, str], Mapping[str, FloatArray]]
"""Per task and method what the labels alone say about each split."""
TARGETS = ((GOLD, 10.0), (VOTE, 5.0), (DP, 3.0))
"""How far the joint model is to be ahead, in points."""


def write(folder: Path, problems: dict[str, Problem], trials: Sequence[dict[str, Any]], alone: Alone) -> None:
    """Write and print everything."""
    figures = Figures(problems, trials)
    alone_right = {
        (task, method): 100 * micro_accuracy([found["test_a"]], [figures.gold[task]])
        for (task, method), found in alone.items()
    }
    encoders = [encoder for encoder in ENCODERS if any(trial["encoder"] == encoder for trial in trials)]
    page = "\n\n".join(_sections(figures, alone_right, problems, encoders, trials)) + "\n"
    (folder / "experiments.md").write_text(page, encoding="utf-8")
    for name, problem in problems.items():
        _write_predictions(folder / f"{name}_test_b.jsonl", problem, trials, alone[name, JOINT]["test_b"])
    (folder / "experiments.json").write_text(
        json.dumps(_as_json(figures, alone_right, trials, encoders), indent=1) + "\n", encoding="utf-8"
    )
    draw(folder, figures, alone_right, encoders)
    Console().print(Markdown(page))


def _sections(
    figures: Figures,
    alone: Mapping[tuple[str, str], float],
    problems: Mapping[str, Problem],
    encoders: Sequence[str],
    trials: Sequence[dict[str, Any]],
) -> Iterator[str]:
    tasks = list(problems)
    whole = set(tasks) == set(TASKS)
    for encoder in encoders:
        rows = [
            [method, *(figures.accuracy(task, encoder, method) for task in tasks), figures.mean(encoder, method)]
            for method in MAIN
        ]
        yield f"### End model ({encoder}), test_a\n\n{table(['labels from', *tasks, 'mean'], rows)}"
        rows = []
        for other, least in TARGETS:
            gain, low, high = figures.gain(encoder, JOINT, other)
            rows.append([f"{other}", f"{gain:+.1f}", f"{low:+.1f} to {high:+.1f}", f"{least:+.0f}"])
        if whole:
            yield (
                f"Assay minus ... ({encoder}), mean over the tasks; the interval is over test items:\n\n"
                + table(["minus", "points", "95%", "aim"], rows)
            )
    rows = []
    for method in (method for method in MAIN if method != GOLD):
        cells: list[Any] = [method]
        for task in tasks:
            cells.append(f"{alone[task, method]:.1f}")
            cells += [f"{figures.accuracy(task, encoder, method).mean:.1f}" for encoder in encoders]
        rows.append(cells)
    header = ["labels from", *(f"{task}: {what}" for task in tasks for what in ("labels alone", *encoders))]
    yield f"### Labels alone against the end model, test_a\n\n{table(header, rows)}"
    for task in tasks:
        names = problems[task].tasks.names
        rows = [
            [method, *(f"{figures.task_accuracy(task, encoders[0], method, name).mean:.1f}" for name in names)]
            for method in MAIN
        ]
        counts = ["*items*", *(f"*{_applies(figures, task, name)}*" for name in names)]
        yield (
            f"### Each task of {task}, on the items that it applies to ({encoders[0]}, test_a)\n\n"
            + table(["labels from", *names], [*rows, counts])
        )
    shares = sorted({share for task, _, _, share in figures.keys if task in tasks})
    rows = [
        [f"{share:.0%}", *(figures.accuracy(task, encoders[0], JOINT, share) for task in tasks)] for share in shares
    ]
    yield f"### Assay with a part of the unlabeled items ({encoders[0]}, test_a)\n\n{table(['share', *tasks], rows)}"
    rows = []
    for name, method in ((NONE, NONE), (DECLARED, JOINT), (LEARNED, LEARNED)):
        cells = [name]
        for task in tasks:
            has = (method != JOINT or problems[task].project.model.dependencies) and (task, method) in alone
            cells.append(f"{alone[task, method]:.1f} → {figures.accuracy(task, encoders[0], method)}" if has else "–")
        rows.append(cells)
    yield f"### Dependencies: labels alone → end model ({encoders[0]}, test_a)\n\n{table(['', *tasks], rows)}"
    hours = sum(trial["seconds"] for trial in trials) / 3600
    sizes = ", ".join(f"{task} {len(figures.gold[task])}" for task in tasks)
    yield (
        f"Items of test_a: {sizes}. ± is half of the 95% interval over trials. {len(trials)} trainings took "
        f"{hours:.1f} hours of one core."
    )


def _applies(figures: Figures, task: str, name: str) -> int:
    label = figures.problems[task].tasks.label_space.components[0].label_of(name)
    return int((label[figures.gold[task]] >= 0).sum())


def _write_predictions(path: Path, problem: Problem, trials: Sequence[dict[str, Any]], alone: FloatArray) -> None:
    """For every test_b item what the joint model's end model says in its best trial on dev."""
    best = best_trial(trials, problem)
    names = problem.gold_names
    with path.open("w", encoding="utf-8") as out:
        for item, said, labeled in zip(
            problem.ids["test_b"], best["predictions"]["test_b"], alone.argmax(axis=1), strict=True
        ):
            row = {"id": item, "prediction": names[said], "label_model_prediction": names[labeled]}
            out.write(json.dumps(row) + "\n")


def _as_json(
    figures: Figures,
    alone: Mapping[tuple[str, str], float],
    trials: Sequence[dict[str, Any]],
    encoders: Sequence[str],
) -> dict[str, Any]:
    def told(figure: Figure) -> dict[str, float]:
        return {"mean": figure.mean, "margin": figure.margin, "trials": figure.trials}

    return {
        "versions": {name: version(name) for name in ("numpy", "scipy", "torch")},
        "seconds_of_a_trial": {
            encoder: float(np.mean([trial["seconds"] for trial in trials if trial["encoder"] == encoder]))
            for encoder in encoders
        },
        "end_model": [
            {"task": task, "encoder": encoder, "method": method, "share": share}
            | told(figures.accuracy(task, encoder, method, share))
            for task, encoder, method, share in figures.keys
        ],
        "labels_alone": [
            {"task": task, "method": method, "accuracy": value} for (task, method), value in alone.items()
        ],
        "gains": [
            {"encoder": encoder, "over": other, "points": gain, "low": low, "high": high, "aim": least}
            for encoder in encoders
            for other, least in TARGETS
            for gain, low, high in [figures.gain(encoder, JOINT, other)]
        ],
    }
