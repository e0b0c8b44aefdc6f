"""Bare matrices of class numbers as votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from assay.errors import VoteError
from assay.tasks import TaskGraph
from assay.votes.matrix import column_names
from assay.votes.names import index_of
from assay.votes.schema import Schema
from assay.votes.votes import Votes


def as_votes(given: Any, cardinality: int | None = None, *, lent: bool = False) -> Votes:
    """Votes unchanged; a bare matrix of class numbers, with −1 for abstain, as votes on one task.

    ``lent``: nobody keeps the votes, nor changes the matrix meanwhile. Then it is not copied where it need not be.

    >>> as_votes([[0, 1], [-1, 2]])
    Votes(2 items × 2 sources, 1 task)
    """
    if isinstance(given, Votes):
        return given
    return Votes._from_matrix(_resampled(given), cardinality, None, None, "label", lent=lent)


def _resampled(matrix: Any) -> Any:
    """A matrix without an index that repeats itself, as that of a resampled table does: it names nothing."""
    index = index_of(matrix)
    return matrix if index is None or index.is_unique else matrix.reset_index(drop=True)


def on_the_same_task(matrix: Any, tasks: TaskGraph, names: Sequence[str] | None = None, *, lent: bool = False) -> Votes:
    """A bare matrix as votes on the only task of a graph, even if some of its classes do not occur."""
    if len(tasks) > 1:
        raise VoteError(f"a matrix holds votes on one task, but the model was fitted on {len(tasks)} tasks; give Votes")
    task = tasks.tasks[0]
    votes = Votes._from_matrix(_resampled(matrix), None, task.labels, None, task.name, lent=lent)
    if names is not None and len(votes.names) != len(names):
        raise VoteError(f"expected a matrix with {len(names)} columns, one per source, but it has {len(votes.names)}")
    if names is None or set(names) == set(column_names(matrix) or ()):
        names = votes.names  # columns that are called like the sources may be in any order
    return replace(votes, schema=replace(votes.schema, tasks=tasks, names=tuple(names)))


def aligned(given: Any, schema: Schema, *, lent: bool = False) -> Votes:
    """Votes, or a bare matrix, with the sources and value tables of a schema; ``lent`` as in :func:`as_votes`."""
    votes = given if isinstance(given, Votes) else on_the_same_task(given, schema.tasks, schema.names, lent=lent)
    return votes.like(schema)
