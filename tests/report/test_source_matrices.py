"""How often two sources meet and agree, by looking at every item."""

from itertools import combinations

import numpy as np
import pytest

from assay.counts.tally import Tally
from assay.report.source_matrices import agreement, most_overlapping, similar_adjacent
from assay.simulate import flat_world


class TestMeetings:
    def test_agreement_is_the_share_of_common_items_without_contradiction(self, fitted):
        _, votes, _ = fitted
        met, found = agreement(Tally.of(votes))
        component = votes.label_space.only
        masks = [np.array([component.allows(vote) for vote in values] or [[]]) for values in votes.values]
        for i, j in combinations(range(len(votes.names)), 2):
            both = (votes.codes[:, i] >= 0) & (votes.codes[:, j] >= 0)
            assert met[i, j] == both.sum()
            if both.sum() >= 5:
                right = (masks[i][votes.codes[both, i]] & masks[j][votes.codes[both, j]]).any(axis=1)
                assert found.cells[i, j] == found.cells[j, i] == pytest.approx(right.mean())
            else:
                assert np.isnan(found.cells[i, j])

    def test_of_many_sources_those_that_meet_most_are_shown(self):
        met = np.array([[9, 0, 3], [0, 9, 1], [3, 1, 9]])
        assert most_overlapping(met, 2).tolist() == [0, 2]

    def test_sources_that_are_alike_stand_similar_adjacent(self):
        drawn = flat_world(sources=8, copies=[(0, 6), (2, 5)], copy_probability=0.95, seed=1).draw(4_000)
        _, found = agreement(Tally.of(drawn.votes))
        order = similar_adjacent(found).tolist()
        assert sorted(order) == list(range(8))
        for one, other in ((0, 6), (2, 5)):
            assert abs(order.index(one) - order.index(other)) == 1
