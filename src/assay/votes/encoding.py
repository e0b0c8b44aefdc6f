"""From labels as users write them to integer codes and value tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.tasks import Label, LabelSet, LabelSpace, Vote

ABSTAIN = -1
"""The code of a source that abstains."""
_CODE_TYPES = (np.int8, np.int16, np.int32)


def smallest(values: int) -> type[np.signedinteger[Any]]:
    """The smallest integer type that holds the codes of ``values`` values, and −1.

    >>> smallest(2).__name__, smallest(128).__name__, smallest(200).__name__
    ('int8', 'int8', 'int16')
    """
    return next(dtype for dtype in _CODE_TYPES if values - 1 <= np.iinfo(dtype).max)


def is_missing(value: object) -> bool:
    """Whether a value is missing: None, NaN, or pandas' NA and NaT."""
    if isinstance(value, float):
        return value != value
    return value is None or type(value).__name__ in ("NAType", "NaTType")


class _Numbering(dict[Any, int]):
    """Numbers keys in the order of their first lookup; −1 for missing values."""

    count = 0

    def __missing__(self, key: Any) -> int:
        number = -1 if is_missing(key) else self.count
        self.count += number >= 0
        self[key] = number
        return number


def intern(values: Sequence[object]) -> tuple[npt.NDArray[np.int32], list[Any]]:
    """(n,) numbers of the values, −1 where missing, and the distinct values in that numbering.

    >>> codes, distinct = intern(["a", None, {"t": "b"}, "a"])
    >>> codes.tolist(), distinct
    ([0, -1, 1, 0], ['a', {'t': 'b'}])
    """
    try:
        return _interned(values)
    except TypeError:  # dicts over several tasks, and lists of labels, cannot be hashed
        # Gold of a million items is the same few objects again and again: each is looked at once.
        keys = {place: _hashable(value) for place, value in {id(value): value for value in values}.items()}
        codes, distinct = _interned([keys[id(value)] for value in values])
        backwards = np.flatnonzero(codes >= 0)[::-1]
        first = np.empty(len(distinct), dtype=np.intp)
        first[codes[backwards]] = backwards  # what is written last, the first place, stays
        return codes, [values[place] for place in first.tolist()]


class _Items(tuple[tuple[Any, Any], ...]):
    """The items of a dict, to distinguish it from a tuple that a source returned."""


class _Entries(tuple[Any, ...]):
    """The entries of a list, to distinguish it from a tuple."""


def _hashable(value: object) -> object:
    """A key that is equal for equal values: dicts, and lists as in ``{"one_of": [...]}``, cannot be hashed."""
    key = _Items(value.items()) if isinstance(value, Mapping) else value
    try:
        hash(value)
    except TypeError:
        if isinstance(value, Mapping):
            return _Items((name, _hashable(part)) for name, part in value.items())
        if isinstance(value, list | np.ndarray):
            return _Entries(map(_hashable, value))
        if isinstance(value, set):
            return frozenset(map(_hashable, value))
        return repr(value)  # not a label, and the error will show it
    return key


def _interned(values: Sequence[object]) -> tuple[npt.NDArray[np.int32], list[Any]]:
    numbers = _Numbering()
    codes = np.fromiter(map(numbers.__getitem__, values), dtype=np.int32, count=len(values))
    return codes, [value for value, number in numbers.items() if number >= 0]


def value_table(space: LabelSpace, votes: Collection[Vote], task: str | None) -> tuple[Vote, ...]:
    """The votes a source may emit: all labels of its task, and any other votes it emitted, in canonical order."""
    declared = [Vote(((task, label),)) for label in space.tasks[task]] if task is not None else []
    return canonical(space, {*declared, *votes})


def canonical(space: LabelSpace, votes: Iterable[Vote]) -> tuple[Vote, ...]:
    """Votes in the order of tasks and labels, and of rising confidence."""
    positions = {task: position for position, task in enumerate(space.tasks)}

    def order(vote: Vote) -> tuple[tuple[tuple[int, ...], ...], tuple[float, float]]:
        said = tuple((positions[task], *place(space.tasks[task], label)) for task, label in vote.labels)
        return said, vote.level or (1.0, 1.0)

    def place(names: tuple[str, ...], label: Label | LabelSet) -> tuple[int, ...]:
        if isinstance(label, LabelSet):  # after the labels and N/A, negations last
            return (len(names) + 1 + label.negated, *(place(names, each)[0] for each in label.labels))
        return (len(names) if label is None else names.index(label),)

    return tuple(sorted(votes, key=order))


def recode(codes: npt.NDArray[Any], old: Sequence[Vote], new: Sequence[Vote]) -> npt.NDArray[np.signedinteger[Any]]:
    """Codes into ``old`` as codes into ``new``, which contains all votes of ``old``."""
    if tuple(old) == tuple(new[: len(old)]):
        return codes.astype(smallest(len(new)), copy=False)
    recoded: npt.NDArray[np.signedinteger[Any]] = lookup(old, new, smallest(len(new)))[codes]
    return recoded


def lookup(
    old: Sequence[Vote], new: Sequence[Vote], dtype: type[np.signedinteger[Any]]
) -> npt.NDArray[np.signedinteger[Any]]:
    """(values + 1,): the code in ``new`` of each vote in ``old``, −1 if it has none. The last entry, −1, is abstain.

    >>> ham, spam = Vote((("mail", "ham"),)), Vote((("mail", "spam"),))
    >>> lookup([spam, ham], [ham, spam], np.int8).tolist()
    [1, 0, -1]
    """
    position = {vote: code for code, vote in enumerate(new)}
    return np.array([*(position.get(vote, ABSTAIN) for vote in old), ABSTAIN], dtype=dtype)
