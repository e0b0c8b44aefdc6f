"""Long tables, a row for each vote."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import AssayError, VoteError, Votes
from assay.votes.long_table import long_votes
from tests.support.oracles import meaning
from tests.support.strategies import matrices, partial_vectors, task_graphs


@given(matrices(), st.randoms(use_true_random=False))
def test_a_long_table_is_the_matrix(matrix, random):
    cells = [(i, j, code) for i, row in enumerate(matrix) for j, code in enumerate(row) if code >= 0]
    if not cells:
        return
    votes = Votes.from_matrix(matrix, labels=["x", "y", "z"], names=[f"w{j}" for j in range(len(matrix[0]))])
    cells = [*cells, random.choice(cells)]
    random.shuffle(cells)
    long = {
        "item": [f"i{i}" for i, _, _ in cells],
        "worker": [f"w{j}" for _, j, _ in cells],
        "label": ["xyz"[code] for _, _, code in cells],
    }
    crowd = Votes.from_long(long, votes.tasks, task="label")
    assert list(crowd.items) == list(dict.fromkeys(long["item"]))
    assert list(crowd.names) == sorted(set(long["worker"]))
    rows = [int(item[1:]) for item in crowd.items]
    assert crowd.codes.tolist() == votes.take(rows).select(crowd.names).codes.tolist()


def test_a_long_table_may_be_any_table(tmp_path):
    long = {"item": [1, 1, 2], "worker": ["ann", "bob", "bob"], "label": ["x", "y", "x"]}
    frame = pl.DataFrame(long)
    frame.write_csv(tmp_path / "long.csv")
    votes = Votes.from_long(long)
    for table in (frame, frame.lazy(), frame.to_pandas(), frame.to_arrow(), tmp_path / "long.csv"):
        assert Votes.from_long(table) == votes


def test_long_tables_leave_out_missing_labels_and_take_column_names(entities):
    table = pl.DataFrame({"id": [1, 2, 2], "who": ["b", "a", "b"], "says": [None, "Doctor", "Person"]})
    votes = Votes.from_long(table, entities, item="id", source="who", label="says")
    assert votes.items.tolist() == [2]
    assert votes.to_pandas().iloc[0].tolist() == ["person=Doctor", "entity=Person"]


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


@given(st.data())
def test_structured_labels_are_votes_on_several_tasks(data):
    tasks = data.draw(task_graphs(3))
    cells = data.draw(
        st.dictionaries(st.tuples(st.integers(0, 4), st.sampled_from("abc")), partial_vectors(tasks), min_size=1)
    )
    long = pl.DataFrame(
        {
            "item": [item for item, _ in cells],
            "worker": [worker for _, worker in cells],
            "label": pl.Series([dict(vector) for vector in cells.values()], dtype=pl.Object),
        }
    )
    votes = Votes.from_long(long, tasks)
    found = {
        (item, name): meaning(tasks, dict(votes.values[j][votes.codes[i, j]].labels))
        for i, item in enumerate(votes.items.tolist())
        for j, name in enumerate(votes.names)
        if votes.codes[i, j] >= 0
    }
    assert found == {cell: meaning(tasks, vote) for cell, vote in cells.items()}


@given(st.integers(0, 10_000))
def test_few_and_many_votes_are_the_same_votes(seed):
    """Whether they are kept as a list or as a table."""
    rng = np.random.default_rng(seed)
    codes = np.where(rng.random((25, 12)) < rng.choice([0.05, 0.3]), rng.integers(0, 3, (25, 12)), -1)
    rows, columns = np.nonzero(codes >= 0)
    if not len(rows):
        return
    long = {"item": rows, "worker": [f"w{j:02}" for j in columns], "label": [f"l{k}" for k in codes[rows, columns]]}
    schema, cast, items = long_votes(long, None, None, item="item", source="worker", label="label")
    expected = codes[np.ix_(np.unique(rows), np.unique(columns))]
    kinds = {int(label[1:]): code for code, label in enumerate(schema.tasks.tasks[0].labels)}
    np.testing.assert_array_equal(cast.dense(), np.vectorize(lambda code: kinds.get(code, -1))(expected))
    assert items.tolist() == np.unique(rows).tolist()
    assert Votes.from_long(long).is_sparse == cast.is_worth_listing


def test_the_row_of_a_label_that_does_not_exist_is_named(entities):
    long = {"item": [1, 1, 2], "worker": ["a", "b", "a"], "label": ["Doctor", "Doctr", "Doctr"]}
    with pytest.raises(VoteError, match=r"row 1: no task has the label 'Doctr'. Did you mean 'Doctor'"):
        Votes.from_long(long, entities)


def test_an_empty_table_has_no_sources():
    with pytest.raises(AssayError):
        Votes.from_long({"item": [], "worker": [], "label": []})


def test_a_vote_that_is_told_twice_is_kept_once():
    long = {"item": [2, 1, 2, 1], "worker": ["b", "a", "b", "a"], "label": ["x", "y", "x", "y"]}
    _, cast, items = long_votes(long, None, None, item="item", source="worker", label="label")
    assert items.tolist() == [2, 1]
    assert (cast.starts.tolist(), cast.sources.tolist(), cast.codes.tolist()) == ([0, 1, 2], [1, 0], [0, 1])
