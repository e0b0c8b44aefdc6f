"""Calibration of labels and end models on test_a, with and without the gold of dev.

``ASSAY_DATA=... python -m benchmarks.quality.end_model_calibration``. A small test set cannot show a small calibration
error, since chance makes one as well; so it is also tested whether the one seen is larger than chance makes if every
probability is exactly right.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

import assay
from benchmarks.experiments.prepare import SPLITS, TASKS, prepare
from benchmarks.experiments.problem import Problem, load

FloatArray = npt.NDArray[np.float64]
_RANGES = 10


def chance_of_as_large(joint: FloatArray, truth: npt.NDArray[np.int64], *, draws: int = 4_000, seed: int = 0) -> float:
    """How often perfectly calibrated labels of these confidences would show a calibration error as large as this one.

    Items are right with the probability of their most probable outcome; the error is that of :func:`assay.evaluate`.
    """
    sure = joint.max(axis=1)
    right = joint.argmax(axis=1) == truth
    inside = np.eye(_RANGES)[np.minimum((sure * _RANGES).astype(int), _RANGES - 1)]
    drawn = np.random.default_rng(seed).random((draws, len(sure))) < sure
    errors = np.abs((sure - np.vstack([right, drawn])) @ inside).sum(axis=1)
    return float(np.mean(errors[1:] >= errors[0] - 1e-9))


def labeled(problem: Problem, *, with_gold: bool) -> tuple[list[str], assay.Labels, assay.Labels]:
    """Texts to train on, their labels, and the labels of test_a."""
    texts, votes, gold = problem.texts["train"], problem.votes["train"], None
    if with_gold:
        outcomes = problem.tasks.label_space.outcomes
        gold = [*[None] * len(texts), *(outcomes[truth] for truth in problem.gold["dev"])]
        texts = texts + problem.texts["dev"]
        votes = assay.Votes.concat([votes, problem.votes["dev"]])
    model = assay.LabelModel(dependencies=problem.project.model.dependencies).fit(votes, gold, progress=False)
    return texts, model.label(votes, progress=False).voted(votes), model.label(problem.votes["test_a"], progress=False)


def rows(task: str, trials: int) -> Iterator[dict[str, Any]]:
    """What labels and end models say of test_a of one task."""
    problem = load(task)
    truth = problem.gold["test_a"]
    for with_gold in (False, True):
        texts, labels, alone = labeled(problem, with_gold=with_gold)
        found = [("label model", 0, alone)]
        for seed in range(trials):
            model = assay.EndModel(problem.tasks, seed=seed).fit(texts, labels, progress=False)
            found.append(("end model", seed, model.label(problem.texts["test_a"])))
        for method, seed, said in found:
            score = assay.evaluate(said, truth)
            yield {
                "task": task,
                "method": method,
                "gold": with_gold,
                "seed": seed,
                "accuracy": score.accuracy,
                "confidence": float(said.joint[0].max(axis=1).mean()),
                "calibration_error": score.calibration_error,
                "chance": chance_of_as_large(said.joint[0], truth),
            }


def main(
    tasks: Annotated[list[str] | None, typer.Argument(help="which of openi, trec50, clinc90; default: all")] = None,
    trials: Annotated[int, typer.Option(help="trainings of each end model")] = 3,
) -> None:
    """Print a line for each."""
    for task in tasks or TASKS:
        for split in SPLITS:
            prepare(task, split)
        for row in rows(task, trials):
            print(
                {name: round(value, 4) if isinstance(value, float) else value for name, value in row.items()},
                flush=True,
            )


if __name__ == "__main__":
    typer.run(main)
