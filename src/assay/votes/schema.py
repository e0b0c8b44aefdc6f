"""The schema of votes: the tasks, the sources, and the values that each source can emit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from assay._core.texts import unwritable
from assay.errors import VoteError, near_miss
from assay.tasks import LabelSpace, TaskGraph, Vote
from assay.votes.encoding import canonical, smallest

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

FEW_COMPONENTS = 8
"""Of up to so many components votes are counted together, of more each by itself."""


@dataclass(frozen=True)
class OutcomeSets:
    """The values of all sources, as sets of the outcomes of one component."""

    masks: BoolArray
    """(sets, outcomes): the distinct sets that some value allows."""
    of_code: tuple[npt.NDArray[np.int32], ...]
    """Per source: code -> row of ``masks``, −1 where the code says nothing about the component. Abstain is last."""
    levels: tuple[npt.NDArray[np.int32], ...]
    """Per source: code -> the rank of its level of confidence, all 0 if it has none. Abstain is last."""

    @cached_property
    def of_value(self) -> npt.NDArray[np.int32]:
        """(values,): the same for the values of all sources, concatenated, without abstain."""
        return np.concatenate([sets[:-1] for sets in self.of_code])

    def distinct(self, source: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The values of a source that differ for the component, in their set or their level of confidence.

        (codes,) which of them each code is, −1 where it says nothing about the component; and (distinct values,) the
        row of ``masks`` of each. Levels of one set are consecutive, and rise.
        """
        sets, levels = self.of_code[source], self.levels[source]
        key = sets.tobytes(), levels.tobytes()
        if key not in self._distinct:
            self._distinct[key] = _distinct_values(sets, levels)
        return self._distinct[key]

    @cached_property
    def _distinct(self) -> dict[tuple[bytes, bytes], tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]]:
        """What is known of the values of sources so far: most sources have the same."""
        return {}


