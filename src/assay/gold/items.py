"""Items with gold labels: their votes, and the outcomes that gold allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay._core.stored_arrays import of_type, stored_array
from assay.gold.hand_labels import HandLabels
from assay.votes import Schema, SparseCodes, Votes, item_names

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GoldItems:
    """Items with gold labels, among others without."""

    votes: Votes
    """The votes of the sources on them."""
    truth: Votes
    """Their true labels, as votes of one source."""
    rows: IntArray
    """(items,): their rows among all items, increasing."""
    total: int
    """The number of all items."""
    weights: FloatArray
    """(items,): how many items each stands for, up to a factor: one over the chance that it was chosen with."""

    @classmethod
    def among(cls, votes: Votes, gold: Any) -> GoldItems:
        """The items that have gold; ``gold`` has any form that :meth:`assay.Votes.summary` takes.

        >>> known = GoldItems.among(Votes.from_matrix([[0], [1], [1]]), [-1, 1, -1])
        >>> len(known), known.rows.tolist(), known.allowed(0).tolist()
        (1, [1], [[False, True]])
        """
        truth, weights = truth_of(votes, gold)
        rows = np.flatnonzero(truth.voted)
        return cls(votes.take(rows), truth.take(rows), rows, len(votes), weights[rows])

    def __len__(self) -> int:
        return len(self.votes)

    # Storage

    def to_dict(self) -> dict[str, Any]:
        """What is not in :meth:`arrays`, for JSON."""
        names = self.votes.items
        return {
            "total": self.total,
            "truth": self.truth.schema.to_dict()["sources"],
            "names": None if names is None else names.tolist(),
        }

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The votes and the gold of the items, as plain arrays."""
        cast = self.votes.cast
        return {
            "starts": cast.starts,
            "sources": cast.sources,
            "codes": cast.codes,
            "truth starts": self.truth.cast.starts,
            "truth codes": self.truth.cast.codes,
            "rows": self.rows,
            "weights": self.weights,
        }

    @classmethod
    def from_dict(cls, schema: Schema, stored: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> GoldItems:
        """What :meth:`to_dict` and :meth:`arrays` gave, for votes with a schema; raises if anything is missing."""
        names = None if stored["names"] is None else item_names(of_type(list[int | str], stored["names"]))
        truth = Schema.from_dict({"tasks": schema.tasks.to_dict(), "sources": stored["truth"]})
        cast = SparseCodes.checked(schema, *(arrays[part] for part in ("starts", "sources", "codes")))
        told = arrays["truth codes"]
        known = SparseCodes.checked(truth, arrays["truth starts"], np.zeros(len(told), dtype=np.int32), told)
        if len(known) != len(cast) or (np.diff(known.starts) < 1).any():
            raise ValueError("there must be a true label for each item with gold")
        total = of_type(int, stored["total"])
        rows = stored_array(arrays, "rows", (len(cast),), np.int64, low=0, high=total - 1)
        if (np.diff(rows) <= 0).any():
            raise ValueError("'rows' must be in ascending order, but are not")
        return cls(
            Votes(schema, cast, names),
            Votes(truth, known, names),
            rows,
            total,
            stored_array(arrays, "weights", (len(cast),), low=0),
        )

    def __add__(self, other: GoldItems) -> GoldItems:
        """These, and items of votes that come after all of them."""
        return GoldItems(
            Votes.concat([self.votes, other.votes]).like(self.votes),
            Votes.concat([self.truth, other.truth]),
            np.concatenate([self.rows, self.total + other.rows]),
            self.total + other.total,
            np.concatenate([self.weights, other.weights]),
        )

    def allowed(self, component: int) -> BoolArray:
        """(items, outcomes): the outcomes of a component that gold allows."""
        sets = self.truth.outcome_sets[component]
        everything = np.ones((1, sets.masks.shape[1]), dtype=bool)
        return np.vstack([sets.masks, everything])[self.truth.sets_of(component)]

    def found_in(self, votes: Votes) -> tuple[IntArray, IntArray]:
        """Which of these items are among those of some votes, and their rows there.

        Items with names are found by name. Without, rows are the same if the votes are: as many, and equal on these.
        """
        here = np.arange(len(self))
        if self.votes.items is not None and votes.items is not None:
            return _by_name(self.votes.items, votes.items)
        same = len(votes) == self.total and votes.take(self.rows).cast.same_as(self.votes.cast)
        return (here, self.rows) if same else (here[:0], self.rows[:0])

    def found_between(
        self, start: int, names: npt.NDArray[Any] | None, size: int, total: int | None
    ) -> tuple[IntArray, IntArray]:
        """The same for a part of ``size`` items whose votes are not at hand, from a row on, of so many items in all."""
        if self.votes.items is not None and names is not None:
            return _by_name(self.votes.items, names)
        within = (self.rows >= start) & (self.rows < start + size) & (total == self.total)
        return np.flatnonzero(within), self.rows[within] - start


def truth_of(votes: Votes, gold: Any) -> tuple[Votes, FloatArray]:
    """The gold of the items of some votes, and (items,) how many items each stands for, as far as that is known."""
    weights = gold.weights(votes) if isinstance(gold, HandLabels) else np.ones(len(votes))
    return votes.gold(gold), weights


def _by_name(names: npt.NDArray[Any], items: npt.NDArray[Any]) -> tuple[IntArray, IntArray]:
    place = {name: at for at, name in enumerate(names.tolist())}
    found = [(row, place[name]) for row, name in enumerate(items.tolist()) if name in place]
    rows, here = np.array(found, dtype=np.int64).reshape(-1, 2).T
    return here, rows
