"""Dependent sources in more than one clique: their votes count together, as those of a clique do."""

from itertools import combinations

import numpy as np
import pytest

import assay
from assay.counts import Evidence, SourceGraph, Tally, layout_of
from assay.model.estimate.spread_groups import SpreadGroup
from assay.votes import Votes


def evidence_of(matrix, dependencies, classes=2):
    votes = Votes.from_matrix(matrix, cardinality=classes)
    layout = layout_of(votes.schema, 0, SourceGraph(votes.names, dependencies))
    return Evidence.of(Tally.of(votes), layout)


def star(members):
    return [(str(members[0]), str(other)) for other in members[1:]]


def test_cliques_and_single_sources_are_no_spread_groups():
    matrix = np.random.default_rng(0).integers(-1, 2, (50, 6))
    assert SpreadGroup.of(evidence_of(matrix, [])) == []
    assert SpreadGroup.of(evidence_of(matrix, [("0", "1"), ("2", "3"), ("3", "4"), ("2", "4")])) == []
    (group,) = SpreadGroup.of(evidence_of(matrix, star([0, 1, 2])))
    assert group.members == (0, 1, 2)


def test_how_many_vote_together_is_counted():
    matrix = np.array([[0, 1, 1, -1], [0, -1, -1, 1], [-1, 0, 1, 1], [1, 1, 0, 0]])
    (group,) = SpreadGroup.of(evidence_of(matrix, star([0, 1, 2])))
    assert group.together == pytest.approx(np.array([[1, 0, 2], [0, 1, 2], [0, 1, 2]]) / 3)


@pytest.mark.parametrize("size", [3, 5, 60])
def test_copies_that_all_vote_count_as_one_and_strangers_in_full(size):
    matrix = np.random.default_rng(1).integers(0, 2, (50, size + 2))
    evidence = evidence_of(matrix, star(list(range(size))))
    (group,) = SpreadGroup.of(evidence)
    cliques = len(evidence.layout.cliques)
    assert group.worth(np.ones(cliques)) == pytest.approx(np.full(size, 1 / size))
    assert group.worth(np.zeros(cliques)) == pytest.approx(np.ones(size))


def test_along_a_chain_correlations_multiply():
    matrix = np.random.default_rng(1).integers(0, 2, (50, 5))
    evidence = evidence_of(matrix, [("0", "1"), ("1", "2")])
    (group,) = SpreadGroup.of(evidence)
    correlations = np.array([0.5 if len(one.sources) > 1 else 0.0 for one in evidence.layout.cliques])
    mean = (0.5 + 0.5 + 0.25) / 3
    assert group.worth(correlations) == pytest.approx(np.full(3, 1 / (1 + 2 * mean)))


def test_a_tree_of_copies_counts_as_a_clique_of_them_does():
    rng = np.random.default_rng(2)
    n, classes = 5_000, 4
    y = rng.integers(0, classes, n)

    def said(accuracy):
        return np.where(rng.random(n) < accuracy, y, rng.integers(0, classes, n))

    weak = said(0.6)
    columns = [said(accuracy) for accuracy in (0.7, 0.6, 0.65)]
    columns += [np.where(rng.random(n) < 0.95, weak, said(0.6)) for _ in range(5)]
    matrix = np.column_stack(columns)
    members = list(range(3, 8))
    right = {}
    for name, pairs in {"tree": star(members), "clique": list(combinations(map(str, members), 2))}.items():
        model = assay.LabelModel(method="robust", dependencies=pairs).fit(
            Votes.from_matrix(matrix, cardinality=classes)
        )
        right[name] = float((model.predict(matrix) == y).mean())
    vote = float((assay.majority_vote(Votes.from_matrix(matrix, cardinality=classes)).argmax(axis=1) == y).mean())
    assert right["tree"] == pytest.approx(right["clique"], abs=0.01)
    assert right["tree"] > vote + 0.1
