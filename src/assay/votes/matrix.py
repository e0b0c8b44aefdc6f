"""Matrices of class numbers, dense or sparse, as codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import VoteError
from assay.tasks import Task, Vote
from assay.votes.dense_codes import DenseCodes
from assay.votes.encoding import ABSTAIN, smallest
from assay.votes.long_form import looks_long
from assay.votes.sparse_codes import CodeArray, SparseCodes

_MANY = 10_000
"""From this many codes on, bytes that lie row by row are turned by a compiled loop."""


def codes_of_matrix(
    matrix: Any, classes: int | None, *, lent: bool = False
) -> tuple[CodeArray | SparseCodes | DenseCodes, int, int]:
    """The codes of an (items, sources) matrix of class numbers, the number of classes, and the number of sources.

    Parameters
    ----------
    matrix
        Integers from 0, and −1 for abstain; or a SciPy sparse matrix.
    classes
        The number of classes, if known; else as many as the matrix needs, and at least two.
    lent
        Whether bytes may be left where they are: nobody keeps them, nor changes the matrix meanwhile.
    """
    cast = _sparse(matrix)
    given: CodeArray | SparseCodes = _dense(matrix) if cast is None else cast
    turned: DenseCodes | None = None
    if isinstance(given, np.ndarray) and _lies_in_bytes(given):
        # Turned once, while it is looked at: this is most of the time that a matrix takes.
        turned, lowest, highest = DenseCodes.lent(given) if lent else DenseCodes.of_bytes(given)
    else:
        codes = given.codes if isinstance(given, SparseCodes) else given
        highest, lowest = int(codes.max(initial=ABSTAIN)), int(codes.min(initial=ABSTAIN))
    if lowest < ABSTAIN:
        raise VoteError(
            f"expected class numbers from 0, or -1 for abstain, but the matrix holds {lowest}; "
            "map every abstention to -1"
        )
    if classes is None and isinstance(given, np.ndarray):
        _refuse_long_table(given, column_names(matrix))
    count = max(highest + 1, 2) if classes is None else classes
    if count < 1 or highest >= count:
        raise VoteError(
            f"expected class numbers below {count}, the number of classes, but the matrix holds {highest}; "
            "classes are numbered from 0"
        )
    return turned or given, count, given.width if isinstance(given, SparseCodes) else given.shape[1]


def class_numbers(task: Task, said: Iterable[tuple[str, Sequence[Vote], CodeArray]]) -> CodeArray:
    """(items, sources): the class numbers of a task, −1 for abstain.

    Parameters
    ----------
    said
        Per source its name, its values, and (items,) its codes.
    """
    number: dict[Any, int] = {((task.name, label),): place for place, label in enumerate(task.labels)}
    columns = []
    for name, table, codes in said:
        for vote in table:
            if vote.labels not in number:
                raise VoteError(
                    f"source {name!r} says {str(vote)!r}, which is no label of task {task.name!r} but a set of them, "
                    "so that it has no class number; to_pandas() has it"
                )
        numbers = [*(number[vote.labels] for vote in table), ABSTAIN]
        columns.append(np.array(numbers, dtype=smallest(len(number)))[codes])
    return np.column_stack(columns)


def _lies_in_bytes(codes: CodeArray) -> bool:
    """Whether it is a large matrix of bytes, row by row."""
    return codes.dtype == np.int8 and codes.flags.c_contiguous and codes.size >= _MANY


def column_names(matrix: Any) -> list[str] | None:
    """The names of a table's columns, if it has any: texts, and not numbers."""
    columns = getattr(matrix, "columns", None)
    names = None if columns is None else list(columns)
    return names if names and all(isinstance(name, str) for name in names) else None


_MANY_CLASSES = 20
"""Fewer classes than this do not look like the numbers of items or workers."""


def _refuse_long_table(codes: CodeArray, names: list[str] | None) -> None:
    """Refuse a table of votes, one a row, as it would be read as a matrix of as many classes as there are items."""
    if codes.shape[1] not in (3, 4) or not len(codes):
        return
    highest = codes.max(axis=0)
    # Each item and worker has a row of its own, and the labels are far fewer.
    pairs = len(np.unique(codes[:, :2], axis=0)) == len(codes) > len(np.unique(codes[:, 0]))
    looks = codes.min() >= 0 and highest.max() >= _MANY_CLASSES and 4 * highest[2] < highest[:2].max() and pairs
    if looks or looks_long(names or ()):
        raise long_table_error("cardinality= if it is a matrix")


def long_table_error(otherwise: str) -> VoteError:
    """What to say to whoever gives a long table in place of a matrix."""
    return VoteError(
        "this looks like a long table, with an item, a worker and a label in each row, but a matrix of items × "
        "sources was expected; use assay.aggregate(table), or Votes.from_long(table, item=..., source=..., label=...); "
        f"or give {otherwise}"
    )


def _sparse(matrix: Any) -> SparseCodes | None:
    """The votes of a SciPy sparse matrix in the sparse convention, if they are few enough to be stored as a list."""
    if not hasattr(matrix, "tocsr") or matrix.ndim != 2:
        return None
    rows = _canonical(matrix)
    stored = _integers(np.asarray(rows.data))
    if stored is None or (stored < 0).any():
        return None
    cast = SparseCodes(
        rows.indptr.astype(np.int64), rows.indices.astype(np.int32), stored.astype(np.int64) - 1, rows.shape[1]
    )
    return cast.keep(stored > 0) if cast.is_worth_listing else None


def _dense(matrix: Any) -> CodeArray:
    """Any matrix of integers as an array in which −1 abstains."""
    if hasattr(matrix, "tocsr"):
        sparse = _canonical(matrix).tocoo()
        stored = np.asarray(sparse.data)
        if (stored < 0).any():
            codes = np.asarray(sparse.toarray())
        else:
            codes = np.full(sparse.shape, ABSTAIN, dtype=np.result_type(stored, np.int64))
            codes[sparse.row, sparse.col] = stored - codes.dtype.type(1)
    else:
        codes = np.asarray(matrix)
    if codes.ndim != 2:
        raise VoteError(f"expected a matrix of items × sources, but its shape is {codes.shape}")
    if codes.dtype.kind != "i":
        integers = _integers(codes)
        if integers is None:
            if looks_long(column_names(matrix) or ()):
                raise long_table_error("class numbers, if it is a matrix")
            raise VoteError(
                f"expected integer class numbers, -1 for abstain, but the matrix holds {codes.dtype}; "
                "for label names use Votes.from_columns"
            )
        codes = integers
    return codes


def _canonical(matrix: Any) -> Any:
    """A SciPy sparse matrix by rows, with sorted columns and duplicate entries summed."""
    rows = matrix.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def _integers(numbers: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
    """The same numbers as integers, or None if some are not."""
    if numbers.dtype.kind in "iu":
        return numbers.astype(np.int64, copy=False)
    if numbers.dtype.kind not in "bf" or not np.isfinite(numbers).all():
        return None
    integers = numbers.astype(np.int64)
    return integers if (integers == numbers).all() else None
