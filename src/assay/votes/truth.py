"""True labels in any accepted form, as votes of one source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from assay.errors import VoteError
from assay.tasks import LabelSpace
from assay.votes.dense_codes import DenseCodes
from assay.votes.encoding import ABSTAIN, is_missing
from assay.votes.names import Names, common_index, index_names, index_of, item_names, rows_named, unknown_items
from assay.votes.sparse_codes import SparseCodes

if TYPE_CHECKING:
    from assay.votes.votes import Votes


@runtime_checkable
class KnowsGold(Protocol):
    """Something that knows the true labels of some items by their names, such as :class:`assay.HandLabels`."""

    def gold_for(self, votes: Votes) -> Votes:
        """The true labels of the items of some votes, as votes of one source."""
        ...


def true_labels(votes: Votes, gold: Any) -> Votes:
    """The true labels of the items of some votes; see :meth:`assay.Votes.gold`."""
    if isinstance(gold, KnowsGold):
        return gold.gold_for(votes)
    truth, names = _with_names(votes, gold)
    if votes.tasks.linked is not None and truth.tasks == votes.tasks.linked:
        truth = truth.unlinked
    elif truth.tasks.linked is not None and truth.tasks.linked == votes.tasks:
        truth = _linked(votes, truth)
    if truth.shape[1] != 1:
        raise VoteError(f"gold must be votes of one source, but it has {truth.shape[1]}; select one of them")
    if truth.tasks == votes.tasks and names is not None and _is_by_name(votes, names):
        return by_name(votes, truth, names)
    if truth.tasks != votes.tasks or len(truth) != len(votes):
        raise VoteError(
            f"gold must have a label (or None) for each of the {len(votes)} items on the same tasks, "
            f"but it has {len(truth)}; for some items only, {_how_to_name(gold)}"
        )
    return truth


def _how_to_name(gold: Any) -> str:
    """How to say which items gold is about."""
    if hasattr(gold, "iloc") and index_of(gold) is None:
        return (
            "its index must name them, and one that only counts from 0 does not: "
            f"if they are the first, say so with index=list(range({len(gold)}))"
        )
    return "give a pandas Series with their names, or row numbers, as its index, or a dict from these to labels"


def by_name(votes: Votes, truth: Votes, names: Names, what: str = "gold") -> Votes:
    """The true labels of some items, given in any order with their names, as those of all items of some votes."""
    rows = rows_named(votes.items, len(votes), names)
    if (rows < 0).any():
        raise unknown_items(names[rows < 0].tolist(), votes.items, len(votes), what)
    return of_some(votes, truth, rows)


def of_some(votes: Votes, truth: Votes, rows: npt.NDArray[np.int64]) -> Votes:
    """The true labels of some items of some votes, given by row, as those of all items."""
    # The items without gold are all like one more, without votes.
    nothing = SparseCodes(np.zeros(2, dtype=np.int64), truth.cast.sources[:0], truth.cast.codes[:0], 1)
    which = np.full(len(votes), len(truth), dtype=np.int64)
    which[rows] = np.arange(len(truth))
    found = SparseCodes.concat([truth.cast, nothing]).take(which)
    store = found if truth.schema.has_several else DenseCodes(found.dense())
    return type(votes)(truth.schema, store, votes.items)


def _is_by_name(votes: Votes, names: Names) -> bool:
    """Whether gold is matched by names: where items have others than gold, or in another order, or more of them.

    Items without names are matched by their order if there is gold for each, whatever it is called: a matrix of
    votes is often made from a table whose index it has lost.
    """
    if votes.items is None:
        return len(names) != len(votes)
    return not np.array_equal(votes.items, names)


def _with_names(votes: Votes, gold: Any) -> tuple[Votes, Names | None]:
    """Gold as votes of one source, and the names of its items if it has any."""
    if isinstance(gold, type(votes)):
        return gold, gold.items
    if isinstance(gold, Mapping) and _is_by_item(votes, gold):
        return _from_sequence(votes, list(gold.values())), item_names(list(gold), "the items of gold")
    if isinstance(gold, Mapping) or (hasattr(gold, "iloc") and hasattr(gold, "columns")):
        columns = [gold[task] for task in gold]
        names = common_index(columns)
        if names is None and columns:
            names = _numbered(votes, columns[0])
        return _whole(votes, list(_rows_of(gold))), names
    names = _numbered(votes, gold) if index_of(gold) is None else _names_of_series(votes, gold)
    return _from_sequence(votes, gold), names


def _is_by_item(votes: Votes, gold: Mapping[Any, Any]) -> bool:
    """Whether a dict goes from items to labels, and not from tasks to columns of these."""
    tasks = {*votes.tasks.names, *(task.name for task in votes.tasks.declared)}
    plain = all(isinstance(value, str | Mapping) or not isinstance(value, Sized) for value in gold.values())
    return bool(gold) and plain and not tasks & set(gold)


def _names_of_series(votes: Votes, gold: Any) -> Names | None:
    # Where names cannot matter, neither does it matter that they repeat.
    return None if votes.items is None and len(gold) == len(votes) else index_names(gold)


def _numbered(votes: Votes, gold: Any) -> Names | None:
    """(gold,): the numbers that a pandas index gives, if items are called by these.

    Such an index mostly only numbers the rows. But items may be called 0, 1, 2, …, and not stand in that order.
    """
    if votes.items is None or votes.items.dtype.kind not in "iu" or not hasattr(gold, "iloc"):
        return None
    numbers: Names = np.arange(len(gold), dtype=np.int64)
    return numbers if np.isin(numbers, votes.items).all() else None


def _from_sequence(votes: Votes, gold: Any) -> Votes:
    """From outcome numbers, labels, or dicts over tasks, one per item."""
    if isinstance(gold, np.ndarray) and gold.ndim == 2 and len(votes.tasks.declared) == 1 and votes.tasks.multiple:
        return _from_table(votes, gold)
    if isinstance(gold, np.ndarray) and gold.dtype.kind in "iu" and gold.ndim == 1:
        numbers: npt.NDArray[np.integer] | None = gold
    else:
        gold = list(gold.tolist() if hasattr(gold, "tolist") else gold)
        numbers = _integers(gold)
    if numbers is None or not len(numbers):
        return _whole(votes, list(gold))
    _outcomes_by_number(votes.label_space, [int(numbers.min()), int(numbers.max())])
    # Each distinct outcome is looked up once, not once per item; and most items may have no gold.
    rows = np.flatnonzero(numbers >= 0)
    known = numbers[rows]
    used = np.flatnonzero(np.bincount(known))
    table = votes.from_columns(votes.tasks, {"gold": [None, *_outcomes_by_number(votes.label_space, used.tolist())]})
    place = np.zeros(int(used.max(initial=0)) + 1, dtype=np.int64)
    place[used] = np.arange(1, len(used) + 1)
    if table.is_sparse:
        chosen = np.zeros(len(numbers), dtype=np.int64)
        chosen[rows] = place[known]
        return table.take(chosen)
    codes = np.full((len(numbers), 1), ABSTAIN, dtype=table.codes.dtype)
    codes[rows] = table.codes[place[known]]
    return type(votes)(table.schema, DenseCodes(codes))


def _whole(votes: Votes, labels: list[Any]) -> Votes:
    """Gold from labels; where any subset may apply, those that are not listed do not."""
    if votes.tasks.multiple:
        return votes._from_lists(votes.tasks, {"gold": labels}, complete=True)
    return votes.from_columns(votes.tasks, {"gold": labels})


def _linked(votes: Votes, truth: Votes) -> Votes:
    """Gold of each label by itself, as gold of the labels that some logic links."""
    rows: list[dict[str, Any] | None] = [None] * len(truth)
    for row, code in zip(truth.cast.row.tolist(), truth.cast.codes.tolist(), strict=True):
        rows[row] = (rows[row] or {}) | dict(truth.values[0][code].labels)
    return _whole(votes, rows)


def _from_table(votes: Votes, gold: npt.NDArray[Any]) -> Votes:
    """From (items, labels) ones and zeros of the only task, any subset of whose labels may apply."""
    ((task, labels),) = votes.tasks.multiple.items()
    if gold.shape[1] != len(labels) or not np.isin(gold, (0, 1)).all():
        raise VoteError(
            f"a table of gold for {task!r} has ones and zeros, a column for each of its {len(labels)} labels, "
            f"but got {gold.dtype} values of shape {gold.shape}"
        )
    names = np.array(labels, dtype=object)
    return _whole(votes, [names[row].tolist() for row in gold.astype(bool)])


def _rows_of(columns: Mapping[str, Any]) -> Iterable[dict[str, str] | None]:
    """Dicts over tasks from one column per task; missing labels are left out."""
    lengths = {task: len(columns[task]) for task in columns}
    if len(set(lengths.values())) > 1:
        raise VoteError(f"every task needs one label (or None) per item, but their lengths are {lengths}")
    rows = zip(*(list(columns[task]) for task in columns), strict=True)
    names = list(columns)

    def said(row: tuple[Any, ...]) -> dict[str, str] | None:
        return {task: label for task, label in zip(names, row, strict=True) if not is_missing(label)} or None

    known: dict[tuple[Any, ...], dict[str, str] | None] = {}
    for row in rows:
        try:
            if row not in known:
                known[row] = said(row)
        except TypeError:  # lists of labels, where any subset may apply
            yield said(row)
        else:
            yield known[row]


def _integers(labels: list[Any]) -> npt.NDArray[np.integer] | None:
    """Labels as an array, −1 where missing, if all others are integers.

    Integers may come as floats, since that is what pandas makes of a column of integers where one is missing.
    """
    known = [label for label in labels if not is_missing(label)]
    if not all(_is_integer(label) for label in known) or (labels and not known):
        return None
    return np.array([-1 if is_missing(label) else int(label) for label in labels], dtype=np.int64)


def _is_integer(label: object) -> bool:
    if isinstance(label, float | np.floating):
        return float(label).is_integer()
    return isinstance(label, int | np.integer) and not isinstance(label, bool)


def _outcomes_by_number(space: LabelSpace, numbers: list[int]) -> list[dict[str, Any] | None]:
    outcomes = space.outcomes
    for number in numbers:
        if not -1 <= number < len(outcomes):
            raise VoteError(f"expected outcome numbers from 0 to {len(outcomes) - 1}, or -1, but got {number}")
    return [None if number < 0 else outcomes[number] for number in numbers]
