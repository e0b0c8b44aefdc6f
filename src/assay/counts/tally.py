"""One pass over votes: counts of votes, co-votes and vote patterns.

Tallies add. The tallies of any partition of the items, merged in any order, have the
same integers as the tally of all items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from assay._core.memory import check_memory
from assay._core.reading import reading
from assay._core.stored_arrays import stored_array
from assay._core.threads import parallel_map, ranges, thread_count
from assay.counts.block_counts import (
    Overlaps,
    count_meetings,
    count_overlaps,
    emitted,
    hashes_of,
    numbered,
    sums_by_source,
)
from assay.counts.files import read_counts, write_counts
from assay.counts.meetings import Meetings, most_meetings
from assay.counts.patterns import EVERYTHING, SKETCH_SIZE, Sketch, multipliers, patterns_in
from assay.errors import VoteError
from assay.votes import DenseCodes, HasSchema, PossibleRows, Schema, SparseCodes, Votes

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

MAX_VALUES = 2_048
"""With more values than this, over all sources, co-votes are counted by source and not by value."""

MAX_TABLED = 2_048
"""With more sources than this, and too many values, co-votes are counted only of the pairs that meet."""

Crowded = tuple[BoolArray | None, ...]
"""Per sketch which of its buckets have frequent patterns, if any do: one sketch, or one a component."""
Frequent = tuple[Sketch | None, ...]
"""The frequent patterns found in these."""

Sum = TypeVar("Sum", "Tally", Sketch)

_ITEMS_AT_ONCE = 2**22
_LEAST_SKETCH = 2**16
"""The least size of the sketch of one of many components."""
_PACKED_COST, _LISTED_COST = 0.3 / 64, 1.5
"""Nanoseconds per item for a pair of values, counted in packed bits; and for a pair of votes, counted one by one."""

_MATRICES, _LISTS = 4, 12
"""How many numbers for each two sources are in memory while these are counted, in tables or in lists."""


@dataclass(frozen=True, eq=False)
class Tally(HasSchema):
    """Counts of votes."""

    schema: Schema
    """The tasks, the sources and their values."""
    items: int
    single: IntArray
    """(values,): how often each value of each source was emitted."""
    covered: IntArray
    """(components,): how many items have a vote on each component of the label space."""
    sketch: Sketch
    pair: IntArray | None = None
    """(values, values): how often two values were emitted together, unless there are too many values."""
    counted_overlaps: tuple[Overlaps, ...] | None = field(default=None, repr=False)
    """Per component; only if there are too many values for ``pair``."""
    meetings: tuple[Meetings, ...] | None = field(default=None, repr=False)
    """Per component, in place of these; only if there are too many sources for tables."""
    parts: tuple[Tally, ...] | None = field(default=None, repr=False)
    """The counts of each component by itself, in place of pairs, if they are taken apart. Models are fitted to their
    patterns; those of whole rows are for reports, and there are none where any subset of labels may apply."""

    @classmethod
    def of_parts(cls, schema: Schema, parts: Sequence[Tally], single: IntArray, sketch: Sketch | None = None) -> Tally:
        """The counts of all components, from those of each, of how often each value was emitted, and of whole rows."""
        covered = np.array([part.covered[0] for part in parts], dtype=np.int64)
        rows = Sketch.zero(len(schema.names), 0) if sketch is None else sketch
        return cls(schema, parts[0].items, single, covered, rows, parts=tuple(parts))

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
        if self.parts is not None and other.parts is not None:
            parts = [a + b for a, b in zip(self.parts, other.parts, strict=True)]
            return Tally.of_parts(self.schema, parts, self.single + other.single, self.sketch + other.sketch)
        if self.parts is not None or other.parts is not None:
            raise VoteError(
                f"some of these counts of {len(self.covered):,} unrelated components were made by an earlier version, "
                "which counted them together; count all votes again"
            )
        overlaps = None
        if self.counted_overlaps is not None and other.counted_overlaps is not None:
            overlaps = tuple(
                Overlaps(one.overlap + two.overlap, one.agreement + two.agreement)
                for one, two in zip(self.counted_overlaps, other.counted_overlaps, strict=True)
            )
        return Tally(
            self.schema,
            self.items + other.items,
            self.single + other.single,
            self.covered + other.covered,
            self.sketch + other.sketch,
            None if self.pair is None or other.pair is None else self.pair + other.pair,
            overlaps,
            None
            if self.meetings is None or other.meetings is None
            else tuple(one + two for one, two in zip(self.meetings, other.meetings, strict=True)),
        )

    def save(self, path: str | Path) -> Path:
        """Write the counts to one ``.npz`` file of plain arrays and JSON; :meth:`load` restores them exactly."""
        return write_counts(path, self.schema, self.arrays())

    @classmethod
    def load(cls, path: str | Path) -> Tally:
        """Counts from a file that :meth:`save` wrote."""
        with reading(path, "counts file", VoteError):
            return cls.from_arrays(*read_counts(path))

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Its contents, for a file."""
        if self.parts is not None:
            named = [(index, part.arrays()) for index, part in enumerate(self.parts)]
            of_parts = {f"part {index} {name}": array for index, arrays in named for name, array in arrays.items()}
            return {"single": self.single} | of_parts | (self.sketch.arrays("pattern") if self.sketch.size else {})
        arrays = {"items": np.array(self.items), "single": self.single, "covered": self.covered}
        if self.pair is not None:
            arrays["pair"] = self.pair
        for component, overlaps in enumerate(self.counted_overlaps or ()):
            arrays[f"overlap {component}"] = overlaps.overlap
            arrays[f"agreement {component}"] = overlaps.agreement
        for component, met in enumerate(self.meetings or ()):
            arrays[f"pairs {component}"] = met.pairs
            arrays[f"overlap {component}"] = met.overlap
            arrays[f"agreement {component}"] = met.agreement
        return arrays | self.sketch.arrays("pattern")

    @classmethod
    def from_arrays(cls, schema: Schema, arrays: Mapping[str, npt.NDArray[Any]]) -> Tally:
        """The tally that :meth:`arrays` describes; raises KeyError or ValueError if the arrays are not valid."""
        if schema.is_taken_apart and ("part 0 items" in arrays or schema.has_several):
            return _stored_parts(schema, arrays)
        values, sources, components = schema.value_count, len(schema.names), len(schema.label_space.components)
        items = int(stored_array(arrays, "items", (), np.int64, low=0))

        def counts(name: str, *shape: int) -> IntArray:
            return stored_array(arrays, name, shape, np.int64, low=0, high=items)

        single = counts("single", values)
        pair, overlaps, meetings = None, None, None
        if "pair" in arrays:
            pair = counts("pair", values, values)
            if not (np.array_equal(pair.diagonal(), single) and np.array_equal(pair, pair.T)):
                raise ValueError("'pair' must be symmetric, with 'single' on its diagonal, but is not")
        elif sources > MAX_TABLED:
            meetings = tuple(_stored_meetings(arrays, part, sources, items) for part in range(components))
        else:
            overlaps = tuple(
                Overlaps(counts(f"overlap {part}", sources, sources), counts(f"agreement {part}", sources, sources))
                for part in range(components)
            )
        sketch = Sketch.from_arrays(arrays, "pattern", schema, items)
        if sketch.size and sketch.items != items:
            raise ValueError(f"its vote patterns are of {sketch.items:,} items, but there are {items:,}")
        if any(part.sum() > items for part in np.split(single, schema.offsets[1:-1])):
            raise ValueError("a source cannot have voted on more items than there are")
        return cls(schema, items, single, counts("covered", components), sketch, pair, overlaps, meetings)

    def __repr__(self) -> str:
        return f"Tally({self.items:,} items × {len(self.names):,} sources, {int(self.single.sum()):,} votes)"

    @cached_property
    def uses(self) -> tuple[IntArray, ...]:
        """Per source (values + 1,): how often it emitted each value; the last is abstain.

        Where any subset of labels may apply, a source that votes more often than there are items never abstains.
        """
        parts = [self.single[start:stop] for start, stop in pairwise(self.schema.offsets)]
        return tuple(np.append(part, max(self.items - part.sum(), 0)) for part in parts)

    def of_component(self, component: int) -> tuple[Tally, int, IntArray]:
        """The counts that a component is in, its number there, and the columns in all votes of the sources there."""
        if self.parts is None:
            return self, component, np.arange(len(self.names))
        return self.parts[component], 0, self.schema.places[component].sources

    def each_component(self) -> Iterator[tuple[Tally, int, IntArray]]:
        """The same of each component in turn."""
        return map(self.of_component, range(len(self.label_space.components)))

    @property
    def needs_second_pass(self) -> bool:
        """Whether some frequent patterns may not have been counted over all items."""
        return any(sketch.needs_second_pass for sketch in self._sketches)

    @property
    def crowded(self) -> Crowded:
        """Where frequent patterns are looked for in a second pass."""
        return tuple(sketch.crowded if sketch.needs_second_pass else None for sketch in self._sketches)

    @property
    def _sketches(self) -> list[Sketch]:
        """That of whole rows, and if components are taken apart that of each."""
        return [self.sketch, *(part.sketch for part in self.parts or ())]

    def with_frequent(self, frequent: Frequent) -> Tally:
        """The same with frequent patterns that were counted over all items."""
        whole, *others = frequent
        known = self if whole is None else replace(self, sketch=self.sketch.with_frequent(whole))
        if self.parts is None:
            return known
        parts = (part.with_frequent((found,)) for part, found in zip(self.parts, others, strict=True))
        return replace(known, parts=tuple(parts))

    def overlaps(self, component: int, *, compatible: bool = False, among: IntArray | None = None) -> Overlaps:
        """How often two sources vote on the same item of one component, and how often they agree.

        With ``compatible``, votes that can both be true count as agreement too, unless there are too many values.
        ``among`` are the sources to tell of, ascending; by default all.

        Raises
        ------
        VoteError
            If a table of so many sources would not fit into memory.
        """
        if among is not None and self.meetings is None:
            whole, chosen = self.overlaps(component, compatible=compatible), np.ix_(among, among)
            return Overlaps(whole.overlap[chosen], whole.agreement[chosen])
        if self.meetings is not None:
            met = self.meetings[component]
            told = np.arange(len(self.names)) if among is None else among
            check_memory(
                8 * _MATRICES * len(told) ** 2,
                f"a table of the co-votes of {len(told):,} sources",
                "keep those that vote most often: votes.select([...])",
                VoteError,
            )
            return Overlaps(met.table(met.overlap, told), met.table(met.agreement, told))
        if self.parts is not None:
            part, _, columns = self.of_component(component)
            found = part.overlaps(0, compatible=compatible)
            return Overlaps(*(_among(counts, columns, len(self.names)) for counts in (found.overlap, found.agreement)))
        if self.counted_overlaps is not None:
            return self.counted_overlaps[component]
        assert self.pair is not None
        sets = self.schema.outcome_sets[component]
        says = sets.of_value
        speaks = says >= 0
        if compatible:
            masks = sets.masks.astype(np.float32)
            common = np.pad(masks @ masks.T > 0, (0, 1))  # a vote on other components (−1) agrees with none
            same = common[says][:, says]
        else:
            same = (says[:, None] == says[None]) & speaks[:, None]
        offsets = self.schema.offsets
        return Overlaps(
            sums_by_source(self.pair * (speaks[:, None] & speaks[None]), offsets),
            sums_by_source(self.pair * same, offsets),
        )

    def met(self, component: int, among: IntArray) -> tuple[IntArray, IntArray]:
        """(pairs,) each: two sources that vote on some common item, as positions in ``among``, the first one first."""
        if self.meetings is not None:
            return self.meetings[component].met(among)
        one, other = np.nonzero(np.triu(self.overlaps(component, among=among).overlap, 1))
        return one.astype(np.int64), other.astype(np.int64)

    def votes_on(self, component: int) -> IntArray:
        """(sources,): how often each votes on one component."""
        if self.parts is not None:
            part, _, columns = self.of_component(component)
            found = np.zeros(len(self.names), dtype=np.int64)
            found[columns] = part.votes_on(0)[: len(columns)]
            return found
        about = self.schema.outcome_sets[component].of_value >= 0
        votes = np.zeros(len(self.names), dtype=np.int64)
        np.add.at(votes, self.schema.source_of_value[about], self.single[about])
        return votes

    def corresponds(self, component: int, one: int, other: int) -> bool:
        """Whether the values of two sources correspond one to one where both vote."""
        if self.parts is not None:
            part, _, columns = self.of_component(component)
            return part.corresponds(0, *(int(np.searchsorted(columns, source)) for source in (one, other)))
        if self.pair is None:
            # Not counted by value: only sources that emit identical votes are known to correspond.
            counted = self.overlaps(component, among=np.unique([one, other]))
            return bool(counted.agreement[0, -1] == counted.overlap[0, -1])
        says, offsets = self.schema.outcome_sets[component].of_value, self.schema.offsets
        own, others = (np.arange(offsets[j], offsets[j + 1]) for j in (one, other))
        together = _gathered(self.pair[np.ix_(own, others)], says[own], says[others]) > 0
        return bool((together.sum(axis=0) <= 1).all() and (together.sum(axis=1) <= 1).all())


