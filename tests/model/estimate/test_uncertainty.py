"""Error bars: derivatives by finite differences, and intervals that cover."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.model.estimate import uncertainty
from assay.model.estimate.e_step import responsibilities
from assay.model.scoring import Scoring
from assay.simulate import flat_world
from tests.support.worlds import enumerated, written_out

STEP = 1e-5


def accuracy_intervals(parameters, evidence, *, balance_known):
    return uncertainty.accuracy_intervals(parameters, Scoring.bayes(parameters), evidence, balance_known=balance_known)


def everything(world):
    return list(range(len(world.layout.cliques)))


def moved(world, ignored, clique, configuration, outcome, by):
    """The distribution after one free parameter moved: one entry of a table against its alternatives."""
    parameters = world.parameters(ignored)
    logs = np.log(parameters.tables[clique])
    logs[configuration, outcome] += by
    families = world.layout.cliques[clique].families(ignored)
    raised = np.exp(logs)
    sums = np.array([np.bincount(families, column) for column in raised.T]).T
    ratio = raised / sums[families] / parameters.tables[clique]
    return replace(world, chances=world.chances * ratio[world.layout.cliques[clique].numbers(world.rows)])


def logit_accuracy(world, source, value):
    joint = (world.chances * world.balance)[world.rows[:, source] == value].sum(axis=0)
    right = world.layout.masks[source][value]
    return np.log(joint[right].sum() / joint[~right].sum())


def log_evidence(world):
    return np.log(world.chances @ world.balance)


def tilted(world, outcome, by):
    raised = world.balance * np.exp(by * (np.arange(world.layout.outcomes) == outcome))
    return replace(world, balance=raised / raised.sum())


def by_differences(world, function, ignored=False):
    """Derivatives in the library's order: outcome by outcome the cliques, then the balance."""
    ways = [
        (lambda by, c=clique, k=configuration, y=outcome: moved(world, ignored, c, k, y, by))
        for outcome in range(world.layout.outcomes)
        for clique in everything(world)
        for configuration in range(world.layout.cliques[clique].size - 1)
    ]
    ways += [(lambda by, y=outcome: tilted(world, y, by)) for outcome in range(world.layout.outcomes - 1)]
    return np.array([(function(way(STEP)) - function(way(-STEP))) / (2 * STEP) for way in ways])


@given(enumerated(max_sources=4, max_outcomes=3), st.data())
@settings(max_examples=15)
def test_gradients_are_those_of_finite_differences(world, data):
    source = data.draw(st.integers(0, len(world.layout.masks) - 1))
    value = data.draw(st.integers(0, len(world.layout.masks[source]) - 1))
    found = uncertainty._gradient(world.parameters(), source, value, everything(world), False)
    expected = by_differences(world, lambda other: logit_accuracy(other, source, value))
    np.testing.assert_allclose(found, expected, atol=1e-6, rtol=1e-4)


@given(enumerated(max_sources=4, max_outcomes=3))
@settings(max_examples=15)
def test_scores_are_those_of_finite_differences(world):
    evidence = world.evidence()
    posterior, _ = responsibilities(Scoring.bayes(world.parameters()), evidence)
    found = uncertainty._information(world.parameters(), evidence, posterior, everything(world), False, evidence.counts)
    scores = by_differences(world, log_evidence)
    np.testing.assert_allclose(found, (scores * world.weights) @ scores.T, atol=1e-7, rtol=1e-4)


def test_intervals_shrink_with_the_square_root_of_the_items():
    world = written_out(flat_world(sources=5, copies=[(0, 1), (1, 2)], seed=1))
    widths = []
    for items in (1e4, 1e6):
        found = accuracy_intervals(world.parameters(), world.evidence(items), balance_known=False)
        widths.append(np.concatenate([high - low for _, low, high in found]))
    np.testing.assert_allclose(widths[0] / widths[1], 10, rtol=0.05)


def test_a_known_balance_makes_intervals_no_wider():
    world = written_out(flat_world(sources=4, seed=2))
    free, known = (
        accuracy_intervals(world.parameters(), world.evidence(1e4), balance_known=known) for known in (False, True)
    )
    for (_, low, high), (_, at_least, at_most) in zip(free, known, strict=True):
        assert (high - low >= at_most - at_least - 1e-6).all()


@given(enumerated(max_sources=4), st.booleans())
def test_intervals_hold_their_accuracy_and_stay_between_zero_and_one(world, ignored):
    parameters = world.parameters(ignored)
    for accuracy, low, high in accuracy_intervals(parameters, world.evidence(100.0), balance_known=False):
        assert (low >= 0).all()
        assert (high <= 1).all()
        assert (low - 1e-9 <= accuracy).all()
        assert (accuracy <= high + 1e-9).all()


