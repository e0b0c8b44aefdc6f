"""Task graphs as values: equal by what they mean, found by name, kept in dicts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from assay import Task, TaskError, TaskGraph, excludes, implies
from tests.support.strategies import task_graphs


@given(task_graphs())
def test_dict_round_trip_through_json(tasks):
    stored = json.loads(json.dumps(tasks.to_dict()))
    again = TaskGraph.from_dict(stored)
    assert again == tasks
    assert hash(again) == hash(tasks)
    assert again.tasks == tasks.tasks
    assert [c.outcomes for c in again.label_space.components] == [c.outcomes for c in tasks.label_space.components]


def test_equality_is_of_tasks_and_outcomes_not_of_wording():
    declared = [Task("a", ["x", "y"]), Task("b", ["x", "y"])]
    one = TaskGraph(declared, constraints=[implies(("a", "x"), ("b", "x"))])
    other = TaskGraph(declared, constraints=[excludes(("a", "x"), ("b", "y"))])
    assert one == other
    assert one != TaskGraph(declared)
    assert one != "a graph"


def test_access_by_name(entities):
    assert entities["person"].parents == (("entity", "Person"),)
    assert entities.names == ("entity", "person", "org")
    assert "org" in entities
    assert "orgs" not in entities
    assert len(entities) == len(list(entities)) == 3
    with pytest.raises(TaskError, match=r"no task 'persn'\. Did you mean 'person'"):
        entities["persn"]


def test_repr_counts_outcomes_and_components(entities, pair):
    assert "4 outcomes" in repr(entities)
    assert "2 components, 4 outcomes" in repr(pair)
    assert (
        repr(Task("a", ["x"], parent=[("b", "y"), ("c", "z")])) == "Task('a', ['x'], parent=[('b', 'y'), ('c', 'z')])"
    )
    assert eval(repr(entities), {"TaskGraph": TaskGraph, "Task": Task}) == entities


@pytest.mark.parametrize(
    "damage",
    [
        {"tasks": []},
        {"tasks": [{"name": "a"}]},
        {"tasks": [{"name": "a", "labels": ["x", "y"], "parents": [["z", "x"]]}]},
        {"tasks": [{"name": "a", "labels": ["x", "y"], "parents": [["a", "x"]]}]},
        {"components": []},
        {"components": [{"tasks": ["a"], "outcomes": []}]},
        {"components": [{"tasks": ["a"], "outcomes": [[7]]}]},
        {"components": [{"tasks": ["b"], "outcomes": [[0]]}]},
        {"components": [{"tasks": ["a"], "outcomes": [["x"]]}]},
        {"components": 3},
    ],
)
def test_a_damaged_dict_is_refused(damage):
    stored = TaskGraph([Task("a", ["x", "y"])]).to_dict()
    with pytest.raises(TaskError):
        TaskGraph.from_dict({**stored, **damage})
    with pytest.raises(TaskError):
        TaskGraph.from_dict({key: value for key, value in stored.items() if key not in damage})
