"""Worlds whose parameters are known: what they say of themselves is what they draw."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.simulate import confusion, flat_world, task_world
from tests.support.worlds import written_out

CHAIN = flat_world(sources=4, copies=[(0, 1), (1, 2)], coverage=0.8, seed=3)


@st.composite
def worlds(draw):
    """Flat worlds with a few sources, dependent or not."""
    m = draw(st.integers(1, 4))
    polarity = draw(st.sampled_from(["all", "one"]))
    pairs = draw(st.sampled_from([[], [(0, 1)], [(0, 1), (1, 2)], [(0, 1, 2)]]))
    return flat_world(
        classes=draw(st.integers(2, 3)),
        sources=m,
        coverage=0.4 if polarity == "one" else draw(st.sampled_from([0.5, 1.0])),
        kind=draw(st.sampled_from(["class-conditional", "full"])),
        polarity=polarity,
        copies=[pair for pair in pairs if max(pair) < m] if polarity == "all" else [],
        balance=draw(st.sampled_from([None])),
        seed=draw(st.integers(0, 999)),
    )


@given(worlds())
def test_votes_sum_to_one_and_conditionals_are_their_marginals(world):
    whole = written_out(world)
    np.testing.assert_allclose(whole.chances.sum(axis=0), 1)
    for found, expected in zip(world.conditionals, whole.conditionals, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-12)


@given(worlds())
def test_posterior_is_bayes_theorem(world):
    whole = written_out(world)
    possible = whole.weights > 0
    np.testing.assert_allclose(world.posterior(whole.rows[possible]), whole.posterior[possible], atol=1e-12)


@given(worlds())
def test_sources_without_a_common_clique_are_independent_given_the_truth(world):
    whole = written_out(world)
    for part in whole.layout.graph.components:
        others = [j for j in range(len(world.sources)) if j not in part]
        split = [whole._share(whole.rows[:, sorted(chosen)]) for chosen in (part, others)]
        np.testing.assert_allclose(whole.chances, split[0] * split[1], atol=1e-12)


def test_draws_follow_the_written_out_distribution():
    whole = written_out(CHAIN)
    n = 200_000
    drawn = CHAIN.draw(n, seed=1)
    numbers = {tuple(row): number for number, row in enumerate(whole.rows.tolist())}
    counts = np.zeros_like(whole.chances)
    rows, times = np.unique(np.column_stack([drawn.votes.codes, drawn.gold]), axis=0, return_counts=True)
    for row, count in zip(rows.tolist(), times, strict=True):
        counts[numbers[tuple(row[:-1])], row[-1]] = count
    expected = whole.chances * whole.balance * n
    common = expected > 5
    chi_squared = ((counts - expected)[common] ** 2 / expected[common]).sum()
    degrees = common.sum() - 1
    assert abs(chi_squared - degrees) < 4 * np.sqrt(2 * degrees)


def test_same_seed_same_votes():
    assert CHAIN.draw(100, seed=5).votes == CHAIN.draw(100, seed=5).votes
    assert CHAIN.draw(100, seed=5).votes != CHAIN.draw(100, seed=6).votes
    assert (CHAIN.draw(9, np.random.default_rng(2)).gold == CHAIN.draw(9, seed=2).gold).all()


def test_dependencies_are_those_asked_for():
    assert CHAIN.dependencies == [("0", "1"), ("1", "2")]
    assert flat_world(sources=3, copies=[(0, 2)], copy_probability=0.0).dependencies == []


def test_sources_must_be_numbered_so_that_parents_come_first():
    with pytest.raises(assay.VoteError, match="number the sources"):
        flat_world(sources=3, copies=[(0, 2), (1, 2)])


@given(st.integers(0, 999), st.sampled_from(["class-conditional", "full"]))
def test_hierarchical_sources_are_as_accurate_as_asked_for(seed, kind):
    tasks = assay.TaskGraph(
        [assay.Task("animal", ["cat", "dog"]), assay.Task("cat", ["house", "wild"], parent=("animal", "cat"))]
    )
    world = task_world(tasks, ["animal", "cat", ("animal", "cat")], accuracy=(0.7, 0.8), kind=kind, seed=seed)
    assert world.balance.sum() == pytest.approx(1)
    for source in world.sources:
        component = tasks.label_space.only
        masks = np.array([component.allows(vote) for vote in source.values])
        np.testing.assert_allclose(source.own.sum(axis=0), 1)
        for y in np.flatnonzero(masks.any(axis=0)):
            accuracy = source.own[:-1][masks[:, y], y].sum() / source.own[:-1, y].sum()
            assert 0.7 - 1e-9 <= accuracy <= 0.8 + 1e-9
        for y in np.flatnonzero(~masks.any(axis=0)):
            assert source.own[:-1, y].sum() == pytest.approx(0.1)


def test_class_conditional_sources_err_evenly(letters):
    component = letters.label_space.only
    values = flat_world(classes=3, sources=1).sources[0].values
    values = tuple(letters.label_space.vote(label) for label in ("A", "B", "C"))
    table = confusion(component, values, np.random.default_rng(0), kind="class-conditional", coverage=0.5)
    assert len(np.unique(table[:-1].round(12))) == 2
    np.testing.assert_allclose(table[-1], 0.5)


def test_a_unipolar_source_that_cannot_be():
    with pytest.raises(assay.VoteError, match="cannot cover 90%"):
        flat_world(sources=2, polarity="one", coverage=0.9)
