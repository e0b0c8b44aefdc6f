r"""Which labels of one task imply labels of another, from the votes.

Each task is learned by itself, as if no logic connected it with others, and gives for every item the
likelihood :math:`L(a)` of each of its labels. Sources of different tasks err independently given the labels of both; so
the votes on two tasks tell their joint distribution :math:`J(a, b)`, whatever the noise of the sources, by maximising

.. math:: \sum_{\text{items}} \log \sum_{a, b} J(a, b)\, L_A(a)\, L_B(b) .

Where nearly all of a row's mass is in one column, the label implies the other one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay._core.arguments import random_numbers
from assay.baselines import codes_of_task
from assay.errors import AssayError
from assay.model import LabelModel
from assay.tasks import Constraint, Task, TaskGraph, implies
from assay.votes import Votes, as_votes

if TYPE_CHECKING:
    import pandas as pd

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

_STEPS = 500
_ITEMS = 50_000
"""So many items are enough to tell how labels go together."""
_NO_LIFT = 0.5
"""A label that rules out less than this share of the other labels' usual mass implies nothing."""
_95 = 1.6448536269514722
"""One-sided."""


@dataclass(frozen=True)
class Implication:
    """A label that is hardly ever true without another one."""

    condition: tuple[str, str]
    consequence: tuple[str, str]
    support: float
    """On how many items the condition is expected to be true, of those on which somebody votes on both tasks."""
    confidence: float
    """The estimated share of these on which the consequence is true."""
    low: float
    """The lower end of that share: a one-sided 95% bound."""

    def __str__(self) -> str:
        texts = ("=".join(side) for side in (self.condition, self.consequence))
        return f"{' implies '.join(texts)}: {self.confidence:.1%} of {self.support:,.0f} items, at least {self.low:.1%}"


@dataclass(frozen=True, repr=False)
class TaskSuggestion:
    """What :func:`assay.suggest_task_graph` found, best supported first."""

    tasks: TaskGraph
    """The tasks as they were declared."""
    implications: tuple[Implication, ...]
    unsure: tuple[str, ...] = ()
    """Tasks on which fewer than three sources vote, so that how good these are had to be guessed."""

    @property
    def new(self) -> tuple[Implication, ...]:
        """The implications that the declared task graph does not have already."""
        return tuple(found for found in self.implications if not _declared(self.tasks, found))

    @property
    def refinements(self) -> dict[str, tuple[str, str]]:
        """Tasks all of whose labels imply the same label of another task: they may be about that label only."""
        found: dict[str, tuple[str, str]] = {}
        labels = {task.name: set(task.labels) for task in self.tasks.tasks}
        by_pair: dict[tuple[str, tuple[str, str]], set[str]] = {}
        for each in self.new:
            by_pair.setdefault((each.condition[0], each.consequence), set()).add(each.condition[1])
        for (task, consequence), conditions in by_pair.items():
            if conditions == labels[task]:
                found.setdefault(task, consequence)
        return found

    @property
    def constraints(self) -> list[Constraint]:
        """The new implications as constraints of a task graph, those of refinements left out."""
        parents = self.refinements
        return [
            implies(each.condition, each.consequence)
            for each in self.new
            if parents.get(each.condition[0]) != each.consequence
        ]

    @property
    def task_graph(self) -> TaskGraph:
        """The declared tasks with what was found: look at it before you use it."""
        parents = self.refinements
        tasks = [
            task if task.parents or task.name not in parents else Task(task.name, task.labels, parents[task.name])
            for task in self.tasks.tasks
        ]
        return TaskGraph(tasks, constraints=[*self.tasks.constraints, *self.constraints])

    def to_pandas(self) -> pd.DataFrame:
        """One row for each implication."""
        import pandas as pd

        rows = [
            {
                "condition": "=".join(each.condition),
                "consequence": "=".join(each.consequence),
                "support": each.support,
                "confidence": each.confidence,
                "low": each.low,
                "declared": _declared(self.tasks, each),
            }
            for each in self.implications
        ]
        return pd.DataFrame(rows, columns=["condition", "consequence", "support", "confidence", "low", "declared"])

    def __str__(self) -> str:
        lines = [f"{each}{' (declared)' if _declared(self.tasks, each) else ''}" for each in self.implications]
        notes = [f"note: fewer than three sources vote on task {task!r}" for task in self.unsure]
        return "\n".join([*(lines or ["no label implies another"]), *notes])

    __repr__ = __str__