def test_many_parameters_are_taken_clique_by_clique(monkeypatch):
    world = written_out(flat_world(sources=5, copies=[(0, 1)], seed=3))
    whole = accuracy_intervals(world.parameters(), world.evidence(1e5), balance_known=True)
    monkeypatch.setattr(uncertainty, "MAX_PARAMETERS", 1)
    parts = accuracy_intervals(world.parameters(), world.evidence(1e5), balance_known=True)
    for (accuracy, low, high), (same, at_least, at_most) in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(accuracy, same)
        assert (at_most - at_least <= (high - low) * 1.0001).all()


@pytest.mark.parametrize(
    ("copies", "abstentions", "coverage"),
    [([], "informative", 1.0), ([(0, 1), (1, 2)], "informative", 1.0), ([], "ignored", 0.6)],
    ids=str,
)
def test_intervals_cover(copies, abstentions, coverage):
    inside = []
    for seed in range(12):
        world = flat_world(sources=7, copies=copies, coverage=coverage, accuracy=(0.65, 0.9), seed=seed)
        model = assay.LabelModel(dependencies=world.dependencies, abstentions=abstentions)
        table = model.fit(world.draw(3000, seed=seed + 100).votes).sources_
        joint = [conditional[:-1] * world.balance for conditional in world.conditionals]
        truth = np.concatenate([np.diagonal(votes / votes.sum(axis=1, keepdims=True)) for votes in joint])
        inside += list((table["low"] <= truth) & (truth <= table["high"]))
    assert 0.88 <= np.mean(inside) <= 0.995


def test_intervals_of_the_robust_model_hold_the_truth_and_shrink():
    inside, widths = [], {}
    for items in (500, 4000):
        for seed in range(4):
            world = flat_world(sources=8, coverage=0.5, seed=seed)
            found = assay.LabelModel(method="robust").fit(world.draw(items, seed=seed).votes).sources_
            spoken = np.vstack([table[:-1] * world.balance for table in world.conditionals])
            truth = np.array([row[index % 2] / row.sum() for index, row in enumerate(spoken)])
            inside += list((found["low"] <= truth) & (truth <= found["high"]))
            widths.setdefault(items, []).append((found["high"] - found["low"]).mean())
    assert np.mean(inside) > 0.9
    assert np.mean(widths[4000]) < 0.7 * np.mean(widths[500])


def test_lone_votes_leave_the_robust_model_unsure():
    rng = np.random.default_rng(0)
    codes = np.full((900, 3), -1)
    codes[np.arange(900), np.repeat([0, 1, 2], 300)] = rng.integers(0, 2, 900)
    found = assay.LabelModel(method="robust", allow_unidentifiable=True).fit(codes).sources_
    assert (found["high"] - found["low"] > 0.7).all()


class TestCheckedByGold:
    """Sources with wide intervals, of whose votes a dozen each have gold."""

    def drawn(self, claimed):
        """The mean errors of what votes tell, of what gold counts, and of both; the share inside, and mean widths."""
        figures = []
        for seed in range(20):
            rng = np.random.default_rng(seed)
            true = rng.uniform(0.6, 0.95, 40)
            right, told = rng.binomial(12, true), claimed(true, rng)
            found = [(told[[at]], told[[at]] - 0.35, np.minimum(told[[at]] + 0.2, 0.99)) for at in range(40)]
            checked = uncertainty.checked_intervals(found, [np.array([[hits, 12.0 - hits]]) for hits in right])
            accuracy, low, high = (np.concatenate(ends) for ends in zip(*checked, strict=True))
            errors = [np.abs(estimate - true).mean() for estimate in (told, right / 12, accuracy)]
            figures.append([*errors, ((low <= true) & (true <= high)).mean(), (high - low).mean()])
        return np.mean(figures, axis=0)

    def test_accuracies_that_hold_are_kept(self):
        of_votes, of_counts, of_both, inside, width = self.drawn(lambda true, rng: true + rng.normal(0, 0.02, 40))
        assert of_both < 1.5 * of_votes < 0.5 * of_counts
        assert inside > 0.95
        assert width < 0.25

    def test_those_that_do_not_are_given_up(self):
        of_votes, of_counts, of_both, inside, _ = self.drawn(lambda true, rng: rng.permutation(true))
        assert of_both < min(of_votes, of_counts)
        assert inside > 0.85
