"""How seconds and memory grow with the number of unrelated tasks, of leaves of a hierarchy, and of labels of one task.

    python -m benchmarks.speed.wide

20,000 items in memory: tasks with three sources each; hierarchies in which each of 30 sources knows twelve labels of
one level; one task of which every one of 30 sources may say each label; and, for where the time of a fit goes, a task
of 40 labels of which each of more and more sources knows six. Each size is fitted and labeled in a process of its own.
The exponent is the slope of processor time from the size before, on logarithmic scales: 1 is growth in proportion.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import assay
from benchmarks.support import measuring, problems, processes

ITEMS = 20_000
SIZES = {
    "tasks": (20, 100, 500),
    "leaves": (64, 256, 1_024, 2_048),
    "labels": (50, 150, 500),
    "sources": (75, 150, 300),
}
LEVELS = {64: (4, 4, 4), 256: (4, 4, 4, 4), 1_024: (4, 4, 4, 4, 4), 2_048: (4, 4, 4, 4, 4, 2)}
"""Leaves -> how many labels each task of a level has."""
TITLES = {
    "tasks": "tasks with three sources each",
    "leaves": "leaves of a hierarchy; each of 30 sources knows 12 labels of a level",
    "labels": "labels of one task; each of 30 sources may say any",
    "sources": "sources; each knows 6 of 40 labels",
}
VARIANTS: dict[str, dict[str, Any]] = {
    "independent": {"dependencies": ()},
    "em": {"dependencies": (), "method": "em"},
    "robust": {"dependencies": (), "method": "robust"},
}
"""What a fit is without some of its parts: looking for near-copies, and then one of its two models."""
Found = list[dict[str, Any]]


def tasks(count: int) -> assay.Votes:
    """Unrelated binary tasks, each with three sources of its own, on 60% of the items."""
    rng = np.random.default_rng(0)
    graph = assay.TaskGraph([assay.Task(f"t{at}", ["no", "yes"]) for at in range(count)])
    space = graph.label_space
    codes = np.empty((ITEMS, 3 * count), dtype=np.int8, order="F")
    for column in range(3 * count):
        if column % 3 == 0:
            truth = rng.random(ITEMS) < 0.4
        right = rng.random(ITEMS) < rng.uniform(0.65, 0.9)
        codes[:, column] = np.where(rng.random(ITEMS) < 0.6, truth == right, -1)
    names = tuple(f"s{column}" for column in range(3 * count))
    values = tuple(
        tuple(space.vote({f"t{column // 3}": label}) for label in ("no", "yes")) for column in range(3 * count)
    )
    return assay.Votes.from_codes(graph, codes, names, values)


def leaves(count: int) -> assay.Votes:
    """A hierarchy; sources vote on 40% of the items on which they know the label, and three quarters are right."""
    rng = np.random.default_rng(0)
    graph, paths = _tree(LEVELS[count])
    truth = rng.integers(0, count, ITEMS)
    space, names, values = graph.label_space, [], []
    codes = np.full((ITEMS, 30), -1, dtype=np.int16)
    for source in range(30):
        level = source % len(LEVELS[count])
        labels = list(dict.fromkeys(path[level] for path in paths))
        known = [labels[at] for at in sorted(rng.choice(len(labels), min(12, len(labels)), replace=False))]
        code_of = np.array([known.index(path[level]) if path[level] in known else -1 for path in paths])
        said = np.where(rng.random(ITEMS) < 0.75, truth, rng.integers(0, count, ITEMS))
        codes[:, source] = np.where(rng.random(ITEMS) < 0.4, code_of[said], -1)
        names.append(f"s{source}")
        values.append(tuple(space.vote({task: label}) for task, label in known))
    return assay.Votes.from_codes(graph, codes, tuple(names), tuple(values))


def _tree(widths: tuple[int, ...]) -> tuple[assay.TaskGraph, list[list[tuple[str, str]]]]:
    """A task for each label above, and per leaf its (task, label) on each level."""
    declared = [assay.Task("0", [f"0.{at}" for at in range(widths[0])])]
    paths = [[("0", label)] for label in declared[0].labels]
    for width in widths[1:]:
        longer = []
        for path in paths:
            name = path[-1][1]
            task = assay.Task(name, [f"{name}.{at}" for at in range(width)], parent=path[-1])
            declared.append(task)
            longer += [[*path, (name, label)] for label in task.labels]
        paths = longer
    return assay.TaskGraph(declared), paths


def labels(count: int, sources: int = 30, known: int | None = None, coverage: float = 0.4) -> assay.Votes:
    """One task; sources are right about a quarter to half of the items, and abstain if they do not know the label."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, count, ITEMS)
    matrix = np.full((ITEMS, sources), -1)
    for source in range(sources):
        right = rng.random(ITEMS) < rng.uniform(0.25, 0.5)
        said = np.where(right, truth, rng.integers(0, count, ITEMS))
        speaks = rng.random(ITEMS) < coverage
        if known is not None:
            speaks &= np.isin(said, rng.choice(count, known, replace=False))
        matrix[:, source] = np.where(speaks, said, -1)
    if known is None:
        return assay.Votes.from_matrix(matrix, cardinality=count)
    return assay.Votes.from_codes(*_listed(matrix, count))


