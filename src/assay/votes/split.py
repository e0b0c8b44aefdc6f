"""Votes on many unrelated components, sorted by the component that each speaks about, in one pass over all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from assay.votes.schema import Schema
from assay.votes.sparse_codes import SparseCodes

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SplitVotes:
    """The votes cast, by component. A vote that speaks about several is in each of them."""

    items: int
    ends: IntArray
    """(components + 1,): where the votes on each component start."""
    vote: IntArray
    """(votes,): the number of each among the votes cast; ascending within a component."""
    row: IntArray
    """(votes,): its item."""
    source: npt.NDArray[np.int32]
    """(votes,): who cast it, by its number among the sources of the component,"""
    code: npt.NDArray[np.int32]
    """(votes,): and what it says there, as a code of the component's own schema."""

    @classmethod
    def of(cls, schema: Schema, cast: SparseCodes) -> Self:
        """Sort the votes of a schema."""
        starts, places = schema.places_of_values
        number = schema.offsets[cast.sources] + cast.codes
        sizes = np.diff(starts)[number]
        vote = np.repeat(np.arange(len(number)), sizes)
        place = places[np.repeat(starts[number] - (np.cumsum(sizes) - sizes), sizes) + np.arange(len(vote))]
        order = np.argsort(place[:, 0], kind="stable")
        components = len(schema.label_space.components)
        ends = np.cumsum([0, *np.bincount(place[:, 0], minlength=components)])
        source, code = (place[order, at].astype(np.int32) for at in (1, 2))
        return cls(len(cast), ends, vote[order], cast.row[vote[order]], source, code)

    def of_component(self, index: int, sources: int, dtype: npt.DTypeLike) -> SparseCodes:
        """The votes that speak about one component, which has so many sources."""
        own = slice(int(self.ends[index]), int(self.ends[index + 1]))
        starts = np.concatenate([[0], np.cumsum(np.bincount(self.row[own], minlength=self.items))]).astype(np.int64)
        return SparseCodes(starts, self.source[own], self.code[own].astype(dtype), sources)

    def spoken_about(self) -> Iterator[tuple[int, IntArray]]:
        """The components that some vote speaks about, each with the numbers of these votes among those cast."""
        for index in np.flatnonzero(np.diff(self.ends)).tolist():
            yield index, self.vote[self.ends[index] : self.ends[index + 1]]
