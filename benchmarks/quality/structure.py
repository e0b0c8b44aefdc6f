"""How well dependencies between sources are learned, from simulated votes whose dependencies are known.

    python -m benchmarks.quality.structure

1  edges: precision and recall, the ways side by side; twenty sources, among them groups of two, three and
   four that copy each other half of the time
2  none: how often a dependency is found where there is none
3  accuracies: ‖μ̂ − μ*‖ by expectation-maximization with independent sources, with the dependencies that were learned,
   and with the true ones
4  speed: 200 sources, 100,000 items
5  implications: a label that implies a label of another task, few noisy sources
6  few: precision and recall with 6 to 14 sources that copy each other more or less often

The seeds are others than those that the search was made with.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import assay
from assay.simulate import World, flat_world
from benchmarks.support import problems
from benchmarks.support.problems import Target

KINDS: Mapping[str, Mapping[str, Any]] = {
    "two classes": {},
    "four classes": {"classes": 4},
    "abstaining": {"coverage": 0.5},
    "one value each": {"polarity": "one", "coverage": 0.25},
}
WAYS = ("residuals", "low-rank", "pseudolikelihood")
GROUPS = ((0, 1), (2, 3, 4), (5, 6, 7, 8))
SIZES = (1_000, 10_000, 100_000)
FEW: Mapping[int, tuple[tuple[int, ...], ...]] = {
    6: ((0, 1),),
    8: ((0, 1), (2, 3, 4)),
    10: ((0, 1), (2, 3, 4)),
    14: ((0, 1), (2, 3, 4)),
}
STRENGTHS = (0.3, 0.5, 0.7)
SEED = 2_000

Section = tuple[Table, list[Target], list[dict[str, Any]]]


def world(kind: str, run: int, groups: tuple[tuple[int, ...], ...] = GROUPS) -> World:
    """Twenty sources, right in 60 to 90 of 100 votes."""
    return flat_world(sources=20, copies=groups, copy_probability=0.5, seed=SEED + run, **KINDS[kind])


def edges(runs: int) -> Section:
    table = problems.plain_table(
        "learned dependencies: precision / recall", ["votes", "items", *WAYS, "with confidence"], ()
    )
    found, at_ten_thousand = [], []
    for kind in KINDS:
        for n in SIZES:
            row: dict[str, Any] = {"kind": kind, "items": n}
            ways: dict[str, Callable[[assay.Votes], assay.LearnedDependencies]] = {
                way: lambda votes, way=way: assay.learn_dependencies(votes, method=way, resamples=0)  # type: ignore[misc]
                for way in WAYS
            }
            ways["with confidence"] = assay.learn_dependencies
            for name, learn in ways.items():
                scores, seconds = [], []
                for run in range(max(runs // (5 if n == SIZES[-1] else 1), 1)):
                    drawn = world(kind, run).draw(n, 100 + run)
                    start = time.perf_counter()
                    pairs = learn(drawn.votes).pairs
                    seconds.append(time.perf_counter() - start)
                    scores.append(right(pairs, drawn.world))
                precision, recall = np.mean(scores, axis=0)
                row[name] = {"precision": precision, "recall": recall, "seconds": float(np.mean(seconds))}
            if n == 10_000:
                at_ten_thousand.append(row["with confidence"])
            found.append(row)
            cells = [f"{row[way]['precision']:.2f} / {row[way]['recall']:.2f}" for way in ways]
            table.add_row(kind, f"{n:,}", *cells)
    targets = [
        Target("1  least precision at 10,000 items", min(cell["precision"] for cell in at_ten_thousand), low=0.9),
        Target("1  least recall at 10,000 items", min(cell["recall"] for cell in at_ten_thousand), low=0.8),
    ]
    return table, targets, found


def right(pairs: list[tuple[str, str]], drawn_from: World) -> tuple[float, float]:
    """Precision and recall; the precision of nothing is 1."""
    true = set(drawn_from.dependencies)
    hits = len(true.intersection(pairs))
    return hits / len(pairs) if pairs else 1.0, hits / len(true)


def none(runs: int) -> Section:
    table = problems.plain_table(
        "independent sources: share of runs in which a dependency is found", ["votes", "items", "share"], ()
    )
    found, wrong, total = [], 0, 0
    for kind in KINDS:
        for n in SIZES[:2]:
            draws = [world(kind, run, ()).draw(n, 500 + run).votes for run in range(runs)]
            hits = sum(bool(assay.learn_dependencies(votes).pairs) for votes in draws)
            wrong, total = wrong + hits, total + runs
            found.append({"kind": kind, "items": n, "runs": runs, "with an edge": hits})
            table.add_row(kind, f"{n:,}", f"{hits} of {runs}")
    return table, [Target("2  share of runs with a dependency that is not there", wrong / total, high=0.05)], found


def accuracies(runs: int) -> Section:
    table = problems.plain_table(
        "‖μ̂ − μ*‖", ["votes", "items", "independent", "learned", "true edges", "learned / true"], ()
    )
    found = []
    for kind in KINDS:
        for n in SIZES[1:]:
            errors = []
            for run in range(runs):
                drawn = world(kind, run).draw(n, 100 + run)
                choices: tuple[Any, ...] = ((), "learn", drawn.world.dependencies)
                models = (assay.LabelModel(method="em", dependencies=chosen) for chosen in choices)
                errors.append([problems.moment_error(model.fit(drawn.votes), drawn.world) for model in models])
            independent, learned, true = np.median(errors, axis=0)
            found.append({"kind": kind, "items": n, "errors": np.array(errors).tolist()})
            table.add_row(
                kind, f"{n:,}", *(f"{error:.4f}" for error in (independent, learned, true)), f"{learned / true:.2f}"
            )
    flat = np.array([row for part in found for row in part["errors"]])
    much_worse = flat[flat[:, 0] >= 5 * flat[:, 2]]
    ratio = float((much_worse[:, 1] / much_worse[:, 2]).max()) if len(much_worse) else float("nan")
    what = f"3  worst error with learned edges / with true ones, of {len(much_worse)} runs where none is 5 × worse"
    return table, [Target(what, ratio, high=1.5)], found


def speed(_: int) -> Section:
    table = problems.plain_table("200 sources, 100,000 items", ["votes", "seconds", "precision", "recall"], ())
    groups = [(4 * i, 4 * i + 1) if i % 3 else (4 * i, 4 * i + 1, 4 * i + 2) for i in range(20)]
    found = []
    for name, coverage in (("always vote", 1.0), ("vote on 30%", 0.3)):
        large = flat_world(sources=200, copies=groups, copy_probability=0.5, coverage=coverage, seed=SEED)
        drawn = large.draw(100_000, 3)
        start = time.perf_counter()
        pairs = assay.learn_dependencies(drawn.votes).pairs
        seconds = time.perf_counter() - start
        precision, recall = right(pairs, large)
        found.append({"votes": name, "seconds": seconds, "precision": precision, "recall": recall})
        table.add_row(name, f"{seconds:.1f}", f"{precision:.2f}", f"{recall:.2f}")
    return (
        table,
        [Target("4  seconds for 200 sources and 100,000 items", max(row["seconds"] for row in found), high=60)],
        found,
    )


def implications(runs: int) -> Section:
    table = problems.plain_table(
        "a=a1 implies b=b0, 10,000 items", ["sources of a, b", "found", "others found", "where none is"], ()
    )
    found = []
    for sources in ((3, 2), (2, 3), (3, 3), (5, 5)):
        hits = others = wrong = 0
        for seed in range(SEED, SEED + runs):
            new = assay.suggest_task_graph(two_tasks(10_000, seed, True, sources)).new
            planted = [each for each in new if (each.condition, each.consequence) == (("a", "a1"), ("b", "b0"))]
            hits += len(planted)
            others += len(new) - len(planted)
            wrong += len(assay.suggest_task_graph(two_tasks(10_000, seed, False, sources)).new)
        found.append({"sources": sources, "runs": runs, "found": hits, "others": others, "where none is": wrong})
        table.add_row(f"{sources[0]}, {sources[1]}", f"{hits} of {runs}", str(others), str(wrong))
    share = min(row["found"] / row["runs"] for row in found)
    false = sum(row["others"] + row["where none is"] for row in found)
    return (
        table,
        [Target("5  planted implications found", share, low=0.9), Target("5  others found", false, high=0)],
        found,
    )


def few(runs: int) -> Section:
    table = problems.plain_table(
        "few sources, 10,000 items: precision / recall, by how often they copy",
        ["votes", "sources", "groups", *(f"{strength:.0%}" for strength in STRENGTHS)],
        (),
    )
    found = []
    for kind, (sources, groups) in product(KINDS, FEW.items()):
        cells = []
        for strength in STRENGTHS:
            scores = []
            for run in range(runs):
                drawn_from = flat_world(
                    sources=sources, copies=groups, copy_probability=strength, seed=SEED + run, **KINDS[kind]
                )
                scores.append(
                    right(assay.learn_dependencies(drawn_from.draw(10_000, 300 + run).votes).pairs, drawn_from)
                )
            precision, recall = np.mean(scores, axis=0)
            cells.append(f"{precision:.2f} / {recall:.2f}")
            found.append({"kind": kind, "sources": sources, "copy": strength, "runs": runs})
            found[-1] |= {"precision": precision, "recall": recall}
        table.add_row(kind, str(sources), " + ".join(str(len(group)) for group in groups), *cells)
    return table, [], found


def two_tasks(n: int, seed: int, implied: bool, sources: tuple[int, int]) -> assay.Votes:
    """Votes on two tasks that the task graph does not connect; right in 65 to 85 of 100."""
    rng = np.random.default_rng(seed)
    tasks = assay.TaskGraph([assay.Task("a", ["a0", "a1", "a2"]), assay.Task("b", ["b0", "b1"])])
    first, second = rng.integers(3, size=n), rng.integers(2, size=n)
    truths = {"a": first, "b": np.where(first == 1, 0, second) if implied else second}
    columns = {}
    for task, count in zip(tasks.tasks, sources, strict=True):
        truth, k = truths[task.name], len(task.labels)
        for number in range(count):
            wrong = (truth + rng.integers(1, k, size=n)) % k
            said = np.where(rng.random(n) < rng.uniform(0.65, 0.85), truth, wrong)
            columns[f"{task.name}{number}"] = (task.name, np.array(task.labels)[said].tolist())
    return assay.Votes.from_columns(tasks, columns)


SECTIONS: Mapping[int, tuple[Callable[[int], Section], int]] = {
    1: (edges, 5),
    2: (none, 40),
    3: (accuracies, 3),
    4: (speed, 1),
    5: (implications, 10),
    6: (few, 5),
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--sections", default="", help="numbers of sections, with commas (all)")
    given = arguments.parse_args()
    chosen = [int(number) for number in given.sections.split(",") if number] or list(SECTIONS)
    console = Console(width=140)
    targets, results = [], {}
    for number in chosen:
        section, runs = SECTIONS[number]
        table, reached, found = section(runs)
        console.print(table)
        targets += reached
        results[section.__name__] = found
    console.print(problems.target_table(targets))
    whole = len(chosen) == len(SECTIONS)
    problems.save(problems.RESULTS / ("" if whole else "scratch") / "structure.json", results, targets)


if __name__ == "__main__":
    main()
