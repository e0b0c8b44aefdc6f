"""Votes, counted: the same from every shape they come in, and with gold the same items once more."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay import Tally, Votes
from assay.counts import SKETCH_SIZE
from assay.model.counted import counted_votes
from assay.model.settings import ModelSettings
from assay.simulate import flat_world
from tests.support.sameness import same_counts

VOTES = flat_world(sources=5, classes=3, coverage=0.6, seed=3).draw(300).votes


def batches(votes, folder):
    return [votes.take(slice(0, 100)), votes.take(slice(100, 300))]


@pytest.mark.parametrize(
    "shape",
    [lambda votes, folder: votes, lambda votes, folder: votes.to_parquet(folder / "votes.parquet"), batches],
    ids=["votes", "file", "batches"],
)
def test_items_with_gold_are_the_same_in_every_shape(shape, tmp_path):
    gold = np.where(np.arange(300) % 37 == 5, np.arange(300) % 3, -1)
    found = counted_votes(shape(VOTES, tmp_path), ModelSettings(), gold=gold, progress=False)
    assert same_counts(found.tally, Tally.of(VOTES))
    rows = np.flatnonzero(gold >= 0)
    assert found.gold.rows.tolist() == rows.tolist()
    assert found.gold.total == 300
    np.testing.assert_array_equal(found.gold.votes.codes, VOTES.codes[rows])
    np.testing.assert_array_equal(found.gold.allowed(0), np.eye(3, dtype=bool)[gold[rows]])


def test_gold_of_later_votes_comes_after():
    gold = np.where(np.arange(300) < 4, 1, -1)
    one, none = (counted_votes(VOTES, ModelSettings(), gold=given, progress=False) for given in (gold, None))
    assert (one + one).gold.rows.tolist() == [0, 1, 2, 3, 300, 301, 302, 303]
    assert (none + one).gold.rows.tolist() == [300, 301, 302, 303]
    assert (one + none).gold.rows.tolist() == [0, 1, 2, 3]
    assert {(a + b).gold.total for a, b in [(one, one), (none, one), (one, none)]} == {600}
    assert (none + none).gold is None


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


@pytest.mark.parametrize(
    ("shape", "what"),
    [(lambda votes: iter([votes]), "a generator"), (assay.count, "counts")],
    ids=["generator", "counts"],
)
def test_gold_needs_votes_that_can_be_looked_up(shape, what):
    with pytest.raises(assay.AssayError, match=f"gold labels need votes that can be looked up.*but got {what}"):
        counted_votes(shape(VOTES), ModelSettings(), gold=np.zeros(300, dtype=int), progress=False)


def test_gold_for_another_number_of_items():
    with pytest.raises(assay.VoteError, match="for each of the 300 items"):
        counted_votes([VOTES], ModelSettings(), gold=[0, 1], progress=False)
