from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import AssayError, Task, TaskGraph, Votes
from assay.votes.votes import Fault
from tests.support.oracles import meaning
from tests.support.strategies import matrices, said


def label(votes: Votes, row: int, source: int) -> dict[str, str | None] | None:
    code = votes.codes[row, source]
    return None if code < 0 else dict(votes.values[source][code].labels)


@given(said())
def test_columns_are_kept_as_they_were_said(given_votes):
    votes = given_votes.votes
    for j, (name, column) in enumerate(given_votes.columns.items()):
        assert votes.names[j] == name
        found = [meaning(votes.tasks, label(votes, i, j)) for i in range(len(votes))]
        assert found == [meaning(votes.tasks, vote) for vote in column]


@given(said(min_rows=1), st.data())
def test_any_partition_concatenates_to_the_whole(given_votes, data):
    votes = given_votes.votes
    cuts = sorted(data.draw(st.lists(st.integers(0, len(votes)), max_size=3)))
    bounds = [0, *cuts, len(votes)]
    parts = [votes.take(slice(*two)) for two in pairwise(bounds)]
    assert Votes.concat(parts) == votes
    # Made apart, the parts know only the values that occur in them.
    apart = [
        Votes.from_columns(given_votes.tasks, {n: column[slice(*two)] for n, column in given_votes.columns.items()})
        for two in pairwise(bounds)
    ]
    assert Votes.concat(apart) == votes


@given(said(), st.data())
def test_taking_rows(given_votes, data):
    votes = given_votes.votes
    rows = data.draw(st.lists(st.integers(0, len(votes) - 1), max_size=6)) if len(votes) else []
    taken = votes.take(rows)
    assert taken.codes.tolist() == [votes.codes[i].tolist() for i in rows]
    assert taken.values == votes.values
    mask = [i in rows for i in range(len(votes))]
    assert votes.take(mask) == votes.take(np.flatnonzero(mask))
    assert votes.take(range(len(votes))) == votes.take(slice(None)) == votes


@given(said(), st.data())
def test_selecting_sources(given_votes, data):
    votes = given_votes.votes
    chosen = data.draw(st.lists(st.sampled_from(votes.names), min_size=1, unique=True))
    selected = votes.select(chosen)
    assert selected.names == tuple(chosen)
    assert selected == Votes.from_columns(given_votes.tasks, {name: given_votes.columns[name] for name in chosen})
    assert selected == votes.select([votes.position(name) for name in chosen])
    assert votes.select(votes.names) == votes
    if len(chosen) < len(votes.names):
        assert votes.drop(chosen) == votes.select([name for name in votes.names if name not in chosen])


@given(matrices())
def test_matrix_to_pandas_to_columns(matrix):
    votes = Votes.from_matrix(matrix, cardinality=3, labels=["x", "y", "z"])
    frame = votes.to_pandas()
    again = Votes.from_columns(votes.tasks, {name: ("label", frame[name]) for name in frame})
    assert again == votes
    assert votes.codes.tolist() == matrix
    assert Votes.from_columns(votes.tasks, {name: ("label", list(frame[name])) for name in frame}) == votes


def test_votes_are_immutable(tmp_path):
    matrix, items = np.array([[0, 1], [1, -1]]), np.array(["a", "b"])
    made = Votes.from_matrix(matrix)
    made = Votes.from_codes(made.tasks, matrix, made.names, made.values, items)
    matrix[0, 0] = 1
    items[0] = "z"
    assert made.codes[0, 0] == 0
    assert made.items is not None
    assert made.items[0] == "a"
    taken = made.take(slice(0, 1))
    for votes in (made, taken, Votes.from_parquet(made.to_parquet(tmp_path / "votes.parquet"))):
        with pytest.raises(ValueError, match="read-only"):
            votes.codes[0, 0] = 1
        with pytest.raises(ValueError, match="read-only"):
            votes.items[0] = "z"
        with pytest.raises(AttributeError):
            votes.names = ("x", "y")
    with pytest.raises(TypeError):
        hash(made)


def test_equality_looks_at_everything_but_faults(letters):
    votes = Votes.from_columns(letters, {"s": ["A", None]})
    assert votes == Votes.from_codes(
        votes.tasks, votes.codes, votes.names, votes.values, faults=(Fault("s", 1, 0, "x"),)
    )
    assert votes != Votes.from_columns(letters, {"t": ["A", None]})
    assert votes != Votes.from_columns(letters, {"s": ["A", "A"]})
    assert votes != Votes.from_columns(letters, {"s": ("letter", ["A", None])})
    assert votes != Votes.from_codes(votes.tasks, votes.codes, votes.names, votes.values, np.array([1, 2]))
    assert votes != Votes.from_columns(TaskGraph.flat("letter", ["A", "B"]), {"s": ["A", None]})
    assert votes != "votes"


