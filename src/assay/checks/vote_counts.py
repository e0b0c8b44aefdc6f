"""What is counted before anything is judged: who says what, how often, and together with whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from assay.checks.identifiability import independence_number
from assay.counts import MAX_TABLED, Overlaps, SourceGraph, Tally
from assay.tasks import Component

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ValuePairs:
    """How often two values are emitted together, over the values with which some source says something."""

    source: IntArray
    """(values,): whose they are, in order, as positions in the names of the counts."""
    said: IntArray
    """(values,): the set of outcomes that each stands for."""
    counts: IntArray
    """(values, values); the diagonal is how often each is emitted."""


@dataclass(frozen=True, eq=False)
class VoteCounts:
    """The votes of one component of the label space, counted. Only sources that vote there are in it."""

    component: Component
    index: int
    """The number of the component."""
    names_labels: bool
    """Whether it asks which labels apply, of which any subset may."""
    items: int
    """All items, with a vote or without."""
    names: tuple[str, ...]
    columns: tuple[int, ...]
    """Per source its column in the votes."""
    masks: BoolArray
    """(sets, outcomes): the distinct sets of outcomes that some vote allows."""
    uses: IntArray
    """(sources, sets): how often each source says each set."""
    overlaps: Callable[[IntArray], Overlaps]
    """Of the sources in some columns, how often two vote together and agree; a table of many would be too large."""
    meeting: Callable[[IntArray], tuple[IntArray, IntArray]]
    """Of the same, the pairs that vote on some common item, the first before the second."""
    covered: int
    """How many items have a vote."""
    mapped: Callable[[int, int], bool]
    """Whether two sources that vote on the same items say things that correspond one to one."""
    value_pairs: Callable[[], ValuePairs | None]
    """Counts of pairs of values, unless there are too many values."""
    value_counts: tuple[int, ...]
    """Per source how many different things it could say, whether it did or not."""
    spoken: frozenset[str]
    """The tasks that some vote names."""
    edges: tuple[tuple[int, int], ...] = ()
    """Pairs of these sources that are dependent, in order."""

    def given(self, graph: SourceGraph) -> VoteCounts:
        """The same counts with the dependencies of ``graph``, whose sources are the columns of the votes."""
        place = {column: position for position, column in enumerate(self.columns)}
        edges = ((place[i], place[j]) for i, j in sorted(graph.edges) if i in place and j in place)
        return replace(self, edges=tuple(edges))

    @property
    def is_wide(self) -> bool:
        """Whether there are too many sources to compare each with each other."""
        return len(self.names) > MAX_TABLED

    def of_busiest(self, most: int) -> VoteCounts:
        """The counts of the sources that vote most often only."""
        kept = np.sort(np.argsort(-self.votes, kind="stable")[:most])
        place = {int(before): after for after, before in enumerate(kept)}
        return replace(
            self,
            names=tuple(self.names[source] for source in kept),
            columns=tuple(self.columns[source] for source in kept),
            uses=self.uses[kept],
            mapped=lambda one, other: self.mapped(int(kept[one]), int(kept[other])),
            value_pairs=lambda: None,
            value_counts=tuple(self.value_counts[source] for source in kept),
            edges=tuple((place[one], place[other]) for one, other in self.edges if one in place and other in place),
        )

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks of the component."""
        return self.component.tasks

    @cached_property
    def _overlaps(self) -> Overlaps:
        return self.overlaps(np.array(self.columns, dtype=np.int64))

    @property
    def overlap(self) -> IntArray:
        """(sources, sources): how often both vote; the diagonal is how often each votes."""
        return self._overlaps.overlap

    @property
    def agreement(self) -> IntArray:
        """(sources, sources): how often both say the same."""
        return self._overlaps.agreement

    @cached_property
    def met(self) -> tuple[IntArray, IntArray]:
        """(pairs,) each: the sources that vote on some common item, the first before the second."""
        if self.is_wide:
            return self.meeting(np.array(self.columns, dtype=np.int64))
        one, other = np.nonzero(np.triu(self.overlap, 1))
        return one.astype(np.int64), other.astype(np.int64)

    @cached_property
    def joined(self) -> sparse.csr_array:
        """(sources, sources): the pairs that meet and are independent, which is what can be learned from."""
        size, (one, other) = len(self.names), self.met
        tied = np.array([first * size + second for first, second in self.edges], dtype=np.int64)
        free = ~np.isin(one * size + other, tied)
        ends = np.concatenate([one[free], other[free]]), np.concatenate([other[free], one[free]])
        return sparse.csr_array((np.ones(2 * int(free.sum()), dtype=np.int8), ends), shape=(size, size))

    @cached_property
    def votes(self) -> IntArray:
        """(sources,): how often each votes."""
        return np.asarray(self.uses.sum(axis=1), dtype=np.int64)

    @cached_property
    def emitted(self) -> BoolArray:
        """(sources, sets): what each source ever says."""
        return self.uses > 0

    @cached_property
    def emitted_masks(self) -> BoolArray:
        """(sets, outcomes): the sets that some source says."""
        return self.masks[self.emitted.any(axis=0)]

    @cached_property
    def independent(self) -> BoolArray:
        """(sources, sources): pairs that share no clique of the source graph."""
        apart = ~np.eye(len(self.names), dtype=bool)
        for one, other in self.edges:
            apart[one, other] = apart[other, one] = False
        return apart

    @cached_property
    def independent_sources(self) -> int:
        """How many sources are independent of each other, all at once; three stands for more."""
        dependent = {source for edge in self.edges for source in edge}
        return 3 if len(self.names) - len(dependent) >= 3 else independence_number(self.independent)

    @cached_property
    def tied(self) -> BoolArray:
        """(sources, sources): pairs that are dependent."""
        return ~self.independent & ~np.eye(len(self.names), dtype=bool)


