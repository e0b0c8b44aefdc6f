"""Majority votes, flat and down the tree, against a count by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import Task, TaskGraph, Votes, hierarchical_majority_vote, majority_vote
from assay.simulate import flat_world
from tests.support.oracles import spoken
from tests.support.strategies import Said, Vector, matrices, said

METHODS = [majority_vote, hierarchical_majority_vote]


def parts(probabilities: np.ndarray | list[np.ndarray]) -> list[np.ndarray]:
    return probabilities if isinstance(probabilities, list) else [probabilities]


def sets_in(tasks: TaskGraph, row: list[Vector | None], component: int) -> list[frozenset[int]]:
    return [told[component] for vote in row if component in (told := spoken(tasks, vote))]


def flat(outcomes: list[int], sets: list[frozenset[int]]) -> dict[int, Fraction]:
    points = {outcome: sum(outcome in each for each in sets) for outcome in outcomes}
    winners = [outcome for outcome in outcomes if points[outcome] == max(points.values())]
    return {outcome: Fraction(1, len(winners)) for outcome in winners}


def parents_first(tasks: TaskGraph, names: tuple[str, ...]) -> list[str]:
    """The tasks as declared, each pulled behind its ancestors."""
    chains = [[*parents_first(tasks, tuple(above for above, _ in tasks[name].parents)), name] for name in names]
    return list(dict.fromkeys(name for chain in chains for name in chain))


def downwards(outcomes: dict[int, Vector], order: list[str], sets: list[frozenset[int]]) -> dict[int, Fraction]:
    """Decide the first task among the outcomes that are left, then the rest below each winner."""
    if not order:
        return {outcome: Fraction(1, len(outcomes)) for outcome in outcomes}
    task, *others = order
    branches: dict[str | None, dict[int, Vector]] = {}
    for number, vector in outcomes.items():
        branches.setdefault(vector[task], {})[number] = vector
    points = dict.fromkeys(branches, 0)
    for each in sets:
        labels = {outcomes[number][task] for number in each if number in outcomes}
        if len(labels) == 1 and len(branches) > 1:
            points[labels.pop()] += 1
    winners = [label for label in branches if points[label] == max(points.values())]
    return {
        outcome: share / len(winners)
        for label in winners
        for outcome, share in downwards(branches[label], others, sets).items()
    }


def expected(method, given_votes: Said) -> list[np.ndarray]:
    made = []
    for index, component in enumerate(given_votes.tasks.label_space.components):
        table = np.zeros((len(given_votes.rows), len(component)))
        for i, row in enumerate(given_votes.rows):
            sets = sets_in(given_votes.tasks, row, index)
            if method is majority_vote:
                shares = flat(list(range(len(component))), sets)
            else:
                order = parents_first(given_votes.tasks, component.tasks)
                shares = downwards(dict(enumerate(component.outcomes)), order, sets)
            for outcome, share in shares.items():
                table[i, outcome] = float(share)
        made.append(table)
    return made


@pytest.mark.parametrize("method", METHODS)
@given(said(max_tasks=4))
def test_majority_votes_are_those_of_brute_force(method, given_votes):
    for found, right in zip(parts(method(given_votes.votes)), expected(method, given_votes), strict=True):
        np.testing.assert_allclose(found, right, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
@given(said())
def test_rows_are_distributions_over_outcomes(method, given_votes):
    components = given_votes.tasks.label_space.components
    for found, component in zip(parts(method(given_votes.votes)), components, strict=True):
        assert found.shape == (len(given_votes.rows), len(component))
        assert (found >= 0).all()
        np.testing.assert_allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize("method", METHODS)
@given(said(), st.data())
def test_the_order_of_sources_and_rows_changes_nothing(method, given_votes, data):
    votes = given_votes.votes
    names, rows = data.draw(st.permutations(votes.names)), data.draw(st.permutations(range(len(votes))))
    for found, right in zip(parts(method(votes.select(names).take(rows))), parts(method(votes)), strict=True):
        np.testing.assert_array_equal(found, right[list(rows)])


@pytest.mark.parametrize("method", METHODS)
@given(matrices(), st.permutations(range(3)))
def test_renaming_classes_renames_the_result(method, matrix, order):
    renamed = [[code if code < 0 else order[code] for code in row] for row in matrix]
    found = method(Votes.from_matrix(renamed, cardinality=3))
    np.testing.assert_array_equal(found[:, order], method(Votes.from_matrix(matrix, cardinality=3)))


@given(matrices())
def test_on_one_task_the_two_are_the_same_count(matrix):
    votes = Votes.from_matrix(matrix, cardinality=3)
    np.testing.assert_allclose(majority_vote(votes), hierarchical_majority_vote(votes))
    for row, shares in zip(matrix, majority_vote(votes), strict=True):
        counts = [row.count(label) for label in range(3)]
        assert shares.tolist() == [(count == max(counts)) / counts.count(max(counts)) for count in counts]


@pytest.mark.parametrize("method", METHODS)
def test_no_votes_are_uniform_and_ties_are_shared(method, letters):
    votes = Votes.from_columns(letters, {"s": [None, "A", "A"], "t": [None, "B", "B"], "u": [None, None, "B"]})
    assert method(votes).tolist() == [pytest.approx([1 / 3] * 3), [0.5, 0.5, 0], [0, 1, 0]]


def test_one_coarse_vote_narrows_and_fine_votes_count_for_their_parents(entities):
    votes = Votes.from_columns(
        entities, {"a": ["Person", "Doctor"], "b": [None, "Lawyer"], "c": [None, "Hospital"], "d": [None, "Hospital"]}
    )
    assert majority_vote(votes).tolist() == [[0.5, 0.5, 0, 0], [0, 0, 1, 0]]
    # Two fine votes for people against two for hospitals: a tie at the root, followed both ways.
    assert hierarchical_majority_vote(votes).tolist() == [[0.5, 0.5, 0, 0], [0.25, 0.25, 0.5, 0]]


@given(said(max_tasks=4), st.data())
def test_the_tree_is_followed_from_the_root_however_tasks_are_declared(given_votes, data):
    names = given_votes.tasks.names
    tree = TaskGraph(given_votes.tasks.tasks)
    fine = {
        name: (name, data.draw(st.lists(st.none() | st.sampled_from(tree[name].labels), min_size=2, max_size=2)))
        for name in names
    }
    shuffled = TaskGraph(data.draw(st.permutations(tree.tasks)))
    one, other = (hierarchical_majority_vote(Votes.from_columns(graph, fine)) for graph in (tree, shuffled))
    found = [
        {(i, frozenset(outcome.items())): p[i, k] for i in range(2) for k, outcome in enumerate(component.outcomes)}
        for graph, both in ((tree, one), (shuffled, other))
        for component, p in zip(graph.label_space.components, parts(both), strict=True)
    ]
    merged = [{}, {}]
    for number, table in enumerate(found):
        merged[number >= len(found) // 2] |= table
    assert merged[0].keys() == merged[1].keys()
    for key, share in merged[0].items():
        assert merged[1][key] == pytest.approx(share)


def test_a_child_declared_before_its_parent():
    declared = [Task("fine", ["Doctor", "Lawyer"], parent=("coarse", "Person")), Task("coarse", ["Person", "Place"])]
    votes = Votes.from_columns(TaskGraph(declared), {"a": ["Doctor"], "b": ["Person"], "c": ["Lawyer"], "d": ["Place"]})
    assert hierarchical_majority_vote(votes).tolist() == [[0.5, 0.5, 0]]


DRAWN = flat_world(classes=3, sources=6, accuracy=(0.6, 0.9), seed=5).draw(2_000, 1)
MATRIX = np.asarray(DRAWN.votes.codes)


def test_a_majority_vote_does_not_ask_who_votes():
    model = assay.MajorityVote().fit(MATRIX)
    np.testing.assert_array_equal(model.predict_proba(MATRIX[:, :3]), assay.majority_vote(MATRIX[:, :3]))
    with pytest.raises(assay.VoteError, match="6 columns"):
        assay.DawidSkene().fit(MATRIX).predict_proba(MATRIX[:, :3])
