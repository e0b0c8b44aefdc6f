"""What sources have in common, and what of it the truth explains."""

import numpy as np
import pytest

from assay.counts import Tally, layout_of, single_indicators
from assay.counts.source_graph import SourceGraph
from assay.counts.statistics import Statistics
from assay.model.estimate.associations import Associations
from assay.simulate import flat_world
from assay.votes import Votes
from tests.support.worlds import written_out


def associations_of(matrix, classes=2):
    votes = Votes.from_matrix(matrix, cardinality=classes)
    layout = layout_of(votes.schema, 0, SourceGraph(votes.names))
    return Associations.of(layout, Statistics.of(Tally.of(votes), layout), np.full(classes, 1 / classes))


def apart(square):
    """The entries off the diagonal."""
    return square[~np.eye(len(square), dtype=bool)]


def excess_of(associations, groups=()):
    every = range(associations.sources)
    return associations.excess(associations.explained(groups), every, every)


@pytest.mark.parametrize("seed", range(3))
def test_the_truth_explains_all_that_independent_sources_have_in_common(seed):
    """Two classes, so that the class-conditional model is exact, and the whole population."""
    world = written_out(flat_world(sources=5, coverage=1.0, seed=seed))
    statistics = world.population().count(single_indicators(world.layout))
    associations = Associations.of(world.layout, statistics, world.balance)
    assert np.abs(apart(associations.correlation)).max() > 0.1
    assert np.abs(apart(excess_of(associations))).max() < 0.01
    assert associations.explained([]).misfit < 0.1


def test_copies_of_a_guess_have_all_of_it_in_common():
    rng = np.random.default_rng(0)
    truth, guess = rng.integers(0, 2, (2, 4_000))
    sources = [np.where(rng.random(4_000) < 0.75, truth, 1 - truth) for _ in range(5)]
    associations = associations_of(np.column_stack([*sources, guess, guess]))
    assert associations.correlation[5, 6] == pytest.approx(1)
    left_out = excess_of(associations, [(5, 6)])
    assert left_out[5, 6] == pytest.approx(1, abs=0.05)
    assert np.abs(apart(left_out[:5, :5])).max() < 0.08
    # The pair is what does not fit.
    assert associations.explained([(5, 6)]).misfit < associations.explained([]).misfit / 5


def test_values_of_sources_that_hardly_meet_are_not_compared():
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, 2, (400, 3))
    matrix[4:, 2] = -1
    associations = associations_of(matrix)
    between = associations.weight[np.ix_(associations.source == 0, associations.source == 2)]
    assert associations.meetings[0, 2] == 4
    assert not between.any()
    assert associations.weight[np.ix_(associations.source == 0, associations.source == 1)].all()


def test_values_that_are_never_emitted_play_no_part():
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, 2, (400, 4))
    assert len(associations_of(matrix, classes=3).source) == 8


def test_sources_with_one_value_are_compared_by_when_they_vote():
    rng = np.random.default_rng(0)
    votes = np.where(rng.random((3_000, 3)) < 0.3, 0, -1)
    associations = associations_of(np.column_stack([votes, votes[:, 0]]))
    assert associations.correlation[0, 3] == pytest.approx(1)
    assert np.abs(associations.correlation[0, 1:3]).max() < 0.1
    assert (associations.meetings == 3_000).all()


def test_few_items_tell_near_copies_from_good_sources():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    good, other = (np.where(rng.random(300) < 0.9, truth, 1 - truth) for _ in range(2))
    copy = np.where(rng.random(300) < 0.97, good, 1 - good)
    lowest = associations_of(np.column_stack([good, copy, other])).at_least
    assert lowest[0, 1] > 0.85
    assert lowest[0, 2] < 0.7
