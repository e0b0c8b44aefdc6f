"""What is left between two sources: standard normal where only the truth connects them."""

import numpy as np
import pytest

from assay.model.dependencies.score_tests import deviations_of, pair_tests
from tests.support.dependent_worlds import KINDS, NAMES, problem_of, world_of


class TestScoreTests:
    @pytest.mark.parametrize("kind", KINDS, ids=NAMES)
    def test_standard_normal_where_only_the_truth_connects(self, kind):
        problem = problem_of(world_of(kind, ()).draw(8_000, 3).votes)
        parameters, evidence = problem.refit([], problem.first_fit()[0], 300)
        tests = pair_tests(parameters, evidence, problem.statistics, deviations_of(parameters, problem, evidence))
        upper = np.triu_indices(problem.sources, 1)
        told = np.concatenate(
            [tests.overlap[upper][tests.tests_overlap[upper]], tests.agreement[upper][tests.tests_agreement[upper]]]
        )
        assert len(told) >= 91
        assert 0.7 < (told**2).mean() < 1.35
        assert tests.surprise[upper].max() < 4.5

    def test_a_pair_that_the_model_connects_has_nothing_left(self):
        problem = problem_of(world_of({}).draw(5_000, 1).votes)
        start, _ = problem.first_fit()
        deviations = deviations_of(start, problem, problem.evidence(problem.layout))
        for edges, left in (([], True), ([(0, 1), (2, 3), (3, 4), (2, 4)], False)):
            parameters, evidence = problem.refit(edges, start, 300)
            tests = pair_tests(parameters, evidence, problem.statistics, deviations)
            assert (tests.surprise[0, 1] > 10) == left
            assert (tests.surprise[0, 1] < 1) == (not left)
