"""Learning dependencies from votes: laws, recovery, and what is refused."""

from itertools import combinations

import numpy as np
import pytest

import assay
from assay.counts.cliques import reading_of
from assay.counts.source_graph import SourceGraph
from assay.counts.tally import Tally
from assay.model.dependencies.explanation import joined
from assay.model.dependencies.learned import LearnedDependencies
from assay.model.dependencies.problem import Problem
from assay.model.dependencies.pruning import needed
from assay.model.dependencies.score_tests import deviations_of, pair_tests
from assay.model.dependencies.stability import stability
from assay.model.dependencies.stepwise import beside_background, discoveries, stepwise
from assay.simulate import flat_world

GROUPS = ((0, 1), (2, 3, 4))
KINDS = [{}, {"classes": 3}, {"coverage": 0.5}, {"polarity": "one", "coverage": 0.25}]
NAMES = ["two classes", "three classes", "abstaining", "one value each"]


def world_of(kind, groups=GROUPS, sources=14, seed=0):
    return flat_world(sources=sources, copies=groups, copy_probability=0.5, seed=seed, **kind)


def problem_of(votes):
    tally = Tally.of(votes)
    layout, reading = reading_of(tally.nothing, 0, SourceGraph(votes.names))
    patterns = tally.sketch.patterns()
    assert reading.is_plain
    return Problem(layout, patterns)


class TestScoreTests:
    @pytest.mark.parametrize("kind", KINDS, ids=NAMES)
    def test_standard_normal_where_only_the_truth_connects(self, kind):
        problem = problem_of(world_of(kind, ()).draw(8_000, 3).votes)
        parameters, evidence = problem.refit([], problem.first_fit()[0], 300)
        tests = pair_tests(parameters, evidence, problem.statistics, deviations_of(parameters, problem, evidence))
        upper = np.triu_indices(problem.sources, 1)
        told = np.concatenate([tests.meet[upper][tests.can_meet[upper]], tests.agree[upper][tests.can_agree[upper]]])
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

    def test_a_dependency_is_needed_if_it_is_there(self):
        problem = problem_of(world_of({}).draw(5_000, 1).votes)
        edges = [(0, 1), (2, 3), (3, 4), (2, 4), (7, 8)]
        parameters, _ = problem.refit(edges, problem.first_fit()[0], 300)
        assert needed(parameters, (0, 1), problem.items) > 10
        assert needed(parameters, (2, 4), problem.items) > 4
        assert needed(parameters, (7, 8), problem.items) < 3


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
        beside = beside_background(surprise, informed, informed, [])
        assert beside[2, 3] < 1
        assert beside[0, 1] > 3
        assert beside_background(surprise, informed, informed, [(0, 1)])[0, 1] == 0
        # Pairs that were only looked at because they meet so often are no background.
        usual = np.zeros_like(informed)
        assert (beside_background(surprise, informed, usual, []) == np.where(informed, surprise, 0)).all()


