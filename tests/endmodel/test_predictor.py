"""Which rows of data labels are of, and which labels can be learned from."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.endmodel.predictor import labels_to_learn_from, rows_of

TASKS = assay.TaskGraph.flat("letter", ["A", "B"])


def labels_of(joint):
    return assay.Labels(TASKS, (np.array(joint, dtype=float),))


@given(st.lists(st.booleans(), min_size=1, max_size=12).filter(any))
def test_labels_that_were_chosen_find_their_rows_in_all_of_the_data_or_in_their_own(kept):
    labels = labels_of([[0.4, 0.6]] * len(kept)).where(np.array(kept))
    assert rows_of(labels, len(kept)).tolist() == np.flatnonzero(kept).tolist()
    assert rows_of(labels, sum(kept)).tolist() == (np.flatnonzero(kept) if all(kept) else np.arange(sum(kept))).tolist()
    with pytest.raises(assay.DataError, match="a row of data for each label"):
        rows_of(labels, len(kept) + 1)


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (labels_of(np.empty((0, 2))), "there are no labels to learn from"),
        (labels_of([[0.5, 0.5], [0.9, 0.2]]), r"those of item 1 are \[0.9 0.2\]"),
        (labels_of([[np.nan, 1.0]]), "those of item 0"),
        (labels_of([[-0.5, 1.5]]), "those of item 0"),
    ],
    ids=["none", "no sum", "nan", "negative"],
)
def test_what_cannot_be_learned_from_is_refused(labels, said):
    with pytest.raises(assay.AssayError, match=said):
        labels_to_learn_from(labels, TASKS)


def test_labels_of_other_tasks_are_refused():
    labels = labels_of(np.eye(2))
    assert labels_to_learn_from(labels, TASKS) is labels
    for tasks, said in (
        (assay.TaskGraph.flat("letter", ["A", "C"]), "other labels"),
        (assay.TaskGraph.flat("x", ["A", "B"]), "letter, rather than x"),
    ):
        with pytest.raises(assay.AssayError, match=said):
            labels_to_learn_from(labels, tasks)


@pytest.mark.parametrize("names", [list("abcd"), [3, 1, 4, 2]])
def test_data_in_another_order_than_the_labels_is_refused(names):
    labels = assay.Labels(TASKS, (np.full((4, 2), 0.5),), np.array(names))
    data = pd.DataFrame({"x": range(4)}, index=names)
    assert rows_of(labels, 4, data).tolist() == [0, 1, 2, 3]
    with pytest.raises(assay.DataError, match=r"row 0 of the data is .*give data\.loc\[labels\.items\]"):
        rows_of(labels, 4, data.iloc[::-1])
    some = labels.where(np.array([True, False, True, True]))
    assert rows_of(some, 4, data).tolist() == [0, 2, 3]
    assert rows_of(some, 3, data.iloc[[0, 2, 3]]).tolist() == [0, 1, 2]
    with pytest.raises(assay.DataError, match="in another order"):
        rows_of(some, 3, data.iloc[[2, 0, 3]])


def test_other_names_than_those_of_the_labels_are_nobody_s_business():
    labels = assay.Labels(TASKS, (np.full((3, 2), 0.5),), np.array(["a", "b", "c"]))
    for data in (
        pd.DataFrame({"x": range(3)}),
        pd.DataFrame({"x": range(3)}, index=[7, 7, 9]),
        np.zeros((3, 1)),
        ["x"] * 3,
    ):
        assert rows_of(labels, 3, data).tolist() == [0, 1, 2]
