"""Which task graph apply uses when it is given none: decision 3."""

from __future__ import annotations

import pytest

import assay
from assay import Task, TaskGraph, Votes

ROWS = [{"text": "a"}, {"text": "b"}]
BAD = assay.source(name="always")(lambda row: "bad")


@pytest.fixture
def declared():
    return TaskGraph([Task("tone", ["good", "bad"])])


OTHERS = {
    "flat": lambda _: TaskGraph.flat("mood", ["fine", "bad"]),
    "stored": lambda _: TaskGraph.from_dict(TaskGraph.flat("mood", ["fine", "bad"]).to_dict()),
    "a matrix of votes": lambda _: Votes.from_matrix([[0, 1]], labels=["fine", "bad"]),
    "a file of votes": lambda folder: Votes.from_parquet(folder / "votes.parquet"),
}


@pytest.mark.parametrize("other", OTHERS)
def test_only_graphs_that_were_declared_count(other, declared, tmp_path):
    mood = TaskGraph.flat("mood", ["fine", "bad"])
    Votes.from_columns(mood, {"s": ["bad"]}).to_parquet(tmp_path / "votes.parquet")
    OTHERS[other](tmp_path)
    assert assay.apply(BAD, ROWS).tasks is declared


def test_a_graph_that_contradicts_itself_does_not_count(declared):
    with pytest.raises(assay.TaskError):
        TaskGraph([Task("mood", ["bad"], parent=("weather", "rain"))])
    assert assay.apply(BAD, ROWS).tasks is declared


def test_the_later_declaration_counts(declared):
    later = TaskGraph([Task("mood", ["fine", "bad"])])
    assert assay.apply(BAD, ROWS).tasks is later
    assert assay.apply(BAD, ROWS, declared).tasks is declared


def test_flat_graphs_alone_are_none(monkeypatch):
    monkeypatch.setattr(TaskGraph, "_declared_last", None)
    TaskGraph.flat("tone", ["good", "bad"])
    with pytest.raises(assay.TaskError, match="no task graph"):
        assay.apply(BAD, ROWS)
