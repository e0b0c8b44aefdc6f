"""What a hand label is worth: laws of the expected gain."""

from __future__ import annotations

import numpy as np
import pytest

from assay import LabelModel, Votes
from assay.model.usefulness import Doubts, UsefulnessSettings, labels_wanted
from assay.simulate import flat_world

USED = UsefulnessSettings()


@pytest.fixture(scope="module")
def fitted():
    world = flat_world(classes=3, sources=5, seed=5).draw(600)
    return world.votes, LabelModel().fit(world.votes).fitted_.components[0]


def of(fitted, known=(), labels=()):
    votes, component = fitted
    _, first = np.unique(votes.codes, axis=0, return_index=True)
    some = votes.take(first[:40])
    return Doubts.of(component, some, votes.take(list(known)), np.array(labels, dtype=float), USED), len(some)


def test_the_gain_is_that_of_a_better_decision():
    """One pattern: the expected maximum of a normal and zero, against the better of its mean and zero."""
    doubts = Doubts(np.array([0.7]), np.array([[2.0]]), np.array([4.0]))
    moved = np.random.default_rng(0).normal(0.7, 2.0 / np.sqrt(6.0), 2_000_000)
    expected = np.maximum(moved, 0).mean() - 0.7
    assert doubts.gains(np.array([3.0]), np.zeros(1))[0] == pytest.approx(3 * expected, rel=0.01)


def test_covariances_are_some_and_labels_shrink_them(fitted):
    before, size = of(fitted)
    after, _ = of(fitted, [0, 1, 2], [3.0, 1.0, 1.0])
    assert np.linalg.eigvalsh(before.covariance).min() > -1e-9
    assert np.linalg.eigvalsh(after.covariance).min() > -1e-9
    assert (after.covariance.diagonal() <= before.covariance.diagonal() + 1e-9).all()
    assert (after.gains(np.ones(size), np.zeros(size)) >= 0).all()


def test_items_without_votes_tell_about_each_other_only(fitted):
    _, component = fitted
    codes = np.array([[0, 1, -1, -1, -1], [-1] * 5, [0, 2, -1, -1, -1]])
    votes = Votes.from_codes(fitted[0].tasks, codes, fitted[0].names, fitted[0].values)
    covariance = Doubts.of(component, votes, votes.take([]), np.empty(0), USED).covariance
    assert covariance[1, [0, 2]].tolist() == [0.0, 0.0]
    assert covariance[1, 1] > 0
    assert covariance[0, 2] != 0


def test_labels_here_and_before_tell_the_same(fitted):
    """Whether a pattern was labeled before, or is to be labeled now: the next label is worth the same."""
    votes, component = fitted
    one, many = votes.take([7]), np.array([4.0])
    before = Doubts.of(component, one, one, many, USED)
    now = Doubts.of(component, one, one.take([]), np.empty(0), USED)
    assert before.gains(np.ones(1), np.zeros(1)) == pytest.approx(now.gains(np.ones(1), many))


def test_what_is_sure_or_labeled_is_worth_less():
    margin = np.array([0.1, 3.0, 0.1])
    doubts = Doubts(margin, np.eye(3), np.full(3, 4.0))
    unsure, sure, labeled = doubts.gains(np.ones(3), np.array([0.0, 0.0, 5.0]))
    assert unsure > sure
    assert unsure > labeled
    many = doubts.gains(np.array([10.0, 1.0, 1.0]), np.zeros(3))
    assert many[0] == pytest.approx(10 * many[2])


def test_a_label_is_worth_more_if_it_tells_about_others():
    alone = np.eye(3)
    together = np.array([[1.0, 0.8, 0.0], [0.8, 1.0, 0.0], [0.0, 0.0, 1.0]])
    gains = [Doubts(np.full(3, 0.2), one, np.full(3, 4.0)).gains(np.ones(3), np.zeros(3)) for one in (alone, together)]
    assert gains[1][0] > gains[0][0]
    assert gains[1][2] == pytest.approx(gains[0][2])


def test_labels_go_where_they_are_worth_most_and_fit_in():
    doubts = Doubts(np.array([0.1, 0.1, 5.0]), np.eye(3), np.full(3, 4.0))
    wanted = labels_wanted([doubts], np.array([100.0, 50.0, 100.0]), np.array([100.0, 2.0, 100.0]), 10.0, USED)
    assert wanted.sum() <= 10.0 + 1e-9
    assert wanted[0] > wanted[1] > 0
    assert wanted[1] <= 2.0
    assert wanted[2] < 0.1
    assert labels_wanted([doubts], np.ones(3), np.zeros(3), 10.0, USED).sum() == 0
