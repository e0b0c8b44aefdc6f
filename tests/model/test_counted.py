"""Votes, counted: the same from every shape they come in, and with gold the same items once more."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import SourceGraph, Tally, Votes
from assay.counts import SKETCH_SIZE, layout_of
from assay.model.counted import Counted, counted_votes
from assay.model.settings import ModelSettings
from assay.simulate import flat_world
from tests.support.sameness import same_counts
from tests.support.strategies import partial_vectors, said

VOTES = flat_world(sources=5, classes=3, coverage=0.6, seed=3).draw(300).votes


@given(said(min_rows=1), st.data())
def test_with_gold_all_items_are_learned_from_once(given_votes, data):
    votes = given_votes.votes
    gold = [data.draw(st.none() | partial_vectors(given_votes.tasks)) for _ in range(len(votes))]
    counted = Counted.with_gold(votes, gold, SKETCH_SIZE)
    plain = Counted.of(Tally.of(votes))
    known = sum(truth is not None for truth in gold)
    assert counted.tally.items == len(votes)
    assert counted.unlabeled.items == len(votes) - known
    assert len(counted.gold) == known
    np.testing.assert_array_equal(counted.tally.pair, plain.tally.pair)
    for index in range(len(votes.label_space.components)):
        layout = layout_of(votes.schema, index, SourceGraph(votes.names))
        with_gold, without = counted.evidence(index, layout), plain.evidence(index, layout)
        assert with_gold.items == without.items == len(votes)
        np.testing.assert_array_equal(with_gold.seen, without.seen)
        np.testing.assert_array_equal(with_gold.statistics.pair, without.statistics.pair)
        # What gold allows stands behind the other patterns, item by item.
        allowed = np.exp(with_gold.log_allowed[len(with_gold.patterns) - known :])
        np.testing.assert_array_equal(allowed, counted.gold.allowed(index))


@pytest.mark.parametrize(
    "shape",
    [
        lambda votes, folder: votes,
        lambda votes, folder: votes.to_parquet(folder / "votes.parquet"),
        lambda votes, folder: [votes.take(slice(0, 100)), votes.take(slice(100, 300))],
        lambda votes, folder: iter([votes.take(slice(0, 100)), votes.take(slice(100, 300))]),
        lambda votes, folder: assay.count(votes),
    ],
    ids=["votes", "file", "batches", "generator", "counts"],
)
def test_every_shape_is_counted_alike(shape, tmp_path):
    found = counted_votes(shape(VOTES, tmp_path), ModelSettings(), progress=False)
    assert same_counts(found.tally, Tally.of(VOTES))
    assert found.unlabeled is found.tally
    assert found.gold is None


@pytest.mark.parametrize("shape", [lambda codes: codes, lambda codes: codes.tolist()], ids=["array", "lists"])
def test_a_bare_matrix_has_the_classes_that_the_settings_say(shape):
    matrix = shape(np.minimum(VOTES.codes, 1))
    assert len(counted_votes(matrix, ModelSettings(), progress=False).tally.values[0]) == 2
    assert len(counted_votes(matrix, ModelSettings(cardinality=4), progress=False).tally.values[0]) == 4
    like = Votes.from_matrix(VOTES.codes, names=[f"s{j}" for j in range(5)]).schema
    assert counted_votes(matrix, ModelSettings(), like=like, progress=False).tally.schema == like


def test_later_votes_are_counted_as_the_earlier_ones():
    today = VOTES.select(VOTES.names[::-1])
    found = counted_votes(today, ModelSettings(), like=VOTES.schema, progress=False)
    assert same_counts(found.tally, Tally.of(VOTES))
    with pytest.raises(assay.VoteError, match="lack sources"):
        counted_votes(VOTES.select([0]), ModelSettings(), like=VOTES.schema, progress=False)


def test_methods_of_moments_keep_fewer_patterns():
    sizes = {
        method: counted_votes(VOTES, ModelSettings(method=method), progress=False).tally.sketch.size
        for method in ("em", "robust", "auto", "covariance", "completion")
    }
    assert sizes["em"] == sizes["robust"] == sizes["auto"] == SKETCH_SIZE
    assert sizes["covariance"] == sizes["completion"] == SKETCH_SIZE // 8


@pytest.mark.parametrize("shape", [lambda votes: [votes], lambda votes: iter([votes]), assay.count])
def test_gold_goes_with_votes_in_memory(shape):
    with pytest.raises(assay.AssayError, match="gold labels can only be given with votes in memory"):
        counted_votes(shape(VOTES), ModelSettings(), gold=np.zeros(300, dtype=int), progress=False)
