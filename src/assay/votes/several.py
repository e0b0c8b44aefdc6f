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
    rows, sources, codes = [np.empty(0, np.int64)], [np.empty(0, np.int32)], [np.empty(0, np.int64)]
    for source, ((numbers, groups), table) in enumerate(zip(said, tables, strict=True)):
        place = {vote: code for code, vote in enumerate(table)}
        flat = np.array([place[vote] for group in groups for vote in group], dtype=np.int64)
        lengths = np.array([*map(len, groups), 0], dtype=np.int64)
        first = np.cumsum(np.concatenate([[0], lengths[:-1]]))
        sizes = lengths[numbers]
        within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        rows.append(np.repeat(np.arange(items), sizes))
        sources.append(np.full(len(within), source, dtype=np.int32))
        codes.append(flat[np.repeat(first[numbers], sizes) + within] if len(flat) else within)
    row, who, what = np.concatenate(rows), np.concatenate(sources), np.concatenate(codes)
    order = np.lexsort((what, who, row))
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=items))]).astype(np.int64)
    dtype = smallest(max(map(len, tables), default=0))
    return SparseCodes(starts, who[order], what[order].astype(dtype), len(tables))
