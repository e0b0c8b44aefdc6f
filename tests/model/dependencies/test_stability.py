"""Confidence is how often halves of the items tell the same."""

import numpy as np

from assay.model.dependencies.stability import stability
from tests.support.dependent_worlds import problem_of, world_of


class TestInvariance:
    def test_confidence_is_the_share_of_halves(self):
        problem = problem_of(world_of({}).draw(200, 1).votes)
        calls = []

        def search(half):
            calls.append(half)
            return [(0, 1)] if len(calls) % 2 else []

        assert stability(problem, search, 5, np.random.default_rng(0)) == {(0, 1): 0.6}
