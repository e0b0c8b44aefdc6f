"""Whether votes look drawn from the model: they do when they are, and not when they are not."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.counts.statistics import Statistics, single_indicators
from assay.model.estimate.goodness_of_fit import (
    CORRELATIONS,
    GoodnessOfFit,
    goodness_of_fit,
    left_over,
    shared_correlation,
)
from assay.model.scoring import Scoring
from assay.simulate import flat_world, task_world
from tests.support.worlds import enumerated


def goodness_of(votes, **settings) -> GoodnessOfFit:
    return assay.LabelModel(**settings).fit(votes).fitted_.components[0].fit.goodness_of_fit


@given(explained=st.floats(2.0, 500.0), misfit=st.floats(0.1, 60.0), correlation=st.sampled_from([0.0, 0.1]))
def test_the_weight_falls_with_the_misfit_and_never_jumps_to_nothing(explained, misfit, correlation):
    """A source more or less changes the misfit a little, and so may change labels a little only."""
    step = 1e-4 * explained
    one, other = (GoodnessOfFit(100, explained, value, correlation) for value in (misfit, misfit + step))
    assert 0 <= other.weight <= one.weight <= 1
    assert one.weight - other.weight < 0.06  # a twentieth is where all of the weight is rounded up to


@pytest.mark.parametrize("explained", [2.0, 5.0, 20.0, 100.0])
def test_there_is_no_cliff_at_what_is_allowed(explained):
    at = GoodnessOfFit(100, explained, 1.0, 0.0).allowed
    below, above = (GoodnessOfFit(100, explained, value, 0.0).weight for value in (at - 1e-9, at + 1e-9))
    assert below > 0.5
    assert below - above < 0.06


def test_the_weight_is_nothing_where_the_misfit_is_large_beside_what_is_explained():
    assert GoodnessOfFit(100, 50.0, 1.0, 0.0).weight == 1
    assert 0.3 < GoodnessOfFit(100, 50.0, 1.8, 0.0).weight < 0.9
    assert GoodnessOfFit(100, 50.0, 4.0, 0.0).weight == 0


def test_the_weight_falls_with_what_is_left_over():
    weights = [GoodnessOfFit(100, 50.0, 1.0, 0.0, share).weight for share in (0.0, 0.1, 0.3)]
    assert weights[0] == 1
    assert 0.3 < weights[1] < 0.7
    assert weights[2] == 0
    assert not GoodnessOfFit(100, 50.0, 1.0, 0.0, 0.1).good
    assert GoodnessOfFit(100, 50.0, 1.0, 0.0, 0.01).good


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"classes": 5},
        {"balance": [0.9, 0.1]},
        {"coverage": 0.3, "polarity": "one"},
        {"coverage": 0.5, "sources": 30},
        {"accuracy": (0.55, 0.65), "sources": 40, "coverage": 0.8},
    ],
)
def test_votes_drawn_from_the_model_fit(settings, seed):
    assert goodness_of(flat_world(**settings, seed=seed).draw(5000, seed=seed).votes).good


def test_hierarchies_fit(entities):
    world = task_world(entities, ["entity"] * 4 + ["person"] * 3 + ["org"] * 3, seed=1)
    assert goodness_of(world.draw(4000).votes).good


def test_copies_do_not_fit_unless_they_are_declared():
    world = flat_world(sources=8, copies=[(0, 1), (1, 2)], copy_probability=0.5, seed=1)
    votes = world.draw(4000).votes
    assert not goodness_of(votes, dependencies=()).good
    assert goodness_of(votes, dependencies=()).misfit > 2
    # Ends of a chain are dependent too, though they share no clique.
    assert goodness_of(votes, dependencies=world.dependencies).good


def test_items_that_are_hard_for_all_do_not_fit():
    rng = np.random.default_rng(0)
    truth, hard = rng.integers(0, 2, 3000), rng.random((3000, 1)) < 0.3
    right = rng.random((3000, 12)) < np.where(hard, 0.5, 0.9)
    found = goodness_of(np.where(right, truth[:, None], 1 - truth[:, None]))
    assert found.correlation > 0
    assert not found.good


def test_votes_that_hardly_meet_are_no_test():
    found = goodness_of(flat_world(sources=10, coverage=0.02, seed=1).draw(1000).votes, allow_unidentifiable=True)
    assert not found.good


@given(enumerated(max_sources=4))
def test_the_population_of_the_truth_leaves_nothing(world):
    statistics = Statistics.count(world.patterns(), single_indicators(world.layout))
    evidence = replace(world.evidence(1e6), statistics=statistics)
    found = goodness_of_fit(world.parameters(), evidence, np.ones(len(world.layout.masks)))
    assert found.misfit < 1e-3


@given(enumerated(max_sources=4), st.lists(st.sampled_from([1.0, -1.0]), min_size=4, max_size=4))
def test_what_is_left_over_by_brute_force(world, signs):
    """Item by item: an outcome counts if no vote allows it on too many of its items."""
    layout, evidence, scoring = world.layout, world.evidence(1e4), Scoring.bayes(world.parameters())
    given_, unnamed, items = np.zeros(layout.outcomes), np.zeros(layout.outcomes), 0.0
    logs = scoring.log_joint(evidence.design)
    for row, count, log in zip(world.rows, evidence.counts, logs, strict=True):
        voting = np.flatnonzero(row >= 0)
        if not len(voting):
            continue
        named = np.zeros(layout.outcomes, dtype=bool)
        for source in voting:
            mask = layout.masks[source][row[source]]
            named |= mask if signs[source] > 0 else ~mask
        label = np.exp(log - log.max())
        label *= count / label.sum()
        given_, unnamed, items = given_ + label, unnamed + label * ~named, items + count
    told, least = 0.0, 0.45 if layout.outcomes == 2 else 0.35
    for share, without in zip(given_ / max(items, 1e-300), unnamed / np.maximum(given_, 1e-300), strict=True):
        told += share * min(max((without - least) / 0.1, 0.0), 1.0)
    assert left_over(scoring, evidence, np.array(signs[: len(layout.masks)])) == pytest.approx(told)


@given(enumerated(max_sources=4), st.booleans())
def test_each_vote_is_predicted_by_brute_force(world, ignored):
    parameters = world.parameters(ignored)
    evidence = world.evidence(1e4)
    told = np.zeros(len(CORRELATIONS))
    for index, row in enumerate(evidence.design.starts[:-1]):
        columns = evidence.design.columns[row : evidence.design.starts[index + 1]]
        if len(columns) < 3:
            continue
        for left_out in columns:
            clique = int(np.searchsorted(world.layout.offsets, left_out, side="right")) - 1
            logs = np.log(parameters.balance)
            for at, table in enumerate(parameters.tables):
                mine = [
                    c - world.layout.offsets[at] for c in columns if 0 <= c - world.layout.offsets[at] < len(table) - 1
                ]
                if at != clique:
                    logs = logs + np.log(np.maximum(table[mine[0] if mine else -1], 1e-12))
            table = parameters.tables[clique]
            for c, correlation in enumerate(CORRELATIONS):
                damped = logs / (1 + correlation * (len(columns) - 2))
                chance = np.exp(damped - damped.max())
                spoke = np.ones(len(chance)) if ignored else np.maximum(1 - table[-1], 1e-12)
                vote = np.maximum(table[left_out - world.layout.offsets[clique]], 1e-12)
                told[c] += evidence.counts[index] * np.log((chance @ vote) / (chance @ spoke))
    gained = told - told[0]
    best = float(CORRELATIONS[np.argmax(np.where(gained > 1e-9 * 1e4, gained, 0))])
    assert shared_correlation(Scoring.bayes(parameters), evidence) == best