def count_votes(tally: Tally) -> list[VoteCounts]:
    """The counts of each component, leaving out those with a single outcome, about which nothing is to be learned."""
    components = tally.tasks.label_space.components
    counted = _counts_of if tally.parts is None else _counts_apart
    return [counted(tally, index) for index, component in enumerate(components) if len(component) > 1]


def _counts_apart(tally: Tally, index: int) -> VoteCounts:
    """The counts of a component that was counted by itself, with its sources by their columns in all votes."""
    part, at, columns = tally.of_component(index)
    found = _counts_of(part, at)
    return replace(
        found,
        component=tally.tasks.label_space.components[index],
        index=index,
        names_labels=tally.tasks.asks_of_labels(index),
        columns=tuple(columns[list(found.columns)].tolist()),
        overlaps=lambda among: part.overlaps(at, among=np.searchsorted(columns, among)),
        meeting=lambda among: part.met(at, np.searchsorted(columns, among)),
    )


def _counts_of(tally: Tally, index: int) -> VoteCounts:
    component = tally.tasks.label_space.components[index]
    sets = tally.schema.outcome_sets[index]
    said = np.zeros((len(tally.names), len(sets.masks) + 1), dtype=np.int64)
    for j, (of_code, uses) in enumerate(zip(sets.of_code, tally.uses, strict=True)):
        np.add.at(said[j], of_code[:-1], uses[:-1])
    speakers = np.flatnonzero(said[:, :-1].any(axis=1))
    return VoteCounts(
        component=component,
        index=index,
        names_labels=tally.tasks.asks_of_labels(index),
        items=tally.items,
        names=tuple(tally.names[j] for j in speakers),
        columns=tuple(speakers.tolist()),
        masks=sets.masks,
        uses=said[speakers, :-1],
        overlaps=lambda columns: tally.overlaps(index, among=columns),
        meeting=lambda columns: tally.met(index, columns),
        covered=int(tally.covered[index]),
        mapped=lambda one, other: tally.corresponds(index, int(speakers[one]), int(speakers[other])),
        value_pairs=lambda: _value_pairs(tally, index, speakers),
        value_counts=tuple(len(np.unique(of_code[of_code >= 0])) for of_code in (sets.of_code[j] for j in speakers)),
        spoken=frozenset(
            task
            for j in speakers
            for value, total in zip(tally.values[j], tally.uses[j], strict=False)
            if total
            for task in value.tasks
            if task in component.tasks
        ),
    )


def _value_pairs(tally: Tally, index: int, speakers: npt.NDArray[np.intp]) -> ValuePairs | None:
    if tally.pair is None:
        return None
    said = tally.schema.outcome_sets[index].of_value
    emitted = np.flatnonzero((said >= 0) & (tally.single > 0))
    source = np.searchsorted(speakers, tally.schema.source_of_value[emitted])
    counts = tally.pair if len(emitted) == len(said) else tally.pair[np.ix_(emitted, emitted)]
    return ValuePairs(source, said[emitted].astype(np.int64), counts)
