"""What asking prompts about more items is expected to change, against what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.model import LabelModel
from assay.votes import Votes

FloatArray = npt.NDArray[np.float64]

SHARES = (0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
_SAMPLE = 600
"""Of the items that were not asked about, so many stand for all."""
_DRAWS = 20
"""How often the answers about each of them are drawn."""


@dataclass(frozen=True)
class CostPerItem:
    """What prompts ask about one item, on average."""

    questions: float
    tokens: float
    cost: float | None
    """None if a model has no price."""


@dataclass(frozen=True)
class AskingStep:
    """Asking about some more items, the least sure first."""

    share: float
    """Of all items."""
    items: int
    questions: int
    tokens: int
    cost: float | None
    expected_errors: float
    """How many of their labels are expected to be wrong now: the most that asking can gain."""
    expected_gain: float | None
    """How many of these are expected to become right; None if the model knows nothing of the prompts yet."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return dict(vars(self))


@dataclass(frozen=True)
class AskingPlan:
    """What asking about more items is expected to change, against calls, tokens and money."""

    items: int
    """How many there are in all."""
    asked: int
    """How many of them prompts were asked about already."""
    steps: tuple[AskingStep, ...]


def asking_plan(
    confidence: FloatArray,
    asked: Iterable[int],
    per_item: CostPerItem,
    gains: FloatArray | None = None,
    shares: Sequence[float] = SHARES,
) -> AskingPlan:
    """A plan from (items,) how probable each label is, and what asking about an item is expected to gain, if known.

    >>> plan = asking_plan(np.array([0.9, 0.6, 0.99, 0.8]), [1], CostPerItem(2, 50, 0.001), shares=(0.25, 1.0))
    >>> [(step.items, step.questions, round(step.expected_errors, 2)) for step in plan.steps]
    [(1, 2, 0.2), (3, 6, 0.31)]
    """
    known = np.zeros(len(confidence), dtype=bool)
    known[np.asarray(list(asked), dtype=np.int64)] = True
    left = np.flatnonzero(~known)
    order = left[np.argsort(confidence[left], kind="stable")]
    steps: list[AskingStep] = []
    for share in shares:
        some = order[: int(np.ceil(share * len(confidence)))]
        if not len(some) or (steps and len(some) == steps[-1].items):
            break
        cost = None if per_item.cost is None else per_item.cost * len(some)
        steps.append(
            AskingStep(
                share=len(some) / len(confidence),
                items=len(some),
                questions=round(per_item.questions * len(some)),
                tokens=round(per_item.tokens * len(some)),
                cost=cost,
                expected_errors=float((1 - confidence[some]).sum()),
                expected_gain=None if gains is None else float(gains[some].sum()),
            )
        )
    return AskingPlan(len(confidence), int(known.sum()), tuple(steps))


def expected_gains(
    model: LabelModel, votes: Votes, prompts: Sequence[str], asked: Sequence[int], seed: int = 0
) -> FloatArray | None:
    """(items,): how much more probable the label of an item is expected to be once prompts are asked about it.

    The answers are drawn from what the model has learned of the prompts, and labels are made with them by the model
    itself. A sample of the items stands for all: those between two of them get what lies between. None if there are
    several components, or if nobody was asked yet.
    """
    parts = model.fitted_.posteriors(votes)
    if len(parts) != 1 or not len(asked):
        return None
    given = model.fitted_.aligned(votes)
    posterior = parts[0]
    confidence = posterior.max(axis=1)
    left = np.setdiff1d(np.arange(len(given)), np.asarray(asked))
    gains = np.zeros(len(given))
    if not len(left):
        return gains
    order = left[np.argsort(confidence[left], kind="stable")]
    places = np.unique(np.linspace(0, len(order) - 1, min(_SAMPLE, len(order))).astype(int))
    chosen = order[places]
    rng = np.random.default_rng(seed)
    now = np.repeat(posterior[chosen], _DRAWS, axis=0)
    truth = (now.cumsum(axis=1) < rng.random((len(now), 1))).sum(axis=1).clip(max=now.shape[1] - 1)
    codes = np.array(np.repeat(given.take(chosen).codes, _DRAWS, axis=0))
    for name in prompts:
        column = given.position(name)
        codes[:, column] = _drawn(model.conditionals_[name], truth, len(asked) / len(given), rng)
    drawn = Votes.from_codes(given.tasks, codes, given.names, given.values)
    after = np.asarray(model.predict_proba(drawn)).max(axis=1).reshape(len(chosen), _DRAWS).mean(axis=1)
    gain = np.maximum(after - confidence[chosen], 0.0)
    gains[order] = np.interp(np.arange(len(order)), places, gain)
    return gains


def _drawn(
    table: FloatArray, truth: npt.NDArray[np.int64], asked: float, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Votes of a prompt that is asked, by (values + 1, outcomes) how often it votes among all items."""
    says = table[:-1] / max(asked, 1e-12)
    says = says / np.maximum(says.sum(axis=0), 1.0)
    bounds = says.cumsum(axis=0)[:, truth]
    found = (bounds < rng.random(len(truth))).sum(axis=0)
    return np.where(found < len(says), found, -1)