def _among(counts: IntArray, columns: IntArray, sources: int) -> IntArray:
    """(sources, sources) counts of all sources, from those of some."""
    found = np.zeros((sources, sources), dtype=np.int64)
    found[np.ix_(columns, columns)] = counts[: len(columns), : len(columns)]
    return found


def _gathered(counts: IntArray, rows: npt.NDArray[np.int32], columns: npt.NDArray[np.int32]) -> IntArray:
    """Counts summed over rows, and columns, with the same meaning; those without a meaning (−1) are left out."""
    of_rows, of_columns = np.unique(rows[rows >= 0]), np.unique(columns[columns >= 0])
    left, right = (of_rows[:, None] == rows).astype(np.int64), (columns[:, None] == of_columns).astype(np.int64)
    total: IntArray = left @ counts @ right
    return total


def count(parts: Callable[[], Iterable[Votes]], size: int = SKETCH_SIZE) -> Tally:
    """Count the votes of all parts, in a second pass if frequent patterns were not counted from the start.

    Raises
    ------
    VoteError
        If there are no parts, or parts of different sources.
    """
    total = sum_of(_counted(part, size) for part in parts())
    if not total.needs_second_pass:
        return total
    crowded = total.crowded
    frequent: Frequent = (None,) * len(crowded)
    for part in parts():
        frequent = sum_frequent(frequent, count_frequent(part, crowded))
    return total.with_frequent(frequent)


