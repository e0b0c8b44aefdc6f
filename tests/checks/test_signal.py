"""Sources that agree no more than by chance are told of, and good ones are not."""

import time

import numpy as np
import pytest

import assay
from assay.checks import check_tally
from assay.checks.signal import LEVEL
from assay.counts import Tally
from assay.simulate import flat_world, task_world
from tests.support.check_reports import only


def flips(items, sources, seed, coverage=1.0):
    rng = np.random.default_rng(seed)
    return np.where(rng.random((items, sources)) < coverage, rng.integers(2, size=(items, sources)), -1)


def knowing(items, accuracies, seed, share=0.5):
    """Votes of sources that are right with some accuracy, and one half for those that flip a coin."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(items) < share).astype(int)
    return np.where(rng.random((items, len(accuracies))) < accuracies, truth[:, None], 1 - truth[:, None])


def one_sided(items, sources, seed, right=0.5, wrong=0.07):
    """Each source votes for one class; with these rates on items of that class, and on others."""
    rng = np.random.default_rng(seed)
    truth, says = (rng.random(items) < 0.8).astype(int), np.arange(sources) % 2
    return np.where(rng.random((items, sources)) < np.where(truth[:, None] == says, right, wrong), says, -1)


def rate(make, seeds=60):
    """How often A106 is found."""
    return np.mean([["A106" in assay.check(make(seed), cardinality=2).codes] for seed in range(seeds)])


class TestFound:
    def test_coin_flippers(self):
        problem = only(assay.check(flips(3000, 4, 0)))
        assert (problem.code, problem.severity, problem.sources) == ("A106", "warning", ("0", "1", "2", "3"))
        assert "agree no more than sources that guess" in problem.message
        assert problem.fix.startswith("add sources that are better than random")
        assert "by hand" in problem.fix

    def test_two_good_sources_and_one_that_guesses(self):
        problem = only(assay.check(knowing(5000, [0.9, 0.5, 0.8], 1)), "A106")
        assert problem.sources == ("0", "1", "2")
        assert "only '0' and '2' agree more than by chance" in problem.message
        assert problem.fix.startswith("add a source that is independent of '0' and '2'")

    def test_a_good_source_an_adversary_and_one_that_guesses(self):
        assert "only '0' and '1' conflict more" in only(assay.check(knowing(5000, [0.9, 0.2, 0.5], 1)), "A106").message

    def test_three_sources_that_meet_on_one_item(self):
        votes = knowing(3000, [0.9, 0.9, 0.9], 0)
        item = np.arange(3000)[:, None]
        votes[(item % 3 != np.arange(3)) & (item > 0)] = -1
        problem = only(assay.check(votes), "A106")
        assert "meet on an item only 3 times" in problem.message
        assert problem.fix.startswith("add items or sources so that more votes meet")

    def test_agreement_that_hangs_on_one_source(self):
        """The centre of a star is related to all others, which are not related to each other."""
        rng = np.random.default_rng(0)
        centre = rng.integers(2, size=4000)
        leaves = flips(4000, 3, 1)
        copies = np.arange(4000)[:, None] % 3 == np.arange(3)
        leaves = np.where(copies & (rng.random((4000, 3)) < 0.8), centre[:, None], leaves)
        problem = only(assay.check(np.column_stack([centre, leaves])), "A106")
        assert "without '0' the other sources" in problem.message

    def test_one_sided_sources_that_speak_at_random(self):
        assert "A106" in assay.check(one_sided(3000, 8, 0, right=0.2, wrong=0.2)).codes

    def test_the_group_that_knows_nothing_is_named(self):
        votes = np.full((6000, 7), -1)
        votes[:3000, :4] = knowing(3000, [0.8] * 4, 0)
        votes[3000:, 4:] = flips(3000, 3, 1)
        problem = only(assay.check(votes), "A106")
        assert problem.sources == ("4", "5", "6")

    def test_sources_that_pass_by_dependence_only(self):
        votes = flips(4000, 4, 0)
        votes[:, 1] = np.where(np.random.default_rng(1).random(4000) < 0.9, votes[:, 0], votes[:, 1])
        assert "only '0' and '1'" in only(assay.check(votes), "A106").message
        assert "agree no more" in only(assay.check(votes, [(0, 1)]), "A106").message

    def test_a_fit_proceeds(self):
        model = assay.LabelModel().fit(flips(2000, 4, 0))
        assert "A106" in model.check_.codes

    def test_hand_labels_tell_accuracies(self):
        votes = assay.Votes.from_matrix(flips(2000, 4, 0))
        gold = np.where(np.arange(2000) < 50, np.arange(2000) % 2, -1)
        assert "A106" not in assay.LabelModel().fit(votes, gold).check_.codes
        gold[0] = -1
        assert "A106" in assay.LabelModel().fit(votes, gold).check_.codes


class TestRates:
    @pytest.mark.parametrize("sources", [3, 8, 30])
    @pytest.mark.parametrize("coverage", [1.0, 0.2])
    def test_coin_flippers_rarely_pass(self, sources, coverage):
        assert rate(lambda seed: flips(400, sources, seed, coverage)) >= 1 - LEVEL - 0.03

    @pytest.mark.parametrize("sources", [3, 20])
    def test_two_that_know_something_rarely_pass(self, sources):
        accuracies = [0.85, 0.85] + [0.5] * (sources - 2)
        assert rate(lambda seed: knowing(1000, accuracies, seed)) >= 1 - LEVEL - 0.03

    @pytest.mark.parametrize("sources", [8, 30])
    def test_one_sided_sources_that_speak_at_random_rarely_pass(self, sources):
        assert rate(lambda seed: one_sided(600, sources, seed, right=0.1, wrong=0.1)) >= 1 - LEVEL - 0.03

    @pytest.mark.parametrize(
        ("items", "accuracies"),
        [
            (200, [0.85] * 3),
            (200, [0.75] * 6),
            (1000, [0.75] * 3),
            (1000, [0.9, 0.9, 0.7]),
            (1000, [0.8] * 3 + [0.5] * 17),
            (1000, [0.8] * 5 + [0.2] * 4),
            (300, [0.65] * 20),
        ],
    )
    def test_sources_that_know_something_pass(self, items, accuracies):
        assert rate(lambda seed: knowing(items, accuracies, seed)) <= LEVEL

    @pytest.mark.parametrize(("items", "sources"), [(200, 8), (200, 40), (2000, 8)])
    def test_one_sided_sources_that_know_something_pass(self, items, sources):
        assert rate(lambda seed: one_sided(items, sources, seed)) <= LEVEL

    def test_a_rare_class_passes(self):
        assert rate(lambda seed: knowing(2000, [0.9] * 4, seed, share=0.05)) <= LEVEL

    def test_hierarchies_pass(self, entities):
        world = task_world(entities, ["entity"] * 2 + ["person"] * 2 + ["org"] * 2)
        assert not any("A106" in assay.check(world.draw(2000, seed).votes).codes for seed in range(30))


def crowd(items, workers, per_item, accuracy, seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=items)
    votes = np.full((items, workers), -1)
    for item in range(items):
        who = rng.choice(workers, per_item, replace=False)
        votes[item, who] = np.where(rng.random(per_item) < accuracy, truth[item], 1 - truth[item])
    return votes


def test_workers_who_hardly_meet_in_pairs_are_judged_together():
    assert "A106" not in assay.check(crowd(1000, 150, 3, 0.75, 0)).codes
    assert "A106" in assay.check(crowd(1000, 150, 3, 0.5, 0)).codes


def test_small_groups_of_workers_are_not_held_against_a_good_crowd():
    votes = np.full((1200, 60), -1)
    for group in range(20):
        votes[group * 60 : (group + 1) * 60, group * 3 : (group + 1) * 3] = knowing(60, [0.75] * 3, group)
    assert "A106" not in assay.check(votes).codes


def test_a_thousand_sources_take_a_moment():
    (rows, columns), rng = (5000, 1000), np.random.default_rng(0)
    truth = rng.integers(2, size=rows)
    right = np.where(rng.random((rows, columns)) < 0.7, truth[:, None], 1 - truth[:, None])
    tally = Tally.of(assay.Votes.from_matrix(np.where(rng.random((rows, columns)) < 0.05, right, -1)), size=0)
    start = time.perf_counter()
    assert "A106" not in check_tally(tally).codes
    assert time.perf_counter() - start < 10


def test_good_worlds_of_any_number_of_labels_pass():
    for classes in (2, 3, 8):
        world = flat_world(classes=classes, sources=5, accuracy=(0.65, 0.9))
        assert "A106" not in assay.check(world.draw(1000).votes).codes
