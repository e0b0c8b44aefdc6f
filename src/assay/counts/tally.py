"""One pass over votes: how often each is cast, how often two are cast together, and which patterns they make.

Tallies add. Those of any partition of the items, merged in any order, hold the
same integers as that of all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from assay._core.threads import parallel_map, ranges, thread_count
from assay.counts.files import read_counts, write_counts
from assay.counts.patterns import SKETCH_SIZE, Sketch, multipliers, patterns_in
from assay.errors import VoteError
from assay.tasks import TaskGraph, Vote
from assay.votes import Schema, SparseCodes, Votes

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

MAX_VALUES = 2_048
"""With more values than this, of all sources together, co-votes are counted by source and not by value."""

Sum = TypeVar("Sum", "Tally", Sketch)
Number = TypeVar("Number", np.int64, np.float64)

_ITEMS_AT_ONCE = 2**22
_PACKED_COST, _LISTED_COST = 0.3 / 64, 1.5
"""Nanoseconds for a pair of values, counted by bits; and for a pair of votes, counted one by one."""


@dataclass(frozen=True, eq=False)
class Meetings:
    """How often sources vote together on one component, and say the same."""

    overlap: IntArray
    """(sources, sources); the diagonal is how often each votes."""
    agreement: IntArray
    """(sources, sources); the diagonal repeats that."""


@dataclass(frozen=True, eq=False)
class Tally:
    """What was counted."""

    schema: Schema
    """What was counted: the tasks, the sources and their values."""
    items: int
    single: IntArray
    """(values,): how often each value of each source was emitted; sources one after the other."""
    covered: IntArray
    """(components,): how many items have a vote on each component of the label space."""
    sketch: Sketch
    pair: IntArray | None = None
    """(values, values): how often two values were emitted together, unless there are too many values."""
    counted_meetings: tuple[Meetings, ...] | None = field(default=None, repr=False)
    """Per component; where there are too many values for ``pair``."""

    @classmethod
    def of(cls, votes: Votes, size: int = SKETCH_SIZE) -> Tally:
        """Count votes, and keep a sketch of their patterns of at most the given size.

        >>> tally = Tally.of(Votes.from_matrix([[0, 1], [1, 1], [0, -1]]))
        >>> tally.items, tally.single.tolist(), tally.pair[0].tolist()
        (3, [2, 1, 0, 2], [2, 0, 0, 1])
        """
        return count(lambda: blocks(votes), size)

    @classmethod
    def zero(cls, schema: Schema, size: int = SKETCH_SIZE) -> Tally:
        """No items."""
        return _counted(Votes(schema, SparseCodes.empty(len(schema.names))), size)

    def __add__(self, other: Tally) -> Tally:
        if self.schema != other.schema:
            raise VoteError("only counts of the same tasks, sources and values can be added")
        meetings = None
        if self.counted_meetings is not None and other.counted_meetings is not None:
            meetings = tuple(
                Meetings(one.overlap + two.overlap, one.agreement + two.agreement)
                for one, two in zip(self.counted_meetings, other.counted_meetings, strict=True)
            )
        return Tally(
            self.schema,
            self.items + other.items,
            self.single + other.single,
            self.covered + other.covered,
            self.sketch + other.sketch,
            None if self.pair is None or other.pair is None else self.pair + other.pair,
            meetings,
        )

    def save(self, path: str | Path) -> Path:
        """Write the counts to one ``.npz`` file of plain arrays and JSON; :meth:`load` restores them exactly."""
        return write_counts(path, self.schema, self.arrays())

    @classmethod
    def load(cls, path: str | Path) -> Tally:
        """Counts from a file that :meth:`save` wrote."""
        schema, arrays = read_counts(path)
        try:
            return cls.from_arrays(schema, arrays)
        except (KeyError, ValueError) as error:
            raise VoteError(f"{path} is not a valid counts file, or it is damaged: {error}") from error

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All that was counted, for a file."""
        arrays = {"items": np.array(self.items), "single": self.single, "covered": self.covered}
        if self.pair is not None:
            arrays["pair"] = self.pair
        for component, meetings in enumerate(self.counted_meetings or ()):
            arrays[f"overlap {component}"] = meetings.overlap
            arrays[f"agreement {component}"] = meetings.agreement
        return arrays | self.sketch.arrays("pattern")

    @classmethod
    def from_arrays(cls, schema: Schema, arrays: Mapping[str, npt.NDArray[Any]]) -> Tally:
        """What :meth:`arrays` was taken from; raises KeyError or ValueError if that cannot be."""
        meetings = None
        if "pair" not in arrays:
            meetings = tuple(
                Meetings(arrays[f"overlap {component}"], arrays[f"agreement {component}"])
                for component in range(len(schema.label_space.components))
            )
        tally = cls(
            schema,
            int(arrays["items"]),
            arrays["single"],
            arrays["covered"],
            Sketch.from_arrays(arrays, "pattern", len(schema.names)),
            arrays.get("pair"),
            meetings,
        )
        if not tally._is_whole:
            raise ValueError("what was counted does not fit together")
        return tally

    @property
    def _is_whole(self) -> bool:
        """Whether arrays have the lengths that they should have."""
        values, sources = self.schema.value_count, len(self.names)
        sketches = [sketch for sketch in (self.sketch, self.sketch.frequent) if sketch is not None]
        return (
            self.single.shape == (values,)
            and self.covered.shape == (len(self.schema.label_space.components),)
            and (self.pair is None or self.pair.shape == (values, values))
            and all(
                part.overlap.shape == part.agreement.shape == (sources, sources) for part in self.counted_meetings or ()
            )
            and all(
                len(sketch.keys) == len(sketch.counts) == len(sketch.rows)
                and int(sketch.rows.starts[-1]) == len(sketch.rows.sources) == len(sketch.rows.codes)
                for sketch in sketches
            )
        )

    def __repr__(self) -> str:
        return f"Tally({self.items:,} items × {len(self.names):,} sources, {int(self.single.sum()):,} votes)"

    @property
    def tasks(self) -> TaskGraph:
        """The task graph."""
        return self.schema.tasks

    @property
    def names(self) -> tuple[str, ...]:
        """The sources."""
        return self.schema.names

    @property
    def values(self) -> tuple[tuple[Vote, ...], ...]:
        """Per source the votes it can emit."""
        return self.schema.values

    @cached_property
    def uses(self) -> tuple[IntArray, ...]:
        """Per source (values + 1,): how often it emitted each value; the last is abstain."""
        parts = [self.single[start:stop] for start, stop in pairwise(self.schema.offsets)]
        return tuple(np.append(part, self.items - part.sum()) for part in parts)

    def meetings(self, component: int, *, compatible: bool = False) -> Meetings:
        """How often sources vote together on one component, and say the same.

        With ``compatible`` also what can both be true counts as the same, unless there are too many values to tell.
        """
        if self.counted_meetings is not None:
            return self.counted_meetings[component]
        assert self.pair is not None
        sets = self.schema.outcome_sets[component]
        says = sets.of_value
        speaks = says >= 0
        if compatible:
            masks = sets.masks.astype(np.float32)
            common = np.pad(masks @ masks.T > 0, (0, 1))  # what says nothing has nothing in common
            same = common[says][:, says]
        else:
            same = (says[:, None] == says[None]) & speaks[:, None]
        offsets = self.schema.offsets
        return Meetings(
            sums_by_source(self.pair * (speaks[:, None] & speaks[None]), offsets),
            sums_by_source(self.pair * same, offsets),
        )

    def corresponds(self, component: int, one: int, other: int) -> bool:
        """Whether two sources that vote on the same items say things that correspond one to one."""
        if self.pair is None:
            # Not counted by value; then only sources that say the very same are known to correspond.
            meetings = self.meetings(component)
            return bool(meetings.agreement[one, other] == meetings.overlap[one, other])
        says, offsets = self.schema.outcome_sets[component].of_value, self.schema.offsets
        own, others = (np.arange(offsets[j], offsets[j + 1]) for j in (one, other))
        together = _gathered(self.pair[np.ix_(own, others)], says[own], says[others]) > 0
        return bool((together.sum(axis=0) <= 1).all() and (together.sum(axis=1) <= 1).all())


