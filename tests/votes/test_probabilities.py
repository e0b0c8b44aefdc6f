"""What labels with a confidence and probabilities say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import TaskGraph, VoteError, Votes
from assay.votes.probabilities import SoftReader, most_probable

LABELS = ("A", "B", "C")
TASKS = TaskGraph.flat("letter", LABELS)
NAN = float("nan")
rows_of = st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3).map(lambda row: [p / 3 for p in row]), max_size=5)


@given(rows_of)
def test_a_table_says_what_a_dict_says(rows):
    read = SoftReader(TASKS.label_space, None)
    codes, scores = most_probable(np.array(rows).reshape(-1, 3), 3)
    for row, code, score in zip(rows, codes, scores, strict=True):
        vote, sure = read(dict(zip(LABELS, row, strict=True)))
        assert (None if code < 0 else LABELS[code]) == (None if vote is None else str(vote))
        assert score == sure == max(row)


def test_equal_probabilities_go_to_the_first_label():
    read = SoftReader(TASKS.label_space, None)
    assert str(read({"C": 0.4, "B": 0.4, "A": 0.1})[0]) == "B"
    assert most_probable([[0.1, 0.4, 0.4]], 3)[0].tolist() == [1]


def test_rows_that_abstain():
    codes, _ = most_probable([[NAN] * 3, [0, 0, 0], [0, 0.1, 0]], 3)
    assert codes.tolist() == [-1, -1, 1]


WRONG_ROWS = [
    ([0.5, -0.1, 0.2], "a probability is negative"),
    ([0.5, NAN, 0.2], "some of its probabilities are NaN"),
    ([0.5, 0.4, 0.2], "add up to more than 1"),
    ([float("inf"), 0, 0], "add up to more than 1"),
]


@pytest.mark.parametrize(("row", "what"), WRONG_ROWS)
def test_an_error_names_source_and_row(row, what):
    table = [[0.2, 0.3, 0.5], [NAN] * 3, row]
    with pytest.raises(VoteError, match=f"source 'clf': row 2: .*{what}"):
        Votes.from_probabilities(TASKS, {"clf": ("letter", table)})


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (np.zeros((4, 2)), r"one probability for each of the 3 labels, \(items, 3\), but the shape is \(4, 2\)"),
        (np.zeros(4), r"but the shape is \(4,\)"),
        ([["a", "b", "c"]], "expected an array of probabilities"),
        (("word", np.zeros((4, 3))), "there is no task 'word'"),
    ],
)
def test_what_is_no_table(given, what):
    with pytest.raises(VoteError, match=f"source 'clf': .*{what}"):
        Votes.from_probabilities(TASKS, {"clf": given})


def test_columns_are_found_by_name_and_unknown_labels_are_refused():
    import pandas as pd

    table = pd.DataFrame({"C": [0.7, 0.2], "A": [0.1, 0.5], "B": [0.2, 0.3]}, index=["x", "y"])
    votes = Votes.from_probabilities(TASKS, {"clf": table}, levels=[0.0])
    assert votes.to_pandas()["clf"].tolist() == ["C, below 1", "A, below 1"]
    assert votes.items.tolist() == ["x", "y"]
    with pytest.raises(VoteError, match="a column 'D', which is not a label"):
        Votes.from_probabilities(TASKS, {"clf": table.rename(columns={"C": "D"})})


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ({"A": 0.7, "B": 0.4}, "add up to at most 1"),
        ({"A": -0.7, "B": 0.4}, "expected a probability from 0 to 1 for 'A', but got -0.7"),
        ({"A": 0.7, "B": NAN}, "expected a probability from 0 to 1 for 'B', but got nan"),
        ({"A": 0.7, "B": None}, "expected a probability from 0 to 1 for 'B', but got None"),
        ({"A": 0.7, "D": 0.1}, "no task has the label 'D'"),
        (("A", 1.5), "expected a probability from 0 to 1 for 'A', but got 1.5"),
        (("D", 0.5), "no task has the label 'D'"),
    ],
)
def test_what_a_source_says_is_checked(value, what):
    with pytest.raises(VoteError, match=f"source 'clf': row 1: .*{what}"):
        Votes.from_columns(TASKS, {"clf": ["A", value]})


def test_rounding_is_tolerated():
    read = SoftReader(TASKS.label_space, None)
    assert read({"A": 0.7004, "B": 0.3})[1] == 0.7004
    assert read(("A", 1.0005))[1] == 1.0
    assert most_probable([[1.0005, 0, 0]], 3)[1].tolist() == [1.0]
