"""The class-conditional model is recovered exactly from the population's covariance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.counts.statistics import Statistics, single_indicators
from assay.model.estimate.covariance import from_covariance
from assay.simulate import flat_world
from tests.support.worlds import class_conditional_table, independent_world, random_masks, written_out


def fitted(world, signs=None):
    counted = Statistics.count(world.patterns(), single_indicators(world.layout))
    signs = np.ones(len(world.layout.masks)) if signs is None else np.array(signs)
    return from_covariance(world.layout, counted, world.balance, signs)


def assert_recovered(parameters, world, atol=1e-4):
    for found, expected in zip(parameters.conditionals, world.conditionals, strict=True):
        np.testing.assert_allclose(found, expected, atol=atol)


@st.composite
def class_conditional_worlds(draw, signs=None):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    r = draw(st.integers(2, 5))
    count = 5 if signs is None else len(signs)
    masks = [random_masks(rng, int(rng.integers(1, 3)), r) for _ in range(count)]
    tables = [class_conditional_table(rng, mask, sign) for mask, sign in zip(masks, signs or [1] * count, strict=True)]
    return independent_world(masks, tables, rng.dirichlet(np.full(r, 5.0)))


@given(class_conditional_worlds())
def test_any_sets_of_outcomes(world):
    parameters, outcome = fitted(world)
    assert_recovered(parameters, world)
    assert outcome.converged


@given(class_conditional_worlds(signs=[1, 1, 1, 1, -1]))
def test_one_adversarial_source_shows_by_itself(world):
    assert_recovered(fitted(world)[0], world)


@given(class_conditional_worlds(signs=[-1, -1, -1, -1]))
def test_if_all_are_adversarial_it_must_be_declared(world):
    assert_recovered(fitted(world, [-1] * 4)[0], world)


@pytest.mark.parametrize("classes", [2, 3, 4, 5])
@pytest.mark.parametrize("coverage", [0.6, 1.0])
def test_flat_worlds(classes, coverage):
    balance = np.arange(1, classes + 1)
    world = flat_world(
        classes=classes, sources=4, kind="class-conditional", coverage=coverage, balance=balance, seed=classes
    )
    whole = written_out(world)
    assert_recovered(fitted(whole)[0], whole)


def test_hierarchical_masks(entities):
    """Coarse and fine sources inform each other, though no two fine ones of a task would do alone."""
    rng = np.random.default_rng(7)
    space = entities.label_space
    coarse = np.array([space.allows(label) for label in ("Person", "Organization")])
    person = np.array([space.allows(label) for label in ("Doctor", "Lawyer")])
    org = np.array([space.allows(label) for label in ("Hospital", "Office")])
    masks = [coarse, coarse, person, person, org]
    tables = [class_conditional_table(rng, mask) for mask in masks]
    world = independent_world(masks, tables, np.array([0.4, 0.1, 0.3, 0.2]))
    parameters, outcome = fitted(world)
    assert outcome.converged
    assert_recovered(parameters, world)


def test_dependent_pairs_are_left_out_of_the_fit():
    world = flat_world(sources=6, copies=[(0, 1), (2, 3)], copy_probability=0.7, coverage=0.9, seed=2)
    declared, undeclared = written_out(world), written_out(world, [])
    assert_recovered(fitted(declared)[0], declared)
    wrong = np.abs(fitted(undeclared)[0].conditionals[0] - declared.conditionals[0]).max()
    assert wrong > 0.02


def test_the_ends_of_a_chain_depend_on_each_other():
    for seed in range(3):
        whole = written_out(flat_world(sources=7, copies=[(0, 1), (1, 2), (2, 3)], seed=seed))
        parameters, outcome = fitted(whole)
        assert outcome.converged
        assert_recovered(parameters, whole)


def test_two_groups_determine_nothing():
    whole = written_out(flat_world(sources=5, copies=[(0, 1), (1, 2), (2, 3)], seed=1))
    assert fitted(whole)[1].status == "too_few_sources"


@given(class_conditional_worlds())
def test_tables_are_proper(world):
    for table in fitted(world)[0].conditionals:
        np.testing.assert_allclose(table.sum(axis=0), 1)
        assert (table > 0).all()


@pytest.mark.parametrize("codes", [np.full((5, 3), -1), np.zeros((5, 3), int), np.empty((0, 3), int)])
def test_sources_that_never_vary_get_slopes_of_zero(codes):
    model = assay.LabelModel(method="covariance", allow_unidentifiable=True).fit(codes)
    for table in model.conditionals_:
        assert np.ptp(table, axis=1).max() < 1e-9
