"""Which label to give each item, from the probabilities, so that a metric is best in expectation."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from assay.errors import AssayError, near_miss

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

Metric = Literal["accuracy", "f1", "macro_f1"]

_ROUNDS = 50
_SETTLED = 0.001
"""Totals that change by less than this share have settled, unless they are of few items."""
_FEW = 2_000
"""Up to so many items, moving a single one can matter."""


def decisions(
    probabilities: FloatArray, names: list[str], task: str, *, metric: Metric, label: str | None, cost: Any
) -> IntArray:
    """(items,): the numbers of the labels to give; see :meth:`assay.Labels.decide`."""
    if metric not in get_args(Metric):
        raise AssayError(f"there is no metric {metric!r} to decide for. {near_miss(metric, get_args(Metric))}")
    if (label is not None) != (metric == "f1"):
        raise AssayError(
            f"metric='f1' needs the label whose F1 matters, as in decide(metric='f1', label={names[0]!r}), "
            f"and other metrics take none, but got metric={metric!r} and label={label!r}"
        )
    if cost is not None:
        if metric != "accuracy":
            raise AssayError(f"decide either by a cost matrix or for a metric, but got both cost and metric={metric!r}")
        return cheapest(probabilities, cost_matrix(cost, names, task))
    if metric == "f1":
        if label not in names:
            raise AssayError(f"task {task!r} has no label {label!r}. {near_miss(label, names)}")
        return best_for_f1(probabilities, names.index(label))
    return most_probable(probabilities) if metric == "accuracy" else best_for_macro_f1(probabilities)


def most_probable(probabilities: FloatArray) -> IntArray:
    """(items,): the decisions that maximise expected accuracy."""
    decided: IntArray = probabilities.argmax(axis=1)
    return decided


def best_for_f1(probabilities: FloatArray, label: int) -> IntArray:
    """(items,): decisions that maximise the expected F1 of one label; other items get their most probable other label.

    F1 is taken as a ratio of expectations, 2 E[both] / (E[said] + E[true]), which it approaches with many items. It is
    greatest if the label is given to the items in which it is most probable, down to a probability of half the F1
    that this gives (Lipton et al., 2014, arXiv:1402.1892).

    >>> best_for_f1(np.array([[0.1, 0.9], [0.6, 0.4], [0.9, 0.1]]), 1).tolist()
    [1, 1, 0]
    """
    chances = probabilities[:, label]
    sorted_down = np.sort(chances)[::-1]
    scores = 2 * np.cumsum(sorted_down) / (np.arange(1, len(chances) + 1) + chances.sum())
    others = probabilities.copy()
    others[:, label] = -1
    decided: IntArray = others.argmax(axis=1)
    if len(scores):
        decided[chances > scores.max() / 2] = label
    return decided


def best_for_macro_f1(probabilities: FloatArray) -> IntArray:
    """(items,): decisions for a high expected macro-F1, the mean F1 of the labels.

    Each F1 is again a ratio of expectations. What one more item adds to the mean is linear in its probabilities for
    fixed totals, so the best label of every item follows; decisions and totals are updated in turn, from several
    starts, and the best are kept. With few items, single ones are then moved while that helps. This finds a local
    optimum, which need not be the global one.

    >>> best_for_macro_f1(np.array([[0.9, 0.1], [0.8, 0.2], [0.6, 0.4]])).tolist()
    [0, 0, 1]
    """
    expected = probabilities.sum(axis=0)
    possible = expected > 0
    likely = np.where(possible, probabilities / np.where(possible, expected, 1), -1)
    starts = [probabilities, likely]
    if len(probabilities) <= _FEW:
        starts.append(np.sqrt(np.abs(likely) * probabilities))
    tried = [_alternate(probabilities, start.argmax(axis=1)) for start in starts]
    best = max(tried, key=lambda decided: expected_macro_f1(probabilities, decided))
    return _move_single(probabilities, best) if len(best) <= _FEW else best


def expected_macro_f1(probabilities: FloatArray, decided: IntArray) -> float:
    """The mean F1 of the labels that can occur, each a ratio of expectations."""
    return _mean_f1(*_totals(probabilities, decided))


def _mean_f1(both: FloatArray, totals: FloatArray) -> float:
    occurs = totals > 0
    return float(np.mean(2 * both[occurs] / totals[occurs])) if occurs.any() else 0.0


def _totals(probabilities: FloatArray, decided: IntArray) -> tuple[FloatArray, FloatArray]:
    """Per label: how many items are expected to have it and be given it; how many to have it plus how many given it."""
    labels = probabilities.shape[1]
    chances = probabilities[np.arange(len(decided)), decided]
    both: FloatArray = np.bincount(decided, weights=chances, minlength=labels).astype(np.float64)
    totals: FloatArray = probabilities.sum(axis=0) + np.bincount(decided, minlength=labels)
    return both, totals


def _alternate(probabilities: FloatArray, decided: IntArray) -> IntArray:
    possible = probabilities.sum(axis=0) > 0
    both, totals = _totals(probabilities, decided)
    best, best_score = decided, _mean_f1(both, totals)
    for step in range(_ROUNDS):
        safe = np.where(possible, totals, 1)
        gains = probabilities / safe
        gains -= np.where(possible, both / safe**2, np.inf)
        decided = gains.argmax(axis=1)
        now_both, now_totals = _totals(probabilities, decided)
        score = _mean_f1(now_both, now_totals)
        if score > best_score:
            best, best_score = decided, score
        if (np.abs(now_totals - totals) <= np.maximum(0.5, _SETTLED * totals)).all():
            break
        # Smaller and smaller steps, so that decisions do not swing back and forth.
        part = 2 / (step + 3)
        both, totals = both + part * (now_both - both), totals + part * (now_totals - totals)
    return best


def _move_single(probabilities: FloatArray, decided: IntArray) -> IntArray:
    """Give single items another label while that makes the expected macro-F1 higher."""
    decided = decided.copy()
    both, totals = _totals(probabilities, decided)
    occurs = probabilities.sum(axis=0) > 0
    totals[~occurs] = np.inf
    for _ in range(_ROUNDS):
        moved = False
        for item, chances in enumerate(probabilities):
            now = decided[item]
            # F1s without the item, and with it.
            both[now] -= chances[now]
            totals[now] -= 1
            gains = (both + chances) / (totals + 1) - both / totals
            gains[~occurs] = -np.inf
            new = int(gains.argmax())
            if gains[new] <= gains[now] + 1e-12:
                new = now
            moved |= new != now
            decided[item] = new
            both[new] += chances[new]
            totals[new] += 1
        if not moved:
            break
    return decided


def cheapest(probabilities: FloatArray, cost: FloatArray) -> IntArray:
    """(items,): the decisions with the lowest expected cost.

    Parameters
    ----------
    probabilities
        (items, labels).
    cost
        (labels, labels): what it costs to say one label (column) where another one is true (row).

    >>> cheapest(np.array([[0.8, 0.2], [0.95, 0.05]]), np.array([[0.0, 1.0], [10.0, 0.0]])).tolist()
    [1, 0]
    """
    decided: IntArray = (probabilities @ cost).argmin(axis=1)
    return decided


def cost_matrix(cost: Any, names: list[str], task: str) -> FloatArray:
    """(labels, labels): costs in the order of a task's labels, or an error that says what is wrong with them."""
    if hasattr(cost, "reindex") and hasattr(cost, "columns"):
        missing = [name for name in names if name not in cost.index or name not in cost.columns]
        if missing:
            raise AssayError(
                f"the cost matrix of task {task!r} must have a row (true) and a column (decided) for each of {names}, "
                f"but has none for {missing}"
            )
        cost = cost.loc[names, names].to_numpy()
    try:
        found = np.asarray(cost, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise AssayError(f"the cost matrix of task {task!r} must be made of numbers, but: {error}") from error
    if found.shape != (len(names), len(names)):
        raise AssayError(
            f"the cost matrix of task {task!r} must have the shape {(len(names), len(names))}, "
            f"true × decided in the order {names}, but has {found.shape}"
        )
    if not np.isfinite(found).all():
        raise AssayError(f"the cost matrix of task {task!r} must be made of finite numbers")
    return found
