"""What is counted before anything is judged: who says what, how often, and together with whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from assay.checks.identifiability import independence_number
from assay.graph import SourceGraph
from assay.label_space import Component
from assay.votes import OutcomeSets, Votes

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
SetArray = npt.NDArray[np.int32]

BLOCK = 4_000_000
"""Votes that are looked at together; bounds the memory, not the result."""


@dataclass(frozen=True, eq=False)
class Census:
    """The votes of one component of the label space, counted. Only sources that vote there are in it."""

    component: Component
    items: int
    """All items, with a vote or without."""
    names: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]
    """Pairs of these sources that are dependent, in order."""
    masks: BoolArray
    """(sets, outcomes): the distinct sets of outcomes that some vote allows."""
    counts: IntArray
    """(sources, sets): how often each source says each set."""
    overlap: IntArray
    """(sources, sources): how often both vote; the diagonal is how often each votes."""
    agreement: IntArray
    """(sources, sources): how often both say the same."""
    covered: int
    """How many items have a vote."""
    columns: tuple[tuple[SetArray, npt.NDArray[np.integer]], ...]
    """Per source what each code says, and its codes, (items,)."""
    value_counts: tuple[int, ...]
    """Per source how many different things it could say, whether it did or not."""
    spoken: frozenset[str]
    """The tasks that some vote names."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks of the component."""
        return self.component.tasks

    @cached_property
    def votes(self) -> IntArray:
        """(sources,): how often each votes."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.int64)

    @cached_property
    def emitted(self) -> BoolArray:
        """(sources, sets): what each source ever says."""
        return self.counts > 0

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
        return independence_number(self.independent)

    @cached_property
    def tied(self) -> BoolArray:
        """(sources, sources): pairs that are dependent."""
        return ~self.independent & ~np.eye(len(self.names), dtype=bool)


def censuses(votes: Votes, graph: SourceGraph) -> Iterator[Census]:
    """One census a component, leaving out those with a single outcome, about which nothing is to be learned."""
    totals = _totals(votes)
    for component, sets in zip(votes.label_space.components, votes.outcome_sets, strict=True):
        if len(component) > 1:
            yield _census(votes, graph, component, sets, totals)


def _totals(votes: Votes) -> list[IntArray]:
    """Per source how often it abstains, and then how often it emits each value."""
    starts = _starts(votes)
    found = np.zeros(starts[-1], dtype=np.int64)
    for numbers in _numbers(votes, np.arange(len(votes.names))):
        found += np.bincount(numbers.ravel(), minlength=len(found))
    return np.split(found, starts[1:-1])


def _starts(votes: Votes) -> IntArray:
    """Where the values of each source begin if all values of all sources are numbered through; abstain comes first."""
    return np.cumsum([0, *(len(values) + 1 for values in votes.values)], dtype=np.int64)


def _numbers(votes: Votes, sources: IntArray) -> Iterator[SetArray]:
    """Blocks of rows in which the values of all sources are numbered through."""
    rows = max(1, BLOCK // max(len(sources), 1))
    shift = (_starts(votes)[sources] + 1).astype(np.int32)
    every = len(sources) == len(votes.names)
    for start in range(0, len(votes), rows):
        block = votes.codes[start : start + rows]
        yield np.add(block if every else block[:, sources], shift, dtype=np.int32)


def _census(
    votes: Votes, graph: SourceGraph, component: Component, sets: OutcomeSets, totals: list[IntArray]
) -> Census:
    said = np.zeros((len(votes.names), len(sets.masks) + 1), dtype=np.int64)
    for j, (of_code, total) in enumerate(zip(sets.of_code, totals, strict=True)):
        np.add.at(said[j], of_code[:-1], total[1:])
    speakers = np.flatnonzero(said[:, :-1].any(axis=1))
    # −1 indexes the last entry of of_code, which is abstain's; here abstain comes first.
    place = {int(source): position for position, source in enumerate(speakers)}
    set_of_number = np.concatenate([np.roll(of_code, 1) for of_code in sets.of_code])
    counts = said[speakers, :-1]
    overlap = np.zeros((len(speakers), len(speakers)), dtype=np.int64)
    agreement, covered = overlap.copy(), 0
    # A term of a sparse product costs about 400 times as much, but sparse votes have far fewer of them.
    density = counts.sum() / max(len(votes) * len(speakers), 1)
    used, empty = np.flatnonzero(counts.any(axis=0)), np.empty(0, dtype=np.int64)
    sparse_overlap, sparse_agreement = density**2 < 0.0025, density**2 < 0.0025 * len(used)
    for numbers in _numbers(votes, speakers) if len(speakers) else ():
        set_of = set_of_number[numbers]
        voted = set_of >= 0
        covered += int(voted.any(axis=1).sum())
        rows, sources = np.divmod(np.flatnonzero(voted) if sparse_agreement else empty, len(speakers))
        overlap += _sparse_product(rows, sources, len(speakers)) if sparse_overlap else _product(voted)
        if sparse_agreement:
            # Votes meet if they are on the same row and for the same set.
            meeting = rows * len(sets.masks) + set_of[rows, sources]
            agreement += _sparse_product(meeting, sources, len(speakers))
        else:
            for number in used:
                agreement += _product(set_of == number)
    return Census(
        component=component,
        items=len(votes),
        names=tuple(votes.names[j] for j in speakers),
        edges=tuple((place[i], place[j]) for i, j in sorted(graph.edges) if i in place and j in place),
        masks=sets.masks,
        counts=counts,
        overlap=overlap,
        agreement=agreement,
        covered=covered,
        columns=tuple((sets.of_code[j], votes.codes[:, j]) for j in speakers),
        value_counts=tuple(len(np.unique(of_code[of_code >= 0])) for of_code in (sets.of_code[j] for j in speakers)),
        spoken=frozenset(
            task
            for j in speakers
            for value, total in zip(votes.values[j], totals[j][1:], strict=True)
            if total
            for task in value.tasks
            if task in component.tasks
        ),
    )


def _product(flags: BoolArray) -> IntArray:
    """(sources, sources): in how many rows both are set. Sixty-four rows at a time, and exact."""
    packed = np.packbits(np.ascontiguousarray(flags.T), axis=1)
    words = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8))).view(np.uint64)
    counts = np.zeros((len(words), len(words)), dtype=np.int64)
    for j, column in enumerate(words):
        counts[j, j:] = counts[j:, j] = np.bitwise_count(column & words[j:]).sum(axis=1)
    return counts


def _sparse_product(rows: IntArray, sources: IntArray, count: int) -> IntArray:
    """The same from the rows and sources of votes; ``count`` is how many sources there are."""
    rows = np.unique(rows, return_inverse=True)[1].reshape(-1)
    votes = (np.ones(len(rows), dtype=np.int32), (rows, sources))
    table = sparse.csr_array(sparse.coo_array(votes, shape=(int(rows.max(initial=-1)) + 1, count)))
    return np.asarray((table.T @ table).toarray(), dtype=np.int64)
