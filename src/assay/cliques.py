"""How the votes of one component are laid out: the joint votes of each clique of dependent sources.

A *configuration* is what the sources of a clique say together. Cliques of the
junction tree come parents first, and each is described given what its parent
already told (the separator), so the probability of all votes is a product over
cliques and always sums to one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from assay.errors import VoteError
from assay.graph import SourceGraph
from assay.votes import Votes

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

MAX_CONFIGURATIONS = 50_000
"""The most joint votes that one clique may have."""


@dataclass(frozen=True, eq=False)
class Clique:
    """Some sources, and their joint votes given those of the separator."""

    sources: tuple[int, ...]
    separator: tuple[int, ...]
    shape: tuple[int, ...]
    """Values of each source, and one more for abstain, which is last."""

    @property
    def size(self) -> int:
        """How many configurations there are. The last one is that all abstain."""
        return int(np.prod(self.shape))

    @cached_property
    def digits(self) -> IntArray:
        """(configurations, sources): what each source says in each configuration."""
        return np.stack(np.unravel_index(np.arange(self.size), self.shape), axis=1)

    @cached_property
    def voting(self) -> BoolArray:
        """(configurations, sources): which sources say something."""
        return self.digits < np.array(self.shape) - 1

    def numbers(self, codes: npt.NDArray[np.integer]) -> IntArray:
        """(items,): the configuration that each row of votes, (items, all sources), has."""
        spoken = np.where(codes[:, self.sources] < 0, np.array(self.shape) - 1, codes[:, self.sources])
        numbers: IntArray = np.ravel_multi_index(tuple(spoken.T), self.shape).astype(np.int64)
        return numbers

    def families(self, ignore_abstentions: bool) -> IntArray:
        """(configurations,): which ones are alternatives: they share what the separator says.

        If abstentions are ignored they also share who votes, so that only what is
        said counts, not that it is said.
        """
        fixed = [self.sources.index(source) for source in self.separator]
        keys = self.digits[:, fixed]
        if ignore_abstentions:
            keys = np.hstack([keys, self.voting])
        return np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def marginal(self, table: FloatArray, source: int) -> FloatArray:
        """(values + 1, outcomes): a table over configurations summed to one source."""
        digit = self.digits[:, self.sources.index(source)]
        summed = np.zeros((self.shape[self.sources.index(source)], table.shape[1]))
        np.add.at(summed, digit, table)
        return summed


@dataclass(frozen=True, eq=False)
class Layout:
    """The cliques of one component's sources, and the outcomes that each vote allows."""

    masks: tuple[BoolArray, ...]
    """Per source (values, outcomes): the outcomes that each value allows."""
    graph: SourceGraph
    outcomes: int

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
                    "learn; declare dependencies between fewer of them"
                )
            found.append(Clique(members, separator, shape))
        return tuple(found)

    @cached_property
    def offsets(self) -> IntArray:
        """Where each clique's columns begin in the design matrix, and where the last one's end."""
        return np.concatenate([[0], np.cumsum([clique.size - 1 for clique in self.cliques])]).astype(np.int64)

    def design(self, codes: npt.NDArray[np.integer]) -> sparse.csr_array:
        """(items, configurations but the last of each clique): ones where an item has a configuration.

        A clique that abstains altogether leaves no entry, so that sparse votes make
        a sparse matrix.
        """
        rows, columns = [], []
        for offset, clique in zip(self.offsets, self.cliques, strict=False):
            numbers = clique.numbers(codes)
            spoken = np.flatnonzero(numbers < clique.size - 1)
            rows.append(spoken)
            columns.append(numbers[spoken] + offset)
        row, column = np.concatenate([*rows, []]), np.concatenate([*columns, []])
        entries = (np.ones(len(row)), (row.astype(np.int64), column.astype(np.int64)))
        return sparse.csr_array(sparse.coo_array(entries, shape=(len(codes), int(self.offsets[-1]))))

    @cached_property
    def home(self) -> tuple[int, ...]:
        """For each source the first clique that it is in."""
        return tuple(
            next(c for c, clique in enumerate(self.cliques) if source in clique.sources)
            for source in range(len(self.masks))
        )


def layout_of(votes: Votes, component: int, graph: SourceGraph) -> tuple[Layout, npt.NDArray[np.int32], IntArray]:
    """One component's layout, its codes, (items, sources), and which of the votes' sources these are.

    Sources that say nothing here are left out. Values that say the same here are
    one value.
    """
    sets = votes.outcome_sets[component]
    speaking = [j for j, of_code in enumerate(sets.of_code) if (of_code >= 0).any()]
    masks = []
    # Source by source in memory, since that is how votes are looked at from here on.
    codes = np.empty((len(votes), len(speaking)), dtype=np.int32, order="F")
    for at, j in enumerate(speaking):
        of_code = sets.of_code[j]
        said = np.unique(of_code[of_code >= 0])
        renumbered = np.full(len(sets.masks) + 1, -1, dtype=np.int32)
        renumbered[said] = np.arange(len(said), dtype=np.int32)
        masks.append(sets.masks[said])
        codes[:, at] = renumbered[of_code][votes.codes[:, j]]
    layout = Layout(tuple(masks), graph.restricted(speaking), len(votes.label_space.components[component]))
    return layout, codes, np.array(speaking, dtype=np.int64)


def _tree_order(graph: SourceGraph) -> tuple[list[int], list[int | None]]:
    """Cliques so that each comes after its parent in the junction forest, and the parent of each."""
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
    """(configurations, outcomes): numbers that are equal where the class-conditional model has one parameter.

    For a given configuration, outcomes are alike if they make the same sources
    right (the paper's equation on tied parameters). With ``applies``, per source
    the outcomes that its tasks apply to, they must also be alike in that: a source
    then has local accuracies where it applies and global ones elsewhere.
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