class TestRecovery:
    @pytest.mark.parametrize("kind", KINDS, ids=NAMES)
    def test_the_dependencies_that_are_there(self, kind):
        world = world_of(kind, seed=1)
        learned = assay.learn_dependencies(world.draw(6_000, 5).votes, resamples=4)
        assert sorted(learned.pairs) == world.dependencies
        assert all(edge.confidence == 1 for edge in learned.edges if edge.surprise > 15)
        assert all(0.1 < edge.strength < 0.9 for edge in learned.edges if edge.kept)

    @pytest.mark.parametrize("kind", KINDS, ids=NAMES)
    def test_none_where_there_are_none(self, kind):
        for seed in range(3):
            learned = assay.learn_dependencies(world_of(kind, (), seed=seed).draw(3_000, seed).votes)
            assert not learned.pairs

    def test_a_strong_group_does_not_become_the_truth(self):
        """Sources with one value that copy across classes: maximum likelihood takes the group for the truth."""
        world = flat_world(
            sources=20,
            copies=[(0, 1), (2, 3, 4), (5, 6, 7, 8)],
            copy_probability=0.5,
            seed=1,
            polarity="one",
            coverage=0.25,
        )
        learned = assay.learn_dependencies(world.draw(10_000, 101).votes, resamples=0)
        assert sorted(learned.pairs) == world.dependencies

    @pytest.mark.parametrize("seed", [3, 4, 5])
    def test_few_sources_of_which_most_are_dependent(self, seed):
        """Five of eight: every pair has something left, and only all four dependencies together explain it."""
        world = flat_world(sources=8, copies=[(0, 1), (2, 3, 4)], copy_probability=0.4, seed=seed)
        learned = assay.learn_dependencies(world.draw(10_000, 5).votes, resamples=2)
        assert sorted(learned.pairs) == world.dependencies

    @pytest.mark.parametrize("seed", [3, 5, 6])
    def test_strong_groups_among_few_that_say_one_thing_each(self, seed):
        world = flat_world(
            sources=10, copies=[(0, 1), (2, 3, 4)], copy_probability=0.7, polarity="one", coverage=0.25, seed=seed
        )
        assert sorted(assay.learn_dependencies(world.draw(10_000, 5).votes, resamples=0).pairs) == world.dependencies

    def test_rare_sources_that_speak_together(self):
        """Chance has them meet less than once; they meet some sixty times."""
        rng = np.random.default_rng(4)
        codes = flat_world(sources=12, coverage=0.5, seed=2).draw(8_000).votes.codes.copy()
        rare = rng.random(8_000) < 0.01
        for source in (3, 7):
            codes[:, source] = np.where(rare & (rng.random(8_000) < 0.9), codes[:, 0] % 2, -1)
        learned = assay.learn_dependencies(codes, resamples=4)
        assert ("3", "7") in learned.pairs

    @pytest.mark.parametrize("method", ["low-rank", "pseudolikelihood"])
    def test_the_other_ways(self, method):
        world = world_of({}, ((0, 1),), sources=10)
        learned = assay.learn_dependencies(world.draw(3_000, 2).votes, method=method, resamples=0)
        assert learned.pairs == [("0", "1")]
        assert not assay.learn_dependencies(world_of({}, (), 10).draw(3_000, 2).votes, method=method, resamples=0).pairs

    def test_items_that_differ_in_difficulty_make_no_dependencies(self):
        rng = np.random.default_rng(3)
        truth = rng.integers(2, size=20_000)
        chance = np.clip(rng.normal(0.75, 0.1, size=(20_000, 1)), 0.5, 1)
        votes = np.where(rng.random((20_000, 12)) < chance, truth[:, None], 1 - truth[:, None])
        assert not assay.learn_dependencies(votes, resamples=0).pairs

    def test_errors_fall_to_those_of_the_true_dependencies(self):
        world = world_of({"coverage": 0.5})
        votes = world.draw(30_000, 4).votes

        def error(dependencies):
            model = assay.LabelModel(method="em", dependencies=dependencies).fit(votes)
            gaps = [a - b for a, b in zip(model.conditionals_, world.conditionals, strict=True)]
            return float(np.sqrt(sum((gap**2).sum() for gap in gaps)))

        assert error("learn") < 1.5 * error(world.dependencies)
        assert error(()) > 2 * error(world.dependencies)


class TestInvariance:
    def test_the_same_seed_gives_the_same(self):
        votes = world_of({}).draw(1_000, 1).votes
        one, other = (assay.learn_dependencies(votes, resamples=4, seed=2) for _ in range(2))
        assert one.to_dict() == other.to_dict()

    def test_the_order_of_sources_and_items_does_not_matter(self):
        votes = world_of({}).draw(3_000, 1).votes
        order = np.random.default_rng(0).permutation(14)
        mixed = votes.select([votes.names[j] for j in order]).take(np.random.default_rng(1).permutation(3_000))
        one, other = (assay.learn_dependencies(each, resamples=0) for each in (votes, mixed))
        assert {frozenset(pair) for pair in one.pairs} == {frozenset(pair) for pair in other.pairs}

    def test_values_that_are_never_emitted_take_no_room(self):
        codes = world_of({}).draw(1_000, 1).votes.codes
        problem = problem_of(assay.Votes.from_matrix(np.where(codes == 1, 4, codes), cardinality=5))
        assert problem.used.tolist() == [2] * 14
        assert problem.has_room([(0, 1), (1, 2)], max_joint_votes=9)
        assert not problem.has_room([(0, 1), (1, 2), (0, 2)], max_joint_votes=9)

    def test_copies_need_no_statistics(self):
        codes = flat_world(sources=8, coverage=0.3, seed=1).draw(400).votes.codes
        learned = assay.learn_dependencies(np.column_stack([codes, codes[:, 0], codes[:, 0]]), resamples=2)
        assert learned.pairs == [("0", "8"), ("8", "9")]
        assert {edge.confidence for edge in learned.edges if edge.kept} == {1.0}

    def test_halves_share_the_items(self):
        problem = problem_of(world_of({}).draw(1_001, 1).votes)
        halves = problem.half(np.random.default_rng(0))
        assert sum(half.items for half in halves) == problem.items == 1_001

    def test_confidence_is_the_share_of_halves(self):
        problem = problem_of(world_of({}).draw(200, 1).votes)
        calls = []

        def search(half):
            calls.append(half)
            return [(0, 1)] if len(calls) % 2 else []

        assert stability(problem, search, 5, np.random.default_rng(0)) == {(0, 1): 0.6}