def suggest_task_graph(
    votes: Any, *, min_confidence: float = 0.9, min_support: int = 100, seed: int = 0
) -> TaskSuggestion:
    """Propose which labels of one task imply labels of another, from votes alone.

    Parameters
    ----------
    votes
        :class:`assay.Votes` on several tasks. What their task graph declares is not taken for granted.
    min_confidence
        The share of a label's items on which the other label must be true, at the lower end of what chance allows.
    min_support
        The fewest items on which the first label is expected to be true.
    seed
        For the label models, and for a sample where there are very many items.

    Returns
    -------
    TaskSuggestion
        ``.implications``, ``.constraints`` and ``.task_graph`` to use, ``.refinements``.

    Examples
    --------
    >>> import numpy as np, assay
    >>> rng = np.random.default_rng(0)
    >>> animal = rng.integers(3, size=4_000)
    >>> flies = np.where(animal == 2, 0, rng.integers(2, size=4_000))
    >>> noisy = lambda truth, k: np.where(rng.random(4_000) < 0.8, truth, rng.integers(k, size=4_000))
    >>> columns = {f"a{j}": ("animal", np.array(["cat", "dog", "bird"])[noisy(animal, 3)]) for j in range(3)}
    >>> columns |= {f"f{j}": ("flies", np.array(["yes", "no"])[noisy(flies, 2)]) for j in range(3)}
    >>> tasks = assay.TaskGraph([assay.Task("animal", ["cat", "dog", "bird"]), assay.Task("flies", ["yes", "no"])])
    >>> [(found.condition, found.consequence) for found in suggest_task_graph(Votes.from_columns(tasks, columns)).new]
    [(('animal', 'bird'), ('flies', 'yes'))]
    """
    if not 0.5 < min_confidence <= 1:
        raise AssayError(f"min_confidence must be above 0.5 and at most 1, but is {min_confidence!r}")
    given = as_votes(votes)
    if len(given.tasks) < 2:
        raise AssayError(
            "suggest_task_graph looks at how labels of several tasks go together, but these votes are on one task"
        )
    rng = random_numbers(seed)
    some = given
    if len(given) > _ITEMS:
        some = given.take(np.sort(rng.choice(len(given), _ITEMS, replace=False)))
    told = {task.name: _likelihoods(some, task, seed) for task in given.tasks}
    known = {name: part for name, part in told.items() if part is not None}
    found = []
    for one, other in permutations(known.values(), 2):
        found += list(_implied(one, other, min_confidence, min_support, len(given) / max(len(some), 1)))
    ordered = sorted(found, key=lambda each: (-each.low, -each.support, str(each)))
    return TaskSuggestion(given.tasks, tuple(ordered), tuple(name for name, part in known.items() if part.sources < 3))


@dataclass(frozen=True, eq=False)
class _Told:
    """What votes tell about one task by itself."""

    task: Task
    likelihood: FloatArray
    """(items, labels)."""
    balance: FloatArray
    """(labels,)."""
    voted: BoolArray
    """(items,): whether somebody votes on it."""
    sources: int


def _likelihoods(votes: Votes, task: Task, seed: int) -> _Told | None:
    """Learn one task alone; None if nobody votes on it."""
    codes = codes_of_task(votes, task.name, task.labels)
    codes = codes[:, (codes >= 0).any(axis=0)]
    if not codes.shape[1] or len(task.labels) < 2:
        return None
    alone = Votes.from_matrix(codes, labels=list(task.labels), task=task.name)
    model = LabelModel(allow_unidentifiable=True, seed=seed).fit(alone, progress=False)
    balance = np.asarray(model.class_balance_)
    voted: BoolArray = np.any(alone.codes >= 0, axis=1)
    likelihood = np.asarray(model.predict_proba(alone)) / np.maximum(balance, 1e-9)
    return _Told(task, likelihood, balance, voted, codes.shape[1])


def _implied(one: _Told, other: _Told, least: float, support: float, scale: float) -> Iterator[Implication]:
    both = one.voted & other.voted
    items = int(both.sum())
    if not items:
        return
    first, second = one.likelihood[both], other.likelihood[both]
    joint = joint_distribution(first, second)
    # Not only where both tasks are voted on: a task may be asked only where the other has a certain label.
    usual = other.balance
    for a, row in enumerate(joint):
        mass = float(row.sum())
        b = int(row.argmax())
        if mass * items * scale < support:
            continue
        exceptions = mass - float(row[b])
        upper = exceptions + _95 * _deviation(first, second, joint, a, b)
        low = max(1 - upper / mass, 0.0)
        informative = upper / mass <= _NO_LIFT * (1 - float(usual[b]))
        if low >= least and informative:
            yield Implication(
                (one.task.name, one.task.labels[a]),
                (other.task.name, other.task.labels[b]),
                mass * items * scale,
                float(row[b]) / mass,
                low,
            )


def joint_distribution(first: FloatArray, second: FloatArray) -> FloatArray:
    """(labels of one task, labels of another): how often they go together, from (items, labels) likelihoods of each.

    >>> sure = np.eye(2)[[0, 0, 1, 1]]
    >>> joint_distribution(sure, np.eye(2)[[0, 0, 1, 0]]).round(2).tolist()
    [[0.5, 0.0], [0.25, 0.25]]
    """
    joint = np.full((first.shape[1], second.shape[1]), 1 / (first.shape[1] * second.shape[1]))
    for _ in range(_STEPS):
        chance = ((first @ joint) * second).sum(axis=1, keepdims=True)
        moved = joint * (first.T @ (second / np.maximum(chance, 1e-300))) / len(first)
        moved /= moved.sum()
        settled = float(np.abs(moved - joint).max()) < 1e-7
        joint = moved
        if settled:
            break
    return joint


def _deviation(first: FloatArray, second: FloatArray, joint: FloatArray, a: int, b: int) -> float:
    """How far chance may have moved the mass of label a's exceptions, by their information."""
    chance = np.maximum(((first @ joint) * second).sum(axis=1), 1e-300)
    others = np.delete(joint[a], b)
    share = (others + 1e-6) / (others + 1e-6).sum()
    slope = first[:, a] * (np.delete(second, b, axis=1) @ share - second[:, b]) / chance
    return 1 / float(np.sqrt(max(float(slope @ slope), 1e-300)))


def _declared(tasks: TaskGraph, found: Implication) -> bool:
    """Whether a task graph has an implication already."""
    (one, label), (other, consequence) = found.condition, found.consequence
    component = tasks.label_space.components[tasks.label_space.component_of(one)]
    if other not in component.tasks:
        return False
    outcomes = [outcome for outcome in component.outcomes if outcome[one] == label]
    return all(outcome[other] == consequence for outcome in outcomes)
