"""What a user says of the class balance, by outcome or by label: checked, and put in the terms of each component."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import AssayError, listing, near_miss
from assay.model.estimate.balance_belief import BalanceBelief, BalanceOf, BalanceStrength, Statement
from assay.tasks import Component, TaskGraph, question

FloatArray = npt.NDArray[np.float64]
Range = tuple[float, float]

_ROUNDING = 1e-6
"""By how much the sum of figures that a user typed may miss one."""


def balance_beliefs(
    class_balance: Any, tasks: TaskGraph, *, strength: BalanceStrength = None, of: BalanceOf = "all"
) -> list[BalanceBelief | None]:
    """Per component what is believed of its class balance, if anything.

    ``class_balance`` is a vector over outcomes, or a list of those with one entry per component, each of which may be
    None; or shares by label, or by task and label.

    >>> tasks = TaskGraph.flat("mail", ["Spam", "Ham", "News"])
    >>> (belief,) = balance_beliefs({"Spam": 0.2, "mail": {"Ham": (0.5, 0.7)}}, tasks)
    >>> [(statement.low, statement.high) for statement in belief.statements]
    [(0.2, 0.2), (0.5, 0.7)]
    """
    components = tasks.label_space.components
    if class_balance is None:
        return [None] * len(components)
    if not isinstance(class_balance, Mapping):
        vectors = _vectors(class_balance, components)
        return [None if one is None else BalanceBelief.of_vector(one, strength=strength, of=of) for one in vectors]
    said = _said_of_tasks(class_balance, tasks)
    beliefs: list[BalanceBelief | None] = []
    for component in components:
        statements = [one for task in component.tasks for one in _statements(component, task, said.get(task, {}))]
        belief = BalanceBelief(statements=tuple(statements), strength=strength, of=of) if statements else None
        if belief is not None and not belief.holds(belief.nearest(np.full(len(component), 1 / len(component)))):
            told = [task for task in component.tasks if task in said]
            raise AssayError(
                f"class_balance: the shares for the tasks {listing(told)} cannot all hold, given the logic between them"
            )
        beliefs.append(belief)
    return beliefs


# By outcome


def _vectors(given: Any, components: Sequence[Component]) -> list[FloatArray | None]:
    entries = [given] if len(components) == 1 else given
    if not isinstance(entries, Iterable) or len(entries := list(entries)) != len(components):
        raise AssayError(f"class_balance must have one entry for each of the {len(components)} components")
    return [None if one is None else _vector(one, len(part)) for one, part in zip(entries, components, strict=True)]


def _vector(given: Any, outcomes: int) -> FloatArray:
    try:
        balance = np.asarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise AssayError(
            f"class_balance must be {outcomes} probabilities, or shares by label name, but is {given!r}"
        ) from error
    if balance.shape != (outcomes,):
        raise AssayError(
            f"class_balance must have {outcomes} probabilities, one per outcome, but its shape is {balance.shape}; "
            "shares can be given by label name too, as in {'Spam': 0.15}"
        )
    if not np.isfinite(balance).all() or (balance <= 0).any() or abs(balance.sum() - 1) > _ROUNDING:
        raise AssayError(f"class_balance must be positive and sum to one, but is {balance.tolist()}")
    return np.asarray(balance / balance.sum())


# By label


def _said_of_tasks(given: Mapping[Any, Any], tasks: TaskGraph) -> dict[str, dict[str, Range]]:
    """Per task that was spoken of, the ranges of its labels."""
    labels = {task.name: task.labels for task in tasks}
    said: dict[str, dict[str, Range]] = {}
    for key, value in _by_question(given, tasks):
        of_task = isinstance(value, Mapping)
        task = _checked_task(key, labels) if of_task else _task_of(key, value, labels)
        for label, share in value.items() if of_task else [(key, value)]:
            name = _checked_label(label, task, labels)
            if name in said.setdefault(task, {}):
                raise AssayError(f"class_balance: the share of {name!r} is given twice")
            said[task][name] = _range(share, name)
    return {task: _checked_sums(task, ranges, labels[task]) for task, ranges in said.items() if ranges}


def _by_question(given: Mapping[Any, Any], tasks: TaskGraph) -> Iterable[tuple[Any, Any]]:
    """What is said, with a question for each label of a task of which any subset may apply."""
    for key, value in given.items():
        if key not in tasks.multiple or not isinstance(value, Mapping):
            yield key, value
            continue
        for label, share in value.items():
            if label not in tasks.multiple[key]:
                hint = near_miss(label, tasks.multiple[key])
                raise AssayError(f"class_balance: task {key!r} has no label {label!r}. {hint}")
            yield question(key, label), {label: share}


def _name(key: Any) -> Any:
    """A label's name; the labels of a bare matrix are its class numbers."""
    return str(int(key)) if isinstance(key, Integral) and not isinstance(key, bool) else key


