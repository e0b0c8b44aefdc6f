"""Learning dependencies from votes: laws, recovery, and what is refused."""

import numpy as np
import pytest

import assay
from assay.simulate import flat_world
from tests.support.dependent_worlds import KINDS, NAMES, world_of


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

        assert error(assay.learn_dependencies(votes, resamples=4).pairs) < 1.5 * error(world.dependencies)
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

    def test_copies_need_no_statistics(self):
        codes = flat_world(sources=8, coverage=0.3, seed=1).draw(400).votes.codes
        learned = assay.learn_dependencies(np.column_stack([codes, codes[:, 0], codes[:, 0]]), resamples=2)
        assert learned.pairs == [("0", "8"), ("8", "9")]
        assert {edge.confidence for edge in learned.edges if edge.kept} == {1.0}


class TestResults:
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
