"""Which of several labels to give each item, where any subset may apply: the probable ones, and consistent ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from assay.tasks import Constraint, TaskGraph, question

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

_CERTAIN = 1e-12


def applies(joint: Sequence[FloatArray], tasks: TaskGraph, task: str) -> FloatArray:
    """(items, labels): the probability that each label of a task applies, any subset of which may."""
    space = tasks.label_space
    found = np.empty((len(joint[0]), len(tasks.multiple[task])))
    for column, label in enumerate(tasks.multiple[task]):
        name = question(task, label)
        index = space.component_of(name)
        found[:, column] = joint[index] @ (space.components[index].label_of(name) == 1)
    return found


def subsets(
    joint: Sequence[FloatArray], tasks: TaskGraph, task: str, thresholds: FloatArray | None = None
) -> BoolArray:
    """(items, labels): whether each label of a task is given.

    By the most probable outcome of each component; with ``thresholds`` (labels,), those that are more probable than
    theirs, or of labels that some logic links, the feasible subset that is so by most. Where logic links too many
    labels to be one component, the labels that break it are changed, those first that are least sure.
    """
    space, labels = tasks.label_space, tasks.multiple[task]
    names = [question(task, label) for label in labels]
    homes = [space.component_of(name) for name in names]
    chances = applies(joint, tasks, task)
    margins = _log_odds(chances) - (0.0 if thresholds is None else _log_odds(thresholds))
    chosen = margins > 0
    for index in sorted(set(homes)):
        component = space.components[index]
        own = [at for at, home in enumerate(homes) if home == index]
        if len(component.tasks) == 1 and thresholds is not None:
            continue
        has_it = np.column_stack([component.label_of(names[at]) == 1 for at in own])
        scores = joint[index] if thresholds is None else margins[:, own] @ has_it.T
        chosen[:, own] = has_it[scores.argmax(axis=1)]
    place = {name: at for at, name in enumerate(names)}
    later = [rule for rule in space.later if all(name in place for name in rule.tasks)]
    return consistent(chosen, margins, later, place) if later else chosen


def consistent(chosen: BoolArray, margins: FloatArray, rules: Sequence[Constraint], place: dict[str, int]) -> BoolArray:
    """Subsets that break no rule: (items, labels), changed where they do.

    For each broken rule the label whose change costs the least log-odds is changed, once; whatever is left of an
    item that still breaks a rule after that is dropped, since the empty subset breaks none.
    """
    found = chosen.copy()
    columns = [[place[name] for name, _ in rule.mentions] for rule in rules]
    open_ = np.ones(found.shape, dtype=bool)
    for _ in range(found.shape[1]):
        changed = False
        for rule, own in zip(rules, columns, strict=True):
            if rule.kind == "at_most":
                changed |= _drop_excess(found, open_, margins, own, rule.most)
            else:
                changed |= _follow(found, open_, margins, own[0], own[1:])
        if not changed:
            break
    broken = np.zeros(len(found), dtype=bool)
    for rule, own in zip(rules, columns, strict=True):
        held = found[:, own]
        if rule.kind == "at_most":
            broken |= held.sum(axis=1) > rule.most
        else:
            broken |= held[:, 0] & ~held[:, 1:].any(axis=1)
    found[broken] = False
    return found


def _drop_excess(found: BoolArray, open_: BoolArray, margins: FloatArray, own: list[int], most: int) -> bool:
    """Keep the most probable of too many labels, in place."""
    rows = np.flatnonzero(found[:, own].sum(axis=1) > most)
    if not len(rows):
        return False
    grid = np.ix_(rows, np.array(own))
    held = found[grid]
    order = np.argsort(np.where(held, -margins[grid], np.inf), axis=1, kind="stable")
    rank = np.argsort(order, axis=1, kind="stable")
    dropped = held & (rank >= most)
    found[grid] = held & ~dropped
    open_[grid] &= ~dropped
    return True


def _follow(found: BoolArray, open_: BoolArray, margins: FloatArray, first: int, rest: list[int]) -> bool:
    """Drop a label without any of those that it implies, or give the most probable of these; in place."""
    rows = np.flatnonzero(found[:, first] & ~found[:, rest].any(axis=1))
    if not len(rows):
        return False
    cost = np.where(open_[np.ix_(rows, np.array(rest))], -margins[np.ix_(rows, np.array(rest))], np.inf)
    best = cost.argmin(axis=1)
    add = (cost[np.arange(len(rows)), best] < margins[rows, first]) | ~open_[rows, first]
    add &= np.isfinite(cost.min(axis=1))
    given = np.array(rest)[best]
    found[rows[add], given[add]] = True
    open_[rows[add], given[add]] = False
    found[rows[~add], first] = False
    open_[rows[~add], first] = False
    return True


def f1_thresholds(chances: FloatArray) -> FloatArray:
    """(labels,): per label the probability above which giving it is best for its F1 in expectation: half of that F1."""
    found = np.full(chances.shape[1], 0.5)
    for column in range(chances.shape[1]):
        sure = np.sort(chances[:, column])[::-1]
        expected = 2 * np.cumsum(sure) / (np.arange(1, len(sure) + 1) + max(float(sure.sum()), _CERTAIN))
        found[column] = max(float(expected.max(initial=0.0)) / 2, _CERTAIN)
    return found


def _log_odds(chances: FloatArray) -> FloatArray:
    inside = np.clip(chances, _CERTAIN, 1 - _CERTAIN)
    odds: FloatArray = np.log(inside) - np.log1p(-inside)
    return odds


def named(chosen: BoolArray, labels: Sequence[str]) -> npt.NDArray[np.object_]:
    """(items,): lists of the labels that are given."""
    texts = np.array(labels, dtype=object)
    found = np.empty(len(chosen), dtype=object)
    for row, flags in enumerate(chosen):
        found[row] = texts[flags].tolist()
    return found
