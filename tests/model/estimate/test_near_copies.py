"""Near-copies are found, and sources that are merely good are not taken for them."""

import numpy as np
import pytest

from assay.counts import Tally, layout_of
from assay.counts.source_graph import SourceGraph
from assay.counts.statistics import Statistics
from assay.model.estimate.near_copies import near_copies
from assay.simulate import flat_world
from assay.votes import Votes


def found_in(matrix, classes=2):
    votes = Votes.from_matrix(matrix, cardinality=classes)
    layout = layout_of(votes.schema, 0, SourceGraph(votes.names))
    return near_copies(layout, Statistics.of(Tally.of(votes), layout))


def drawn(accuracies, classes, n, rng):
    truth = rng.integers(0, classes, n)
    return [
        np.where(rng.random(n) < right, truth, (truth + rng.integers(1, classes, n)) % classes) for right in accuracies
    ]


def repeated(said, same, classes, rng):
    """A source that repeats another on a share of the items, and guesses on the rest."""
    return np.where(rng.random(len(said)) < same, said, rng.integers(0, classes, len(said)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n", [300, 5_000, 50_000])
@pytest.mark.parametrize(
    "settings", [{}, {"accuracy": (0.85, 0.95)}, {"classes": 4}, {"coverage": 0.3, "polarity": "one"}]
)
def test_none_among_independent_sources(settings, n, seed):
    votes = flat_world(sources=8, seed=seed, **settings).draw(n, seed=seed).votes
    assert found_in(votes.codes, settings.get("classes", 2)).groups == []


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("independent", "copies", "classes"), [(6, 3, 2), (10, 4, 4), (20, 10, 4)])
def test_copies_of_a_weak_source_are_one_group(independent, copies, classes, seed):
    rng = np.random.default_rng(seed)
    *columns, weak = drawn([*rng.uniform(0.6, 0.8, independent), 0.55], classes, 5_000, rng)
    columns += [repeated(weak, 0.93, classes, rng) for _ in range(copies)]
    found = found_in(np.column_stack(columns), classes)
    group = tuple(range(independent, independent + copies))
    assert found.groups == [group]
    inside = found.excess[np.ix_(group, group)][~np.eye(copies, dtype=bool)]
    assert inside.min() > 0.5
    assert np.abs(found.excess[0, 1:independent]).max() < 0.2


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n", [500, 2_000, 20_000])
def test_sources_that_are_all_there_twice_are_as_many_pairs(n, seed):
    """Those that are right about as often are no group, although one large group would explain nearly all."""
    rng = np.random.default_rng([seed, n])
    single = drawn([0.81, 0.83, 0.82, 0.7, 0.81], 2, n, rng)
    columns = [np.where(rng.random(n) < 0.8, one, -1) for said in single for one in [said] * 2]
    assert found_in(np.column_stack(columns)).groups == [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)]


def test_two_groups_are_two():
    rng = np.random.default_rng(0)
    columns = drawn(rng.uniform(0.6, 0.8, 8), 2, 5_000, rng)
    columns += [repeated(columns[at], 0.95, 2, rng) for at in (0, 0, 1)]
    assert found_in(np.column_stack(columns)).groups == [(0, 8, 9), (1, 10)]


def test_enough_sources_remain_that_are_independent():
    rng = np.random.default_rng(0)
    columns = drawn([0.7, 0.7], 2, 2_000, rng)
    columns += [columns[0], columns[1]]
    groups = found_in(np.column_stack(columns)).groups
    assert 4 - sum(len(group) - 1 for group in groups) >= 3


def test_the_order_of_sources_does_not_matter():
    rng = np.random.default_rng(1)
    columns = drawn(rng.uniform(0.6, 0.8, 7), 2, 3_000, rng)
    matrix = np.column_stack([*columns, repeated(columns[3], 0.9, 2, rng)])
    order = rng.permutation(8)
    moved = found_in(matrix[:, order]).groups
    assert [tuple(sorted(int(order[at]) for at in group)) for group in moved] == found_in(matrix).groups == [(3, 7)]
