"""The experiments with dev's gold put to use: ``ASSAY_DATA=... python -m benchmarks.experiments.with_gold``.

The label model learns from the gold of the 200 to 350 dev items besides the votes, its labels are refined by what the
end model makes of the texts, and the end model learns from them and from the dev items. Beside it stand dev's gold
alone, majority vote, the model without gold, and labels that were not refined, trained by the same code. Needs what
``benchmarks.experiments.run`` needs, and takes over what that has done. Prints tables; writes
``experiments_with_gold.md`` and ``.json``, and adds ``with_gold_prediction`` (the end model's) and
``with_gold_label_model_prediction`` to ``<task>_test_b.jsonl``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.markdown import Markdown

from assay._core.atomic_files import writing
from benchmarks.experiments.jobs import RESULTS, Done, FloatArray, do
from benchmarks.experiments.labelers import GOLD, JOINT, REFINED, REFINED_WITH_GOLD, VOTE, WITH_GOLD
from benchmarks.experiments.prepare import TASKS
from benchmarks.experiments.problem import IntArray, Problem
from benchmarks.experiments.summary import Figures, best_trial
from benchmarks.experiments.tables import table
from benchmarks.experiments.trial import EMBEDDED, ENCODERS, LSTM, Trial

METHODS = (GOLD, VOTE, JOINT, REFINED, WITH_GOLD, REFINED_WITH_GOLD)
ALONE = (VOTE, JOINT, WITH_GOLD)
"""Labels whose figures do not depend on an encoder."""
LEAST = 1e-3
"""The least probability of gold that counts, as in the quality benchmarks."""


def main(
    tasks: Annotated[list[str] | None, typer.Argument(help="which of openi, trec50, clinc90; default: all")] = None,
    trials: Annotated[int, typer.Option(help="trainings of each end model")] = 10,
    encoders: Annotated[
        list[str] | None, typer.Option("--encoder", help="of the end model; default: all three")
    ] = None,
    lstm_trials: Annotated[int, typer.Option(help="trainings of each LSTM, which take most of the time")] = 10,
    embedded_trials: Annotated[int, typer.Option(help="trainings of each end model with embeddings")] = 10,
    workers: Annotated[int, typer.Option(help="processes")] = os.cpu_count() or 1,
) -> None:
    """Run what has not been run yet, then write the tables and predictions."""
    chosen = [encoder for encoder in ENCODERS if encoder in (encoders or ENCODERS)]
    counts = dict.fromkeys(chosen, trials) | {LSTM: lstm_trials, EMBEDDED: embedded_trials}
    planned = [
        Trial(task, method, encoder, 1.0, seed)
        for task in tasks or TASKS
        for encoder in chosen
        for seed in range(counts[encoder])
        for method in METHODS
    ]
    done = do(planned, workers)
    found = Found.of(done, chosen)
    page = "\n\n".join(found.sections()) + "\n"
    (RESULTS / "experiments_with_gold.md").write_text(page, encoding="utf-8")
    (RESULTS / "experiments_with_gold.json").write_text(json.dumps(found.as_json(), indent=1) + "\n", encoding="utf-8")
    for task, problem in done.problems.items():
        add_predictions(RESULTS / f"{task}_test_b.jsonl", problem, done.trials, done.alone[task, WITH_GOLD]["test_b"])
    Console().print(Markdown(page))


@dataclass(frozen=True, eq=False)
class Found:
    """The figures."""

    figures: Figures
    encoders: Sequence[str]
    alone: Mapping[tuple[str, str], tuple[float, float]]
    """Per task and method, of labels alone on test_a: accuracy in percent, log loss."""

    @classmethod
    def of(cls, done: Done, encoders: Sequence[str]) -> Found:
        """From predictions."""
        figures = Figures(done.problems, done.trials)
        alone = {
            (task, method): scores(labels["test_a"], figures.gold[task])
            for (task, method), labels in done.alone.items()
        }
        return cls(figures, encoders, alone)

    @property
    def tasks(self) -> list[str]:
        """In their order."""
        return list(self.figures.problems)

    def sections(self) -> Iterator[str]:
        """Tables."""
        rows: list[list[Any]] = [
            [
                method,
                *(f"{right:.1f} / {loss:.2f}" for right, loss in (self.alone[task, method] for task in self.tasks)),
            ]
            for method in ALONE
        ]
        yield f"### Labels alone, test_a: accuracy / log loss\n\n{table(['labels from', *self.tasks], rows)}"
        for encoder in self.encoders:
            rows = [
                [
                    method,
                    *(self.figures.accuracy(task, encoder, method) for task in self.tasks),
                    self.figures.mean(encoder, method),
                ]
                for method in METHODS
            ]
            for what, method in (("gold", WITH_GOLD), ("gold and refining", REFINED_WITH_GOLD)):
                gains = [self.figures.gain(encoder, method, JOINT, only=[task]) for task in self.tasks]
                gains.append(self.figures.gain(encoder, method, JOINT))
                told = (f"{gain:+.1f} ({low:+.1f} to {high:+.1f})" for gain, low, high in gains)
                rows.append([f"*gain by {what}*", *told])
            header = ["labels from", *self.tasks, "mean"]
            count = self.figures.accuracy(self.tasks[0], encoder, JOINT).trials
            yield f"### End model ({encoder}), test_a, trainings: {count}\n\n{table(header, rows)}"
        yield "± is half of the 95% interval over trainings; the interval of a gain is over test items."

    def as_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            "labels_alone": [
                {"task": task, "method": method, "accuracy": right, "log_loss": loss}
                for (task, method), (right, loss) in self.alone.items()
            ],
            "end_model": [
                {"task": task, "encoder": encoder, "method": method}
                | {"mean": found.mean, "margin": found.margin, "trials": found.trials}
                for task, encoder, method, share in self.figures.keys
                for found in [self.figures.accuracy(task, encoder, method, share)]
            ],
            "gains": [
                {"task": task, "encoder": encoder, "method": method, "points": gain, "low": low, "high": high}
                for encoder in self.encoders
                for task in self.tasks
                for method in (WITH_GOLD, REFINED_WITH_GOLD)
                for gain, low, high in [self.figures.gain(encoder, method, JOINT, only=[task])]
            ],
        }


def scores(labels: FloatArray, gold: IntArray) -> tuple[float, float]:
    """Accuracy in percent, and log loss."""
    right = labels[np.arange(len(gold)), gold]
    return 100 * float((labels.argmax(axis=1) == gold).mean()), -float(np.log(np.maximum(right, LEAST)).mean())


def add_predictions(path: Path, problem: Problem, trials: Sequence[dict[str, Any]], labels: FloatArray) -> None:
    """Add to every test_b item what the end model says that learned with dev's gold, and what such labels alone say.

    Which of its trials cannot be told on dev, which they have seen: it is the first with the encoder that does best
    there without gold.
    """
    encoder = best_trial(trials, problem)["encoder"]
    wanted = (problem.name, REFINED_WITH_GOLD, encoder, 0)
    chosen = next(
        trial for trial in trials if (trial["task"], trial["method"], trial["encoder"], trial["seed"]) == wanted
    )
    names = problem.gold_names
    added = {
        item: {"with_gold_prediction": names[said], "with_gold_label_model_prediction": names[labeled]}
        for item, said, labeled in zip(
            problem.ids["test_b"], chosen["predictions"]["test_b"], labels.argmax(axis=1), strict=True
        )
    }
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    with writing(path) as unfinished:
        unfinished.write_text("".join(json.dumps(row | added[row["id"]]) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
