"""A column of what one source says, as codes: labels, labels with a confidence, or probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import VoteError
from assay.tasks import LabelSpace, TaskGraph, Vote
from assay.votes.encoding import ABSTAIN, intern, recode, smallest, value_table
from assay.votes.probabilities import SoftReader, most_probable

Codes = npt.NDArray[np.signedinteger[Any]]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Column:
    """What one source says, before levels of confidence are cut."""

    codes: Codes
    """(items,): indices into ``table``, −1 where it abstains."""
    table: tuple[Vote, ...]
    """Its labels."""
    scores: FloatArray | None
    """(items,): how sure it is; None if it is certain of all."""
    given: Any
    """The column as a user gave it, whose index may name the items."""


def probability_column(tasks: TaskGraph, name: str, given: Any) -> Column:
    """A source from ``(task, P)``, or from P alone if there is one task."""
    task, table = given if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str) else (None, given)
    try:
        if task is None and len(tasks) > 1:
            raise VoteError("say which task its probabilities are for: (task, P)")
        known = tasks.tasks[0].name if task is None else task
        labels = tasks.label_space.tasks.get(known)
        if labels is None:
            tasks.label_space.vote({known: None})  # its error names tasks with a similar name
            raise AssertionError("an unknown task is refused")
        codes, scores = most_probable(_in_order(table, labels), len(labels))
    except VoteError as error:
        raise VoteError(f"source {name!r}: {error}") from error
    votes = tuple(Vote(((known, label),)) for label in labels)
    return Column(codes.astype(smallest(len(votes))), votes, scores, table)


def _in_order(table: Any, labels: Sequence[str]) -> Any:
    """The columns of a table in the order of the labels that they are named after."""
    if not hasattr(table, "columns"):
        return table
    named = [str(column) for column in table.columns]
    unknown = [column for column in named if column not in labels]
    missing = [label for label in labels if label not in named]
    if unknown or missing:
        what = f"a column {unknown[0]!r}, which is not a label" if unknown else f"no column {missing[0]!r}"
        raise VoteError(f"expected a column of probabilities for each of {', '.join(labels)}, but there is {what}")
    values = np.asarray(table, dtype=float)
    return values[:, [named.index(label) for label in labels]]


def encode(
    space: LabelSpace, values: Sequence[object], task: str | None = None
) -> tuple[Codes, tuple[Vote, ...], FloatArray | None]:
    """(n,) codes of a column of labels, −1 where missing, the table of the votes they stand for, and (n,) their scores.

    The table lists every label of ``task`` if one is given, so that it does not
    depend on the rows; else it lists the labels that occur. Scores are how sure the source is of each vote; None if
    that is never said.
    """
    numbers, distinct = intern(values)
    read = SoftReader(space, task)
    votes: list[Vote] = []
    place_of: dict[Vote | None, int] = {None: ABSTAIN}
    places, scores = np.full(len(distinct) + 1, ABSTAIN), np.ones(len(distinct) + 1)
    for number, value in enumerate(distinct):
        try:
            vote, scores[number] = read(value)
        except VoteError as error:
            raise VoteError(f"row {int(np.argmax(numbers == number))}: {error}") from error
        if vote is not None and vote not in place_of:
            place_of[vote] = len(votes)
            votes.append(vote)
        places[number] = place_of[vote]
    table = value_table(space, votes, task)
    return recode(places[numbers], votes, table), table, None if (scores == 1).all() else scores[numbers]
