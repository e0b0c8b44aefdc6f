"""True labels in any accepted form, as votes of one source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay.errors import VoteError
from assay.tasks import LabelSpace
from assay.votes.encoding import is_missing

if TYPE_CHECKING:
    from assay.votes.votes import Votes


def true_labels(votes: Votes, gold: Any) -> Votes:
    """The true labels of the items of some votes; see :meth:`assay.Votes.gold`."""
    if isinstance(gold, type(votes)):
        truth = gold
    elif isinstance(gold, Mapping):
        truth = votes.from_columns(votes.tasks, {"gold": list(_rows_of(gold))})
    else:
        truth = _from_sequence(votes, gold)
    if truth.shape[1] != 1:
        raise VoteError(f"gold must be votes of one source, but it has {truth.shape[1]}; select one of them")
    if truth.tasks != votes.tasks or len(truth) != len(votes):
        raise VoteError(
            f"gold must have a label (or None) for each of the {len(votes)} items on the same tasks, "
            f"but it has {len(truth)}"
        )
    return truth


def _from_sequence(votes: Votes, gold: Any) -> Votes:
    """From outcome numbers, labels, or dicts over tasks, one per item."""
    if isinstance(gold, np.ndarray) and gold.dtype.kind in "iu" and gold.ndim == 1:
        numbers: npt.NDArray[np.integer] | None = gold
    else:
        gold = list(gold.tolist() if hasattr(gold, "tolist") else gold)
        numbers = _integers(gold)
    if numbers is None or not len(numbers):
        return votes.from_columns(votes.tasks, {"gold": list(gold)})
    # Each distinct outcome is looked up once, not once per item.
    used, which = np.unique(numbers, return_inverse=True)
    outcomes = _outcomes_by_number(votes.label_space, used.tolist())
    return votes.from_columns(votes.tasks, {"gold": outcomes}).take(which)


def _rows_of(columns: Mapping[str, Any]) -> Iterable[dict[str, str] | None]:
    """Dicts over tasks from one column per task; missing labels are left out."""
    lengths = {task: len(column) for task, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise VoteError(f"every task needs one label (or None) per item, but their lengths are {lengths}")
    for row in zip(*(list(column) for column in columns.values()), strict=True):
        yield {task: label for task, label in zip(columns, row, strict=True) if not is_missing(label)} or None


def _integers(labels: list[Any]) -> npt.NDArray[np.integer] | None:
    """Labels as an array, if all of them are integers."""
    are_integers = all(isinstance(label, int | np.integer) and not isinstance(label, bool) for label in labels)
    return np.array(labels, dtype=np.int64) if are_integers else None


def _outcomes_by_number(space: LabelSpace, numbers: list[int]) -> list[dict[str, Any] | None]:
    outcomes = space.outcomes
    for number in numbers:
        if not -1 <= number < len(outcomes):
            raise VoteError(f"expected outcome numbers from 0 to {len(outcomes) - 1}, or -1, but got {number}")
    return [None if number < 0 else outcomes[number] for number in numbers]
