"""Votes that are kept as a list of those that were cast are the same votes, and stay a list."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import assay
from assay import Votes
from assay.votes import Schema, sparse_codes


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


# They stay a list: where laying out is forbidden, everything that need not lay out works.


ITEMS, SOURCES, AT_MOST = 3_000, 400, 1_000


@pytest.fixture
def never_laid_out(monkeypatch):
    """A list may be laid out for two items, but not for three."""
    monkeypatch.setattr(sparse_codes, "MAX_DENSE", AT_MOST)


@pytest.fixture(scope="module")
def matrix():
    """Class numbers from 1, as SciPy has them: two classes, sources that are right seven times out of ten."""
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 3, ITEMS)
    said = np.where(rng.random((ITEMS, SOURCES)) < 0.7, truth[:, None], 3 - truth[:, None])
    return sparse.csr_array(np.where(rng.random((ITEMS, SOURCES)) < 0.03, said, 0)), truth - 1


@pytest.mark.usefixtures("never_laid_out")
class TestAListStaysAList:
    @pytest.fixture
    def listed(self, matrix):
        votes = Votes.from_matrix(matrix[0])
        assert votes.is_sparse
        with pytest.raises(assay.VoteError, match="too many for a dense table"):
            _ = votes.codes
        return votes

    def test_when_parts_are_taken(self, listed):
        for part in (
            listed.take(slice(0, 2_000)),
            listed.take(np.arange(ITEMS) % 2 == 0),
            listed.take(np.arange(ITEMS)[::-1]),
            listed[[1, 2, 3, 4, 5]],
            listed.block(10, 2_000),
            listed.select(range(SOURCES - 1, -1, -1)),
            listed.drop([0, 1]),
            Votes.concat([listed, listed.select(listed.names[::-1])]),
        ):
            assert part.is_sparse

    def test_under_other_value_tables(self, listed):
        tables = tuple(table[::-1] for table in listed.values)
        other = Schema(listed.tasks, listed.names[::-1], tables)
        swapped = listed.like(other)
        assert swapped.is_sparse
        assert swapped.like(listed.schema) == listed
        assert Votes.concat([listed, swapped]).is_sparse

    def test_on_disk(self, listed, tmp_path):
        again = Votes.from_parquet(listed.to_parquet(tmp_path / "votes.parquet"))
        assert again.is_sparse
        assert again == listed

    def test_from_a_long_table(self, matrix):
        entries = matrix[0].tocoo()
        table = {"item": entries.row, "worker": entries.col.astype(str), "label": entries.data}
        assert Votes.from_long(table).is_sparse

    @pytest.mark.parametrize("method", ["auto", "em", "robust", "covariance", "completion"])
    def test_when_it_is_learned_from_and_labeled(self, matrix, method):
        votes, truth = matrix
        model = assay.LabelModel(method=method).fit(votes)
        found = model.predict_proba(votes)
        assert found.shape == (ITEMS, 2)
        assert (model.predict(votes) == truth).mean() > 0.85
        np.testing.assert_array_equal(model.predict(votes), found.argmax(axis=1))
        np.testing.assert_array_equal(model.label(votes).joint[0], found)
        assert model.score(votes, truth) > 0.85
        assert "0" in str(model.explain(votes, 7))

    def test_with_gold_and_piece_by_piece(self, matrix, tmp_path):
        votes, truth = matrix
        gold = np.where(np.arange(ITEMS) < 50, truth, -1)
        assert assay.LabelModel().fit(votes, gold).predict_proba(votes).shape == (ITEMS, 2)
        given = Votes.from_matrix(votes)
        path = given.to_parquet(tmp_path / "votes.parquet")
        model = assay.LabelModel().partial_fit(path).partial_fit(votes)
        assert len(model.label(path)) == ITEMS
        labels = assay.Labels.from_parquet(model.label(path, out=tmp_path / "labels.parquet"))
        np.testing.assert_allclose(labels.joint[0], model.predict_proba(votes), atol=1e-7)
        assert len(labels.voted(votes)) == (np.diff(votes.indptr) > 0).sum()

    def test_when_it_is_looked_at(self, listed):
        assert len(listed.summary()) == SOURCES
        assert listed.to_pandas().shape == (ITEMS, SOURCES)
        assert assay.check(listed).ok
        assert assay.count(listed).items == ITEMS
        assert assay.majority_vote(listed).shape == assay.hierarchical_majority_vote(listed).shape == (ITEMS, 2)
        assert "sources" in listed._repr_html_()

    @pytest.mark.parametrize(
        "function",
        [
            assay.dawid_skene,
            assay.data_programming,
            lambda votes: assay.learn_dependencies(votes, resamples=0, progress=False),
            lambda votes: votes.conflicts(),
            lambda votes: assay.LabelModel(dependencies=[(0, 1)]).fit(votes),
        ],
        ids=["dawid_skene", "data_programming", "learn_dependencies", "conflicts", "dependent sources"],
    )
    def test_what_needs_a_table_says_so(self, listed, function):
        """Of all items, of the patterns, or of the dependent sources alone; above the limit it is refused clearly."""
        with pytest.raises(assay.VoteError, match="too many for a dense table of codes; take some"):
            function(listed)
