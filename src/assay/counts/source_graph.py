"""The source graph: which sources depend on each other given the truth, and its junction tree.

The truth Y is adjacent to every source, so it is in every clique and every
separator; it is omitted from the tuples below. A separator that is empty here is
the paper's singleton separator set {Y}.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from assay.errors import VoteError, near_miss

if TYPE_CHECKING:
    import networkx as nx

Dependency = Sequence[str | int]
"""Sources that depend on each other: a pair, or a group of mutually dependent ones; by name or column number."""


class SourceGraph:
    """Dependencies between sources, made chordal.

    Parameters
    ----------
    names
        The sources' names.
    dependencies
        Pairs or groups of sources that are not independent given the truth.

    >>> graph = SourceGraph(["a", "b", "c", "d"], [("a", "b"), ("b", "c")])
    >>> graph.cliques, graph.separators
    (((0, 1), (1, 2), (3,)), ((1,),))
    """

    def __init__(self, names: Sequence[str], dependencies: Iterable[Dependency] = ()) -> None:
        self.names = tuple(names)
        self.declared = frozenset(
            pair for group in dependencies for pair in combinations(sorted(self._positions(group)), 2)
        )

    @cached_property
    def _graph(self) -> nx.Graph[int]:
        """The chordal graph. Most source graphs have no dependencies, and are never asked for it: see below."""
        import networkx as nx  # which takes longer to load than a small fit

        graph: nx.Graph[int] = nx.Graph()
        graph.add_nodes_from(range(len(self.names)))
        graph.add_edges_from(sorted(self.declared))
        if self.declared and not nx.is_chordal(graph):
            graph, _ = nx.complete_to_chordal_graph(graph)
        return graph

    @cached_property
    def _alone(self) -> tuple[tuple[int, ...], ...]:
        """Every source by itself."""
        return tuple((source,) for source in range(len(self.names)))

    def _positions(self, group: Dependency) -> set[int]:
        listed = not isinstance(group, str) and isinstance(group, Iterable)
        found = {self._position(source) for source in group} if listed else set()
        if len(found) < 2:
            raise VoteError(f"a dependency names two sources or more, e.g. ('kb', 'kb2'), but got {group!r}")
        return found

    def _position(self, source: str | int) -> int:
        if isinstance(source, str):
            if source in self.names:
                return self.names.index(source)
            raise VoteError(
                f"a dependency names source {source!r}, which does not exist. {near_miss(source, self.names)}"
            )
        if not isinstance(source, Integral):
            raise VoteError(f"a dependency names sources by name or column number, but got {source!r}")
        if 0 <= source < len(self.names):
            return int(source)
        raise VoteError(f"a dependency names source number {source}, but there are {len(self.names)} sources")

    @cached_property
    def edges(self) -> frozenset[tuple[int, int]]:
        """The edges of the chordal graph: those declared, and those that triangulation added."""
        return frozenset((min(pair), max(pair)) for pair in self._graph.edges) if self.declared else frozenset()

    @cached_property
    def cliques(self) -> tuple[tuple[int, ...], ...]:
        """The maximal cliques, each sorted, in sorted order. A source without dependencies is one by itself."""
        if not self.declared:
            return self._alone
        import networkx as nx

        return tuple(sorted(tuple(sorted(clique)) for clique in nx.find_cliques(self._graph)))

    @cached_property
    def tree(self) -> tuple[tuple[int, int], ...]:
        """Edges of the junction forest, as pairs of indices into ``cliques``.

        The *maximum*-weight spanning tree over separator sizes: any other breaks the
        running intersection property. Cliques that share no source are connected by Y
        alone and have no edge here.
        """
        if not self.declared:
            return ()
        import networkx as nx

        intersections: nx.Graph[int] = nx.Graph()
        intersections.add_nodes_from(range(len(self.cliques)))
        several = [index for index, clique in enumerate(self.cliques) if len(clique) > 1]
        for i, j in combinations(several, 2):
            shared = len(set(self.cliques[i]) & set(self.cliques[j]))
            if shared:
                intersections.add_edge(i, j, weight=shared)
        return tuple(sorted((min(e), max(e)) for e in nx.maximum_spanning_edges(intersections, data=False)))

    @cached_property
    def separators(self) -> tuple[tuple[int, ...], ...]:
        """The sources that neighbours in the junction forest share, one entry per edge."""
        return tuple(tuple(sorted(set(self.cliques[i]) & set(self.cliques[j]))) for i, j in self.tree)

    @cached_property
    def components(self) -> tuple[tuple[int, ...], ...]:
        """The connected components; sources of different components are independent given the truth."""
        if not self.declared:
            return self._alone
        import networkx as nx

        return tuple(sorted(tuple(sorted(part)) for part in nx.connected_components(self._graph)))

    def path(self, one: int, other: int) -> tuple[tuple[int, ...], ...]:
        """The cliques on the shortest path through the junction forest from one source to another of its component.

        >>> SourceGraph(["a", "b", "c", "d"], [("a", "b"), ("b", "c"), ("c", "d")]).path(0, 2)
        ((0, 1), (1, 2))
        """
        starts, ends = ([at for at, clique in enumerate(self.cliques) if source in clique] for source in (one, other))
        paths = (self._paths[start][end] for start in starts for end in ends)
        return tuple(self.cliques[at] for at in min(paths, key=len))

    @cached_property
    def _paths(self) -> dict[int, dict[int, list[int]]]:
        """Per clique the paths to all others, through the junction forest."""
        import networkx as nx

        forest: nx.Graph[int] = nx.Graph()
        forest.add_nodes_from(range(len(self.cliques)))
        forest.add_edges_from(self.tree)
        return dict(nx.all_pairs_shortest_path(forest))

    @property
    def has_singleton_separators(self) -> bool:
        """Whether all separators are {Y}, as Algorithm 1 requires."""
        return not self.separators

    def share_a_clique(self, one: int, other: int) -> bool:
        """Whether two sources are in one maximal clique; in a chordal graph, whether they are adjacent."""
        return one == other or (min(one, other), max(one, other)) in self.edges

    @cached_property
    def in_one_clique(self) -> npt.NDArray[np.bool_]:
        """(sources, sources): the same for all pairs."""
        adjacent = np.eye(len(self.names), dtype=bool)
        for i, j in self.edges:
            adjacent[i, j] = adjacent[j, i] = True
        return adjacent

    @cached_property
    def in_one_component(self) -> npt.NDArray[np.bool_]:
        """(sources, sources): which pairs are connected by dependencies, directly or through others.

        >>> SourceGraph(["a", "b", "c"], [("a", "b")]).in_one_component.astype(int).tolist()
        [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
        """
        component_of = np.empty(len(self.names), dtype=np.int64)
        for number, part in enumerate(self.components):
            component_of[list(part)] = number
        return np.asarray(component_of[:, None] == component_of[None])

    def completed(self) -> SourceGraph:
        """The graph with every component completed to a clique, which has singleton separators."""
        return SourceGraph(self.names, [part for part in self.components if len(part) > 1])

    def restricted(self, sources: Sequence[int]) -> SourceGraph:
        """The subgraph induced by some sources."""
        position = {source: index for index, source in enumerate(sources)}
        kept = [(position[i], position[j]) for i, j in sorted(self.edges) if i in position and j in position]
        return SourceGraph([self.names[source] for source in sources], kept)

    def to_svg(self, scores: Mapping[tuple[int, int], float] | None = None) -> str:
        """The dependencies as an SVG picture, an arc for each; those that triangulation added are dashed.

        ``scores`` are the strengths of dependencies, by pair of source numbers, the lower first; they are
        printed beside the arcs. Sources without dependencies are not drawn. Notebooks show the picture
        automatically.

        >>> SourceGraph(["a", "b", "c"], [("a", "b")]).to_svg({(0, 1): 0.3}).count("<circle")
        2
        """
        from assay.counts.graph_drawing import arcs_svg

        return arcs_svg(self.names, self.edges, added=self.edges - self.declared, scores=scores)

    def _repr_svg_(self) -> str | None:
        return self.to_svg() if self.edges else None

    def __repr__(self) -> str:
        return f"SourceGraph({len(self.names)} sources, {len(self.edges)} dependencies, {len(self.cliques)} cliques)"
