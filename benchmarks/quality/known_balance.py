"""What the true class balance of a set is worth: Assay's default and snorkel with and without it.

    ASSAY_DATA=… python -m benchmarks.quality.known_balance --peers

On the sets and by the rules of run.py, except that methods may be told how frequent the classes are: the
shares of the gold labels of the set. Then the balance is perturbed, five times: the log-odds of each class are
moved by 0.3 up or down at random, not all to the same side, and the shares scaled to sum to one.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.quality.methods import DEFAULT, MAJORITY
from benchmarks.quality.peers import SNORKEL
from benchmarks.quality.run import SCRATCH, worker_of
from benchmarks.quality.sets import KINDS, VoteSet, clearly_behind, gap, scores, stored_sets
from benchmarks.quality.worker import Worker
from benchmarks.support import peer_environment
from benchmarks.support.problems import RESULTS, Target, plain_table, save, target_table
from benchmarks.support.processes import NotRunError

FloatArray = npt.NDArray[np.float64]

DRAWS, SHIFT = 5, 0.3
PERTURBED = tuple(f"{DEFAULT}, perturbed balance {draw}" for draw in range(DRAWS))
WITH, SNORKEL_WITH = f"{DEFAULT}, balance given", f"{SNORKEL}, balance given"
LEAST_ACCURACY = {"lf": 75.5, "crowd": 85.1, "llm": 85.0}
MOST_LOG_LOSS = {"lf": 0.66, "crowd": 0.46, "llm": 0.40}
LIMIT = 240.0


@dataclass(frozen=True)
class Cell:
    """A method on a set."""

    method: str
    set: str
    kind: str
    figures: dict[str, float]
    """Of sets.scores; empty if it did not run."""
    over_majority: tuple[float, float] = (0.0, 0.0)
    """Points of accuracy ahead of the majority vote, and the paired standard error."""
    over_default: tuple[float, float] = (0.0, 0.0)
    """The same against the default that is not told the balance."""
    not_run: str = ""


def true_balance(given: VoteSet) -> FloatArray:
    """(classes,): shares of gold labels; a class without any counts as half an item, since no method takes zero."""
    counts = np.maximum(np.bincount(given.gold[given.known], minlength=given.classes), 0.5)
    shares: FloatArray = counts / counts.sum()
    return shares


def perturbed(balance: FloatArray, seed: int) -> FloatArray:
    """The balance with the log-odds of each class moved up or down, not all to the same side."""
    rng = np.random.default_rng(seed)
    signs = np.ones(len(balance))
    while abs(signs.sum()) == len(signs):
        signs = rng.choice([-1.0, 1.0], len(balance))
    odds = balance / (1 - balance) * np.exp(SHIFT * signs)
    moved = odds / (1 + odds)
    shares: FloatArray = moved / moved.sum()
    return shares


def told(method: str, given: VoteSet) -> FloatArray | None:
    """The balance that a row of the table is told."""
    if method in PERTURBED:
        return perturbed(true_balance(given), PERTURBED.index(method))
    return true_balance(given) if method in (WITH, SNORKEL_WITH) else None


def measured(given: VoteSet, workers: dict[str, Worker]) -> list[Cell]:
    """All rows of the table on one set; by row the worker that labels."""
    labels: dict[str, FloatArray] = {}
    cells = []
    for method, worker in workers.items():
        try:
            labels[method], _ = worker.label(given.votes, given.classes, LIMIT, told(method, given))
        except NotRunError as error:
            cells.append(Cell(method, given.name, given.kind, {}, not_run=str(error)))
            continue
        gaps = [
            gap(labels[method], labels[other], given, "acc") if other in labels else (0.0, 0.0)
            for other in (MAJORITY, DEFAULT)
        ]
        cells.append(Cell(method, given.name, given.kind, scores(labels[method], given), *gaps))
    return cells


def mean(cells: Sequence[Cell], methods: Sequence[str], kind: str, figure: str) -> float:
    """Over the sets of a kind, and over rows of the table."""
    found = [one.figures[figure] for one in cells if one.method in methods and one.kind == kind and one.figures]
    return float(np.mean(found)) if found else float("nan")


def behind(cells: Sequence[Cell], methods: Sequence[str], field: str) -> list[str]:
    """The sets on which a method is clearly below the majority vote, or below itself without the balance."""
    return [one.set for one in cells if one.method in methods and clearly_behind(*getattr(one, field))]


def judged(cells: Sequence[Cell]) -> list[Target]:
    kinds = [kind for kind in KINDS if any(one.kind == kind for one in cells)]
    targets = [
        Target(f"accuracy, {kind}", mean(cells, [WITH], kind, "accuracy"), low=LEAST_ACCURACY[kind]) for kind in kinds
    ]
    targets += [
        Target(f"log loss, {kind}", mean(cells, [WITH], kind, "log_loss"), high=MOST_LOG_LOSS[kind]) for kind in kinds
    ]
    for field, name in (("over_majority", "the majority vote"), ("over_default", "its result without")):
        sets = behind(cells, [WITH], field)
        targets.append(Target(f"sets clearly below {name} {', '.join(sets)}".strip(), len(sets), high=0))
    for kind in kinds:
        lost = mean(cells, [WITH], kind, "accuracy") - mean(cells, PERTURBED, kind, "accuracy")
        targets.append(Target(f"accuracy lost by perturbing, {kind}", lost, high=0.5))
    worst = min((one for one in cells if one.method in PERTURBED), key=lambda one: one.over_majority[0])
    what = f"perturbed: the worst difference to the majority vote, {worst.set}"
    return [*targets, Target(what, worst.over_majority[0], low=-1.0)]


def means_table(cells: Sequence[Cell]) -> Table:
    kinds = [kind for kind in KINDS if any(one.kind == kind for one in cells)]
    rows = []
    for name, methods in {
        **{method: [method] for method in (MAJORITY, DEFAULT, WITH)},
        f"{DEFAULT}, perturbed balance, {DRAWS} draws": PERTURBED,
        SNORKEL_WITH: [SNORKEL_WITH],
    }.items():
        mine = [one for one in cells if one.method in methods and one.figures]
        if mine:
            row = [name]
            for kind in kinds:
                worst = min((one.over_majority[0] for one in mine if one.kind == kind), default=0.0)
                count = len(behind([one for one in mine if one.kind == kind], methods, "over_majority"))
                accuracy, loss = (mean(mine, methods, kind, figure) for figure in ("accuracy", "log_loss"))
                row += [f"{accuracy:.1f} / {loss:.3f}", f"{count} ({worst:+.1f})"]
            rows.append(row)
    title = "Accuracy / log loss, and sets clearly below the majority vote (the worst difference to it)"
    return plain_table(title, ["method", *(part for kind in kinds for part in (kind, "below"))], rows)


def sets_table(cells: Sequence[Cell]) -> Table:
    accuracy = {(one.method, one.set): one.figures.get("accuracy") for one in cells}
    methods = [
        method for method in (MAJORITY, DEFAULT, WITH, SNORKEL_WITH) if any(one.method == method for one in cells)
    ]
    rows = []
    for name in dict.fromkeys(one.set for one in cells):
        found = [accuracy.get((method, name)) for method in methods]
        moved = [value for method in PERTURBED if (value := accuracy.get((method, name))) is not None]
        cell = ["failed" if value is None else f"{value:.1f}" for value in found]
        rows.append([name, *cell, f"{min(moved):.1f} … {max(moved):.1f}" if moved else "–"])
    return plain_table("Accuracy by set", ["set", *methods, "perturbed"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", action="store_true", help="run snorkel too, installed from PyPI")
    parser.add_argument("--sets", default="", help="names of sets, with commas (all)")
    parser.add_argument("--scratch", type=Path, default=SCRATCH, help="where the peers' environment is kept")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    peers = peer_environment.python_of(given.scratch, peer_environment.QUALITY) if given.peers else None
    sets = stored_sets([name.strip() for name in given.sets.split(",") if name.strip()])
    with ExitStack() as stack:
        workers = {method: stack.enter_context(worker_of(method, None)) for method in (MAJORITY, DEFAULT)}
        workers |= dict.fromkeys((WITH, *PERTURBED), workers[DEFAULT])
        if peers:
            workers[SNORKEL_WITH] = stack.enter_context(worker_of(SNORKEL, peers))
        cells = [cell for one in track(sets, "sets", transient=True) for cell in measured(one, workers)]
    console = Console(width=160)
    targets = judged(cells)
    for table in (sets_table(cells), means_table(cells), target_table(targets)):
        console.print(table)
    result: dict[str, Any] = {"cells": [asdict(one) for one in cells]}
    save(given.out / "quality_known_balance.json", result, targets)


if __name__ == "__main__":
    main()
