"""Baselines on votes that they were not fitted to."""

import numpy as np
import pytest

import assay
from assay.simulate import flat_world

DRAWN = flat_world(classes=3, sources=6, accuracy=(0.6, 0.9), seed=5).draw(2_000, 1)
MATRIX = np.asarray(DRAWN.votes.codes)


@pytest.mark.parametrize("model", [assay.DawidSkene(), assay.DataProgramming(), assay.DataProgramming(unipolar=True)])
def test_what_was_learned_elsewhere_is_as_good(model):
    other = model.fit(MATRIX[:1_000]).score(MATRIX[1_000:], DRAWN.gold[1_000:])
    own = model.fit(MATRIX[1_000:]).score(MATRIX[1_000:], DRAWN.gold[1_000:])
    assert other > own - 0.02
    assert other > 0.85


def test_items_keep_their_names():
    given = DRAWN.votes
    votes = assay.Votes.from_codes(given.tasks, MATRIX[:2], given.names, given.values, np.array(["x", "y"]))
    assert assay.MajorityVote().fit(votes).label(votes).items.tolist() == ["x", "y"]
