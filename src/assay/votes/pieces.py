"""Votes in pieces: from memory, from Parquet files larger than memory, or from batches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy.typing as npt

from assay._core.parquet import opened
from assay._core.reading import is_file
from assay._core.threads import overlapped
from assay.engine import Engine, Local
from assay.errors import VoteError
from assay.votes.arrow import header_of, stored_names, stored_rows, votes_per_item
from assay.votes.schema import Schema
from assay.votes.votes import Votes

Result = TypeVar("Result")

ITEMS_AT_ONCE = 2**19
"""The most items that a core reads and processes at once; bounds memory use, and does not affect the result."""
VOTES_AT_ONCE = 2**24
"""The most votes, abstentions included, that a core processes at once."""


@dataclass(frozen=True)
class StoredPiece:
    """Some row groups of a Parquet file."""

    path: str
    groups: tuple[int, ...]
    items: int

    def __len__(self) -> int:
        return self.items

    def read(self) -> Iterator[Votes]:
        """Its votes, part by part."""
        return stored_rows(Path(self.path), self.groups, at_once)

    def names(self) -> npt.NDArray[Any] | None:
        """(items,): the names of its items, if they have any."""
        return stored_names(Path(self.path), self.groups)


Piece = Votes | StoredPiece


def map_pieces(place: Engine, job: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
    """The job's results in the order of the pieces. In this process each core does a piece at a time."""
    return overlapped(job, pieces) if isinstance(place, Local) else place.map(job, pieces)


def pieces_of(votes: Any) -> tuple[Iterable[Piece], int | None, bool]:
    """The pieces of votes, the number of items if known, and whether the pieces can be read again."""
    if isinstance(votes, Votes):
        step = at_once(votes.store.mean_votes)
        starts = range(0, max(len(votes), 1), step)
        return [votes.block(s, min(s + step, len(votes))) for s in starts], len(votes), True
    if isinstance(votes, str | Path):
        found = [piece for path in files_of(Path(votes)) for piece in _stored(path)]
        return found, sum(map(len, found)), True
    if isinstance(votes, Iterator):
        return map(_checked, votes), None, False
    if not isinstance(votes, Iterable):
        raise VoteError(f"expected Votes, a path to votes, or batches of Votes, but got {type(votes).__name__}")
    batches = [_checked(batch) for batch in votes]
    return batches, sum(map(len, batches)), True


def read(piece: Piece) -> Iterator[Votes]:
    """The votes of a piece."""
    return iter([piece]) if isinstance(piece, Votes) else piece.read()


def names_of(piece: Piece) -> npt.NDArray[Any] | None:
    """(items,): the names of the items of a piece, if they have any; its votes are not read."""
    return piece.items if isinstance(piece, Votes) else piece.names()


def files_of(path: Path) -> list[Path]:
    """A file, or all Parquet files of a folder in name order."""
    if not is_file(path) and not os.path.isdir(path):
        raise VoteError(f"there is no file or folder {path}")
    if is_file(path):
        return [path]
    found = sorted(path.glob("*.parquet"))
    if not found:
        raise VoteError(f"the folder {path} contains no .parquet files")
    return found


def is_in_pieces(votes: Any) -> bool:
    """Whether votes are given as a path or as batches."""
    if isinstance(votes, str | Path | Iterator):
        return True
    return isinstance(votes, list | tuple) and bool(votes) and isinstance(votes[0], Votes)


def at_once(votes: float) -> int:
    """How many items to process at once, or to keep together in a file, given the number of votes per item."""
    return min(ITEMS_AT_ONCE, max(int(VOTES_AT_ONCE / max(votes, 1)), 1))


def _checked(batch: Any) -> Votes:
    if not isinstance(batch, Votes):
        raise VoteError(f"expected batches of assay.Votes, but got {type(batch).__name__}")
    return batch


def _stored(path: Path) -> Iterator[StoredPiece]:
    """Consecutive row groups, merged up to the number of items processed at once."""
    with opened(path) as file:
        most = at_once(votes_per_item(file.metadata, header_of(file.schema_arrow, str(path))))
        groups: list[int] = []
        items = 0
        for group in range(file.num_row_groups):
            size = file.metadata.row_group(group).num_rows
            if groups and items + size > most:
                yield StoredPiece(str(path), tuple(groups), items)
                groups, items = [], 0
            groups.append(group)
            items += size
        yield StoredPiece(str(path), tuple(groups), items)


def schema_of(piece: Piece) -> Schema:
    """The schema of a piece's votes."""
    if isinstance(piece, Votes):
        return piece.schema
    with opened(Path(piece.path)) as file:
        return header_of(file.schema_arrow, piece.path).schema