def _distinct_values(
    sets: npt.NDArray[np.int32], levels: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    ranks = int(levels.max()) + 1
    keys = np.where(sets >= 0, sets * ranks + levels, -1)
    said = np.unique(keys[keys >= 0])
    numbers = np.where(keys >= 0, np.searchsorted(said, keys), -1)
    return numbers.astype(np.int32), (said // ranks).astype(np.int32)


@dataclass(frozen=True, eq=False)
class Place:
    """One of many components: the sources and values that speak about it."""

    schema: Schema
    """Of these alone; of a source called nobody, without values, if there are none."""
    sources: IntArray
    """(sources there,): their columns in all votes."""
    codes: tuple[IntArray, ...]
    """Per such source the codes of its values that speak about the component,"""
    said: tuple[IntArray, ...]
    """and what each of them says there, as a code of the component's own schema."""

    def lookups(self, values: Sequence[Sequence[Vote]]) -> list[npt.NDArray[np.int32]]:
        """Per such source: code -> code there, −1 where it says nothing of the component. Abstain is last.

        ``values`` are the value tables of all sources.
        """
        found = []
        for source, codes, said in zip(self.sources, self.codes, self.said, strict=True):
            lookup = np.full(len(values[source]) + 1, -1, dtype=np.int32)
            lookup[codes] = said
            found.append(lookup)
        return found


@dataclass(frozen=True, eq=False)
class Schema:
    """Everything about votes but the votes themselves.

    The values of all sources are numbered consecutively: value ``v`` of source ``j``
    is number ``offsets[j] + v``.

    >>> from assay import Votes
    >>> schema = Votes.from_matrix([[0, 1], [1, -1]], names=["kb", "crowd"]).schema
    >>> schema
    Schema(2 sources, 4 values, 1 task)
    >>> schema.position("crowd"), schema.offsets.tolist()
    (1, [0, 2, 4])
    """

    tasks: TaskGraph
    names: tuple[str, ...]
    """The sources."""
    values: tuple[tuple[Vote, ...], ...]
    """Per source the votes that its codes stand for."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "values", tuple(tuple(table) for table in self.values))
        if not self.names:
            raise VoteError("expected at least one source, but there is none")
        unnamed = [name for name in self.names if not isinstance(name, str)]
        if unnamed:
            raise VoteError(f"source names must be strings, but got {unnamed[0]!r} ({type(unnamed[0]).__name__})")
        broken = unwritable(self.names)
        if broken is not None:
            raise VoteError(f"the source name {broken!r} has half of a character in it, which no file can hold")
        repeated = next((name for name, count in Counter(self.names).items() if count > 1), None)
        if repeated is not None:
            raise VoteError(f"two sources are called {repeated!r}; give each its own name")
        if len(self.values) != len(self.names):
            raise VoteError(
                f"expected one value table for each of the {len(self.names)} sources, but there are {len(self.values)}"
            )
        for name, table in zip(self.names, self.values, strict=True):
            if len(set(table)) < len(table):
                twice = next(vote for vote, count in Counter(table).items() if count > 1)
                raise VoteError(f"the value table of source {name!r} lists {str(twice)!r} twice")
            if self.has_several:
                wide = next((vote for vote in table if len(self.label_space.by_component(vote)) > 1), None)
                if wide is not None:
                    raise VoteError(
                        f"the value table of source {name!r} lists {str(wide)!r}, which speaks about unrelated "
                        "questions; where any subset of labels may apply, each has a value of its own"
                    )

    def __repr__(self) -> str:
        count = len(self.tasks)
        return f"Schema({len(self.names):,} sources, {self.value_count:,} values, {count} task{'s' * (count != 1)})"

    def __eq__(self, other: object) -> bool:
        """Same tasks, sources and value tables."""
        if not isinstance(other, Schema):
            return NotImplemented
        return self is other or (
            self.names == other.names and self.values == other.values and self.tasks == other.tasks
        )

    def __hash__(self) -> int:
        return hash((self.names, self.values))

    @property
    def label_space(self) -> LabelSpace:
        """The outcomes that votes are sets of."""
        return self.tasks.label_space

    @property
    def has_several(self) -> bool:
        """Whether a source may cast several votes on one item: one for each component, where any subset may apply."""
        return bool(self.label_space.multiple)

    @property
    def is_taken_apart(self) -> bool:
        """Whether each component is counted, fitted and labeled by itself, as if there were no other.

        Votes on unrelated components tell nothing of each other, and counts of all pairs of values would grow with the
        square of the number of components. A few are counted together, so that reports know whole rows of votes.
        """
        return self.has_several or len(self.label_space.components) > FEW_COMPONENTS

    @cached_property
    def offsets(self) -> IntArray:
        """(sources + 1,): where the values of each source start, and where those of the last one end."""
        return np.cumsum([0, *map(len, self.values)], dtype=np.int64)

    @property
    def value_count(self) -> int:
        """The number of values of all sources."""
        return int(self.offsets[-1])

    @property
    def source_of_value(self) -> IntArray:
        """(values,): the source that each value belongs to."""
        return np.repeat(np.arange(len(self.names)), np.diff(self.offsets))

    @property
    def code_type(self) -> type[np.signedinteger[Any]]:
        """The smallest integer type that holds every source's codes."""
        return smallest(max(map(len, self.values), default=0))

    @cached_property
    def outcome_sets(self) -> tuple[OutcomeSets, ...]:
        """Per component of the label space: the values as sets of its outcomes."""
        components = range(len(self.label_space.components))
        return tuple((self._few_sets if self.is_taken_apart else self._outcome_sets)(index) for index in components)

    def _few_sets(self, index: int) -> OutcomeSets:
        """The sets of one of many components, found among the values that speak about it."""
        place = self.places[index]
        found = place.schema.outcome_sets[0]
        of_code, levels = list(self._nothing_said[0]), list(self._nothing_said[1])
        for at, (source, lookup) in enumerate(zip(place.sources, place.lookups(self.values), strict=True)):
            of_code[source] = found.of_code[at][lookup]  # −1 is the last, abstain, which says nothing either
            levels[source] = np.where(lookup >= 0, found.levels[at][lookup], 0).astype(np.int32)
        return OutcomeSets(found.masks, tuple(of_code), tuple(levels))

    @cached_property
    def _nothing_said(self) -> tuple[tuple[npt.NDArray[np.int32], ...], tuple[npt.NDArray[np.int32], ...]]:
        """Per source what its values say of a component that it does not vote on, and at which level: shared by all."""
        return (
            tuple(np.full(len(table) + 1, -1, dtype=np.int32) for table in self.values),
            tuple(np.zeros(len(table) + 1, dtype=np.int32) for table in self.values),
        )

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Per component the sources and values that speak about it."""
        spoken: list[dict[int, list[tuple[int, Vote]]]] = [{} for _ in self.label_space.components]
        homes, space = self.label_space.component_of, self.label_space
        for source, table in enumerate(self.values):
            for code, vote in enumerate(table):
                for part in space.by_component(vote):
                    own = part if part.level == vote.level else replace(part, level=vote.level)
                    spoken[homes(part.tasks[0])].setdefault(source, []).append((code, own))
        return tuple(self._place(index, speaking) for index, speaking in enumerate(spoken))

    def _place(self, index: int, speaking: Mapping[int, Sequence[tuple[int, Vote]]]) -> Place:
        names = tuple(self.names[source] for source in speaking) or ("nobody",)
        tables = [tuple(dict.fromkeys(vote for _, vote in own)) for own in speaking.values()]
        numbers = [{vote: number for number, vote in enumerate(table)} for table in tables]
        return Place(
            Schema(self.tasks.of_component(index), names, tuple(tables) or ((),)),
            np.array([*speaking], dtype=np.int64),
            tuple(np.array([code for code, _ in own], dtype=np.int64) for own in speaking.values()),
            tuple(
                np.array([number[vote] for _, vote in own], dtype=np.int64)
                for number, own in zip(numbers, speaking.values(), strict=True)
            ),
        )

    @cached_property
    def places_of_values(self) -> tuple[IntArray, IntArray]:
        """(values + 1,): where those of each value start in (places, 3): a component that a value speaks about, and its
        source and what it says, by the numbers that these have there."""
        numbers, rows = [], []
        for index, place in enumerate(self.places):
            for at, (source, codes, said) in enumerate(zip(place.sources, place.codes, place.said, strict=True)):
                numbers.append(self.offsets[source] + codes)
                rows.append(np.column_stack([np.full(len(said), index), np.full(len(said), at), said]))
        number = np.concatenate([*numbers, np.empty(0, dtype=np.int64)])
        order = np.argsort(number, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(number, minlength=self.value_count))]).astype(np.int64)
        return starts, np.vstack([*rows, np.empty((0, 3), dtype=np.int64)]).astype(np.int64)[order]

    def _outcome_sets(self, index: int) -> OutcomeSets:
        component = self.label_space.components[index]
        rows: dict[bytes, int] = {}
        masks: list[BoolArray] = []
        row_of: dict[Vote, int] = {}
        for vote in canonical(self.label_space, {vote for table in self.values for vote in table}):
            mask = component.allows(vote)
            if mask.all():
                row_of[vote] = -1
                continue
            if mask.tobytes() not in rows:
                rows[mask.tobytes()] = len(masks)
                masks.append(mask)
            row_of[vote] = rows[mask.tobytes()]
        return OutcomeSets(
            np.array(masks, dtype=bool).reshape(len(masks), len(component)),
            tuple(np.array([*(row_of[vote] for vote in table), -1], dtype=np.int32) for table in self.values),
            tuple(map(_level_ranks, self.values)),
        )

    def position(self, source: str | int) -> int:
        """The column of a source, given by name or by column number."""
        if isinstance(source, str):
            if source in self.names:
                return self.names.index(source)
            raise VoteError(f"there is no source {source!r}. {near_miss(source, self.names)}")
        if not isinstance(source, Integral):
            raise VoteError(f"expected the name or the column number of a source, but got {source!r}")
        if -len(self.names) <= int(source) < len(self.names):
            return int(source) % len(self.names)
        raise VoteError(f"there is no source number {source}; there are {len(self.names)}")

    def tasks_of(self, source: str | int) -> tuple[str, ...]:
        """The tasks that a source votes on (the paper's coverage set)."""
        covered = {task for vote in self.values[self.position(source)] for task in vote.tasks}
        return tuple(name for name in self.tasks.names if name in covered)

    def select(self, columns: Sequence[int]) -> Schema:
        """Some of the sources, by column number, in that order."""
        return Schema(self.tasks, tuple(self.names[j] for j in columns), tuple(self.values[j] for j in columns))

    def to_dict(self) -> dict[str, Any]:
        """Tasks, sources and their values as plain lists, for JSON."""
        return {
            "tasks": self.tasks.to_dict(),
            "sources": [
                {"name": name, "values": [vote.to_dict() for vote in table], **_levels_entry(table)}
                for name, table in zip(self.names, self.values, strict=True)
            ],
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """The schema that :meth:`to_dict` wrote; raises KeyError, TypeError or ValueError for anything else."""
        tasks = TaskGraph.from_dict(stored["tasks"])
        names = tuple(source["name"] for source in stored["sources"])
        return cls(tasks, names, tuple(_stored_table(tasks.label_space, entry) for entry in stored["sources"]))


def _level_ranks(table: Sequence[Vote]) -> npt.NDArray[np.int32]:
    """(values + 1,): the rank of each value's level of confidence in a source; certainty comes last, then abstain."""
    levels = [vote.level or (1.0, 1.0) for vote in table]
    rank = {level: number for number, level in enumerate(sorted(set(levels)))}
    return np.array([*(rank[level] for level in levels), 0], dtype=np.int32)


def _levels_entry(table: Sequence[Vote]) -> dict[str, Any]:
    """The levels of a source's values, if any has one; without them a schema reads as it always did."""
    levels = [None if vote.level is None else list(vote.level) for vote in table]
    return {"levels": levels} if any(levels) else {}


def _stored_table(space: LabelSpace, entry: Mapping[str, Any]) -> tuple[Vote, ...]:
    values = entry["values"]
    levels = entry.get("levels", [None] * len(values))
    return tuple(
        replace(space.vote(value), level=None if level is None else _stored_level(level))
        for value, level in zip(values, levels, strict=True)
    )


def _stored_level(level: Any) -> tuple[float, float]:
    low, high = (float(end) for end in level)
    if not 0 <= low < high <= 1:
        raise ValueError(f"a level of confidence lies between 0 and 1, but one goes from {low:g} to {high:g}")
    return low, high


class HasSchema:
    """Shortcuts to the schema, for classes that have one."""

    schema: Schema

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
        """Per source the votes that its codes stand for."""
        return self.schema.values

    @property
    def label_space(self) -> LabelSpace:
        """The outcomes that votes are sets of."""
        return self.schema.label_space