def _gathered(counts: IntArray, rows: npt.NDArray[np.int32], columns: npt.NDArray[np.int32]) -> IntArray:
    """Counts added up over rows, and columns, that say the same; those that say nothing left out."""
    spoken, heard = np.unique(rows[rows >= 0]), np.unique(columns[columns >= 0])
    total: IntArray = (spoken[:, None] == rows).astype(np.int64) @ counts @ (columns[:, None] == heard).astype(np.int64)
    return total


def count(parts: Callable[[], Iterable[Votes]], size: int = SKETCH_SIZE) -> Tally:
    """Count the votes of all parts, which are gone through once more if frequent patterns were not seen from the start.

    Raises
    ------
    VoteError
        If there are no parts, or parts of different sources.
    """
    total = _sum(_counted(part, size) for part in parts())
    if not total.sketch.needs_a_second_look:
        return total
    frequent = _sum(look_again(part, total.sketch.crowded) for part in parts())
    return replace(total, sketch=total.sketch.with_frequent(frequent))


def count_part(votes: Votes, size: int = SKETCH_SIZE) -> Tally:
    """Count one part of the votes, without a second look."""
    return _sum(_counted(block, size) for block in blocks(votes))


def look_again(votes: Votes, crowded: BoolArray) -> Sketch:
    """The frequent patterns of one part of the votes."""
    return patterns_in(crowded, hashes_of(votes), _lister(votes))


def blocks(votes: Votes) -> Iterator[Votes]:
    """Votes in pieces that are counted at once."""
    for start in range(0, max(len(votes), 1), _ITEMS_AT_ONCE):
        yield votes.block(start, min(start + _ITEMS_AT_ONCE, len(votes)))


