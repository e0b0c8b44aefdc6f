"""Expectation-maximization: its steps by brute force, its fixed point, and what pulls it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.estimate.balance_belief import BalanceBelief
from assay.model.estimate.e_step import Expected, responsibilities
from assay.model.estimate.em import expectation_maximization
from assay.model.estimate.knowledge import Belief, Knowledge
from assay.model.estimate.m_step import Maximizer
from assay.model.estimate.methods import EMSettings
from assay.model.parameters import Parameters, normalised
from assay.model.scoring import Scoring
from assay.simulate import flat_world
from tests.support.worlds import Enumerated, enumerated, independent_world, written_out

WEAK = EMSettings(even_coverage=1e-9, class_conditional=1e-9, average_source=1e-9, even_balance=1e-9, average_lift=1e-9)
"""Next to no pulls: plain maximum likelihood."""
INDEPENDENT = written_out(flat_world(sources=4, coverage=0.7, balance=[0.3, 0.7], seed=1))


def anywhere(world: Enumerated, seed: int, ignored: bool = False) -> Parameters:
    """Random parameters."""
    rng = np.random.default_rng(seed)
    shapes = [(clique.size, world.layout.outcomes) for clique in world.layout.cliques]
    balance = rng.dirichlet(np.full(world.layout.outcomes, 5.0))
    return Parameters(world.layout, balance, tuple(normalised(rng.random(shape)) for shape in shapes), ignored)


def known_to(world: Enumerated, **known) -> Knowledge:
    return replace(Knowledge.none(world.layout), **known)


def one_step(parameters, evidence, settings=WEAK, **known):
    posterior, likelihood = responsibilities(Scoring.bayes(parameters), evidence)
    told = replace(Knowledge.none(parameters.layout), ignore_abstentions=parameters.ignore_abstentions, **known)
    maximize = Maximizer(parameters.layout, told, settings)
    return maximize(Expected.given(evidence.design, posterior * evidence.counts[:, None])), likelihood


def assert_same(one, other, atol):
    np.testing.assert_allclose(one.balance, other.balance, atol=atol)
    for found, expected in zip(one.joint, other.joint, strict=True):
        np.testing.assert_allclose(found, expected, atol=atol)


@given(enumerated(max_sources=5), st.integers(0, 99))
def test_the_m_step_is_the_share_of_expected_counts(world, seed):
    weighted = np.random.default_rng(seed).random(world.chances.shape)
    found = Maximizer(world.layout, known_to(world), WEAK)(Expected.given(world.evidence().design, weighted))
    counted = replace(world, chances=weighted / weighted.sum(axis=0), balance=weighted.sum(axis=0) / weighted.sum())
    assert_same(found, counted.parameters(), atol=1e-6)


@given(enumerated(max_sources=5), st.integers(0, 99), st.booleans())
def test_the_likelihood_never_falls(world, seed, ignored):
    evidence = world.evidence(1000.0)
    here, reached = anywhere(world, seed, ignored), []
    for _ in range(15):
        here, likelihood = one_step(here, evidence)
        reached.append(likelihood)
    assert np.diff(reached).min() > -1e-5


@given(enumerated(max_sources=5), st.integers(0, 99))
def test_more_steps_never_end_lower(world, seed):
    evidence, start = world.evidence(1000.0), anywhere(world, seed)
    reached = [
        responsibilities(
            Scoring.bayes(
                expectation_maximization(start, evidence, known_to(world), replace(WEAK, max_steps=steps))[0]
            ),
            evidence,
        )[1]
        for steps in (1, 2, 5, 10, 30, 100)
    ]
    assert np.diff(reached).min() > -1e-4


@given(enumerated(max_sources=5))
def test_the_truth_is_a_fixed_point(world):
    found, _ = one_step(world.parameters(), world.evidence(1e6))
    assert_same(found, world.parameters(), atol=1e-8)


@pytest.mark.parametrize("copies", [[], [(0, 1)], [(0, 1), (1, 2)]])
def test_the_population_gives_the_truth_from_afar(copies):
    world = written_out(flat_world(sources=6, copies=copies, balance=[0.35, 0.65], seed=5))
    start = replace(
        world.parameters(), joint=tuple(normalised(0.5 * table + 0.1) for table in world.parameters().joint)
    )
    settings = replace(WEAK, max_steps=3000, tolerance=1e-10)
    found, _ = expectation_maximization(start, world.evidence(1e9), known_to(world), settings)
    assert_same(found, world.parameters(), atol=2e-3)


def test_ends_are_named():
    evidence, start = INDEPENDENT.evidence(1e4), anywhere(INDEPENDENT, 1)
    _, cut = expectation_maximization(start, evidence, known_to(INDEPENDENT), replace(WEAK, max_steps=2))
    assert (cut.status, cut.converged) == ("max_steps", False)
    assert "raise max_steps" in cut.advice
    _, settled = expectation_maximization(start, evidence, known_to(INDEPENDENT), replace(WEAK, max_steps=5000))
    assert settled.converged
    assert settled.advice == ""


def test_a_balance_that_is_known_stays():
    balance = np.array([0.9, 0.1])
    exactly = BalanceBelief.of_vector(balance, strength="exact")
    known, settings = known_to(INDEPENDENT, balance=exactly), replace(WEAK, max_steps=50)
    found, _ = expectation_maximization(anywhere(INDEPENDENT, 2), INDEPENDENT.evidence(1e4), known, settings)
    np.testing.assert_allclose(found.balance, balance, atol=1e-12)


class TestPulls:
    def believing(self, belief):
        found, _ = one_step(INDEPENDENT.parameters(), INDEPENDENT.evidence(1000.0), beliefs={0: belief})
        said = found.conditionals[0][:-1]
        return said / said.sum(axis=0)

    def test_a_strong_belief_decides(self):
        np.testing.assert_allclose(np.diagonal(self.believing(Belief(accuracy=0.55, strength=1e9))), 0.55, atol=1e-4)

    def test_a_belief_pulls_in_its_direction_by_its_strength(self):
        free = self.believing(Belief(accuracy=0.99, strength=0.0))
        weak, strong = (self.believing(Belief(accuracy=0.99, strength=worth)) for worth in (20.0, 200.0))
        assert (np.diagonal(free) < np.diagonal(weak)).all()
        assert (np.diagonal(weak) < np.diagonal(strong)).all()

    def test_a_belief_about_a_dependent_source_pulls_too(self):
        world = written_out(flat_world(sources=5, copies=[(0, 1)], coverage=0.7, seed=2))
        accuracies = []
        for accuracy in (0.1, 0.5, 0.9):
            beliefs = {0: Belief(accuracy=accuracy, strength=300.0)}
            found, _ = one_step(world.parameters(), world.evidence(1000.0), EMSettings(), beliefs=beliefs)
            said = found.conditionals[0][:-1]
            accuracies.append(np.trace(said / said.sum(axis=0)) / 2)
        assert np.diff(accuracies).min() > 0.05

    def test_even_coverage_makes_abstentions_say_nothing(self):
        settings = replace(WEAK, even_coverage=1e9)
        found, _ = one_step(anywhere(INDEPENDENT, 3), INDEPENDENT.evidence(1000.0), settings)
        for table in found.conditionals:
            assert np.ptp(table[-1]) < 1e-4

    @given(enumerated(max_sources=4), st.integers(0, 99))
    def test_the_class_conditional_pull_ties_what_is_alike(self, world, seed):
        settings = replace(WEAK, even_coverage=1e9, class_conditional=1e9, average_source=0.0)
        found, _ = one_step(anywhere(world, seed), world.evidence(1000.0), settings)
        for masks, table in zip(world.layout.masks, found.conditionals, strict=True):
            if len(masks) == 1:
                assert np.ptp(table[0][masks[0]]) < 1e-4 * max(table.max(), 1)

    def test_rare_votes_are_drawn_to_the_average_source(self):
        """A source with three votes, all of them wrong, is not taken for adversarial."""
        masks = [np.eye(2, dtype=bool)] * 4
        good = np.array([[0.8, 0.2], [0.2, 0.8], [0.0, 0.0]])
        rare = np.array([[0.0, 0.003], [0.003, 0.0], [0.997, 0.997]])
        world = independent_world(masks, [good, good, good, rare], np.array([0.5, 0.5]))
        world = replace(world, rows=world.rows[world.weights > 0], chances=world.chances[world.weights > 0])
        plain, _ = one_step(world.parameters(), world.evidence(1000.0))
        drawn, _ = one_step(world.parameters(), world.evidence(1000.0), EMSettings())
        assert plain.conditionals[3][0, 0] < 1e-6
        assert drawn.conditionals[3][0, 0] > drawn.conditionals[3][1, 0]
        for found, expected in zip(drawn.conditionals[:3], plain.conditionals[:3], strict=True):
            np.testing.assert_allclose(found, expected, atol=0.05)


@given(enumerated(max_sources=5), st.integers(0, 99), st.booleans())
def test_tables_are_always_proper(world, seed, ignored):
    known, settings = known_to(world, ignore_abstentions=ignored), EMSettings(max_steps=10)
    found, _ = expectation_maximization(anywhere(world, seed, ignored), world.evidence(50.0), known, settings)
    assert found.balance.sum() == pytest.approx(1)
    for table in found.joint:
        assert (table > 0).all()
        np.testing.assert_allclose(table.sum(axis=0), 1)
