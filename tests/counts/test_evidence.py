"""What one component is learned from: its counts add up, however it was made and whatever part of it is taken."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import SourceGraph, Tally, Votes
from assay.counts.cliques import layout_of
from assay.counts.evidence import Evidence
from assay.counts.statistics import Statistics, clique_indicators, single_indicators
from assay.votes.sparse_codes import SparseCodes
from tests.support.counted import bulk
from tests.support.strategies import said


def evidences(votes: Votes, dependencies=()) -> list[Evidence]:
    """One a component."""
    tally, graph = Tally.of(votes), SourceGraph(votes.names, dependencies)
    return [
        Evidence.of(tally, layout_of(votes.schema, index, graph)) for index in range(len(votes.label_space.components))
    ]


@given(said(max_rows=8))
def test_every_item_is_counted_in_every_component(given_votes):
    votes = given_votes.votes
    for evidence in evidences(votes):
        assert evidence.items == len(votes)
        assert evidence.counts.sum() == len(votes)
        assert evidence.items_per_sampled == 1
        # The same votes, item by item and as patterns.
        codes = evidence.layout.codes(votes)
        rows = [tuple(row) for row in codes.tolist()]
        found: dict[tuple[int, ...], float] = {}
        for row, count in zip(evidence.patterns.codes.tolist(), evidence.counts, strict=True):
            found[tuple(row)] = found.get(tuple(row), 0) + count
        assert found == {row: float(rows.count(row)) for row in rows}


@given(said(max_rows=8), st.data())
def test_what_was_seen_is_what_the_design_of_all_items_has(given_votes, data):
    votes = given_votes.votes
    pairs = [(i, j) for j in range(len(votes.names)) for i in range(j)]
    dependencies = data.draw(st.lists(st.sampled_from(pairs), max_size=2)) if pairs else []
    for evidence in evidences(votes, dependencies):
        layout = evidence.layout
        by_pattern, by_item = evidence.design, layout.design(SparseCodes.of(layout.codes(votes)))
        assert (by_pattern.matrix != layout.design(evidence.patterns.rows).matrix).nnz == 0
        assert by_pattern.width == by_item.width == int(layout.offsets[-1])
        np.testing.assert_array_equal(evidence.seen, by_item.matrix.sum(axis=0))
        np.testing.assert_array_equal(evidence.by_column.toarray(), by_pattern.matrix.toarray())
        covered = [number for part in evidence.parts for number in range(part.start, part.stop)]
        assert covered == list(range(len(evidence.patterns)))


@given(said(max_rows=8), st.data())
def test_statistics_are_those_of_the_patterns(given_votes, data):
    votes = given_votes.votes
    for evidence in evidences(votes, [(0, 1)] if len(votes.names) > 1 else []):
        single, joint = single_indicators(evidence.layout), clique_indicators(evidence.layout)
        for indicators in (single, joint, single[::-1], single[: len(single) // 2]):
            found, counted = evidence.count(indicators), Statistics.count(evidence.patterns, indicators)
            assert found.indicators == tuple(indicators)
            assert found.items == counted.items == len(votes)
            np.testing.assert_array_equal(found.single, counted.single)
            np.testing.assert_array_equal(found.pair, counted.pair)


@pytest.fixture(scope="module")
def many() -> Evidence:
    """Many patterns, and one that a quarter of the items have."""
    codes = bulk(20_000, 12, seed=4)
    codes[::4] = 1
    (evidence,) = evidences(Votes.from_matrix(codes))
    return evidence


@pytest.mark.parametrize("smaller", [lambda e: e.thinned(e.patterns.size // 5), lambda e: e.sample(500)])
def test_a_sample_stands_for_all_items(many, smaller):
    few = smaller(many)
    assert len(few.patterns) < len(many.patterns) / 3
    assert few.items == pytest.approx(many.items)
    assert few.counts.max() == many.counts.max()
    assert few.statistics is many.statistics
    np.testing.assert_allclose(few.seen, many.seen, rtol=0.3)


def test_what_is_small_enough_is_not_sampled(many):
    assert many.sample(len(many.patterns)) is many
    assert many.thinned(many.patterns.size).patterns is many.patterns


def test_taking_patterns_with_other_counts(many):
    chosen = np.array([3, 0, len(many.patterns) - 1])
    some = many.take(chosen, np.array([1.0, 2.0, 3.0]))
    assert some.items == 6
    np.testing.assert_array_equal(some.patterns.codes, many.patterns.codes[chosen])
    assert some.layout is many.layout


@given(said(max_rows=8), st.data())
def test_some_sources_alone(given_votes, data):
    votes = given_votes.votes
    for evidence in evidences(votes, [(0, 1)] if len(votes.names) > 1 else []):
        if not evidence.layout.masks:
            continue
        places = range(len(evidence.layout.masks))
        sources = data.draw(st.lists(st.sampled_from(places), min_size=1, unique=True))
        part = evidence.of_sources(sources)
        assert part.items == evidence.items
        np.testing.assert_array_equal(part.patterns.codes, evidence.patterns.codes[:, sources])
        assert all(
            np.array_equal(mask, evidence.layout.masks[source])
            for mask, source in zip(part.layout.masks, sources, strict=True)
        )
        indicators = single_indicators(part.layout)
        found, counted = part.count(indicators), Statistics.count(part.patterns, indicators)
        assert found.indicators == counted.indicators
        np.testing.assert_array_equal(found.pair, counted.pair)
        assert evidence.of_sources(list(places)) is evidence


def test_items_behind_a_sampled_one():
    codes = bulk(20_000, 12, seed=4)
    votes = Votes.from_matrix(codes)
    tally = Tally.of(votes, size=2**13)
    assert not tally.sketch.is_exact
    evidence = Evidence.of(tally, layout_of(votes.schema, 0, SourceGraph(votes.names)))
    assert evidence.items == pytest.approx(20_000)
    assert evidence.items_per_sampled > 2
    assert evidence.statistics.items == 20_000


def test_without_counts_of_pairs_there_are_only_patterns(monkeypatch):
    monkeypatch.setattr("assay.counts.tally.MAX_VALUES", 3)
    (evidence,) = evidences(Votes.from_matrix([[0, 1], [1, 1], [0, -1]]))
    assert evidence.statistics is None
    indicators = single_indicators(evidence.layout)
    assert evidence.count(indicators).single.tolist() == [2, 1, 0, 2]
