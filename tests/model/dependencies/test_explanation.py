"""Groups that would explain what is left, and which may not."""

from itertools import combinations

from assay.counts.source_graph import SourceGraph
from assay.model.dependencies.explanation import merged
from assay.model.dependencies.stepwise import stepwise
from tests.support.dependent_worlds import problem_of, world_of


class TestStepwise:
    def test_joined_groups_are_cliques(self):
        known = frozenset({(0, 1), (2, 3), (2, 4), (3, 4)})
        assert merged(known, (5, 6)) == known | {(5, 6)}
        assert merged(known, (1, 6)) == known | {(0, 6), (1, 6)}
        assert merged(known, (1, 2)) == frozenset(combinations(range(5), 2))

    def test_what_most_sources_have_in_common_is_the_truth(self):
        """No group of more than half of the sources explains anything."""
        problem = problem_of(world_of({}, ((0, 1, 2, 3),), sources=6).draw(4_000, 1).votes)
        found = stepwise(problem, false_discoveries=0.01)
        graph = SourceGraph([str(j) for j in range(6)], list(found.edges))
        assert max(map(len, graph.cliques)) <= 3
