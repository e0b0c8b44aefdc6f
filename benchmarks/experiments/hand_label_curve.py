"""What hand labels are worth: ``ASSAY_DATA=... python -m benchmarks.experiments.hand_label_curve``.

Accuracy on test_a against the number of dev items whose gold is used: *gold only* is the end model trained on these
items and nothing else; *label model* has votes on all items and this gold; *Assay + gold* refines its labels by what
the texts say, in one round. The end model is that over n-grams. Items are drawn at random, and each draw's smaller
sets are parts of its larger ones. Needs what ``benchmarks.experiments.run`` needs. Prints a table; writes
``experiments_hand_labels.md``, ``.json`` and ``.png``. A run that was interrupted goes on where it was.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.markdown import Markdown

import assay
from assay._core.atomic_files import writing
from benchmarks.experiments import charts
from benchmarks.experiments.jobs import RESULTS
from benchmarks.experiments.labelers import VOTE
from benchmarks.experiments.prepare import SPLITS, TASKS
from benchmarks.experiments.problem import IntArray, Problem, prepare_and_load
from benchmarks.experiments.summary import majority_accuracy
from benchmarks.experiments.tables import table
from benchmarks.experiments.trial import GOLD_EPOCHS, NGRAMS, SETTINGS

SCRATCH = RESULTS / "scratch" / "hand_label_curve"
COUNTS = (0, 25, 50, 100, 200)
"""Numbers of hand labels, besides all that there are."""
GOLD_ONLY, LABELS, REFINED = "gold only", "label model", "Assay + gold"
ROWS = (GOLD_ONLY, LABELS, REFINED)


def main(
    tasks: Annotated[list[str] | None, typer.Argument(help="which of openi, trec50, clinc90; default: all")] = None,
    draws: Annotated[int, typer.Option(help="of hand-labeled items")] = 3,
) -> None:
    """Run what has not been run yet, then write the table and the picture."""
    warnings.simplefilter("ignore", assay.CheckWarning)  # `assay check` tells them
    for draw in range(draws):
        for task in tasks or TASKS:
            problem = prepare_and_load(task)
            for count in counts_of(len(problem.gold["dev"])):
                path = SCRATCH / f"{task}_{draw}_{count}.json"
                if not path.is_file():
                    found = one_point(problem, draw, count)
                    print(f"{task}, draw {draw}, {count} hand labels: {found['seconds']:.0f} seconds", flush=True)
                    with writing(path) as unfinished:
                        unfinished.write_text(json.dumps(found))
    summarize()


def counts_of(available: int) -> list[int]:
    """How many hand labels to try, where there are so many."""
    return [*(count for count in COUNTS if count < available), available]


def drawn(available: int, draw: int, count: int) -> IntArray:
    """Rows of the items that are labeled by hand; those of a smaller count are among those of a larger one."""
    return np.sort(np.random.default_rng(draw).permutation(available)[:count])


def one_point(problem: Problem, draw: int, count: int) -> dict[str, Any]:
    """What each of :data:`ROWS` says about test_a with some hand labels."""
    begun = time.perf_counter()
    rows = drawn(len(problem.gold["dev"]), draw, count)
    said = {} if not count else {GOLD_ONLY: _gold_only(problem, rows, draw)}
    votes = assay.Votes.concat([problem.votes[split] for split in SPLITS])
    starts = dict(zip(SPLITS, np.cumsum([0, *(len(problem.texts[split]) for split in SPLITS)]), strict=False))
    scored = slice(starts["test_a"], starts["test_a"] + len(problem.texts["test_a"]))
    settings = {"dependencies": problem.project.model.dependencies}
    labels = assay.LabelModel(**settings).fit(votes, _gold(problem, votes, starts["dev"], rows), progress=False)
    given = labels.label(votes, progress=False)
    better = assay.refine(
        votes,
        [text for split in SPLITS for text in problem.texts[split]],
        given,
        model=assay.EndModel(problem.tasks, **SETTINGS[NGRAMS], seed=draw, calibrate=False),
        label_model=assay.LabelModel(**settings),
        rounds=1,
        seed=draw,
        checkpoint=SCRATCH / "folds" / f"{problem.name}_{draw}",
        progress=False,
    )
    said |= {LABELS: given.joint[0][scored], REFINED: better.joint[0][scored]}
    return {
        "task": problem.name,
        "draw": draw,
        "count": count,
        "seconds": time.perf_counter() - begun,
        "predictions": {row: joint.argmax(axis=1).tolist() for row, joint in said.items()},
    }


def _gold(problem: Problem, votes: assay.Votes, start: int, rows: IntArray) -> list[Any] | None:
    """The gold of some dev items, which begin at ``start``, by row."""
    if not len(rows):
        return None
    outcomes = problem.tasks.label_space.outcomes
    gold: list[Any] = [None] * len(votes)
    for row in rows:
        gold[start + row] = outcomes[problem.gold["dev"][row]]
    return gold


def _gold_only(problem: Problem, rows: IntArray, seed: int) -> Any:
    truth = np.eye(len(problem.tasks.label_space.outcomes))[problem.gold["dev"][rows]]
    model = assay.EndModel(problem.tasks, **SETTINGS[NGRAMS], epochs=GOLD_EPOCHS[NGRAMS], seed=seed, calibrate=False)
    model.fit([problem.texts["dev"][row] for row in rows], assay.Labels(problem.tasks, (truth,)), progress=False)
    return model.predict_proba(problem.texts["test_a"])


@dataclass(frozen=True)
class Point:
    """Of one task, method and number of hand labels: accuracy on test_a in percent, over draws."""

    task: str
    method: str
    count: int
    mean: float
    low: float
    high: float
    """The lowest and the highest of any draw."""
    draws: int

    def __str__(self) -> str:
        return f"{self.mean:.1f} ({self.low:.1f} to {self.high:.1f})" if self.draws > 1 else f"{self.mean:.1f}"


def points_of(found: Sequence[dict[str, Any]], gold: IntArray) -> list[Point]:
    """All points of one task."""
    right: dict[tuple[str, int], list[float]] = {}
    for one in found:
        for method in (method for method in ROWS if method in one["predictions"]):
            said = np.array(one["predictions"][method])
            right.setdefault((method, one["count"]), []).append(100 * float(np.mean(said == gold)))
    return [
        Point(found[0]["task"], method, count, float(np.mean(values)), min(values), max(values), len(values))
        for (method, count), values in right.items()
    ]


def summarize() -> None:
    """Table and picture of all draws that are there."""
    found = [json.loads(path.read_text()) for path in sorted(SCRATCH.glob("*.json"))]
    tasks = [task for task in TASKS if any(one["task"] == task for one in found)]
    problems = {task: prepare_and_load(task) for task in tasks}
    points = [
        point
        for task in tasks
        for point in points_of([one for one in found if one["task"] == task], problems[task].gold["test_a"])
    ]
    vote = {task: 100 * majority_accuracy(problems[task]) for task in tasks}
    rows = []
    for task, count in sorted({(p.task, p.count) for p in points}, key=lambda key: (TASKS.index(key[0]), key[1])):
        here = {point.method: point for point in points if (point.task, point.count) == (task, count)}
        cells = [f"{vote[task]:.1f}", *(here.get(method, "–") for method in ROWS)]
        rows.append([task, count, here[LABELS].draws, *cells])
    page = (
        f"### Hand labels ({NGRAMS}), test_a\n\n{table(['task', 'hand labels', 'draws', VOTE, *ROWS], rows)}\n\n"
        "In brackets: the lowest and the highest of the draws.\n"
    )
    (RESULTS / "experiments_hand_labels.md").write_text(page, encoding="utf-8")
    (RESULTS / "experiments_hand_labels.json").write_text(
        json.dumps({"points": [asdict(point) for point in points], "majority_vote": vote}, indent=1) + "\n",
        encoding="utf-8",
    )
    charts.draw_hand_labels(RESULTS, [asdict(point) for point in points], vote, ROWS, NGRAMS)
    Console().print(Markdown(page))


if __name__ == "__main__":
    typer.run(main)
