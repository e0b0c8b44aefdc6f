"""Gold that the sources were mended on against gold that nobody has looked at.

``ASSAY_DATA=... python -m benchmarks.experiments.fresh_gold``: the label model learns from the votes on the training
items and some hand labels, either of dev items, whose errors the authors of the sources have seen and mended, or of
as many items of test_a; labels are scored on the rest of test_a. It explains, and nothing is chosen by it. Writes
``experiments_fresh_gold.json`` to ``benchmarks/results``.
"""

from __future__ import annotations

import json

import numpy as np

import assay
from benchmarks.experiments.jobs import RESULTS
from benchmarks.experiments.prepare import TASKS
from benchmarks.experiments.problem import IntArray, Problem, prepare_and_load
from benchmarks.experiments.tables import table
from benchmarks.experiments.with_gold import scores

DRAWS = 4


def main() -> None:
    """Run, print and write."""
    found, rows = [], []
    for task in TASKS:
        problem = prepare_and_load(task)
        count = min(len(problem.gold["test_a"]) // 2, len(problem.gold["dev"]))
        of_draws = np.array([_draw(problem, count, seed) for seed in range(DRAWS)])
        means = dict(zip(("none", "dev", "fresh"), of_draws.mean(axis=0).tolist(), strict=True))
        found.append({"task": task, "labels": count, "draws": DRAWS} | means)
        rows.append([task, count, *(f"{right:.1f} / {loss:.2f}" for right, loss in means.values())])
    (RESULTS / "experiments_fresh_gold.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(table(["task", "hand labels", "no gold", "of dev", "fresh"], rows))


def _draw(problem: Problem, count: int, seed: int) -> list[tuple[float, float]]:
    """Accuracy and log loss on the items of test_a that were not drawn: without gold, with dev's, with fresh gold."""
    rng = np.random.default_rng(seed)
    truth = problem.gold["test_a"]
    drawn = np.sort(rng.permutation(len(truth))[:count])
    of_dev = np.sort(rng.permutation(len(problem.gold["dev"]))[:count])
    rest = np.setdiff1d(np.arange(len(truth)), drawn)
    chosen: tuple[tuple[str, IntArray], ...] = (("dev", drawn[:0]), ("dev", of_dev), ("test_a", drawn))
    return [_scored(problem, split, rows, rest) for split, rows in chosen]


def _scored(problem: Problem, split: str, rows: IntArray, rest: IntArray) -> tuple[float, float]:
    outcomes = problem.tasks.label_space.outcomes
    train = problem.votes["train"]
    parts = [train, problem.votes[split].take(rows), problem.votes["test_a"].take(rest)]
    votes = assay.Votes.concat(parts)
    learned, items = len(train) + len(rows), len(votes)
    gold = [*([None] * len(train)), *(outcomes[problem.gold[split][row]] for row in rows)] if len(rows) else None
    model = assay.LabelModel(dependencies=problem.project.model.dependencies)
    labels = model.fit(votes.take(slice(0, learned)), gold).predict_proba(votes.take(slice(learned, items)))
    return scores(labels, problem.gold["test_a"][rest])


if __name__ == "__main__":
    main()
