"""Tasks below labels of other tasks."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given

from assay import Task, TaskError, TaskGraph
from assay.tasks.hierarchy import parent_rule, parents_first
from tests.support.strategies import Declaration, declarations

ONE = [Task("a", ["x", "y"])]


@given(declarations())
def test_every_task_comes_after_its_parents_and_none_is_lost(declared: Declaration):
    order = parents_first(declared.tasks)
    assert sorted(order) == sorted(task.name for task in declared.tasks)
    for task in declared.tasks:
        assert all(order.index(parent) < order.index(task.name) for parent, _ in task.parents)


@given(declarations(max_tasks=3))
def test_a_task_applies_exactly_where_a_parent_label_holds(declared: Declaration):
    domains = {task.name: (*task.labels, None) for task in declared.tasks}
    for task in (task for task in declared.tasks if task.parents):
        rule = parent_rule(task)
        assert set(rule.tasks) == {task.name, *(parent for parent, _ in task.parents)}
        for labels in product(*domains.values()):
            vector = dict(zip(domains, labels, strict=True))
            below = [label for parent, label in task.parents if vector[parent] == label]
            assert rule.holds(vector) == (bool(below) == (vector[task.name] is not None))


@pytest.mark.parametrize(
    ("declare", "advice"),
    [
        (lambda: TaskGraph([*ONE, Task("b", ["p"], parent=("aa", "x"))]), "parent of task 'b' .* Did you mean 'a'"),
        (lambda: TaskGraph([*ONE, Task("b", ["p"], parent=("a", "z"))]), "label 'z' of task 'a'.* Known: 'x', 'y'"),
        (
            lambda: TaskGraph([Task("person", ["Doctor"]), Task("b", ["p"], parent=("person", "Docter"))]),
            "Did you mean 'Doctor'",
        ),
        (lambda: TaskGraph([Task("a", ["x"], parent=("a", "x"))]), "own ancestors: a -> a; remove one"),
        (
            lambda: TaskGraph([Task("a", ["x"], parent=("b", "p")), Task("b", ["p"], parent=("a", "x"))]),
            "own ancestors: a -> b -> a; remove one of these parents",
        ),
    ],
)
def test_errors_say_what_to_do(declare, advice):
    with pytest.raises(TaskError, match=advice):
        declare()
