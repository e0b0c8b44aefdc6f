"""Tasks in a hierarchy: Assay beside a hierarchical majority vote, NPLM and MeTaL's multi-task label model.

    ASSAY_DATA=… python -m benchmarks.quality.hierarchies --peers

Simulated hierarchies with sources that name all labels of their task, or one each (families.py, on seeds that nothing
was chosen on), the demo with and without its declared pair of sources, and two experiments: openi and trec50, fitted
on the training items and scored on test_a. Figures are the share of items whose whole label vector is right, means
over draws. NPLM is implemented here after its paper, nplm.py. MeTaL, with --peers, is told which label vectors are
feasible, and the declared pair of sources where there is one; NPLM has no dependencies.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import track

import assay
from assay.gold import accuracy
from benchmarks.experiments.problem import prepare_and_load
from benchmarks.quality import nplm
from benchmarks.quality.demo_votes import SEEDS as DEMO_SEEDS
from benchmarks.quality.demo_votes import demo_votes
from benchmarks.quality.families import REPORTED, draw
from benchmarks.quality.run import SCRATCH
from benchmarks.quality.worker import ONE_THREAD
from benchmarks.support import peer_environment
from benchmarks.support.problems import RESULTS, Target, plain_table, save, target_table
from benchmarks.support.processes import NotRunError, answer

FloatArray = npt.NDArray[np.float64]

ITEMS, DRAWS = 5_000, 5
VOTE, ASSAY, NPLM, METAL = "hierarchical majority vote", "Assay, default", "NPLM", "MeTaL, multi-task"


@dataclass(frozen=True)
class Problem:
    """Votes to fit on, votes to label, and the truth of those."""

    name: str
    fit: assay.Votes
    label: assay.Votes
    gold: npt.NDArray[np.int64]
    declared: Sequence[Sequence[str]] | None = None
    """Pairs of sources that depend on each other; None: nobody said."""


def simulated() -> Iterator[Problem]:
    for family, name in (("hierarchy", "simulated, two-sided"), ("one sided hierarchy", "simulated, one-sided")):
        for seed in range(REPORTED, REPORTED + DRAWS):
            drawn = draw(family, ITEMS, seed)
            yield Problem(name, drawn.votes, drawn.votes, drawn.gold)


def demo() -> Iterator[Problem]:
    for seed in DEMO_SEEDS:
        votes, gold, pairs = demo_votes(seed)
        yield Problem("demo, no pair declared", votes, votes, gold)
        yield Problem("demo, pair declared", votes, votes, gold, pairs)


def experiment(task: str) -> Problem:
    found = prepare_and_load(task)
    return Problem(f"{task}, test_a", found.votes["train"], found.votes["test_a"], found.gold["test_a"])


def by_vote(problem: Problem) -> FloatArray:
    found: FloatArray = assay.hierarchical_majority_vote(problem.label)
    return found


def by_assay(problem: Problem) -> FloatArray:
    settings: dict[str, Any] = {} if problem.declared is None else {"dependencies": problem.declared}
    model = assay.LabelModel(allow_unidentifiable=True, **settings).fit(problem.fit, progress=False)
    found: FloatArray = model.predict_proba(problem.label)
    return found


def by_nplm(problem: Problem) -> FloatArray:
    space = problem.fit.schema.label_space.only
    groups = [np.array([space.allows(vote) for vote in values]) for values in problem.fit.schema.values]
    return nplm.fitted(problem.fit.codes, groups).posterior(problem.label.codes)


def by_metal(problem: Problem, python: Path, limit: float) -> FloatArray:
    with tempfile.TemporaryDirectory(prefix="assay-metal-") as folder:
        votes, labels = Path(folder, "votes.npz"), Path(folder, "labels.npz")
        np.savez(votes, **metal_input(problem))
        answer("benchmarks.quality.metal_tasks", [votes, labels], limit=limit, python=python, environment=ONE_THREAD)
        with np.load(labels) as stored:
            found: FloatArray = stored["labels"]
    return found


def metal_input(problem: Problem) -> dict[str, npt.NDArray[Any]]:
    """What metal_tasks.py reads."""
    tasks, names = problem.fit.schema.tasks, list(problem.fit.names)
    cardinalities = np.array([len(task.labels) + 1 for task in tasks])
    number = [{None: len(task.labels) + 1} | {label: 1 + at for at, label in enumerate(task.labels)} for task in tasks]
    feasible = [
        [number[at][outcome[task]] for at, task in enumerate(tasks.names)]
        for outcome in tasks.label_space.only.outcomes
    ]
    pairs = [(names.index(one), names.index(other)) for one, other in problem.declared or ()]

    def by_task(votes: assay.Votes) -> npt.NDArray[np.int16]:
        found = np.zeros((len(cardinalities), *votes.codes.shape), dtype=np.int16)
        for source, values in enumerate(votes.schema.values):
            for code, vote in enumerate(values):
                for task, label in vote.labels:
                    at = tasks.names.index(task)
                    found[at, votes.codes[:, source] == code, source] = number[at][label]
        return found

    return {
        "fit": by_task(problem.fit),
        "label": by_task(problem.label),
        "feasible": np.array(feasible),
        "cardinalities": cardinalities,
        "dependencies": np.array(pairs, dtype=int).reshape(-1, 2),
    }


def scored(problem: Problem, methods: dict[str, Callable[[Problem], FloatArray]]) -> dict[str, Any]:
    """Accuracies in %, or why there is none."""
    found: dict[str, Any] = {"problem": problem.name}
    for name, method in methods.items():
        try:
            found[name] = 100 * accuracy(method(problem), problem.gold)
        except NotRunError as error:
            found[name] = str(error)
    return found


def means(found: Sequence[dict[str, Any]], methods: Sequence[str]) -> list[dict[str, Any]]:
    """A row for each problem; a method that did not run on each draw says why."""
    rows = []
    for name in dict.fromkeys(one["problem"] for one in found):
        mine = [one for one in found if one["problem"] == name]
        row: dict[str, Any] = {"problem": name, "draws": len(mine)}
        for method in methods:
            failed = [one[method] for one in mine if isinstance(one[method], str)]
            row[method] = failed[0] if failed else float(np.mean([one[method] for one in mine]))
        rows.append(row)
    return rows


def judged(rows: Sequence[dict[str, Any]]) -> list[Target]:
    targets = []
    for row in rows:
        others = {name: row[name] for name in (VOTE, NPLM, METAL) if isinstance(row.get(name), float)}
        best = max(others, key=lambda name: others[name])
        targets.append(Target(f"{row['problem']}: Assay − the best other ({best})", row[ASSAY] - others[best], low=0.0))
    return targets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", action="store_true", help="run MeTaL too, installed from PyPI")
    parser.add_argument("--limit", type=float, default=900.0, help="most seconds of MeTaL on a problem (%(default)s)")
    parser.add_argument("--scratch", type=Path, default=SCRATCH, help="where the peers' environment is kept")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    methods: dict[str, Callable[[Problem], FloatArray]] = {VOTE: by_vote, ASSAY: by_assay, NPLM: by_nplm}
    if given.peers:
        python = peer_environment.python_of(given.scratch, peer_environment.QUALITY)
        methods[METAL] = lambda problem: by_metal(problem, python, given.limit)
    found = []
    problems = [*simulated(), *demo(), *map(experiment, ("openi", "trec50"))]
    for problem in track(problems, "problems", transient=True):
        found.append(scored(problem, methods))
        print(found[-1], file=sys.stderr)
    rows = means(found, list(methods))
    targets = judged(rows)
    cells = [
        [row["problem"], str(row["draws"])]
        + [f"{row[name]:.1f}" if isinstance(row[name], float) else row[name] for name in methods]
        for row in rows
    ]
    console = Console(width=150)
    console.print(plain_table("right label vectors in %", ["problem", "draws", *methods], cells))
    console.print(target_table(targets))
    save(given.out / "quality_hierarchies.json", {"rows": rows}, targets)


if __name__ == "__main__":
    main()
