"""The layout of one component's votes: the joint votes of each clique of dependent sources.

A *configuration* is a joint vote of the sources of a clique. The cliques of the
junction tree are ordered parents first, and each is conditioned on its separator,
so the probability of all votes is a product over cliques and always sums to one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from assay._core.threads import parallel_map, ranges, thread_count
from assay.counts.source_graph import SourceGraph
from assay.errors import VoteError
from assay.votes import Schema, SparseCodes, Votes

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

MAX_CONFIGURATIONS = 50_000
"""The most joint votes that one clique may have."""
_NUMBERED_AT_ONCE = 2**18
"""Votes that are not worth numbering in several threads."""


@dataclass(frozen=True, eq=False)
class Clique:
    """Some sources, and their joint votes given the separator's."""

    sources: tuple[int, ...]
    separator: tuple[int, ...]
    shape: tuple[int, ...]
    """The number of values of each source, plus one for abstain, which is last."""

    @cached_property
    def size(self) -> int:
        """The number of configurations. In the last one all abstain."""
        return math.prod(self.shape)

    @property
    def is_single(self) -> bool:
        """Whether it is one source, whose values are the configurations. There may be very many of those."""
        return len(self.sources) == 1

    @cached_property
    def digits(self) -> IntArray:
        """(configurations, sources): the value of each source in each configuration."""
        return np.stack(np.unravel_index(np.arange(self.size), self.shape), axis=1)

    @cached_property
    def voting(self) -> BoolArray:
        """(configurations, sources): which sources vote."""
        return self.digits < np.array(self.shape) - 1

    def numbers(self, codes: npt.NDArray[np.integer]) -> IntArray:
        """(items,): the configuration of each row of votes, (items, all sources)."""
        return self.own_numbers(codes[:, self.sources])

    def own_numbers(self, codes: npt.NDArray[np.integer]) -> IntArray:
        """The same from the votes of its sources alone, (items, its sources)."""
        spoken = np.where(codes < 0, np.array(self.shape) - 1, codes)
        numbers: IntArray = np.ravel_multi_index(tuple(spoken.T), self.shape).astype(np.int64)
        return numbers

    def families(self, ignore_abstentions: bool) -> IntArray:
        """(configurations,): the family of each one: its alternatives, which have the same separator votes.

        If abstentions are ignored, the same sources vote in all of a family, so that
        only the values count, not who votes.
        """
        fixed = [self.sources.index(source) for source in self.separator]
        keys = self.digits[:, fixed]
        if ignore_abstentions:
            keys = np.hstack([keys, self.voting])
        return np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def marginal(self, table: FloatArray, source: int) -> FloatArray:
        """(values + 1, outcomes): a table over configurations, marginalised to one source."""
        if self.is_single:
            return table
        digit = self.digits[:, self.sources.index(source)]
        summed = np.zeros((self.shape[self.sources.index(source)], table.shape[1]))
        np.add.at(summed, digit, table)
        return summed


