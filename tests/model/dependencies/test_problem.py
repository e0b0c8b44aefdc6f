"""The problem that a search is given: its room, and its halves."""

import numpy as np

import assay
from tests.support.dependent_worlds import problem_of, world_of


class TestInvariance:
    def test_values_that_are_never_emitted_take_no_room(self):
        codes = world_of({}).draw(1_000, 1).votes.codes
        problem = problem_of(assay.Votes.from_matrix(np.where(codes == 1, 4, codes), cardinality=5))
        assert problem.used.tolist() == [2] * 14
        assert problem.has_room([(0, 1), (1, 2)], max_joint_votes=9)
        assert not problem.has_room([(0, 1), (1, 2), (0, 2)], max_joint_votes=9)

    def test_halves_share_the_items(self):
        problem = problem_of(world_of({}).draw(1_001, 1).votes)
        halves = problem.half(np.random.default_rng(0))
        assert sum(half.items for half in halves) == problem.items == 1_001
