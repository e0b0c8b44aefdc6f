"""The search step by step: discoveries by definition, and rounds that end."""

import numpy as np

import assay
from assay.model.dependencies.stepwise import discoveries, relative_to_background, stepwise
from tests.support.dependent_worlds import problem_of, world_of


class TestDiscoveries:
    def test_benjamini_and_hochberg_by_definition(self):
        rng = np.random.default_rng(0)
        surprise = np.abs(rng.normal(size=(12, 12)))
        surprise = np.maximum(surprise, surprise.T)
        surprise[0, 1] = surprise[1, 0] = 8.0
        surprise[2, 3] = surprise[3, 2] = 4.2
        informed = ~np.eye(12, dtype=bool)
        least = discoveries(surprise, informed, 0.05)
        upper = surprise[np.triu_indices(12, 1)]
        from scipy.stats import norm

        chances = 2 * norm.sf(upper)
        # The most pairs k such that the k-th smallest chance is at most k / pairs of the rate.
        most = max(k for k in range(1, 67) if np.sort(chances)[k - 1] <= 0.05 * k / 66)
        assert (upper >= least).sum() == most >= 2

    def test_none_in_noise(self):
        assert discoveries(np.full((5, 5), 0.5), ~np.eye(5, dtype=bool), 0.05) == np.inf

    def test_nothing_stands_out_where_all_pairs_do(self):
        surprise = np.full((12, 12), 9.0)
        surprise[0, 1] = surprise[1, 0] = 60.0
        informed = ~np.eye(12, dtype=bool)
        beside = relative_to_background(surprise, informed, informed, [])
        assert beside[2, 3] < 1
        assert beside[0, 1] > 3
        assert relative_to_background(surprise, informed, informed, [(0, 1)])[0, 1] == 0
        # Pairs that were only looked at because they meet so often are no background.
        usual = np.zeros_like(informed)
        assert (relative_to_background(surprise, informed, usual, []) == np.where(informed, surprise, 0)).all()


class TestStepwise:
    def test_rounds_end_without_votes(self):
        found = stepwise(
            problem_of(assay.Votes.from_matrix(np.full((5, 4), -1), cardinality=2)), false_discoveries=0.05
        )
        assert not found.edges

    def test_independent_sources_are_the_first_guess(self):
        found = stepwise(problem_of(world_of({}, ()).draw(3_000, 1).votes), false_discoveries=0.01)
        assert not found.edges
        assert not found.explained