def count_part(votes: Votes, size: int = SKETCH_SIZE, highest: np.uint64 = EVERYTHING) -> Tally:
    """Count one part of the votes, without a second pass, and without patterns of a higher hash than given."""
    return sum_of(_counted(block, size, highest) for block in blocks(votes))


def count_frequent(votes: Votes, crowded: Crowded) -> Frequent:
    """The frequent patterns of one part of the votes: those in crowded buckets."""
    whole, *others = crowded
    found = [None if whole is None else patterns_in(whole, hashes_of(votes), votes.store.listed)]
    for index, one in enumerate(others):
        found += [None] if one is None else count_frequent(votes.unlinked.of_component(index), (one,))
    return tuple(found)


def sum_frequent(one: Frequent, other: Frequent) -> Frequent:
    """The frequent patterns of two parts of the votes."""
    return tuple(b if a is None else a if b is None else a + b for a, b in zip(one, other, strict=True))


def blocks(votes: Votes) -> Iterator[Votes]:
    """Votes in blocks that are counted at once."""
    for start in range(0, max(len(votes), 1), _ITEMS_AT_ONCE):
        yield votes.block(start, min(start + _ITEMS_AT_ONCE, len(votes)))


def sum_of(parts: Iterable[Sum]) -> Sum:
    """The sum of tallies, or of sketches."""
    total: Sum | None = None
    for part in parts:
        total = part if total is None else total + part
    if total is None:
        raise VoteError("there is nothing to count: expected at least one Votes")
    return total