def _checked_task(key: Any, labels: Mapping[str, Sequence[str]]) -> str:
    if key not in labels:
        raise AssayError(f"class_balance: there is no task {key!r}. {near_miss(key, labels)}")
    return str(key)


def _task_of(key: Any, share: Any, labels: Mapping[str, Sequence[str]]) -> str:
    """The one task that a bare label belongs to."""
    name = _name(key)
    homes = [task for task, known in labels.items() if name in known]
    if len(homes) == 1:
        return homes[0]
    if homes:
        raise AssayError(
            f"class_balance: the label {name!r} is in the tasks {listing(homes)}; "
            f"say which one is meant, as in {{{homes[0]!r}: {{{name!r}: {share!r}}}}}"
        )
    if name in labels:
        raise AssayError(
            f"class_balance: {name!r} is a task, so give shares of its labels, "
            f"as in {{{name!r}: {{{labels[name][0]!r}: 0.5}}}}, but got {share!r}"
        )
    known = dict.fromkeys(label for names in labels.values() for label in names)
    raise AssayError(f"class_balance: no task has the label {name!r}. {near_miss(name, known)}")


def _checked_label(key: Any, task: str, labels: Mapping[str, Sequence[str]]) -> str:
    name = _name(key)
    if name not in labels[task]:
        elsewhere = [other for other, known in labels.items() if name in known]
        hint = f"Task {elsewhere[0]!r} has it." if elsewhere else near_miss(name, labels[task])
        raise AssayError(f"class_balance: task {task!r} has no label {name!r}. {hint}")
    return str(name)


def _range(given: Any, label: str) -> Range:
    ends = list(given) if isinstance(given, tuple | list | np.ndarray) else [given, given]
    if len(ends) != 2 or not all(isinstance(end, Real) and not isinstance(end, bool) for end in ends):
        raise AssayError(
            f"class_balance: the share of {label!r} must be a number between 0 and 1, "
            f"or a range such as (0.1, 0.2), but is {given!r}"
        )
    low, high = map(float, ends)
    if not (0 <= low <= 1 and 0 <= high <= 1) or low == high in (0, 1):
        hint = f" {low:g}% is {low / 100:g}." if 1 < low == high < 100 else ""
        raise AssayError(f"class_balance: the share of {label!r} must be between 0 and 1, but is {given!r}.{hint}")
    if low > high:
        raise AssayError(f"class_balance: the range of {label!r} must go from low to high, but is {given!r}")
    return low, high


def _checked_sums(task: str, ranges: Mapping[str, Range], labels: Sequence[str]) -> dict[str, Range]:
    """The ranges of a task's labels, if they leave a distribution; figures for all labels sum to exactly one."""
    left_out = [label for label in labels if label not in ranges]
    least, most = (sum(ends) for ends in zip(*ranges.values(), strict=True))
    figures = all(low == high for low, high in ranges.values())
    if figures and not left_out:
        if abs(least - 1) > _ROUNDING:
            raise AssayError(
                f"class_balance: the shares of all labels of {task!r} must sum to one, but sum to {least:g}"
            )
        return {label: (low / least, high / most) for label, (low, high) in ranges.items()}
    if least > 1 + _ROUNDING:
        what = "shares" if figures else "lowest shares"
        raise AssayError(f"class_balance: the {what} of labels of {task!r} sum to {least:g}, which is more than one")
    if left_out and least > 1 - _ROUNDING:
        raise AssayError(
            f"class_balance: the shares of labels of {task!r} sum to one, which leaves nothing for {listing(left_out)}"
        )
    if not left_out and most < 1 - _ROUNDING:
        raise AssayError(
            f"class_balance: the highest shares of all labels of {task!r} sum to {most:g}, which is less than one"
        )
    return dict(ranges)


def _statements(component: Component, task: str, ranges: Mapping[str, Range]) -> Iterable[Statement]:
    """What is said of one task: shares of its labels among the outcomes that it applies to."""
    codes = component.label_of(task)
    names = component.labels[component.tasks.index(task)]
    for label, (low, high) in ranges.items():
        has_it = codes == names.index(label)
        # The only label of a task has all of it, whatever range was given.
        if (codes[~has_it] >= 0).any():
            yield Statement(has_it, codes >= 0, low, high)
