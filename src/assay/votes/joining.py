"""Votes of different sources on the same items, side by side."""

from __future__ import annotations

import numpy as np

from assay.errors import VoteError
from assay.votes.dense_codes import DenseCodes
from assay.votes.schema import Schema
from assay.votes.sparse_codes import SparseCodes
from assay.votes.votes import Store, Votes


def side_by_side(one: Votes, other: Votes) -> Votes:
    """The votes of the sources of both on the same items, in the same order; names are those of the first.

    Raises
    ------
    VoteError
        If they have different tasks, different numbers of items, or a source in common.

    >>> both = side_by_side(Votes.from_matrix([[0], [1]]), Votes.from_matrix([[-1], [1]], names=["new"]))
    >>> both.names, both.codes.tolist()
    (('0', 'new'), [[0, -1], [1, 1]])
    """
    if len(one) != len(other):
        raise VoteError(f"votes side by side need the same items, but there are {len(one):,} and {len(other):,}")
    if one.tasks != other.tasks:
        raise VoteError("votes side by side need the same tasks, but they were made for different ones")
    schema = Schema(one.tasks, one.names + other.names, one.values + other.values)
    if one.is_sparse or other.is_sparse:
        store: Store = _merged(one.cast, other.cast, len(one.names))
    else:
        store = DenseCodes(np.concatenate([one.codes.T, other.codes.T]).T)
    return Votes(schema, store, one.items, one.faults + other.faults, {**one.scores, **other.scores})


def _merged(one: SparseCodes, other: SparseCodes, before: int) -> SparseCodes:
    """Lists of votes cast as one; the sources of the second come ``before`` columns further on."""
    rows = np.concatenate([one.row, other.row])
    order = np.argsort(rows, kind="stable")
    sources = np.concatenate([one.sources, other.sources + before])[order].astype(one.sources.dtype)
    codes = np.concatenate([one.codes, other.codes])[order]
    return SparseCodes(one.starts + other.starts, sources, codes, before + other.width)
