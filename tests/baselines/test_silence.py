"""Majority votes where any subset of labels may apply."""

import numpy as np
import pytest

from assay import Task, TaskGraph, Votes, at_most, hierarchical_majority_vote, majority_vote

TASKS = TaskGraph([Task("topics", ["a", "b"], multiple=True)])


def chance_of_a(columns):
    votes = Votes.from_columns(TASKS, columns)
    both = [method(votes)[0][:, 1] for method in (majority_vote, hierarchical_majority_vote)]
    assert np.array_equal(*both)
    return both[0].tolist()


def test_silence_of_whoever_could_name_it_counts_against():
    """One of three that could name it is outvoted by the silence of seven, not by that of two."""
    for sources, wins in ((1, 1.0), (3, 1.0), (4, 0.0)):
        columns = {f"s{at}": ["a" if at == 0 else None, "a"] for at in range(sources)}
        assert chance_of_a(columns) == [wins, 1.0]


def test_without_votes_no_label_applies():
    assert chance_of_a({"s": [None, "a"], "t": ["b", None]})[0] == 0.0


def test_silence_of_a_source_that_also_denies_says_nothing():
    columns = {"yes": ["a", "a", None]} | {f"t{at}": [None, {"a": False}, {"a": False}] for at in range(5)}
    assert chance_of_a(columns) == [1.0, 0.0, 0.0]


def test_the_vote_does_not_depend_on_the_order_of_labels_and_sources():
    rng = np.random.default_rng(0)
    said = {
        f"s{at}": [list(rng.choice(["a", "b"], rng.integers(1, 3), replace=False)) for _ in range(30)]
        for at in range(5)
    }
    plain = majority_vote(Votes.from_columns(TASKS, said))
    turned = TaskGraph([Task("topics", ["b", "a"], multiple=True)])
    other = majority_vote(Votes.from_columns(turned, dict(reversed(said.items()))))
    assert np.array_equal(plain[0], other[1])
    assert np.array_equal(plain[1], other[0])


@pytest.mark.parametrize("method", [majority_vote, hierarchical_majority_vote])
def test_linked_labels_are_put_together(method):
    linked = TaskGraph([Task("topics", ["a", "b"], multiple=True)], constraints=[at_most(1, "topics")])
    votes = Votes.from_columns(linked, {"s": ["a", None], "t": ["b", None]})
    joint = method(votes)
    assert joint.shape == (2, 3)
    assert np.allclose(joint.sum(axis=1), 1)
    assert joint[1].argmax() == 0