def test_repr_and_shape(entities):
    votes = Votes.from_columns(entities, {"kb": ("person", ["Doctor"] * 1200), "coarse": ["Person"] * 1200})
    assert repr(votes) == "Votes(1,200 items × 2 sources, 3 tasks)"
    assert votes.shape == (1200, 2)
    assert votes.tasks_of("kb") == ("person",)
    assert votes.tasks_of(-1) == ("entity",)


def test_columns_may_be_any_column_and_any_label(entities):
    labels = ["Doctor", None, "Lawyer"]
    columns = {
        "list": labels,
        "tuple": tuple(labels),
        "pandas": pd.Series(labels),
        "nullable": pd.Series(labels, dtype="string"),
        "categories": pd.Series(labels, dtype="category"),
        "polars": pl.Series(labels),
        "numpy": np.array(labels, dtype=object),
        "generator": (each for each in labels),
        "pairs": [("person", "Doctor"), None, ("person", "Lawyer")],
        "dicts": [{"person": "Doctor"}, float("nan"), {"person": "Lawyer"}],
    }
    votes = Votes.from_columns(entities, columns)
    assert (votes.codes == np.array([[0], [-1], [1]])).all()
    assert votes.to_pandas()["dicts"].tolist() == labels


def test_a_vote_on_several_tasks_reads_in_pandas(entities):
    votes = Votes.from_columns(
        entities, {"s": [{"entity": "Person", "person": "Doctor"}, "Person", ("org", None), None]}
    )
    assert votes.to_pandas()["s"].tolist() == ["entity=Person, person=Doctor", "entity=Person", "org=N/A", None]


def test_items_are_the_index_in_pandas():
    votes = Votes.from_long({"item": ["b", "a"], "worker": [7, 7], "label": [1, 0]})
    assert votes.to_pandas().index.tolist() == ["b", "a"]
    assert votes.to_pandas()["7"].tolist() == ["1", "0"]
    assert votes.take([1]).to_pandas().index.tolist() == ["a"]


def test_faults_follow_their_sources(letters):
    faults = (Fault("s", 1, 0, "x"), Fault("t", 2, 1, "y"))
    columns = Votes.from_columns(letters, {"s": ["A", None], "t": ["B", "B"]})
    votes = Votes.from_codes(columns.tasks, columns.codes, columns.names, columns.values, faults=faults)
    assert votes.select(["t"]).faults == faults[1:]


def test_concat_puts_sources_in_the_order_of_the_first(letters):
    one = Votes.from_columns(letters, {"s": ["A"], "t": ["B"]})
    other = Votes.from_columns(letters, {"t": ["C"], "s": [None]})
    assert Votes.concat([one, other]).to_pandas().to_numpy().tolist() == [["A", "B"], [None, "C"]]


LETTERS = TaskGraph.flat("letter", ["A", "B", "C"])
SOME = Votes.from_columns(LETTERS, {"s": ["A", "B"], "t": ["A", None]})


