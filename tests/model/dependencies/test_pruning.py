"""Dependencies that are needed, and those that are not."""

from assay.model.dependencies.pruning import conditional_dependence
from tests.support.dependent_worlds import problem_of, world_of


class TestScoreTests:
    def test_a_dependency_is_needed_if_it_is_there(self):
        problem = problem_of(world_of({}).draw(5_000, 1).votes)
        edges = [(0, 1), (2, 3), (3, 4), (2, 4), (7, 8)]
        parameters, _ = problem.refit(edges, problem.first_fit()[0], 300)
        assert conditional_dependence(parameters, (0, 1), problem.items) > 10
        assert conditional_dependence(parameters, (2, 4), problem.items) > 4
        assert conditional_dependence(parameters, (7, 8), problem.items) < 3
