"""Votes that are kept as a list of those that were cast are the same votes."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import assay
from assay import Votes
from assay.votes import sparse_codes
from assay.votes.sparse_codes import SparseCodes


def some_votes(items=300, sources=40, *, seed=0, classes=3, coverage=0.06):
    """The same votes twice: laid out, and as a list."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, items)
    codes = np.where(rng.random((items, sources)) < 0.7, truth[:, None], rng.integers(0, classes, (items, sources)))
    codes[rng.random((items, sources)) > coverage] = -1
    dense = Votes.from_matrix(codes, cardinality=classes)
    listed = Votes.from_matrix(sparse.csr_array(codes + 1), cardinality=classes)
    assert listed.is_sparse
    assert not dense.is_sparse
    return dense, listed


@given(st.integers(0, 10_000))
def test_every_part_is_the_same(seed):
    dense, listed = some_votes(items=30, sources=12, seed=seed, coverage=0.05)
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(0, 30, 8), rng.permutation(12)[:5]
    assert listed == dense
    assert dense == listed
    assert listed.take(rows) == dense.take(rows)
    assert listed.take(slice(3, 9)) == dense.take(slice(3, 9))
    assert listed.take(np.arange(30) % 2 == 0) == dense.take(np.arange(30) % 2 == 0)
    assert listed.select(columns.tolist()) == dense.select(columns.tolist())
    assert listed.drop(["0", "3"]) == dense.drop(["0", "3"])
    assert Votes.concat([listed, listed]) == Votes.concat([dense, dense])
    assert Votes.concat([listed, dense]) == Votes.concat([dense, dense])
    assert pickle.loads(pickle.dumps(listed)) == dense
    assert len(listed) == len(dense)


@pytest.mark.parametrize("method", ["em", "covariance"])
def test_learning_and_labeling_are_the_same(method):
    dense, listed = some_votes(items=2_000, sources=15, coverage=0.09)
    one, other = (assay.LabelModel(method=method).fit(votes) for votes in (dense, listed))
    np.testing.assert_array_equal(one.predict_proba(dense), other.predict_proba(dense))
    np.testing.assert_allclose(one.predict_proba(listed), one.predict_proba(dense), rtol=0, atol=1e-12)
    assert one.sources_.equals(other.sources_)
    assert one.check_ == other.check_
    assert str(one.explain(listed, 7)) == str(one.explain(dense, 7))


def test_looking_at_them_is_the_same(tmp_path):
    dense, listed = some_votes()
    for by in ("source", "task", "overall"):
        assert listed.summary(by=by).equals(dense.summary(by=by))
    np.testing.assert_array_equal(listed.conflicts(), dense.conflicts())
    np.testing.assert_array_equal(assay.majority_vote(listed), assay.majority_vote(dense))
    assert listed.to_pandas().equals(dense.to_pandas())
    assert Votes.from_parquet(listed.to_parquet(tmp_path / "votes.parquet")) == dense


def test_a_long_table_of_few_votes_is_kept_as_a_list():
    rng = np.random.default_rng(1)
    items, workers = np.repeat(np.arange(500), 3), rng.integers(0, 50, 1500)
    first = np.unique(items * 50 + workers, return_index=True)[1]
    table = {"item": items[first], "worker": workers[first], "label": rng.integers(0, 3, 1500)[first]}
    votes = Votes.from_long(table)
    assert votes.is_sparse
    expected = np.full((500, 50), -1)
    order = [int(name) for name in votes.names]
    expected[items[first], np.argsort(order)[workers[first]]] = table["label"]
    np.testing.assert_array_equal(votes.codes, expected)
    assert assay.LabelModel().fit(votes).predict_proba(votes).shape == (500, 3)


def test_more_than_can_be_laid_out_says_what_to_do(monkeypatch):
    _, listed = some_votes()
    monkeypatch.setattr(sparse_codes, "MAX_DENSE", 100)
    with pytest.raises(assay.VoteError, match=r"too many for a dense table of codes; take some"):
        _ = listed.codes
    assert listed.take(slice(0, 2)).codes.shape == (2, 40)
    assert len(assay.LabelModel().fit(listed).predict_proba(listed)) == 300


def test_an_unknown_attribute_is_not_taken_for_codes():
    _, listed = some_votes()
    with pytest.raises(AttributeError, match="no attribute 'code'"):
        _ = listed.code


@given(st.integers(0, 1_000))
def test_a_list_can_be_laid_out_taken_apart_and_joined(seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, 2, (7, 4))
    listed = SparseCodes.of(codes)
    np.testing.assert_array_equal(listed.dense(), codes)
    rows = rng.integers(0, 7, 5)
    np.testing.assert_array_equal(listed.take(rows).dense(), codes[rows])
    np.testing.assert_array_equal(listed.block(2, 5).dense(), codes[2:5])
    order = rng.permutation(4)[:3]
    np.testing.assert_array_equal(listed.select(order).dense(), codes[:, order])
    np.testing.assert_array_equal(
        SparseCodes.concat([listed, listed.take(rows)]).dense(), np.vstack([codes, codes[rows]])
    )