class TestResults:
    def test_goes_through_json(self):
        learned = assay.learn_dependencies(world_of({}).draw(1_000, 1).votes, resamples=2)
        again = LearnedDependencies.from_dict(learned.to_dict())
        assert again.edges == learned.edges
        assert (again.residuals == learned.residuals).all()
        assert len(learned.to_pandas()) == len(learned.edges)
        assert str(again) == str(learned)

    def test_too_large_groups_are_told_but_not_kept(self):
        votes = world_of({}).draw(5_000, 1).votes
        learned = assay.learn_dependencies(votes, max_joint_votes=9, resamples=0)
        left = [edge for edge in learned.edges if not edge.kept]
        assert left
        assert "joint votes" in left[0].why_not
        assert max(len(clique) for clique in learned.graph.cliques) == 2

    def test_the_weak_are_told_but_not_kept(self):
        votes = world_of({}).draw(5_000, 1).votes
        learned = assay.learn_dependencies(votes, min_strength=0.95, resamples=0)
        assert not learned.pairs
        assert {edge.why_not for edge in learned.edges} == {"too weak to matter"}
        assert len(learned.edges) == 4

    def test_what_cannot_be_told_is_said(self):
        codes = flat_world(sources=6, coverage=0.5, seed=1).draw(2_000).votes.codes.copy()
        codes[:1_990, 5] = -1
        learned = assay.learn_dependencies(codes, resamples=0)
        assert "5 of 15 pairs of sources hardly meet" in learned.notes[0]

    @pytest.mark.parametrize(
        "settings",
        [
            {"method": "guess"},
            {"false_discoveries": 0},
            {"min_confidence": 2},
            {"min_strength": -0.1},
            {"resamples": -1},
            {"max_joint_votes": 1},
        ],
    )
    def test_settings_are_checked(self, settings):
        with pytest.raises(assay.AssayError, match=next(iter(settings))):
            assay.learn_dependencies(np.zeros((10, 3), dtype=int), **settings)

    def test_two_sources_have_nothing_to_learn(self):
        assert not assay.learn_dependencies(np.zeros((10, 2), dtype=int)).edges

    def test_all_sources_dependent_leaves_enough_to_learn_from(self):
        rng = np.random.default_rng(0)
        shared = rng.integers(2, size=4_000)
        copies = [np.where(rng.random(4_000) < 0.9, shared, rng.integers(2, size=4_000)) for _ in range(2)]
        others = flat_world(sources=3, seed=1).draw(4_000).votes.codes.T
        model = assay.LabelModel(dependencies="learn").fit(np.column_stack([*copies, *others]))
        assert model.check_.ok


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

    def test_joined_groups_are_cliques(self):
        known = frozenset({(0, 1), (2, 3), (2, 4), (3, 4)})
        assert joined(known, (5, 6)) == known | {(5, 6)}
        assert joined(known, (1, 6)) == known | {(0, 6), (1, 6)}
        assert joined(known, (1, 2)) == frozenset(combinations(range(5), 2))

    def test_what_most_sources_have_in_common_is_the_truth(self):
        """No group of more than half of the sources explains anything."""
        problem = problem_of(world_of({}, ((0, 1, 2, 3),), sources=6).draw(4_000, 1).votes)
        found = stepwise(problem, false_discoveries=0.01)
        graph = SourceGraph([str(j) for j in range(6)], list(found.edges))
        assert max(map(len, graph.cliques)) <= 3


class TestModel:
    def test_learns_and_says_so(self, tmp_path):
        world = world_of({}, ((0, 1),), sources=8)
        votes = world.draw(3_000, 2).votes
        model = assay.LabelModel(dependencies="learn").fit(votes)
        assert model.learned_.pairs == [("0", "1")]
        assert any("learned 1 dependency" in note and "'0' and '1'" in note for note in model.notes_)
        told = assay.LabelModel(dependencies=[("0", "1")]).fit(votes)
        np.testing.assert_array_equal(model.predict_proba(votes), told.predict_proba(votes))
        again = assay.LabelModel.load(model.save(tmp_path / "model.npz"))
        assert again.learned_.edges == model.learned_.edges
        assert again.notes_ == model.notes_
        assert again.get_params()["dependencies"] == "learn"
        np.testing.assert_array_equal(again.predict_proba(votes), model.predict_proba(votes))
        assert told.learned_ is None

    def test_with_gold_and_day_by_day(self):
        drawn = world_of({}, ((0, 1),), sources=8).draw(3_000, 2)
        gold = np.where(np.arange(3_000) < 100, drawn.gold, -1)
        assert assay.LabelModel(dependencies="learn").fit(drawn.votes, gold).learned_.pairs == [("0", "1")]
        model = assay.LabelModel(dependencies="learn")
        for day in (drawn.votes.block(0, 1_500), drawn.votes.block(1_500, 3_000)):
            model.partial_fit(day)
        assert model.learned_.pairs == [("0", "1")]

    def test_other_words_are_refused(self):
        with pytest.raises(assay.AssayError, match="'learn'"):
            assay.LabelModel(dependencies="lern").fit(np.zeros((10, 3), dtype=int))
