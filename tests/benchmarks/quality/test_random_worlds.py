"""Random worlds: each seed is one world, of every kind, and what is far below the vote is counted."""

import numpy as np
import pytest

from benchmarks.quality.random_worlds import KINDS, judged, world


def test_a_seed_is_a_world():
    kind, votes, gold = world(1)
    again = world(1)
    assert kind == again[0]
    assert np.array_equal(votes.codes, again[1].codes)
    assert np.array_equal(gold, again[2])


def test_every_kind_occurs_and_every_item_has_a_vote():
    drawn = [one for one in map(world, range(40)) if one is not None]
    assert {kind for kind, _, _ in drawn} == set(KINDS)
    for _, votes, gold in drawn:
        assert len(votes) == len(gold)
        assert (votes.codes >= 0).any(axis=1).all()
        assert votes.codes.shape[1] >= 3


def test_worlds_far_below_the_vote_are_counted():
    gain, far = judged([{"vote": 80.0, "default": value} for value in (90.0, 79.0, 76.0, 77.5)])
    assert gain.figure == pytest.approx(0.625)
    assert far.figure == 25.0
    assert not far.reached
