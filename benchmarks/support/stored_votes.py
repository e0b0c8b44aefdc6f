"""Votes and gold in a folder of .npy files, from which every contender's process reads the same.

Simulated votes are drawn block by block: sources are independent given the class, right in
55 to 90 of 100 votes, and wrong in any other class alike. Classes are equally frequent,
as snorkel takes them to be unless told otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

ACCURACY = (0.55, 0.9)
COVERAGE = 0.4
_BLOCK = 100_000
_CHANCES = 2**16
"""Chances are rounded to this many, so that a vote costs two random bytes and a look into a table."""

Codes = npt.NDArray[np.int8]


class LongVotes(NamedTuple):
    """A row for each vote, as crowdsourcing platforms export them."""

    item: npt.NDArray[np.integer]
    source: npt.NDArray[np.integer]
    label: npt.NDArray[np.integer]


@dataclass(frozen=True)
class StoredVotes:
    """What is in a folder of votes."""

    items: int
    sources: int
    classes: int
    long: bool
    """Whether as three columns with a row for each vote, or as a matrix with −1 for an abstention."""

    def write(self, folder: Path, gold: npt.NDArray[Any]) -> None:
        """Say in the folder what is in it."""
        np.save(folder / "gold.npy", gold)
        (folder / "votes.json").write_text(json.dumps(asdict(self)), encoding="utf-8")


def described(folder: Path) -> StoredVotes:
    return StoredVotes(**json.loads((folder / "votes.json").read_text(encoding="utf-8")))


def raw_votes(folder: Path, first: int | None = None) -> Codes | LongVotes:
    """All votes, or those on the first items; a matrix is mapped, not read."""
    if not described(folder).long:
        matrix: Codes = np.load(folder / "votes.npy", mmap_mode="r")[:first]
        return matrix
    columns = LongVotes(*(np.load(folder / f"{name}.npy") for name in LongVotes._fields))
    if first is None:
        return columns
    chosen = columns.item < first
    return LongVotes(*(column[chosen] for column in columns))


def gold_of(folder: Path) -> npt.NDArray[np.integer]:
    gold: npt.NDArray[np.integer] = np.load(folder / "gold.npy")
    return gold


def write_long(folder: Path, votes: LongVotes, gold: npt.NDArray[Any], sources: int, classes: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, column in votes._asdict().items():
        np.save(folder / f"{name}.npy", column)
    StoredVotes(len(gold), sources, classes, long=True).write(folder, gold)


def blocks(
    items: int, sources: int, classes: int, *, coverage: float = COVERAGE, size: int = _BLOCK, seed: int = 0
) -> Iterator[tuple[Codes, npt.NDArray[np.int8]]]:
    """Simulated votes, (rows, sources), and gold, (rows,), of some items at a time."""
    rng = np.random.default_rng(seed)
    tables = _vote_tables(rng.uniform(*ACCURACY, size=sources), coverage, classes)
    for start in range(0, items, size):
        rows = min(size, items - start)
        gold = rng.integers(classes, size=rows, dtype=np.int8)
        by_source = np.empty((sources, rows), dtype=np.int8)
        for source, table in enumerate(tables):
            by_source[source] = table[gold, _chances(rng, rows)]
        yield np.ascontiguousarray(by_source.T), gold


def simulate(folder: Path, items: int, sources: int, classes: int, seed: int = 0) -> None:
    """A folder with a matrix of simulated votes."""
    folder.mkdir(parents=True, exist_ok=True)
    matrix = np.lib.format.open_memmap(folder / "votes.npy", mode="w+", dtype=np.int8, shape=(items, sources))
    gold = np.empty(items, dtype=np.int8)
    start = 0
    for votes, truth in blocks(items, sources, classes, seed=seed):
        matrix[start : start + len(votes)], gold[start : start + len(votes)] = votes, truth
        start += len(votes)
    matrix.flush()
    StoredVotes(items, sources, classes, long=False).write(folder, gold)


def simulate_crowd(folder: Path, items: int, workers: int, votes_an_item: int, classes: int, seed: int = 0) -> None:
    """A folder with long simulated votes, on each item by as many workers, drawn alike."""
    rng = np.random.default_rng(seed)
    right = rng.uniform(*ACCURACY, size=workers)
    gold = rng.integers(classes, size=items, dtype=np.int8)
    asked = _distinct(rng, items, workers, votes_an_item)
    off = rng.integers(1, classes, size=asked.shape, dtype=np.int8)
    said = np.where(rng.random(asked.shape) < right[asked], gold[:, None], (gold[:, None] + off) % classes)
    item = np.repeat(np.arange(items), votes_an_item)
    write_long(folder, LongVotes(item, asked.ravel(), said.ravel()), gold, workers, classes)


def _vote_tables(accuracies: npt.NDArray[np.float64], coverage: float, classes: int) -> list[Codes]:
    """Per source (classes, chances): the vote on an item of a class, for each chance."""
    tables = []
    for accuracy in accuracies:
        table = np.full((classes, _CHANCES), -1, dtype=np.int8)
        for truth in range(classes):
            share = np.full(classes, (1 - accuracy) / (classes - 1))
            share[truth] = accuracy
            ends = np.rint(coverage * _CHANCES * share.cumsum()).astype(int)
            table[truth, : ends[-1]] = np.repeat(np.arange(classes), np.diff(ends, prepend=0))
        tables.append(table)
    return tables


def _chances(rng: np.random.Generator, rows: int) -> npt.NDArray[np.uint16]:
    return np.frombuffer(rng.bytes(2 * rows), dtype=np.uint16)


def _distinct(rng: np.random.Generator, rows: int, among: int, count: int) -> npt.NDArray[np.int32]:
    """(rows, count): numbers below ``among``, none twice in a row; rows with a repetition are drawn again."""
    drawn = rng.integers(among, size=(rows, count), dtype=np.int32)
    while len(again := np.flatnonzero((np.diff(np.sort(drawn, axis=1), axis=1) == 0).any(axis=1))):
        drawn[again] = rng.integers(among, size=(len(again), count), dtype=np.int32)
    return drawn