def _listed(matrix: Any, count: int) -> tuple[Any, ...]:
    """Sources that list only the labels that they know, for :meth:`assay.Votes.from_codes`."""
    graph = assay.TaskGraph.flat("task", [str(at) for at in range(count)])
    codes, values = np.full(matrix.shape, -1, dtype=np.int16), []
    for source, column in enumerate(matrix.T):
        known = np.unique(column[column >= 0])
        codes[:, source] = np.where(column >= 0, np.searchsorted(known, column), -1)
        values.append(tuple(graph.label_space.vote({"task": str(label)}) for label in known.tolist()))
    return graph, codes, tuple(f"s{at}" for at in range(matrix.shape[1])), tuple(values)


def sources(count: int) -> assay.Votes:
    """One task of 40 labels."""
    return labels(40, count, known=6, coverage=0.9)


MAKERS: dict[str, Callable[[int], assay.Votes]] = {
    "tasks": tasks,
    "leaves": leaves,
    "labels": labels,
    "sources": sources,
}


def step(kind: str, size: int) -> dict[str, Any]:
    """What each process does."""
    warnings.simplefilter("ignore", assay.CheckWarning)
    # Compiled loops are loaded from their cache once for each process.
    for classes in (2, 3, 70):
        some = np.random.default_rng(0).integers(-1, classes, (500, 6))
        assay.LabelModel(allow_unidentifiable=True).fit(assay.Votes.from_matrix(some, cardinality=classes))
    votes = MAKERS[kind](size)
    baseline = measuring.resident()
    model = assay.LabelModel()
    found = {
        "check": _measured(lambda: assay.check(votes)),
        "fit": _measured(lambda: model.fit(votes)),
        "label": _measured(lambda: model.label(votes)),
    }
    peak = measuring.peak()
    if kind == "sources":
        found |= {
            name: _measured(lambda some=some: assay.LabelModel(**some).fit(votes)) for name, some in VARIANTS.items()
        }
    return {**found, "baseline": baseline, "peak": peak, "values": votes.schema.value_count}


def _measured(run: Callable[[], Any]) -> dict[str, float]:
    before = time.process_time()
    seconds, _ = measuring.seconds_of(run)
    return {"seconds": seconds, "cpu": time.process_time() - before}


def measured(kind: str, size: int, limit: float) -> dict[str, Any]:
    try:
        name = __spec__.name if __spec__ else __name__
        return {"kind": kind, "size": size, **processes.answer(name, ["--step", kind, str(size)], limit=limit)}
    except processes.NotRunError as error:
        return {"kind": kind, "size": size, "not_run": str(error)}


def exponents(found: Found, kind: str, what: str) -> dict[int, float]:
    """Size -> the slope of processor time from the size before it, on logarithmic scales."""
    done = [(one["size"], one[what]["cpu"]) for one in found if one["kind"] == kind and what in one]
    return {
        size: math.log(value / before) / math.log(size / smaller) for (smaller, before), (size, value) in pairwise(done)
    }


def report(found: Found, console: Console) -> None:
    for kind, title in TITLES.items():
        steps = ["check", "fit", "label", *(VARIANTS if kind == "sources" else ())]
        rows = []
        for one in (one for one in found if one["kind"] == kind):
            if "not_run" in one:
                rows.append([f"{one['size']:,}", f"not run: {one['not_run']}"])
                continue
            slope = exponents(found, kind, "fit").get(one["size"])
            cells = [f"{one[what]['cpu']:.2f}" for what in steps]
            cells.insert(2, "" if slope is None else f"{slope:.2f}")
            rows.append([f"{one['size']:,}", *cells, f"{one['fit']['seconds']:.2f}", f"{one['peak'] / 1e6:,.0f}"])
        columns = [kind, "check, CPU s", "fit, CPU s", "exponent", *(f"{what}, CPU s" for what in steps[2:])]
        if rows:
            console.print(problems.plain_table(title, [*columns, "fit, s", "peak, MB"], rows))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for kind, sizes in SIZES.items():
        arguments.add_argument(f"--{kind}", type=int, nargs="*", default=None, help=f"{TITLES[kind]} {sizes}")
    arguments.add_argument("--limit", type=float, default=900.0, help="most seconds of a size (%(default)s)")
    arguments.add_argument("--output", type=Path, default=None, help="the JSON (benchmarks/results/wide.json)")
    arguments.add_argument("--step", nargs=2, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.step is not None:
        print(json.dumps(step(given.step[0], int(given.step[1]))))
        return
    chosen = {kind: getattr(given, kind) for kind in SIZES}
    partial = any(sizes is not None for sizes in chosen.values())
    home = problems.RESULTS / ("scratch" if partial else "")
    found: Found = []
    for kind, sizes in (chosen if partial else SIZES).items():
        for size in sizes or ():
            found.append(measured(kind, size, given.limit))
            print(found[-1], file=sys.stderr)
    report(found, Console(width=130))
    problems.save(given.output or home / "wide.json", {"wide": found}, [])


if __name__ == "__main__":
    main()
