"""Simulated votes on labels of which any subset may apply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import assay
from assay.tasks import Vote, question
from assay.votes import Schema as VoteSchema
from assay.votes import SparseCodes

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

POSITIVE, TWO_SIDED = "positive-only", "two-sided"
TASK = "topics"


@dataclass(frozen=True, eq=False)
class SourceVotes:
    """What one source says of the labels that it can name."""

    kind: str
    labels: npt.NDArray[np.int64]
    yes: BoolArray
    """(items, its labels): whether it names the label."""
    no: BoolArray
    """(items, its labels): whether it says that the label does not apply."""


@dataclass(frozen=True, eq=False)
class ManyLabels:
    """Votes, and the truth."""

    truth: BoolArray
    """(items, labels)."""
    shares: FloatArray
    """(labels,): how common each is."""
    sources: Sequence[SourceVotes]

    def votes(self) -> assay.Votes:
        """The same as Assay takes it."""
        names = [f"label {number:03d}" for number in range(len(self.shares))]
        tasks = assay.TaskGraph([assay.Task(TASK, names, multiple=True)])
        rows, who, what, tables = [], [], [], []
        for at, source in enumerate(self.sources):
            table: list[Vote] = []
            for column, label in enumerate(source.labels):
                asked = question(TASK, names[label])
                answers = [(names[label], source.yes)]
                if source.kind == TWO_SIDED:
                    answers.insert(0, (f"not {names[label]}", source.no))
                for answer, said in answers:
                    found = np.flatnonzero(said[:, column])
                    rows.append(found)
                    who.append(np.full(len(found), at, dtype=np.int32))
                    what.append(np.full(len(found), len(table)))
                    table.append(Vote(((asked, answer),)))
            tables.append(tuple(table))
        row, source_of, code = np.concatenate(rows), np.concatenate(who), np.concatenate(what)
        order = np.lexsort((code, source_of, row))
        starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(self.truth)))]).astype(np.int64)
        schema = VoteSchema(tasks, tuple(f"{one.kind} {at}" for at, one in enumerate(self.sources)), tuple(tables))
        cast = SparseCodes(starts, source_of[order], code[order].astype(schema.code_type), len(tables))
        return assay.Votes(schema, cast)

    def matrix(self, label: int) -> npt.NDArray[np.int64]:
        """(items, sources that can name it): 1 for a vote that the label applies, 0 that it does not, −1 for none."""
        columns = [
            np.where(source.yes[:, at], 1, np.where(source.no[:, at], 0, -1))
            for source in self.sources
            for at in np.flatnonzero(source.labels == label)
        ]
        return np.array(columns, dtype=np.int64).reshape(-1, len(self.truth)).T


def draw(
    seed: int,
    *,
    items: int = 20_000,
    labels: int = 60,
    sources: int = 40,
    kinds: Sequence[str] = (POSITIVE, TWO_SIDED),
    shared: float = 0.0,
    named: tuple[int, int] = (6, 18),
) -> ManyLabels:
    """Labels from 0.5% to 40%; sources that name some of them, find 30 to 80% of those, and err in 5 to 55% of votes.

    Two-sided sources look at 30 to 90% of the items, and also say of most labels that they do not apply. Of the errors
    of all sources, the share ``shared`` falls on the same items.
    """
    rng = np.random.default_rng(seed)
    shares = np.geomspace(0.005, 0.4, labels)
    rng.shuffle(shares)
    truth = rng.random((items, labels)) < shares
    misleading = rng.random((items, labels)) < shares / 2
    found = []
    for at in range(sources):
        kind = kinds[at % len(kinds)]
        count = int(rng.integers(named[0], named[1] + 1))
        own = np.sort(rng.choice(labels, count, replace=False))
        recall, precision, share = rng.uniform(0.3, 0.8, count), rng.uniform(0.45, 0.95, count), shares[own]
        false = np.minimum(recall * share * (1 - precision) / (precision * (1 - share)), 0.5)
        misled = np.minimum(shared * false / (share / 2), 0.9)
        true = truth[:, own]
        chance = np.where(true, recall, (1 - shared) * false + np.where(misleading[:, own], misled, 0.0))
        yes = rng.random(true.shape) < chance
        no = np.zeros_like(yes)
        if kind == TWO_SIDED:
            looks = rng.random((items, 1)) < rng.uniform(0.3, 0.9)
            denies = np.where(true, rng.uniform(0.02, 0.2, count), rng.uniform(0.5, 0.95, count))
            no = looks & ~yes & (rng.random(true.shape) < denies)
            yes &= looks
        found.append(SourceVotes(kind, own, yes, no))
    return ManyLabels(truth, shares, found)


def f1_scores(given: BoolArray, truth: BoolArray) -> tuple[float, float]:
    """Micro and macro F1 of (items, labels) decisions."""
    both, either = (given & truth).sum(axis=0), given.sum(axis=0) + truth.sum(axis=0)
    return float(2 * both.sum() / max(either.sum(), 1)), float((2 * both / np.maximum(either, 1)).mean())