@pytest.mark.parametrize(
    ("make", "advice"),
    [
        (lambda: Votes.from_matrix([0, 1]), r"matrix of items × sources, but its shape is \(2,\)"),
        (lambda: Votes.from_matrix([[0.5]]), "integer class numbers"),
        (lambda: Votes.from_matrix([[np.nan]]), "integer class numbers, -1 for abstain"),
        (lambda: Votes.from_matrix([["A"]]), "Votes.from_columns"),
        (lambda: Votes.from_matrix([[-2]]), "the matrix holds -2; map every abstention to -1"),
        (lambda: Votes.from_matrix([[3]], cardinality=3), "class numbers below 3.*holds 3"),
        (lambda: Votes.from_matrix([[0]], cardinality=0), "class numbers below 0"),
        (lambda: Votes.from_matrix([[0]], cardinality=3, labels=["x"]), "cardinality is 3, but there are 1 labels"),
        (lambda: Votes.from_matrix([[0, 1]], names=["a"]), "2 columns, one a source, but there are 1 names"),
        (lambda: Votes.from_matrix([[0, 1]], names=["a", "a"]), "two sources are called 'a'"),
        (lambda: Votes.from_matrix([[0, 1]], names=[3, 4]), r"source names must be strings, but got 3 \(int\)"),
        (lambda: Votes.from_matrix(np.empty((3, 0))), "at least one source"),
        (lambda: Votes.from_matrix(sp.csr_matrix([[1.5]])), "integer class numbers"),
        (lambda: Votes.from_columns(LETTERS, {}), "at least one source"),
        (lambda: Votes.from_columns(LETTERS, {"s": ["A"], "t": []}), "lengths are {'s': 1, 't': 0}"),
        (lambda: Votes.from_columns(LETTERS, {"s": "A"}), "expected a column of labels"),
        (lambda: Votes.from_columns(LETTERS, {"s": 3}), "expected a column of labels"),
        (lambda: Votes.from_columns(LETTERS, {"s": [None, "a"]}), "source 's': row 1: .*Did you mean 'A'"),
        (lambda: Votes.from_columns(LETTERS, {"s": ("leter", ["A"])}), "source 's': .*Did you mean 'letter'"),
        (lambda: Votes.from_columns(LETTERS, {"s": [0, -1]}), r"row 0: expected a label name, but got 0 \(int\)"),
        (
            lambda: Votes.from_long({"item": [1], "worker": [1], "labels": [1]}),
            "no column 'label'. Did you mean 'labels'",
        ),
        (
            lambda: Votes.from_long({"item": [1, 1], "worker": ["w", "w"], "label": ["x", "y"]}),
            "source 'w' votes twice on item 1, 'x' and 'y'; keep one",
        ),
        (
            lambda: Votes.from_long({"item": [1, None], "worker": ["w"] * 2, "label": ["x"] * 2}),
            "needs an item and a worker",
        ),
        (lambda: Votes.from_long({"item": [1], "worker": ["w"], "label": ["Z"]}, LETTERS), "no task has the label 'Z'"),
        (lambda: Votes.from_long({"item": [1, 2], "worker": ["w"], "label": ["Z"]}), "different lengths"),
        (lambda: Votes.concat([]), "nothing to concatenate"),
        (lambda: Votes.concat([SOME, SOME.select(["s"])]), "same sources.*'t' differ"),
        (lambda: Votes.concat([SOME, Votes.from_matrix([[0, 0]])]), "same task graph"),
        (lambda: SOME.select(["S"]), "no source 'S'. Did you mean 's'"),
        (lambda: SOME.select([2]), "no source number 2; there are 2"),
        (lambda: SOME.select([]), "at least one source"),
        (lambda: SOME.drop(["s", "t"]), "at least one source"),
        (lambda: SOME.take([2]), "row numbers or a mask of 2 items"),
        (lambda: SOME.take([True]), "a mask of 2 items"),
        (lambda: SOME.take("a"), "row numbers or a mask"),
        (lambda: SOME.take(0), "a slice, row numbers or a mask of 2 items, but got 0"),
        (lambda: SOME.summary(by="sources"), "by must be 'source'"),
        (
            lambda: Votes.from_codes(LETTERS, np.array([[3]]), ("s",), (SOME.values[0],)),
            "has codes from 3 to 3, but 2 values",
        ),
        (
            lambda: Votes.from_codes(LETTERS, SOME.codes, SOME.names, SOME.values, np.array([1])),
            "expected 2 item names",
        ),
    ],
)
def test_errors_say_what_to_do(make, advice):
    with pytest.raises(AssayError, match=advice):
        make()


def test_no_items_at_all(tmp_path, letters):
    votes = Votes.from_columns(letters, {"s": [], "t": ("letter", [])})
    assert len(votes) == 0
    assert votes.summary()["coverage"].tolist() == [0, 0]
    assert assay.majority_vote(votes).shape == assay.hierarchical_majority_vote(votes).shape == (0, 3)
    assert Votes.from_parquet(votes.to_parquet(tmp_path / "votes.parquet")) == votes


def test_labels_under_several_parents_are_one_vote():
    tasks = TaskGraph(
        [
            Task("kind", ["cat", "dog", "fish"]),
            Task("coat", ["long", "short"], parent=[("kind", "cat"), ("kind", "dog")]),
        ]
    )
    votes = Votes.from_columns(tasks, {"s": ["long"]})
    (sets,) = votes.outcome_sets
    assert [tasks.label_space.outcomes[i]["kind"] for i in np.flatnonzero(sets.masks[0])] == ["cat", "dog"]
