"""One task: its name, its labels and its parents."""

from __future__ import annotations

import pytest
from hypothesis import given

from assay import Task, TaskError, TaskGraph
from tests.support.strategies import Declaration, declarations

ONE = [Task("a", ["x", "y"])]


@given(declarations())
def test_what_is_printed_makes_the_same_task(declared: Declaration):
    for task in declared.tasks:
        again = eval(repr(task), {"Task": Task})
        assert again == task
        assert hash(again) == hash(task)


def test_parents_may_be_one_pair_or_several_and_are_kept_once():
    assert Task("b", ["p"], parent=["a", "x"]).parents == Task("b", ["p"], parent=("a", "x")).parents == (("a", "x"),)
    assert Task("b", ["p"], parent=[("a", "x"), ["a", "y"], ("a", "x")]).parents == (("a", "x"), ("a", "y"))
    assert Task("b", ["p"]).parents == ()


@pytest.mark.parametrize(
    ("declare", "advice"),
    [
        (lambda: Task("", ["x"]), "name must be a non-empty string"),
        (lambda: Task(5, ["x"]), "name must be a non-empty string, but got 5"),
        (lambda: Task("a", []), "'a' has no labels; give it"),
        (lambda: Task("a", None), "labels must be a list of names, but got None"),
        (lambda: Task("a", "xy"), "labels must be a list of names, but got 'xy'"),
        (lambda: Task("a", ["x", 1]), r"non-empty strings, but got 1 \(int\)"),
        (lambda: Task("a", ["x", ""]), "non-empty strings"),
        (lambda: Task("a", ["x", "y", "x"]), "has the label 'x' twice"),
        (lambda: Task("a", ["x"], parent="entity"), r"parent must be a pair \(task, label\)"),
        (lambda: Task("a", ["x"], parent=5), r"parent must be a pair \(task, label\)"),
        (lambda: Task("a", ["x"], parent=[("b", "y", "z")]), "parent must be a pair"),
        (lambda: TaskGraph([]), "at least one task"),
        (lambda: TaskGraph(["a"]), "made of assay.Task, but got 'a'"),
        (lambda: TaskGraph([*ONE, *ONE]), "two tasks are called 'a'"),
    ],
)
def test_errors_say_what_to_do(declare, advice):
    with pytest.raises(TaskError, match=advice):
        declare()
