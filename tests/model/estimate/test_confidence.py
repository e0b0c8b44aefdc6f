"""Levels of confidence before votes tell: rising, and worth one on average."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from assay import LabelModel, TaskGraph, Votes
from assay.counts import SourceGraph, Statistics, Tally, by_label, layout_of
from assay.model.estimate.confidence import LevelsOfValues, levels_of

sizes_of = st.lists(st.integers(1, 9), min_size=1, max_size=5)


def levels(sizes):
    label = np.repeat(np.arange(len(sizes)), sizes)
    return LevelsOfValues(label, np.full(len(label), 0.5))


@given(sizes_of, st.data())
def test_isotonic_regression_label_by_label(sizes, data):
    some = levels(sizes)
    floats = st.lists(st.floats(0, 1), min_size=sum(sizes), max_size=sum(sizes))
    numbers, weights = np.array(data.draw(floats)), np.array(data.draw(floats)) + 0.01
    expected = np.concatenate(
        [
            isotonic_regression(numbers[some.label == one], weights=weights[some.label == one]).x
            for one in range(len(sizes))
        ]
    )
    np.testing.assert_allclose(some.rising(numbers, weights), expected, atol=1e-9)


@given(sizes_of)
def test_levels_are_worth_one_on_average_and_rise(sizes):
    some = levels(sizes)
    for one in range(len(sizes)):
        worth = some.weight[some.label == one]
        assert worth.mean() == pytest.approx(1)
        assert (np.diff(worth) > 0).all()


@given(sizes_of, st.integers(0, 2**32 - 1))
def test_shares_divide_the_use_of_each_label_and_favour_the_sure_when_right(sizes, seed):
    some, rng = levels(sizes), np.random.default_rng(seed)
    used = rng.integers(1, 500, size=sum(sizes)).astype(float)
    hits = used * rng.random(sum(sizes))
    right, wrong = some.shares(used, hits, 0.7)
    for share in (right, wrong):
        np.testing.assert_allclose(np.bincount(some.label, share), np.bincount(some.label, used))
    for one in range(len(sizes)):
        ratio = (right / wrong)[some.label == one]
        assert (np.diff(ratio) > -1e-9 * ratio[:-1]).all()


@given(sizes_of, st.integers(0, 2**32 - 1))
def test_shrinking_keeps_how_often_a_label_is_said(sizes, seed):
    some, rng = levels(sizes), np.random.default_rng(seed)
    votes = rng.random((sum(sizes), 3)) * 50
    masks = np.repeat(rng.random((len(sizes), 3)) < 0.5, sizes, axis=0)
    shares = some.shares(votes.sum(axis=1), (votes * masks).sum(axis=1), 0.7)
    found = some.shrunk(votes, masks, shares)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    np.testing.assert_allclose(np.add.reduceat(found, starts), np.add.reduceat(votes, starts))


def test_without_levels_nothing_changes():
    some = levels([1, 1, 1])
    used, hits = np.array([3.0, 4.0, 5.0]), np.array([1.0, 2.0, 3.0])
    assert not some.any
    assert some.shares(used, hits, 0.5)[0] is used
    assert some.shrunk(used, hits > 1, (used, used)) is used
    assert some.weight.tolist() == [1, 1, 1]


@pytest.fixture(scope="module")
def soft():
    rng = np.random.default_rng(0)
    tables = {name: rng.dirichlet(np.ones(3), size=600) for name in "ab"}
    tables["hard"] = np.eye(3)[rng.integers(3, size=600)]
    return Votes.from_probabilities(TaskGraph.flat("letter", ["A", "B", "C"]), tables)


@pytest.fixture(scope="module")
def hard(soft):
    columns = {
        name: ("letter", [table[code].labels[0][1] for code in codes])
        for name, table, codes in zip(soft.names, soft.values, soft.codes.T, strict=True)
    }
    return Votes.from_columns(soft.tasks, columns)


class TestLayout:
    def test_levels_are_values_of_their_own(self, soft):
        layout = layout_of(soft.schema, 0, SourceGraph(soft.names))
        assert [len(masks) for masks in layout.masks] == [len(table) for table in soft.values]
        assert layout.soft == {0, 1}
        assert layout.part([2, 1]).soft == {1}

    def test_counts_without_levels_are_those_of_hard_votes(self, soft, hard):
        layout, plain = (layout_of(some.schema, 0, SourceGraph(some.names)) for some in (soft, hard))
        statistics = Statistics.of(Tally.of(soft), layout)
        expected = Statistics.of(Tally.of(hard), plain)
        found = statistics.without_levels(layout)
        assert np.array_equal(found.pair, expected.pair)
        assert found.indicators == expected.indicators
        assert all(map(np.array_equal, layout.without_levels.masks, plain.masks))
        assert by_label(np.ones((len(layout.all_masks), 1)), layout).sum() == len(layout.all_masks)

    def test_an_adversarial_source_is_not_surer_of_what_is_right(self, soft):
        layout = layout_of(soft.schema, 0, SourceGraph(soft.names))
        found = levels_of(layout, np.array([1.0, -1.0, 1.0]))
        second = found.part(np.arange(layout.value_offsets[1], layout.value_offsets[2]))
        assert not second.any
        assert found.any

    def test_near_copies_are_found_as_among_hard_votes(self, soft, hard):
        both = [LabelModel(allow_unidentifiable=True).fit(some).fitted_.learned for some in (soft, hard)]
        assert both[0].pairs == both[1].pairs
