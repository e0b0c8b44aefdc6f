"""The class balance from three-way overlaps: exact on the population, honest where it cannot be had."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.counts.evidence import Evidence
from assay.counts.patterns import Patterns
from assay.model.estimate.balance import balance_from_overlaps
from assay.simulate import flat_world, task_world
from tests.support.worlds import written_out


@given(
    st.integers(0, 999), st.integers(2, 4), st.sampled_from([0.7, 1.0]), st.sampled_from(["class-conditional", "full"])
)
def test_exact_on_the_population(seed, classes, coverage, kind):
    rng = np.random.default_rng(seed)
    balance = rng.dirichlet(np.full(classes, 8.0))
    sources = 4 if classes < 4 else 3
    world = flat_world(classes=classes, sources=sources, coverage=coverage, kind=kind, balance=balance, seed=seed)
    whole = written_out(world)
    found, outcome = balance_from_overlaps(whole.population(), seed)
    assert outcome.converged
    np.testing.assert_allclose(found, world.balance, atol=1e-3)


def test_dependent_sources_are_one_view():
    world = flat_world(sources=5, copies=[(0, 1), (2, 3)], copy_probability=0.8, balance=[0.2, 0.8], seed=1)
    declared, undeclared = written_out(world), written_out(world, [])
    found, _ = balance_from_overlaps(declared.population())
    np.testing.assert_allclose(found, [0.2, 0.8], atol=1e-3)
    wrong, _ = balance_from_overlaps(undeclared.population())
    assert abs(wrong[0] - 0.2) > 0.01


def test_hierarchical(entities):
    world = task_world(entities, [("entity", "person", "org")] * 3, coverage=0.9, seed=4)
    whole = written_out(world)
    found, outcome = balance_from_overlaps(whole.population())
    assert outcome.converged
    np.testing.assert_allclose(found, world.balance, atol=1e-3)


def test_the_error_falls_with_the_number_of_items():
    world = flat_world(sources=6, balance=[0.1, 0.9], seed=5)
    whole = written_out(world)
    errors = []
    for n in (2_000, 200_000):
        patterns = Patterns.of(world.draw(n, seed=1).votes.codes)
        errors.append(abs(balance_from_overlaps(Evidence(whole.layout, patterns))[0][0] - 0.1))
    assert errors[1] < 0.01
    assert errors[1] < errors[0]


def test_two_groups_are_too_few():
    whole = written_out(flat_world(sources=3, copies=[(0, 1)]))
    found, outcome = balance_from_overlaps(whole.population())
    assert found is None
    assert outcome.status == "too_few_sources"


@pytest.mark.parametrize("n", [0, 1, 5])
def test_little_data_gives_nothing_or_a_proper_balance(n):
    world = flat_world(sources=4, classes=3)
    found, outcome = balance_from_overlaps(Evidence(written_out(world).layout, Patterns.of(world.draw(n).votes.codes)))
    assert outcome.converged == (found is not None)
    if found is not None:
        assert found.sum() == pytest.approx(1)
        assert (found > 0).all()


def test_views_that_cannot_tell_outcomes_apart_are_said_to_be_unreliable():
    whole = written_out(flat_world(classes=3, sources=4, polarity="one", coverage=0.3))
    found, outcome = balance_from_overlaps(whole.population())
    assert outcome.status == "unreliable_balance"
    assert found is None
    assert "class_balance" in outcome.advice