@dataclass(frozen=True, eq=False)
class Design:
    """A sparse matrix of ones, (rows, columns): which configurations each row has."""

    starts: IntArray
    """(rows + 1,): where each row's columns start."""
    columns: npt.NDArray[np.int32]
    width: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    def take(self, rows: IntArray) -> Design:
        """Some rows."""
        lengths = np.diff(self.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = np.repeat(self.starts[:-1][rows] - starts[:-1], lengths) + np.arange(starts[-1])
        return Design(starts, self.columns[places], self.width)

    @cached_property
    def matrix(self) -> sparse.csr_array:
        """The same as a SciPy matrix."""
        ones = np.ones(len(self.columns))
        return sparse.csr_array((ones, self.columns, self.starts), shape=(len(self), self.width))


@dataclass(frozen=True, eq=False)
class Translation:
    """From the votes of all sources on all components to those of one component."""

    sources: IntArray
    """The sources that can vote on the component: their columns in the votes."""
    value_of_code: tuple[npt.NDArray[np.int32], ...]
    """Per such source: code -> value of the component, −1 if it says nothing about it. The last entry is abstain."""

    def rows(self, cast: SparseCodes) -> SparseCodes:
        """The votes on the component, in its values."""
        return cast.select(self.sources).recoded(self.value_of_code)


@dataclass(frozen=True, eq=False)
class Apart:
    """A component whose votes are taken apart: :meth:`assay.Votes.of_component`."""

    component: int
    translation: Translation | None
    """From those votes to the sources and values of the layout; None if they are the same."""


@dataclass(frozen=True, eq=False)
class Layout:
    """The cliques of one component's sources, and the outcomes that each vote allows."""

    masks: tuple[BoolArray, ...]
    """Per source (values, outcomes): the outcomes that each value allows."""
    graph: SourceGraph
    outcomes: int
    translation: Translation | None = None
    """From votes on all components to these sources and values; None if they are the same."""
    soft: frozenset[int] = frozenset()
    """The sources with levels of confidence: values that allow the same, consecutive and rising."""
    apart: Apart | None = None
    """The component, if its votes are taken apart from others: see :attr:`assay.votes.Schema.is_taken_apart`."""
    sizes: IntArray | None = None
    """(outcomes,): how many outcomes each stands for, if some that no value tells apart are merged; None if not."""

    @cached_property
    def all_single(self) -> bool:
        """Whether each source is a clique by itself, in their order, so that tables of all can be handled at once."""
        return [clique.sources for clique in self.cliques] == [(source,) for source in range(len(self.masks))]

    @cached_property
    def value_offsets(self) -> IntArray:
        """(sources + 1,): where the values of each source start, in a consecutive numbering of all values."""
        return np.cumsum([0, *map(len, self.masks)], dtype=np.int64)

    def counted(self, masks: BoolArray) -> npt.NDArray[Any]:
        """(…, outcomes): how many outcomes each entry stands for, where a mask holds."""
        return masks if self.sizes is None else masks * self.sizes

    @cached_property
    def all_masks(self) -> BoolArray:
        """(values, outcomes): the outcomes that each value allows, for all sources."""
        return np.vstack([np.empty((0, self.outcomes), dtype=bool), *self.masks])

    def by_source(self, table: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
        """The rows of a (values, …) table, per source."""
        return [table[start:stop] for start, stop in pairwise(self.value_offsets)]

    @cached_property
    def label_of_value(self) -> IntArray:
        """(values,): a consecutive numbering in which the levels of confidence of one label are the same."""
        fresh = np.concatenate([*map(self._starts_label, range(len(self.masks))), np.empty(0, dtype=bool)])
        return np.asarray(np.cumsum(fresh) - 1)

    def _starts_label(self, source: int) -> BoolArray:
        """(values,): which values of a source are the first of their label, or its only one."""
        masks = self.masks[source]
        fresh = np.ones(len(masks), dtype=bool)
        if source in self.soft:
            fresh[1:] = (masks[1:] != masks[:-1]).any(axis=1)
        return fresh

    @property
    def has_levels(self) -> bool:
        """Whether some source has values that differ in confidence only."""
        return bool(self.soft)

    @cached_property
    def without_levels(self) -> Layout:
        """The same sources as if their confidence did not count: a value per label. For counts, not for votes."""
        masks = tuple(masks[self._starts_label(source)] for source, masks in enumerate(self.masks))
        return Layout(masks, self.graph, self.outcomes, sizes=self.sizes) if self.has_levels else self

    @property
    def sources(self) -> IntArray:
        """(sources,): their columns in the votes."""
        return np.arange(len(self.masks)) if self.translation is None else self.translation.sources

    @property
    def value_of_code(self) -> tuple[npt.NDArray[np.int32], ...]:
        """Per source: code -> value, −1 where it says nothing about the component. Abstain is last."""
        if self.translation is not None:
            return self.translation.value_of_code
        return tuple(np.append(np.arange(len(masks), dtype=np.int32), np.int32(-1)) for masks in self.masks)

    def own(self, votes: Votes) -> tuple[Layout, Votes]:
        """The votes that speak about this component, and the layout of these; both as they are if not taken apart."""
        if self.apart is None:
            return self, votes
        return self.taken_apart, votes.of_component(self.apart.component)

    @property
    def taken_apart(self) -> Layout:
        """The layout of the component's own votes, if these are taken apart."""
        return self if self.apart is None else replace(self, translation=self.apart.translation, apart=None)

    def rows(self, cast: SparseCodes) -> SparseCodes:
        """The votes on this component, from the votes cast on all components."""
        return cast if self.translation is None else self.translation.rows(cast)

    def codes(self, votes: Votes) -> npt.NDArray[np.int32]:
        """(items, sources): votes in the values of the component, −1 if they say nothing about it; column-major."""
        if self.translation is None:
            return votes.codes.astype(np.int32)
        chosen = votes.store.select(self.translation.sources)
        return chosen.recoded(self.translation.value_of_code).dense().astype(np.int32, copy=False)

    def with_graph(self, graph: SourceGraph) -> Layout:
        """The same sources with different dependencies."""
        return replace(self, graph=graph)

    def part(self, sources: Sequence[int]) -> Layout:
        """Some of the sources, renumbered in the given order, and the dependencies between them."""
        soft = frozenset(at for at, source in enumerate(sources) if source in self.soft)
        masks = tuple(self.masks[source] for source in sources)
        return Layout(masks, self.graph.restricted(sources), self.outcomes, soft=soft, sizes=self.sizes)

    @cached_property
    def cliques(self) -> tuple[Clique, ...]:
        """All cliques, parents before children."""
        order, parent_of = _tree_order(self.graph)
        found = []
        for index in order:
            members = self.graph.cliques[index]
            parent = parent_of[index]
            separator = () if parent is None else tuple(sorted(set(members) & set(self.graph.cliques[parent])))
            shape = tuple(len(self.masks[source]) + 1 for source in members)
            if np.prod([float(size) for size in shape]) > MAX_CONFIGURATIONS:
                names = ", ".join(self.graph.names[source] for source in members)
                raise VoteError(
                    f"the dependent sources {names} have more than {MAX_CONFIGURATIONS:,} joint votes, too many to "
                    "estimate; declare dependencies between fewer of them"
                )
            found.append(Clique(members, separator, shape))
        return tuple(found)

    @cached_property
    def offsets(self) -> IntArray:
        """Where each clique's columns start in the design matrix, and where the last one's end."""
        return np.concatenate([[0], np.cumsum([clique.size - 1 for clique in self.cliques])]).astype(np.int64)

    @cached_property
    def silent_rows(self) -> IntArray:
        """(cliques,): where all of each clique abstain, in tables over configurations that lie one below the other."""
        return np.cumsum([clique.size for clique in self.cliques], dtype=np.int64) - 1

    @cached_property
    def vote_rows(self) -> tuple[IntArray, IntArray]:
        """(columns of the design matrix,): their rows there, and the rows in which their cliques abstain."""
        silent = np.repeat(self.silent_rows, np.diff(self.silent_rows, prepend=-1))
        rows = np.flatnonzero(np.arange(len(silent)) != silent)
        return rows, silent[rows]

    def design(self, rows: SparseCodes) -> Design:
        """The configurations of each row of votes; those in which all abstain are left out.

        So sparse votes give a sparse design matrix.
        """
        first = np.zeros(rows.width, dtype=np.int64)
        alone = np.zeros(rows.width, dtype=bool)
        for offset, clique in zip(self.offsets, self.cliques, strict=False):
            if len(clique.sources) == 1:
                first[clique.sources[0]], alone[clique.sources[0]] = offset, True
        if alone.all():
            place, columns = first.astype(np.int32), np.empty(len(rows.sources), dtype=np.int32)

            def number(votes: slice) -> None:
                # Sources are known to be in range; looking would take longer than taking.
                np.take(place, rows.sources[votes], out=columns[votes], mode="clip")
                columns[votes] += rows.codes[votes]

            parallel_map(number, ranges(len(columns), thread_count(), step=_NUMBERED_AT_ONCE))
            return Design(rows.starts, columns, int(self.offsets[-1]))
        several = [(o, c) for o, c in zip(self.offsets, self.cliques, strict=False) if len(c.sources) > 1]
        members = sorted({source for _, clique in several for source in clique.sources})
        codes = rows.select(members).dense(np.int64)
        numbers = [clique.own_numbers(codes[:, np.searchsorted(members, clique.sources)]) for _, clique in several]
        spoken = [number < clique.size - 1 for number, (_, clique) in zip(numbers, several, strict=True)]
        single = rows.keep(alone[rows.sources])
        row_of = np.repeat(np.arange(len(rows)), np.diff(single.starts))
        row = np.concatenate([row_of, *(np.flatnonzero(flags) for flags in spoken)])
        columns = np.concatenate(
            [
                first[single.sources] + single.codes,
                *(n[flags] + offset for n, flags, (offset, _) in zip(numbers, spoken, several, strict=True)),
            ]
        )
        order = np.argsort(row, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(rows)))]).astype(np.int64)
        return Design(starts, columns[order].astype(np.int32), int(self.offsets[-1]))

    def sum_over_voters(self, of_values: Sequence[npt.NDArray[np.generic]]) -> FloatArray:
        """(configurations, outcomes): per configuration the sum of its voters' rows of (values, outcomes) tables.

        A source of a separator is counted only in the first clique that contains it.
        """
        if self.all_single:
            return np.concatenate([np.empty((0, self.outcomes)), *of_values])
        total = np.zeros((int(self.offsets[-1]), self.outcomes))
        for index, clique in enumerate(self.cliques):
            block = total[self.offsets[index] : self.offsets[index + 1]]
            for position, source in enumerate(clique.sources):
                if self.first_clique[source] == index:
                    says = clique.voting[:-1, position]
                    block[says] += of_values[source][clique.digits[:-1][says, position]]
        return total

    @cached_property
    def first_clique(self) -> tuple[int, ...]:
        """For each source the first clique that contains it."""
        found: dict[int, int] = {}
        for index, clique in enumerate(self.cliques):
            for source in clique.sources:
                found.setdefault(source, index)
        return tuple(found[source] for source in range(len(self.masks)))


