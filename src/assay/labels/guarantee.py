"""From which confidence on labels are right as often as asked, as far as gold can tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.errors import AssayError
from assay.gold import UNSETTLED, CheckedLabels
from assay.labels.probabilities import held_out_confidence
from assay.tasks import TaskGraph

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

RISK = 0.05
"""How often a promise may be broken."""
_ERRORS = (0, 1, 3, 7, 15, 31)
"""Where tests start: at the threshold above which there is enough gold to allow for so many errors."""
_MOST = 100_000
"""More hand labels than this are not worth asking for."""


@dataclass(frozen=True, eq=False)
class Guarantee:
    """The labels that are right at least as often as promised. Made by :meth:`assay.Labels.guarantee`."""

    precision: float
    """What is promised: with 95% confidence, at least this share of the covered items is labeled right."""
    threshold: float
    """The confidence from which on labels are covered."""
    estimate: float
    """The share of right labels among gold items above the threshold, by predictions made without their gold."""
    low: float
    """What the share of right labels is at least, with 95% confidence; allows for the choice of the threshold."""
    high: float
    """What it is at most, with 95% confidence."""
    coverage: float
    """The share of items that are covered."""
    gold: int
    """How many gold items above the threshold this rests on."""
    rest: IntArray
    """The rows of the items that are not covered: those for people to label."""

    def __repr__(self) -> str:
        return (
            f"Guarantee({self.precision:.1%} right from confidence {self.threshold:.3f} on, "
            f"{self.coverage:.1%} of items; gold: {self.estimate:.1%} of {self.gold:,}, at least {self.low:.1%})"
        )

    def to_dict(self) -> dict[str, float | int]:
        """The figures, for JSON, with the number of items that are *left* for people."""
        figures = {name: value for name, value in vars(self).items() if name != "rest"}
        return {**figures, "left": len(self.rest)}


@dataclass(frozen=True)
class Threshold:
    """A threshold that gold supports."""

    at: float
    estimate: float
    low: float
    high: float
    gold: int


@dataclass(frozen=True, eq=False)
class GoldChecks:
    """Gold items with what was said of them without their gold."""

    confidence: FloatArray
    """(items,): the probability of the label."""
    right: BoolArray
    """(items,): whether it is the true one."""
    weights: FloatArray
    """(items,): how many items each stands for, up to a factor."""


def gold_checks(gold: CheckedLabels, tasks: TaskGraph, task: str | None) -> GoldChecks:
    """How sure and how right the labels of a task are, or of all tasks together, on items whose gold settles that."""
    components = tasks.label_space.components
    confidence = held_out_confidence(gold, tasks, task)
    if task is None:
        truth = np.column_stack([gold.outcomes(index) for index in range(len(components))])
        said = np.column_stack([part.argmax(axis=1) for part in gold.held_out])
        settled = (truth >= 0).all(axis=1)
        right = (truth == said).all(axis=1)
    else:
        index = tasks.label_space.component_of(task)
        label_of = components[index].label_of(task)
        labels = gold.labels(index, label_of)
        settled = labels > UNSETTLED
        right = labels == label_of[gold.held_out[index].argmax(axis=1)]
    return GoldChecks(confidence[settled], right[settled], gold.weights[settled])


def supported_threshold(checks: GoldChecks, precision: float) -> Threshold | None:
    """The lowest threshold above which labels are right as often as asked; None if gold supports none.

    Thresholds are tested from the highest to the lowest, each by an exact binomial test; those that come later are
    only tested while earlier ones hold, so choosing the last costs nothing (fixed-sequence testing, as in Learn then
    Test, Angelopoulos et al., 2021, arXiv:2110.01052). Above the highest thresholds there is too little gold to show
    anything, and one error would end the sequence; so it starts anew at a few places, which share the risk, and what
    an earlier part has not lost is handed on (the fallback procedure of Wiens, 2003). The places depend on
    confidences and the number of gold items alone, never on which of them are right.

    Parameters
    ----------
    checks
        Gold items, with what was said of them. If their weights differ, they count as much as their effective number.
    precision
        The share of labels that must be right.

    >>> sure = np.repeat([0.99, 0.7], 100)
    >>> right = np.concatenate([np.ones(100, dtype=bool), np.arange(100) % 2 == 0])
    >>> supported_threshold(GoldChecks(sure, right, np.ones(200)), 0.95).at
    0.99
    """
    levels, ends, sizes, shares = _from_the_top(checks)
    starts = _starts(sizes, precision)
    found, carried = None, 0.0
    for at in range(len(levels)):
        risk = carried + starts.get(at, 0.0)
        if risk > 0 and _chance(sizes[at], shares[at], precision) <= risk:
            carried = risk
            low, high = _bounds(sizes[at], shares[at], risk)
            found = Threshold(float(levels[at]), float(shares[at]), low, high, int(ends[at]))
        else:
            carried = 0.0
    return found


def needed(checks: GoldChecks, precision: float) -> int | None:
    """About how many gold items it would take in all, if more of them are like these; None if more would not help."""
    count = len(checks.right)
    least = _least(precision, RISK, 0)
    if not count:
        return least
    _, ends, sizes, shares = _from_the_top(checks)
    if count < least:
        # All that is known is how long the most confident ones went without an error.
        spotless = max(int(ends[shares == 1].max(initial=0)), 1)
        return int(np.ceil(least * count / spotless))
    # A share of one of a few items is no more than a hope.
    hoped = (sizes * shares + 0.5) / (sizes + 1)
    found = [
        np.ceil(_size_for(share, precision) * count / end)
        for share, end in zip(hoped, ends, strict=True)
        if share > precision
    ]
    fewest = min(found, default=np.inf)
    return int(max(fewest, count + 1)) if fewest <= _MOST else None


def too_little_gold(checks: GoldChecks, precision: float, task: str | None) -> AssayError:
    """The error that says how much more gold it would take."""
    have = len(checks.right)
    enough = needed(checks, precision)
    what = "all tasks" if task is None else f"task {task!r}"
    seen = f", {np.average(checks.right, weights=checks.weights):.0%} of which are labeled right," if have else ""
    if enough is None:
        return AssayError(
            f"labels of {what} do not seem to be right {precision:.1%} of the time at any threshold: "
            f"there are {have} hand labels{seen} and more of them would not help. "
            "Ask for a lower precision, or improve the sources"
        )
    return AssayError(
        f"{have} hand labels{seen} cannot show that labels of {what} are right {precision:.1%} of the time; "
        f"with about {enough - have} more, {enough} in all, they might. Label more items, or ask for a lower precision"
    )


def _from_the_top(checks: GoldChecks) -> tuple[FloatArray, IntArray, FloatArray, FloatArray]:
    """Thresholds from the highest; of the gold items that reach each: number, effective number, share of right ones."""
    values, counts = np.unique(checks.confidence, return_counts=True)
    ends = np.cumsum(counts[::-1])
    order = np.argsort(-checks.confidence, kind="stable")
    right, weights = checks.right[order], checks.weights[order]
    total, squares, good = (np.cumsum(part)[ends - 1] for part in (weights, weights**2, weights * right))
    return values[::-1], ends, total**2 / squares, np.minimum(good / total, 1.0)


def _starts(sizes: FloatArray, precision: float) -> dict[int, float]:
    """Where a sequence of tests starts, and with how much risk."""
    for count in range(len(_ERRORS), 0, -1):
        least = [_least(precision, RISK / count, errors) for errors in _ERRORS[:count]]
        if least[-1] <= sizes.max(initial=0):
            found: dict[int, float] = {}
            for size in least:
                at = int(np.argmax(sizes >= size))
                found[at] = found.get(at, 0.0) + RISK / count
            return found
    return {}


def _least(precision: float, risk: float, errors: int) -> int:
    """How many items there must be for so many errors to be too few to be chance."""
    from scipy.special import bdtr

    low, high = errors, errors + 1
    while bdtr(errors, high, 1 - precision) > risk:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if bdtr(errors, middle, 1 - precision) > risk else (low, middle)
    return high


def _chance(size: float, share: float, precision: float) -> float:
    """How likely at least so many of the items are right, if the share of right labels is only as promised."""
    from scipy.special import betainc

    good = size * share
    return float(betainc(good, size - good + 1, precision)) if good > 0 else 1.0


def _bounds(size: float, share: float, risk: float) -> tuple[float, float]:
    """Clopper and Pearson's bounds of a share, the lower one at this risk."""
    from scipy.special import betaincinv

    good, bad = size * share, size * (1 - share)
    low = float(betaincinv(good, bad + 1, risk)) if good > 0 else 0.0
    high = float(betaincinv(good + 1, bad, 1 - RISK)) if bad > 1e-9 else 1.0
    return low, high


def _size_for(share: float, precision: float) -> float:
    """How many items would show that a share is above another, if it is seen again."""
    low, high = 1.0, 2.0
    while _chance(high, share, precision) > RISK / 3:
        low, high = high, 2 * high
        if high > _MOST:
            return float("inf")
    while high - low > 0.5:
        middle = (low + high) / 2
        low, high = (middle, high) if _chance(middle, share, precision) > RISK / 3 else (low, middle)
    return high
