"""From predictions to figures: accuracies with intervals over trials, differences with intervals over test items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import t

import assay
from assay.gold import micro_accuracy
from benchmarks.experiments.labelers import JOINT
from benchmarks.experiments.prepare import TASKS
from benchmarks.experiments.problem import Problem
from benchmarks.experiments.trial import ENCODERS

FloatArray = npt.NDArray[np.float64]
Key = tuple[str, str, str, float]
"""Task, encoder, method, share of the training items."""


@dataclass(frozen=True)
class Figure:
    """A percentage: its mean over trials, and half the width of its 95% interval (Student's t)."""

    mean: float
    margin: float
    trials: int

    @classmethod
    def of(cls, values: Sequence[float] | FloatArray) -> Figure:
        """Over trials, given as shares."""
        found = 100 * np.asarray(values, dtype=float)
        count = len(found)
        margin = float(found.std(ddof=1) / np.sqrt(count) * t.ppf(0.975, count - 1)) if count > 1 else 0.0
        return cls(float(found.mean()), margin, count)

    def __str__(self) -> str:
        return f"{self.mean:.1f} ± {self.margin:.1f}" if self.trials > 1 else f"{self.mean:.1f}"


class Figures:
    """All figures that can be read off the trials."""

    def __init__(self, problems: dict[str, Problem], trials: Sequence[dict[str, Any]], split: str = "test_a") -> None:
        self.problems = problems
        self._right: dict[Key, FloatArray] = {}
        """(trials, items): 1 where the whole outcome is right."""
        self._said: dict[Key, npt.NDArray[np.int64]] = {}
        grouped: dict[Key, list[dict[str, Any]]] = defaultdict(list)
        for trial in trials:
            grouped[trial["task"], trial["encoder"], trial["method"], trial["share"]].append(trial)
        self.gold = {name: problem.gold[split] for name, problem in problems.items()}
        for key, group in grouped.items():
            ordered = sorted(group, key=lambda trial: trial["seed"])
            self._said[key] = np.array([trial["predictions"][split] for trial in ordered])
            self._right[key] = (self._said[key] == self.gold[key[0]]).astype(float)

    @property
    def keys(self) -> list[Key]:
        """What there are trials of."""
        return list(self._right)

    def accuracy(self, task: str, encoder: str, method: str, share: float = 1.0) -> Figure:
        """Micro accuracy over outcomes."""
        return Figure.of(self._right[task, encoder, method, share].mean(axis=1))

    def mean(self, encoder: str, method: str) -> Figure:
        """The mean over the tasks, trial by trial."""
        return Figure.of(
            np.mean([self._right[task, encoder, method, 1.0].mean(axis=1) for task in self._tasks], axis=0)
        )

    def task_accuracy(self, task: str, encoder: str, method: str, within: str) -> Figure:
        """Of one task of the graph, on the items that it applies to."""
        component = self.problems[task].tasks.label_space.components[0]
        label = component.label_of(within)
        gold = label[self.gold[task]]
        said = label[self._said[task, encoder, method, 1.0]]
        return Figure.of((said == gold)[:, gold >= 0].mean(axis=1))

    def gain(
        self, encoder: str, method: str, other: str, *, only: Sequence[str] | None = None, draws: int = 10_000
    ) -> tuple[float, float, float]:
        """How much better a method is than another, mean over tasks (or some), with a 95% interval over test items.

        Trials are averaged, and items are drawn again within each task: what another test set of the same
        size might have said.
        """
        rng = np.random.default_rng(0)
        means, boots = [], []
        for task in self._tasks if only is None else only:
            better = (self._right[task, encoder, method, 1.0].mean(axis=0)) - self._right[
                task, encoder, other, 1.0
            ].mean(axis=0)
            means.append(better.mean())
            boots.append(rng.choice(better, (draws, len(better))).mean(axis=1))
        low, high = np.quantile(np.mean(boots, axis=0), [0.025, 0.975])
        return 100 * float(np.mean(means)), 100 * float(low), 100 * float(high)

    @property
    def _tasks(self) -> list[str]:
        return [task for task in TASKS if task in self.problems]


def majority_accuracy(problem: Problem) -> float:
    """Of a hierarchical majority vote on test_a; of several labels that it leaves open each counts in part."""
    return micro_accuracy([assay.hierarchical_majority_vote(problem.votes["test_a"])], [problem.gold["test_a"]])


def best_trial(trials: Sequence[dict[str, Any]], problem: Problem) -> dict[str, Any]:
    """The joint model's trial, of any encoder, that is best on dev; the first of several."""
    mine = [trial for trial in trials if (trial["task"], trial["method"], trial["share"]) == (problem.name, JOINT, 1.0)]
    gold = problem.gold["dev"]
    return max(
        sorted(mine, key=lambda trial: (ENCODERS.index(trial["encoder"]), trial["seed"])),
        key=lambda trial: float((np.array(trial["predictions"]["dev"]) == gold).mean()),
    )