def _sum(parts: Iterable[Sum]) -> Sum:
    total: Sum | None = None
    for part in parts:
        total = part if total is None else total + part
    if total is None:
        raise VoteError("there is nothing to count: expected at least one Votes")
    return total


def _counted(votes: Votes, size: int) -> Tally:
    n, m = votes.shape
    first = votes.schema.offsets
    groups = np.array([sets.of_value >= 0 for sets in votes.outcome_sets], dtype=np.int64)
    pieces = ranges(n, thread_count(), step=16_384)
    by_value = first[-1] <= MAX_VALUES
    meetings = None
    pair = None
    if by_value:
        found = parallel_map(lambda rows: _pairs(votes.block(rows.start, rows.stop), first, groups), pieces)
        upper = sum((counts for counts, _ in found), np.zeros((first[-1], first[-1]), dtype=np.int64))
        pair = upper + np.triu(upper, 1).T
        single = upper.diagonal().copy()
        covered = sum((items for _, items in found), np.zeros(len(groups), dtype=np.int64))
    else:
        single = np.bincount(first[votes.cast.sources] + votes.cast.codes, minlength=first[-1]).astype(np.int64)
        counted = [_meet(votes, first, component) for component in range(len(groups))]
        meetings = tuple(found for found, _ in counted)
        covered = np.array([items for _, items in counted], dtype=np.int64)
    if size:
        sketch = Sketch.of(hashes_of(votes), _lister(votes), int(single.sum()), size)
    else:
        sketch = Sketch.zero(m, size)
    return Tally(votes.schema, n, single, covered, sketch, pair, meetings)


def _pairs(votes: Votes, first: IntArray, groups: IntArray) -> tuple[IntArray, IntArray]:
    """(values, values) on and above the diagonal, and (groups,): the items with a vote."""
    from assay._core import counting_loops

    pair = np.zeros((first[-1], first[-1]), dtype=np.int64)
    covered = np.zeros(len(groups), dtype=np.int64)
    if not votes.is_sparse and votes.codes.dtype == np.int8:
        some = votes.codes[:: max(len(votes) // 1_000, 1)]
        usual = float((some >= 0).sum(axis=1).mean()) if len(some) else 0.0
        if first[-1] ** 2 / 2 * _PACKED_COST <= usual**2 / 2 * _LISTED_COST + 10 * usual:
            counting_loops.count_packed(votes.codes.T, first, groups, pair, covered)
            return pair, covered
    cast = votes.cast
    counting_loops.count_listed(cast.starts, _numbered(cast, first), groups, pair, covered)
    return pair, covered


def _meet(votes: Votes, first: IntArray, component: int) -> tuple[Meetings, int]:
    from assay._core import counting_loops

    cast = votes.cast
    says = votes.outcome_sets[component].of_value[_numbered(cast, first)]
    overlap, agreement = (np.zeros((len(votes.names), len(votes.names)), dtype=np.int64) for _ in range(2))
    covered = counting_loops.count_meetings(cast.starts, cast.sources, says, overlap, agreement)
    for counts in (overlap, agreement):
        counts += np.triu(counts, 1).T
    return Meetings(overlap, agreement), covered


def _numbered(cast: SparseCodes, first: IntArray) -> npt.NDArray[np.int32]:
    """(votes,): the number of each one's value, sources one after the other."""
    numbers: npt.NDArray[np.int32] = first[:-1].astype(np.int32)[cast.sources] + cast.codes
    return numbers.astype(np.int32, copy=False)


def hashes_of(votes: Votes) -> npt.NDArray[np.uint64]:
    """(items,): the hashes of their rows, by which patterns are known."""
    factors = multipliers(votes.names)
    hashes = np.empty(len(votes), dtype=np.uint64)

    def fill(rows: slice) -> None:
        votes.store.block(rows.start, rows.stop).hashes(factors, hashes[rows])

    parallel_map(fill, ranges(len(votes), thread_count(), step=2_048))
    return hashes


def _lister(votes: Votes) -> Callable[[IntArray], SparseCodes]:
    """Gives the votes of rows by number."""
    if votes.is_sparse:
        return votes.cast.take
    none = SparseCodes.empty(len(votes.names), votes.schema.code_type)
    return lambda rows: SparseCodes.concat(
        [none, *parallel_map(lambda part: SparseCodes.of(votes.codes, rows[part]), ranges(len(rows), thread_count()))]
    )


def sums_by_source(cells: npt.NDArray[Number], offsets: IntArray) -> npt.NDArray[Number]:
    """(sources, sources): sums of (values, values) cells, values being numbered one source after the other.

    >>> sums_by_source(np.arange(9).reshape(3, 3), np.array([0, 2, 3])).tolist()
    [[8, 7], [13, 8]]
    """
    sums = np.zeros((len(offsets) - 1, len(offsets) - 1), dtype=cells.dtype)
    some = np.flatnonzero(np.diff(offsets))  # a source without values has nothing to add up
    if len(some):
        first = offsets[some]
        sums[np.ix_(some, some)] = np.add.reduceat(np.add.reduceat(cells, first, axis=0), first, axis=1)
    return sums
