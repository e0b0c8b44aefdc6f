"""Where the label model gains over a majority vote: ``python -m benchmarks.experiments.fewer_sources``.

Keeps some of each task's sources, drawn at random, and scores the labels that come out on test_a; no end model is
trained. Writes ``benchmarks/results/experiments_fewer_sources.json``.
"""

from __future__ import annotations

import json
import warnings

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import assay
from assay.errors import CheckWarning
from assay.gold import micro_accuracy
from benchmarks.experiments.prepare import HOME, SPLITS, TASKS, prepare
from benchmarks.experiments.problem import Problem, load

SHARES = (0.15, 0.3, 0.6, 1.0)
DRAWS = 4


def scores(problem: Problem, share: float, draw: int) -> tuple[float, float]:
    """Percentages of a hierarchical majority vote and of the label model, on test_a."""
    train, test, gold = problem.votes["train"], problem.votes["test_a"], problem.gold["test_a"]
    chosen = np.random.default_rng(draw).permutation(len(train.names))[: round(share * len(train.names))]
    names = [train.names[number] for number in sorted(chosen)]
    train, test = train.select(names), test.select(names)
    # With few sources, some labels are left to one or none.
    model = assay.LabelModel(allow_unidentifiable=True).fit(train)
    found = (assay.hierarchical_majority_vote(test), model.predict_proba(test))
    vote, joint = (100 * micro_accuracy([labels], [gold]) for labels in found)
    return vote, joint


def main() -> None:
    warnings.simplefilter("ignore", CheckWarning)  # few sources leave much untold, which is the point
    for task in TASKS:
        for split in SPLITS:
            prepare(task, split)
    jobs = [(task, share, draw) for task in TASKS for share in SHARES for draw in range(DRAWS if share < 1 else 1)]
    rows: dict[tuple[str, float], list[tuple[float, float]]] = {}
    for task, share, draw in track(jobs, "labeling"):
        rows.setdefault((task, share), []).append(scores(load(task), share, draw))
    table = Table("task", "sources", "majority vote", "Assay", "gain")
    found = []
    for (task, share), each in rows.items():
        vote, joint = np.mean(each, axis=0).tolist()
        count = round(share * len(load(task).votes["train"].names))
        table.add_row(task, str(count), f"{vote:.1f}", f"{joint:.1f}", f"{joint - vote:+.1f}")
        found.append({"task": task, "sources": count, "draws": len(each), "majority_vote": vote, "assay": joint})
    Console().print(table)
    path = HOME.parent / "results" / "experiments_fewer_sources.json"
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