def layout_of(schema: Schema, component: int, graph: SourceGraph) -> Layout:
    """The layout of one component, for votes with a schema.

    Sources that never vote on the component are left out. Values that allow the same
    of its outcomes are merged into one, unless they differ in confidence.
    """
    if schema.is_taken_apart:
        return _layout_apart(schema, component, graph)
    sets = schema.outcome_sets[component]
    speaking = [j for j, of_code in enumerate(sets.of_code) if (of_code >= 0).any()]
    masks, values = [], []
    for j in speaking:
        of_code, said = sets.distinct(j)
        masks.append(sets.masks[said])
        values.append(of_code)
    same = len(speaking) == len(schema.names) and all(
        np.array_equal(of_code[:-1], np.arange(len(of_code) - 1)) for of_code in values
    )
    return Layout(
        tuple(masks),
        graph.restricted(speaking),
        len(schema.label_space.components[component]),
        None if same else Translation(np.array(speaking, dtype=np.int64), tuple(values)),
        frozenset(at for at, j in enumerate(speaking) if sets.levels[j].any()),
    )


def _layout_apart(schema: Schema, component: int, graph: SourceGraph) -> Layout:
    """The layout of one of many components, which is the one that it would have if there were no others."""
    place = schema.places[component]
    own = layout_of(place.schema, 0, SourceGraph(place.schema.names))
    codes = [np.arange(len(masks)) for masks in own.masks] if own.translation is None else own.translation.value_of_code
    # A component that nobody votes on has a source called nobody, which is none of the sources of all votes.
    kept = own.sources if len(place.sources) else np.empty(0, dtype=np.int64)
    lookups = place.lookups(schema.values)
    values = [np.append(codes[at], -1)[lookups[source]] for at, source in enumerate(kept)]
    speaking = place.sources[kept]
    return Layout(
        own.masks,
        graph.restricted(speaking.tolist()),
        own.outcomes,
        Translation(speaking, tuple(value.astype(np.int32) for value in values)),
        own.soft,
        Apart(component, own.translation),
    )


