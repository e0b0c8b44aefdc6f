"""Names of items: unique, and found again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import LabelModel, TaskGraph, VoteError, Votes
from assay.simulate import flat_world
from assay.votes.names import index_of, item_names, rows_named

SOME_NAMES = st.one_of(st.lists(st.integers(-5, 50), unique=True), st.lists(st.text(max_size=3), unique=True))


@given(SOME_NAMES, st.randoms())
def test_every_name_leads_to_its_row(names, random):
    stored = item_names(names)
    assert stored.tolist() == names
    asked = [*names, "not there", None]
    random.shuffle(asked)
    rows = rows_named(stored, len(names), asked)
    assert [-1 if name not in names else names.index(name) for name in asked] == rows.tolist()


def test_without_names_row_numbers_are_names():
    assert rows_named(None, 3, [2, 0, 3, -1, "1", True, 1.0]).tolist() == [2, 0, -1, -1, -1, -1, 1]


def test_resampled_votes_are_fine_until_a_name_is_ambiguous():
    votes = Votes.from_codes(TaskGraph.flat("t", ["a", "b"]), [[-1], [-1]], ["s"], [[]], items=np.array(["x", "y"]))
    twice = votes.take([1, 0, 1])
    assert twice.items.tolist() == ["y", "x", "y"]
    assert twice.row_of("x") == 1
    with pytest.raises(VoteError, match="several items are called 'y'"):
        twice.row_of("y")


def test_a_row_is_found_by_name_and_an_unknown_name_is_refused():
    votes = Votes.from_matrix(pd.DataFrame([[0], [1]], index=["x", "y"]))
    assert votes.row_of("y") == 1
    with pytest.raises(VoteError, match="not there: 'z'; items are called 'x', 'y'"):
        votes.row_of("z")
    with pytest.raises(VoteError, match="not there: 7; items have no names, only row numbers from 0 to 1"):
        Votes.from_matrix([[0], [1]]).row_of(7)


def test_repeated_names_are_refused_wherever_votes_are_made():
    tasks = TaskGraph.flat("t", ["a", "b"])
    index = ["x", "y", "x"]
    with pytest.raises(VoteError, match="rows 0 and 2 are both 'x'"):
        Votes.from_codes(tasks, [[-1]] * 3, ["s"], [[]], items=np.array(index))
    with pytest.raises(VoteError, match=r"the index must have .* rows 0 and 2 are both 'x'; call \.reset_index"):
        Votes.from_matrix(pd.DataFrame({"s": [0, 1, 1]}, index=index))
    with pytest.raises(VoteError, match="rows 0 and 2 are both 'x'"):
        Votes.from_columns(tasks, {"s": pd.Series(["a", "b", "b"], index=index)})
    one = Votes.from_matrix(pd.DataFrame({"s": [0, 1]}, index=["x", "y"]))
    with pytest.raises(VoteError, match="rows 0 and 2 are both 'x'"):
        Votes.concat([one, one])


def test_columns_keep_their_index(letters):
    named = pd.DataFrame({"one": ["A", None], "two": ["B", "C"]}, index=["x", "y"])
    votes = Votes.from_columns(letters, named)
    assert votes.names == ("one", "two")
    assert votes.items.tolist() == ["x", "y"]
    assert Votes.from_columns(letters, {"one": ("letter", named["one"]), "two": ["B", "C"]}) == votes.like(
        Votes.from_columns(letters, {"one": ("letter", named["one"]), "two": ["B", "C"]})
    )
    with pytest.raises(VoteError, match="different indexes"):
        Votes.from_columns(letters, {"one": named["one"], "two": named["two"][::-1]})
    assert Votes.from_columns(letters, {"s": pd.Series(["A", "B"])}).items is None
    with pytest.raises(VoteError, match="there are no columns"):
        Votes.from_columns(letters, pd.DataFrame())


def test_parts_with_numbers_and_texts_for_names_have_texts_together():
    one, other = (Votes.from_matrix(pd.DataFrame({"s": [0, 1]}, index=index)) for index in ([5, 6], ["x", "y"]))
    assert Votes.concat([one, other]).items.tolist() == ["5", "6", "x", "y"]


def test_only_an_index_that_counts_from_zero_is_none():
    frame = pd.DataFrame({"a": [1, 2, 3]})
    assert index_of(frame) is None
    assert index_of(frame["a"]) is None
    assert index_of([1, 2]) is None
    assert index_of(frame[1:]).tolist() == [1, 2]
    assert index_of(frame[::2]).tolist() == [0, 2]


def test_estimators_take_a_matrix_with_any_index():
    drawn = flat_world(sources=6, seed=3).draw(300).votes
    matrix = pd.DataFrame(drawn.codes, index=[f"i{row}" for row in range(300)])
    labels = LabelModel().fit(matrix).label(matrix)
    assert labels.items.tolist() == matrix.index.tolist()
    resampled = matrix.sample(300, replace=True, random_state=0)
    assert LabelModel().fit(resampled).label(resampled).items is None


def test_an_item_is_explained_by_its_name():
    drawn = flat_world(sources=6, seed=3).draw(300).votes
    named = Votes.from_codes(drawn.tasks, drawn.codes, drawn.names, drawn.values, np.arange(300).astype(str))
    model = LabelModel().fit(named)
    assert model.explain(named, "17").table.equals(model.explain(named, 17).table)
    with pytest.raises(VoteError, match="not there: 'x'"):
        model.explain(named, "x")
