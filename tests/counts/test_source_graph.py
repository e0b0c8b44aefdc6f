"""The source graph: chordal, with a junction tree that has the running intersection property."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.counts.source_graph import SourceGraph


@st.composite
def graphs(draw, max_sources=9):
    """Any dependencies, chordal or not."""
    size = draw(st.integers(1, max_sources))
    pairs = list(combinations(range(size), 2))
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=14, unique=True)) if pairs else []
    return SourceGraph([f"s{j}" for j in range(size)], chosen)


def as_networkx(graph):
    found = nx.Graph(list(graph.edges))
    found.add_nodes_from(range(len(graph.names)))
    return found


def running_intersection(graph):
    """Whether the cliques that hold a source are connected in the tree, for every source."""
    forest = nx.Graph(list(graph.tree))
    forest.add_nodes_from(range(len(graph.cliques)))
    return nx.is_forest(forest) and all(
        nx.is_connected(forest.subgraph(i for i, clique in enumerate(graph.cliques) if source in clique))
        for source in range(len(graph.names))
    )


@given(graphs())
def test_junction_trees_have_the_running_intersection_property(graph):
    assert running_intersection(graph)
    assert graph.separators == tuple(
        tuple(sorted(set(graph.cliques[i]) & set(graph.cliques[j]))) for i, j in graph.tree
    )
    assert all(graph.separators)


@given(graphs())
def test_completion_is_chordal_and_keeps_what_was_declared(graph):
    assert nx.is_chordal(as_networkx(graph))
    assert graph.declared <= graph.edges


@given(graphs())
def test_chordal_graphs_get_no_edges_added(graph):
    again = SourceGraph(graph.names, sorted(graph.edges))
    assert again.edges == graph.edges == again.declared


@given(graphs())
def test_cliques_are_maximal_and_cover_all_edges(graph):
    for one, other in combinations(graph.cliques, 2):
        assert not set(one) <= set(other)
        assert not set(other) <= set(one)
    inside = {pair for clique in graph.cliques for pair in combinations(clique, 2)}
    assert inside == graph.edges
    assert {source for clique in graph.cliques for source in clique} == set(range(len(graph.names)))
    for one in range(len(graph.names)):
        for other in range(len(graph.names)):
            assert graph.share_a_clique(one, other) == any({one, other} <= set(clique) for clique in graph.cliques)


@given(graphs())
def test_components_are_those_of_networkx(graph):
    assert set(map(frozenset, graph.components)) == set(map(frozenset, nx.connected_components(as_networkx(graph))))


@given(graphs())
def test_pairs_in_one_component_are_those_that_completing_would_join(graph):
    np.testing.assert_array_equal(graph.in_one_component, graph.completed().in_one_clique)


@given(graphs())
def test_completed_graphs_have_singleton_separators(graph):
    whole = graph.completed()
    assert whole.has_singleton_separators
    assert whole.cliques == whole.components == graph.components
    assert graph.edges <= whole.edges


@given(graphs(), st.data())
def test_restricted_keeps_the_edges_among_the_others(graph, data):
    kept = data.draw(st.lists(st.sampled_from(range(len(graph.names))), unique=True))
    part = graph.restricted(kept)
    assert part.names == tuple(graph.names[source] for source in kept)
    assert part.edges == {
        (i, j) for i, j in combinations(range(len(kept)), 2) if graph.share_a_clique(kept[i], kept[j])
    }


@given(graphs())
def test_names_and_numbers_say_the_same(graph):
    named = SourceGraph(graph.names, [(graph.names[i], graph.names[j]) for i, j in sorted(graph.declared)])
    assert (named.cliques, named.tree) == (graph.cliques, graph.tree)


def test_the_tree_takes_the_largest_separators():
    graph = SourceGraph("abcde", [(0, 1, 2), (1, 2, 3), (2, 3, 4)])
    assert graph.cliques == ((0, 1, 2), (1, 2, 3), (2, 3, 4))
    assert graph.tree == ((0, 1), (1, 2))
    assert graph.separators == ((1, 2), (2, 3))


def test_a_square_is_cut_in_two():
    graph = SourceGraph("abcd", [(0, 1), (1, 2), (2, 3), (0, 3)])
    assert len(graph.edges - graph.declared) == 1
    assert [len(clique) for clique in graph.cliques] == [3, 3]
    assert repr(graph) == "SourceGraph(4 sources, 5 dependencies, 2 cliques)"


def test_no_dependencies():
    graph = SourceGraph("abc")
    assert graph.cliques == ((0,), (1,), (2,))
    assert graph.has_singleton_separators
    assert graph.tree == graph.separators == ()


@pytest.mark.parametrize(
    ("dependency", "message"),
    [
        (("kb", "krowd"), "'krowd', which does not exist. Did you mean 'crowd'?"),
        ((0, 3), "source number 3, but there are 3 sources"),
        ((0, -1), "source number -1"),
        (("kb",), "names two sources or more"),
        ("kb", "names two sources or more"),
        (("kb", "kb"), "names two sources or more"),
        (("kb", 0), "names two sources or more"),
        (3, "names two sources or more"),
        (("kb", None), "by name or column number, but got None"),
        (("kb", 1.5), "by name or column number, but got 1.5"),
    ],
)
def test_errors_say_what_was_expected(dependency, message):
    with pytest.raises(assay.VoteError, match=message.replace("?", r"\?")):
        SourceGraph(["kb", "crowd", "regex"], [dependency])
