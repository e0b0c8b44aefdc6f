from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import VoteError
from assay.votes.columns import encode
from assay.votes.encoding import canonical, intern, is_missing, recode, smallest
from tests.support.oracles import meaning
from tests.support.strategies import partial_vectors, task_graphs


@given(st.integers(0, 10**6))
def test_the_smallest_type_holds_the_codes_and_the_next_smaller_does_not(values):
    dtype = smallest(values)
    assert values - 1 <= np.iinfo(dtype).max
    smaller = {np.int16: np.int8, np.int32: np.int16}.get(dtype)
    assert smaller is None or values - 1 > np.iinfo(smaller).max


scalars = st.none() | st.text(max_size=2) | st.integers(0, 3) | st.just(float("nan"))
answers = scalars | st.tuples(scalars, scalars) | st.dictionaries(st.text(max_size=1), scalars | st.lists(scalars))


@given(st.lists(answers | st.lists(scalars), max_size=12))
def test_interning_numbers_distinct_values_and_forgets_nothing(values):
    codes, distinct = intern(values)
    assert sorted(set(codes[codes >= 0])) == list(range(len(distinct)))
    for code, value in zip(codes, values, strict=True):
        if is_missing(value):
            assert code == -1
        else:
            assert repr(value) in (repr(distinct[code]), distinct[code]) or value == distinct[code]


@pytest.mark.parametrize("value", [None, float("nan"), np.nan, np.float64("nan"), pd.NA, pd.NaT])
def test_missing_values(value):
    assert is_missing(value)
    assert intern([value, "a"])[0].tolist() == [-1, 0]


@given(st.data())
def test_encoding_and_the_table_give_the_labels_back(data):
    tasks = data.draw(task_graphs())
    column = data.draw(st.lists(st.none() | partial_vectors(tasks), max_size=8))
    codes, table, _ = encode(tasks.label_space, column)
    found = [None if code < 0 else dict(table[code].labels) for code in codes]
    assert [meaning(tasks, vote) for vote in found] == [meaning(tasks, vote) for vote in column]
    assert table == canonical(tasks.label_space, reversed(table))
    assert len(set(table)) == len(table)


def test_a_named_task_lists_all_its_labels_in_order(entities):
    codes, table, _ = encode(entities.label_space, ["Lawyer", None], "person")
    assert [str(vote) for vote in table] == ["Doctor", "Lawyer"]
    assert codes.tolist() == [1, -1]
    assert encode(entities.label_space, [None], None)[1] == ()


def test_not_applicable_comes_after_the_labels(entities):
    _, table, _ = encode(entities.label_space, [("person", None), "Doctor", "Hospital", "Person"])
    assert [vote.spelled_out() for vote in table] == ["entity=Person", "person=Doctor", "person=N/A", "org=Hospital"]


def test_recoding_keeps_abstentions(letters):
    _, table, _ = encode(letters.label_space, [], "letter")
    assert recode(np.array([0, -1, 1]), table[1:], table).tolist() == [1, -1, 2]


def test_errors_name_the_row(letters):
    with pytest.raises(VoteError, match="row 2: no task has the label 'Z'"):
        encode(letters.label_space, ["A", None, "Z", "Z"])