def _tree_order(graph: SourceGraph) -> tuple[list[int], list[int | None]]:
    """The cliques in an order in which each comes after its parent in the junction forest, and their parents."""
    neighbours: list[list[int]] = [[] for _ in graph.cliques]
    for i, j in graph.tree:
        neighbours[i].append(j)
        neighbours[j].append(i)
    order: list[int] = []
    parent_of: list[int | None] = [None] * len(graph.cliques)
    seen: set[int] = set()
    for root in range(len(graph.cliques)):
        waiting = [] if root in seen else [root]
        seen.add(root)
        while waiting:
            index = waiting.pop(0)
            order.append(index)
            for other in neighbours[index]:
                if other not in seen:
                    seen.add(other)
                    parent_of[other] = index
                    waiting.append(other)
    return order, parent_of


def tied(layout: Layout, clique: Clique, applies: Sequence[BoolArray] | None = None) -> IntArray:
    """(configurations, outcomes): numbers that are equal where the class-conditional model ties parameters.

    For a given configuration, outcomes are tied if the same sources are right under
    them (the paper's equation on tied parameters). With ``applies``, per source
    the outcomes that its tasks apply to, these must match too: a source then has
    local accuracies where its tasks apply and global ones elsewhere.
    """
    kinds = np.zeros((clique.size, layout.outcomes), dtype=np.int64)
    for position, source in enumerate(clique.sources):
        masks = np.vstack([layout.masks[source], np.zeros((1, layout.outcomes), dtype=bool)]).astype(np.int64)
        alike = masks
        if applies is not None:
            alike = alike * 2 + applies[source].astype(np.int64)
        kinds = kinds * 4 + alike[clique.digits[:, position]]
    numbered = kinds + (np.arange(clique.size) * (kinds.max(initial=0) + 1))[:, None]
    return np.unique(numbered, return_inverse=True)[1].reshape(kinds.shape).astype(np.int64)
