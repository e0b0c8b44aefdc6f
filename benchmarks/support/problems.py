"""Simulated problems, their true moments, and targets beside figures."""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.progress import track
from rich.table import Table

import assay
from assay.simulate import World, flat_world, task_world

RESULTS = Path(__file__).parents[1] / "results"

FloatArray = npt.NDArray[np.float64]

TASKS = assay.TaskGraph(
    [
        assay.Task("entity", ["Person", "Organization"]),
        assay.Task("person", ["Doctor", "Lawyer"], parent=("entity", "Person")),
        assay.Task("org", ["Hospital", "Office"], parent=("entity", "Organization")),
    ]
)
LABELED = ["entity"] * 4 + ["person"] * 3 + ["org"] * 3
"""The task that each of the ten sources of the hierarchy labels: four coarse ones, six fine ones."""


def binary(seed: int, pairs: int = 0) -> World:
    """Ten sources that never abstain, right in 60 to 90 of 100 votes for each class; some copy their neighbour."""
    return flat_world(sources=10, copies=[(2 * k, 2 * k + 1) for k in range(pairs)], copy_probability=0.6, seed=seed)


def five_classes(seed: int) -> World:
    """Ten sources that never abstain."""
    return flat_world(classes=5, sources=10, seed=seed)


def hierarchy(seed: int) -> World:
    """Three tasks in a tree; sources that cover 30 to 90% of their sub-tree, err in any way, and fire off it too."""
    return task_world(TASKS, LABELED, kind="full", seed=seed)


def moments(conditionals: Iterable[FloatArray], balance: FloatArray) -> FloatArray:
    """μ: P(vote, outcome), for all values of all sources and all outcomes, in one vector."""
    return np.concatenate([(table[:-1] * balance).ravel() for table in conditionals])


def moment_error(model: assay.LabelModel, world: World) -> float:
    """‖μ̂ − μ*‖ of a fitted model."""
    learned = moments(model.conditionals_, np.asarray(model.class_balance_))
    return float(np.linalg.norm(learned - moments(world.conditionals, world.balance)))


def true_accuracies(world: World) -> FloatArray:
    """(values of all sources,): P(the vote allows the outcome | the source casts it)."""
    component, found = world.tasks.label_space.only, []
    for source, conditional in zip(world.sources, world.conditionals, strict=True):
        spoken = conditional[:-1] * world.balance
        masks = np.array([component.allows(vote) for vote in source.values])
        found.append((spoken * masks).sum(axis=1) / spoken.sum(axis=1))
    return np.concatenate(found)


@dataclass(frozen=True)
class Target:
    """A figure and the range it should be in."""

    what: str
    figure: float
    low: float | None = None
    high: float | None = None

    @property
    def reached(self) -> bool:
        return (self.low is None or self.figure >= self.low) and (self.high is None or self.figure <= self.high)

    @property
    def wanted(self) -> str:
        if self.low is None:
            return f"≤ {self.high:g}"
        return f"≥ {self.low:g}" if self.high is None else f"{self.low:g} to {self.high:g}"


def target_table(targets: Sequence[Target]) -> Table:
    table = Table(title="Targets", title_justify="left")
    table.add_column("what")
    table.add_column("figure", justify="right")
    table.add_column("target", justify="right")
    table.add_column("")
    for target in targets:
        verdict = "reached" if target.reached else "[red]missed[/red]"
        table.add_row(target.what, f"{target.figure:.4g}", target.wanted, verdict)
    return table


def plain_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table whose first column is words and whose others are figures."""
    table = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left")
    for row in rows:
        table.add_row(*row)
    return table


def in_parallel(
    function: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], processes: int | None = None, progress: str = ""
) -> list[Any]:
    """The function of each job, in order, by as many new processes as there are processors, of one thread each.

    ``progress`` is what a bar is called that is shown meanwhile.
    """
    # Read when numpy is loaded, so by the new processes only.
    os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
    count = min(processes or os.cpu_count() or 1, len(jobs))
    with ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), initializer=_one_thread) as pool:
        answers = pool.map(function, *zip(*jobs, strict=True))
        return list(track(answers, progress, total=len(jobs), transient=True, disable=not progress))


def _one_thread() -> None:
    os.environ["ASSAY_THREADS"] = "1"


def save(path: Path, result: dict[str, Any], targets: Sequence[Target]) -> None:
    """Write the JSON file: the result, the targets, and what it was measured with."""
    versions = {name: version(name) for name in ("assay", "numpy", "scipy", "numba")}
    versions["python"] = platform.python_version()
    told = [asdict(target) | {"reached": target.reached} for target in targets]
    whole = result | {"targets": told, "processors": os.cpu_count(), "versions": versions}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(_rounded(whole), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _rounded(value: Any) -> Any:
    """Floats to six digits, so that a repeated run changes little."""
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value
