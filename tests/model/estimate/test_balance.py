"""The class balance from three-way overlaps: exact on the population, honest where it cannot be had."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.counts import SourceGraph, Tally, layout_of
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


def hierarchy_evidence(entities, labels, n, seed, **settings):
    world = task_world(entities, labels, balance=[0.3, 0.2, 0.3, 0.2], seed=seed, **settings)
    tally = Tally.of(world.draw(n, seed=seed + 100).votes)
    return Evidence.of(tally, layout_of(tally.schema, 0, SourceGraph(tally.names)))


@pytest.mark.parametrize("off_coverage", [0.1, None])
@pytest.mark.parametrize("kind", ["class-conditional", "full"])
def test_every_view_of_a_hierarchy_tells_all_outcomes_apart(entities, kind, off_coverage):
    """No single source does, so a view needs one of each kind."""
    labels = ["entity"] * 5 + ["person"] * 4 + ["org"] * 4
    for seed in range(6):
        evidence = hierarchy_evidence(entities, labels, 200_000, seed, kind=kind, off_coverage=off_coverage)
        found, outcome = balance_from_overlaps(evidence)
        assert outcome.converged
        np.testing.assert_allclose(found, [0.3, 0.2, 0.3, 0.2], atol=0.04)


@pytest.mark.parametrize("n", [500, 5_000, 50_000])
def test_a_balance_that_is_hardly_determined_is_none(entities, n):
    """Only two sources tell persons from organisations."""
    labels = ["entity"] * 2 + ["person"] * 3 + ["org"] * 3
    for seed in range(6):
        found, outcome = balance_from_overlaps(hierarchy_evidence(entities, labels, n, seed, off_coverage=None))
        assert outcome.converged == (found is not None)
        assert found is None or np.abs(found - [0.3, 0.2, 0.3, 0.2]).max() < 0.2


def test_coin_flippers_tell_no_balance():
    world = flat_world(sources=6, accuracy=(0.5, 0.5), balance=[0.3, 0.7])
    for seed in range(5):
        patterns = Patterns.of(world.draw(20_000, seed=seed).votes.codes)
        found, outcome = balance_from_overlaps(Evidence(written_out(world).layout, patterns))
        assert found is None
        assert outcome.status == "unreliable_balance"


def test_many_outcomes():
    balance = np.arange(10, 40) / sum(range(10, 40))
    drawn = flat_world(classes=30, sources=9, balance=balance, seed=1).draw(30_000)
    tally = Tally.of(drawn.votes)
    found, outcome = balance_from_overlaps(Evidence.of(tally, layout_of(tally.schema, 0, SourceGraph(tally.names))))
    assert outcome.converged
    np.testing.assert_allclose(found, balance, atol=0.01)


def test_a_sample_of_the_patterns_is_nearly_as_good():
    world = flat_world(sources=30, coverage=0.3, balance=[0.2, 0.8], seed=2)
    tally = Tally.of(world.draw(50_000).votes)
    evidence = Evidence.of(tally, layout_of(tally.schema, 0, SourceGraph(tally.names)))
    found, _ = balance_from_overlaps(evidence.thinned(2**15))
    np.testing.assert_allclose(found, [0.2, 0.8], atol=0.04)


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
