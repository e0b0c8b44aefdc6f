"""Matrices of class numbers, dense or sparse, are the votes that they hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import VoteError, Votes
from assay.simulate import flat_world
from assay.votes.dense_codes import DenseCodes
from tests.support.strategies import matrices


@given(matrices())
def test_every_kind_of_matrix_is_the_same(matrix):
    votes = Votes.from_matrix(matrix, cardinality=3)
    array = np.array(matrix)
    for kind in (
        array,
        array.astype(np.int8),
        array.astype(float),
        pd.DataFrame(array),
        pl.DataFrame(array).to_numpy(),
    ):
        assert Votes.from_matrix(kind, cardinality=3) == votes
    for sparse in (sp.csr_matrix(array + 1), sp.csc_array(array + 1), sp.coo_array((array + 1).astype(np.uint8))):
        assert Votes.from_matrix(sparse, cardinality=3) == votes
    if (array < 0).any():
        assert Votes.from_matrix(sp.csr_matrix(array), cardinality=3) == votes
    else:
        assert Votes.from_matrix(array.astype(np.uint8), cardinality=3) == votes


@pytest.mark.parametrize(
    ("classes", "dtype"), [(1, np.int8), (2, np.int8), (128, np.int8), (129, np.int16), (10_000, np.int16)]
)
def test_codes_are_as_small_as_they_fit(classes, dtype):
    votes = Votes.from_matrix([[0, -1], [classes - 1, 0]], cardinality=classes)
    assert votes.codes.dtype == dtype
    assert votes.codes.tolist() == [[0, -1], [classes - 1, 0]]


@st.composite
def few_votes(draw: st.DrawFn) -> np.ndarray:
    """(items, sources) class numbers in the sparse convention: 0 abstains; so few that they are kept as a list."""
    items, sources = draw(st.integers(5, 12)), draw(st.integers(12, 20))
    codes = np.zeros((items, sources), dtype=np.int64)
    cells = st.tuples(st.integers(0, items - 1), st.integers(0, sources - 1), st.integers(1, 3))
    for row, source, said in draw(st.lists(cells, max_size=(items * sources - 1) // 10)):
        codes[row, source] = said
    return codes


@given(few_votes(), st.sampled_from(["csr", "csc", "coo", "lil", "dok", "bsr"]), st.sampled_from([np.int8, np.uint16]))
def test_few_votes_in_a_sparse_matrix_of_any_format_are_kept_as_a_list(codes, layout, dtype):
    matrix = sp.csr_array(codes.astype(dtype)).asformat(layout)
    votes = Votes.from_matrix(matrix, cardinality=3)
    assert votes.is_sparse
    assert votes.codes.tolist() == (codes - 1).tolist()
    assert votes.codes.dtype == np.int8


@given(few_votes())
def test_a_list_does_not_change_with_the_matrix(codes):
    matrix = sp.csr_array(codes)
    votes = Votes.from_matrix(matrix, cardinality=3)
    matrix.data[:] = 1
    matrix.indices[:] = 0
    assert votes.codes.tolist() == (codes - 1).tolist()


def test_stored_zeros_abstain():
    matrix = sp.csr_array((np.array([1, 0, 2]), np.array([0, 5, 7]), np.array([0, 2, 2, 3])), shape=(3, 20))
    votes = Votes.from_matrix(matrix)
    assert votes.is_sparse
    assert votes.cast.sources.tolist() == [0, 7]
    assert votes.cast.codes.tolist() == [0, 1]


def test_no_votes_at_all():
    votes = Votes.from_matrix(sp.csr_array((3, 4), dtype=np.int64))
    assert votes.is_sparse
    assert (votes.codes == -1).all()
    assert len(Votes.from_matrix(sp.csr_array((0, 4), dtype=np.int64))) == 0


def unsorted(codes):
    """The same matrix with the entries of each row the other way round, as a product of matrices has them."""
    matrix = sp.csr_array(codes)
    order = np.lexsort((-matrix.indices, np.repeat(np.arange(len(codes)), np.diff(matrix.indptr))))
    return sp.csr_array((matrix.data[order], matrix.indices[order], matrix.indptr), shape=matrix.shape)


KINDS = {"unsorted": unsorted, "floats": lambda codes: sp.csr_array(codes.astype(float))}


@pytest.mark.parametrize("kind", KINDS)
@given(few_votes())
def test_unsorted_entries_and_floats_are_the_same_votes(kind, codes):
    matrix = KINDS[kind](codes)
    assert Votes.from_matrix(matrix, cardinality=3) == Votes.from_matrix(sp.csr_array(codes), cardinality=3)


@pytest.mark.parametrize("kind", KINDS)
def test_unsorted_entries_and_floats_are_kept_as_a_list_too(kind):
    codes = np.zeros((20, 20), dtype=np.int64)
    codes[:, :2] = 1
    codes[2:, :2] = 0
    assert Votes.from_matrix(KINDS[kind](codes)).is_sparse


@pytest.mark.parametrize("width", [4, 40])
def test_negative_classes_and_too_many_are_refused_in_every_format(width):
    codes = np.zeros((10, width), dtype=np.int64)
    codes[3, 2] = 4
    for matrix in (codes - 1, sp.csr_array(codes), sp.coo_array(codes)):
        with pytest.raises(VoteError, match=r"expected class numbers below 3, the number of classes, .*holds 3"):
            Votes.from_matrix(matrix, cardinality=3)
    codes[3, 2] = -2
    for matrix in (codes, sp.csr_array(codes)):
        with pytest.raises(VoteError, match="the matrix holds -2; map every abstention to -1"):
            Votes.from_matrix(matrix)


@pytest.mark.parametrize("width", [2, 40])
def test_entries_that_repeat_are_added_as_scipy_does(width):
    twice = sp.coo_array((np.array([1, 1]), (np.array([0, 0]), np.array([0, 0]))), shape=(1, width))
    assert Votes.from_matrix(twice, cardinality=3).codes[0, 0] == twice.toarray()[0, 0] - 1


def long_table(items=400, workers=40, votes=3, seed=0):
    rng = np.random.default_rng(seed)
    who = (rng.integers(workers, size=items)[:, None] + 7 * np.arange(votes)) % workers
    return np.column_stack([np.repeat(np.arange(items), votes), who.ravel(), rng.integers(3, size=items * votes)])


def test_a_long_table_is_not_taken_for_a_matrix():
    table = long_table()
    for wrong in (table, pd.DataFrame(table, columns=["a", "b", "c"]), pl.DataFrame(table, schema=["a", "b", "c"])):
        with pytest.raises(VoteError, match=r"Votes\.from_long"):
            assay.LabelModel().fit(wrong)
    small = pd.DataFrame(table[:9], columns=["task", "worker", "label"])
    with pytest.raises(VoteError, match=r"Votes\.from_long"):
        Votes.from_matrix(small)
    assert Votes.from_matrix(table, cardinality=400).shape == (1_200, 3)


def test_matrices_with_many_classes_are_still_matrices():
    rng = np.random.default_rng(0)
    truth = rng.integers(60, size=500)
    matrix = np.where(rng.random((500, 3)) < 0.7, truth[:, None], rng.integers(60, size=(500, 3)))
    assert Votes.from_matrix(matrix).shape == (500, 3)


def test_the_columns_of_a_table_name_the_sources():
    drawn = flat_world(sources=4, seed=1).draw(300)
    table = pd.DataFrame(np.asarray(drawn.votes.codes), columns=["kb", "crowd", "rules", "llm"])
    model = assay.LabelModel(dependencies=[(0, 1)]).fit(table)
    assert list(model.sources_["source"].unique()) == list(table.columns)
    expected = model.predict_proba(table)
    np.testing.assert_array_equal(model.predict_proba(table[["llm", "kb", "rules", "crowd"]]), expected)
    np.testing.assert_array_equal(model.predict_proba(table.to_numpy()), expected)
    np.testing.assert_array_equal(
        model.predict_proba(table.sample(frac=1, replace=True, random_state=0)).shape, (300, 2)
    )
    assert Votes.from_matrix(pd.DataFrame(np.asarray(drawn.votes.codes))).names == ("0", "1", "2", "3")


@pytest.mark.parametrize("shape", [(4_099, 16), (2_048, 17), (1_000, 50), (70_001, 23), (10, 1_003)])
def test_bytes_that_lie_row_by_row_are_read_alike(shape):
    codes = np.random.default_rng(0).integers(-1, 5, shape, dtype=np.int8)
    assert DenseCodes.of_bytes(codes)[1:] == (-1, 4)
    found = Votes.from_matrix(codes)
    np.testing.assert_array_equal(found.codes, codes)
    assert found.codes.flags.f_contiguous
    assert found == Votes.from_matrix(np.asfortranarray(codes)) == Votes.from_matrix(codes.astype(np.int64))
    codes[-1, -1] = 3  # a copy, not a view
    before = found.codes[-1, -1]
    codes[-1, -1] = (before + 2) % 5
    assert found.codes[-1, -1] == before
    codes[3, 7] = -5
    with pytest.raises(VoteError, match="the matrix holds -5"):
        Votes.from_matrix(codes)
    codes[3, 7] = 9
    with pytest.raises(VoteError, match="expected class numbers below 5"):
        Votes.from_matrix(codes, cardinality=5)
    with pytest.raises(VoteError, match="columns"):
        Votes.from_matrix(np.abs(codes), names=["a", "b"])


def test_a_matrix_is_given_back():
    """Of sources that name some labels only, too, whose codes count their own values."""
    tasks = assay.TaskGraph.flat("mail", ["ham", "spam", "news"])
    votes = assay.Votes.from_columns(tasks, {"a": ["spam", None, "spam"], "b": ["news", "ham", None]})
    assert votes.to_matrix().tolist() == [[1, 2], [-1, 0], [1, -1]]
    assert votes.codes.tolist() != votes.to_matrix().tolist()
    given = np.random.default_rng(0).integers(-1, 3, (50, 4))
    np.testing.assert_array_equal(assay.Votes.from_matrix(given).to_matrix(), given)
    again = assay.Votes.from_matrix(votes.to_matrix(), labels=["ham", "spam", "news"], names=["a", "b"], task="mail")
    assert again.to_pandas().equals(votes.to_pandas())


def test_what_is_no_class_number_is_refused():
    tasks = assay.TaskGraph.flat("mail", ["ham", "spam", "news"])
    some = assay.Votes.from_columns(tasks, {"a": [assay.one_of("ham", "spam"), "news"]})
    with pytest.raises(VoteError, match=r"source 'a' says .* no class number"):
        some.to_matrix()
    two = assay.TaskGraph([assay.Task("mood", ["good", "bad"]), assay.Task("food", ["warm", "cold"])])
    with pytest.raises(VoteError, match="about 'mood', 'food'"):
        assay.Votes.from_columns(two, {"a": ["good"]}).to_matrix()


def test_too_few_names_are_told_as_such():
    with pytest.raises(VoteError, match="3 columns, one a source, but there are 2 names"):
        assay.Votes.from_matrix([[0, 1, 1]], names=["a", "b"])