def _counted(votes: Votes, size: int, highest: np.uint64 = EVERYTHING) -> Tally:
    n, m = votes.shape
    if votes.schema.is_taken_apart:
        votes = votes.unlinked
        components = len(votes.label_space.components)
        room = size and max(size // components, _LEAST_SKETCH)
        parts = [_counted(votes.of_component(at), room) for at in range(components)]
        single = emitted(votes)
        # Whole rows of several votes a source are as many as the items, and tell a report nothing.
        whole = None if votes.schema.has_several else _sketch(votes, int(single.sum()), size, highest)
        return Tally.of_parts(votes.schema, parts, single, whole)
    first = votes.schema.offsets
    groups = np.array([sets.of_value >= 0 for sets in votes.outcome_sets], dtype=np.int64)
    pieces = ranges(n, thread_count(), step=16_384)
    by_value = first[-1] <= MAX_VALUES
    overlaps, meetings, pair = None, None, None
    if by_value:
        found = parallel_map(lambda rows: _pairs(votes.block(rows.start, rows.stop), first, groups), pieces)
        upper = sum((counts for counts, _ in found), np.zeros((first[-1], first[-1]), dtype=np.int64))
        pair = upper + np.triu(upper, 1).T
        single = upper.diagonal().copy()
        covered = sum((items for _, items in found), np.zeros(len(groups), dtype=np.int64))
    else:
        is_tabled = m <= MAX_TABLED
        numbers = _MATRICES * m**2 if is_tabled else _LISTS * most_meetings(votes.cast.starts, m)
        check_memory(
            8 * len(groups) * numbers,
            f"counting the co-votes of {m:,} sources",
            "keep those that vote most often: votes.select([...])",
            VoteError,
        )
        single = np.bincount(first[votes.cast.sources] + votes.cast.codes, minlength=first[-1]).astype(np.int64)
        if is_tabled:
            counted = [count_overlaps(votes, first, component) for component in range(len(groups))]
            overlaps = tuple(found for found, _ in counted)
            covered = np.array([items for _, items in counted], dtype=np.int64)
        else:
            listed = [count_meetings(votes, first, component) for component in range(len(groups))]
            meetings = tuple(met for met, _ in listed)
            covered = np.array([items for _, items in listed], dtype=np.int64)
    sketch = _sketch(votes, int(single.sum()), size, highest)
    return Tally(votes.schema, n, single, covered, sketch, pair, overlaps, meetings)


def _sketch(votes: Votes, cast: int, size: int, highest: np.uint64) -> Sketch:
    """The patterns of votes, of which so many were cast; none if the size is 0."""
    store = votes.store
    if not size:
        return Sketch.zero(len(votes.names), size)
    if isinstance(store, DenseCodes):
        possible = PossibleRows.of(store, [len(table) for table in votes.values])
        if possible is not None and possible.count * (1 + store.width) <= size and highest == EVERYTHING:
            counts, rows = possible.counted(store)
            keys = np.empty(len(rows), dtype=np.uint64)
            DenseCodes(store.codes[rows]).hashes(multipliers(votes.names), keys)
            return Sketch.exact(keys, counts, store.listed(rows), size)
    return Sketch.of(hashes_of(votes), store.listed, cast, size, highest)


def _pairs(votes: Votes, first: IntArray, groups: IntArray) -> tuple[IntArray, IntArray]:
    """(values, values) co-votes on and above the diagonal, and (groups,) the number of items with a vote."""
    from assay._core import counting_loops

    pair = np.zeros((first[-1], first[-1]), dtype=np.int64)
    covered = np.zeros(len(groups), dtype=np.int64)
    if not votes.is_sparse and votes.codes.dtype == np.int8:
        some = votes.codes[:: max(len(votes) // 1_000, 1)]
        usual = float((some >= 0).sum(axis=1).mean()) if len(some) else 0.0
        if first[-1] ** 2 / 2 * _PACKED_COST <= usual**2 / 2 * _LISTED_COST + 10 * usual:
            if votes.store.by_row and groups.all() and (np.diff(first) == first[1]).all():
                from assay._core import row_loops

                covered[:] = row_loops.count_rows(votes.codes, row_loops.edge_of(votes.codes), int(first[1]), pair)
                return pair, covered
            counting_loops.count_packed(votes.store.by_column().dense().T, first, groups, pair, covered)
            return pair, covered
    cast = votes.cast
    counting_loops.count_listed(cast.starts, numbered(cast, first), groups, pair, covered)
    return pair, covered


def _stored_parts(schema: Schema, arrays: Mapping[str, npt.NDArray[Any]]) -> Tally:
    """The counts of components that were taken apart, from a file."""
    named: dict[str, dict[str, npt.NDArray[Any]]] = {}
    for name, array in arrays.items():
        if name.startswith("part "):
            _, index, own = name.split(" ", 2)
            named.setdefault(index, {})[own] = array
    parts = [Tally.from_arrays(place.schema, named.get(str(at), {})) for at, place in enumerate(schema.places)]
    if len({part.items for part in parts}) > 1:
        raise ValueError("all components must be counted on the same items, but are not")
    if "single" not in arrays:
        # Written before values could speak about several components: what each says there is all it says.
        single = np.zeros(schema.value_count, dtype=np.int64)
        for place, part in zip(schema.places, parts, strict=True):
            numbers = [schema.offsets[source] + own for source, own in zip(place.sources, place.codes, strict=True)]
            single[np.concatenate([*numbers, np.empty(0, dtype=np.int64)])] = part.single
        return Tally.of_parts(schema, parts, single)
    items = parts[0].items
    single = stored_array(arrays, "single", (schema.value_count,), np.int64, low=0, high=items)
    whole = Sketch.from_arrays(arrays, "pattern", schema, items) if "pattern keys" in arrays else None
    return Tally.of_parts(schema, parts, single, whole)


def _stored_meetings(arrays: Mapping[str, npt.NDArray[Any]], part: int, sources: int, items: int) -> Meetings:
    """The meetings of one component, from a file; raises ValueError if they cannot be right."""
    size = int(arrays[f"pairs {part}"].size)
    pairs = stored_array(arrays, f"pairs {part}", (size,), np.int64, low=0, high=sources**2 - 1)
    overlap, agreement = (
        stored_array(arrays, f"{name} {part}", (size,), np.int64, low=0, high=items)
        for name in ("overlap", "agreement")
    )
    if (np.diff(pairs) <= 0).any() or (pairs // sources > pairs % sources).any() or (agreement > overlap).any():
        raise ValueError("pairs of sources must be in order, and cannot agree more often than they meet")
    return Meetings(sources, pairs, overlap, agreement)
