"""Several votes of one source on one item, where any subset of labels may apply: at most one for each component."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import VoteError
from assay.tasks import LabelSpace, Vote, votes_for
from assay.votes.encoding import canonical, intern, smallest
from assay.votes.sparse_codes import SparseCodes

Said = tuple[npt.NDArray[Any], Sequence[tuple[Vote, ...]]]
"""What one source says: (items,) indices into groups of votes, −1 where it abstains; and these groups."""


def said_in(space: LabelSpace, values: Sequence[object], task: str | None, *, complete: bool = False) -> Said:
    """What a column of labels, or of several at once, says; see :func:`assay.tasks.votes_for`."""
    numbers, distinct = intern(values)
    groups = []
    for number, value in enumerate(distinct):
        try:
            groups.append(votes_for(space, value, task, complete=complete))
        except VoteError as error:
            raise VoteError(f"row {int(np.argmax(numbers == number))}: {error}") from error
    return numbers, groups


def table_of(space: LabelSpace, groups: Sequence[tuple[Vote, ...]]) -> tuple[Vote, ...]:
    """The values of a source, from the groups of votes that it emits."""
    return canonical(space, {vote for group in groups for vote in group})


def cast_votes(items: int, said: Sequence[Said], tables: Sequence[Sequence[Vote]]) -> SparseCodes:
    """The votes of all sources, as codes into their tables, which contain all of them.

    >>> a, b = Vote((("t: a", "a"),)), Vote((("t: b", "b"),))
    >>> cast = cast_votes(2, [(np.array([1, 0]), [(a,), (a, b)])], [[a, b]])
    >>> cast.row.tolist(), cast.codes.tolist()
    ([0, 0, 1], [0, 1, 0])
    """
    groups_of = [groups for _, groups in said]
    # All groups of all sources, numbered one after the other; in the one after the last, nobody votes.
    first = np.cumsum([0, *map(len, groups_of)])
    rows = [np.flatnonzero(numbers >= 0) for numbers, _ in said]
    asked = [first[at] + numbers[row] for at, ((numbers, _), row) in enumerate(zip(said, rows, strict=True))]
    who = [np.full(len(row), source, dtype=np.int32) for source, row in enumerate(rows)]
    return _expanded(items, np.concatenate(rows), np.concatenate(who), np.concatenate(asked), groups_of, tables)


def split_votes(
    cast: SparseCodes, said: Sequence[Sequence[tuple[Vote, ...]]], tables: Sequence[Sequence[Vote]]
) -> SparseCodes:
    """The same votes, where each value of each source stands for several: ``said``, which are in its table."""
    first = np.cumsum([0, *map(len, said)])
    return _expanded(len(cast), cast.row, cast.sources, first[cast.sources] + cast.codes, said, tables)


def _expanded(
    items: int,
    rows: npt.NDArray[Any],
    sources: npt.NDArray[Any],
    numbers: npt.NDArray[Any],
    groups_of: Sequence[Sequence[tuple[Vote, ...]]],
    tables: Sequence[Sequence[Vote]],
) -> SparseCodes:
    """Votes from groups of them: whose group is where, by the numbers of all sources' groups."""
    codes, lengths = [], []
    for groups, table in zip(groups_of, tables, strict=True):
        place = {vote: code for code, vote in enumerate(table)}
        codes += [place[vote] for group in groups for vote in group]
        lengths += [len(group) for group in groups]
    flat, size = np.array(codes, dtype=np.int64), np.array(lengths, dtype=np.int64)
    starts_of = np.cumsum(size) - size
    sizes = size[numbers]
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    row, who = np.repeat(rows, sizes), np.repeat(sources, sizes)
    what = flat[np.repeat(starts_of[numbers], sizes) + within]
    order = np.lexsort((what, who, row))
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=items))]).astype(np.int64)
    dtype = smallest(max(map(len, tables), default=0))
    return SparseCodes(starts, who[order].astype(np.int32), what[order].astype(dtype), len(tables))
