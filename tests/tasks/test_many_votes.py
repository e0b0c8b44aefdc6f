"""What a source may say of labels any subset of which may apply."""

import pytest

from assay import Task, TaskGraph, VoteError, at_most, implies, none_of, one_of
from assay.tasks import votes_for

TASKS = TaskGraph([Task("topics", ["a", "b", "c"], multiple=True), Task("kind", ["x", "y"])])
SPACE = TASKS.label_space


def said(value, task=None, space=SPACE, **other):
    return [str(vote) for vote in votes_for(space, value, task, **other)]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("a", ["a"]),
        (["a", "c"], ["a", "c"]),
        ({"a", "c"}, ["a", "c"]),
        (("topics", "a"), ["a"]),
        ({"topics": ["b", "a"]}, ["a", "b"]),
        ({"topics": "b"}, ["b"]),
        ({"topics": {"a": True, "b": False}}, ["a", "not b"]),
        ({"a": True, "b": False}, ["a", "not b"]),
        ({"topics": ["a"], "kind": "x"}, ["a", "x"]),
        ({"topics: a": "not a"}, ["not a"]),
        ([], ["not a", "not b", "not c"]),
        ("x", ["x"]),
        (none_of("a", "c"), ["not a", "not c"]),
        ({"topics": none_of("b")}, ["not b"]),
    ],
)
def test_all_ways_to_say_it(value, found):
    assert said(value) == found


def test_a_declared_task_is_enough_for_labels():
    assert said(["a"], "topics") == ["a"]
    assert said("a", ("topics", "kind")) == ["a"]


def test_gold_is_complete():
    assert said(["b"], "topics", complete=True) == ["not a", "b", "not c"]
    assert said({"b": True}, "topics", complete=True) == ["b"]


def test_an_empty_list_speaks_about_what_the_source_may_name():
    among = [vote for label in ("a", "b") for vote in votes_for(SPACE, label)]
    assert said([], "topics", among=among) == ["not a", "not b"]


def test_linked_labels_are_votes_of_their_own_but_gold_is_one():
    graph = TaskGraph([Task("topics", ["a", "b", "c"], multiple=True)], constraints=[at_most(2, "topics")])
    assert said(["a", "b"], space=graph.label_space) == ["a", "b"]
    assert len(votes_for(graph.label_space, ["a", "b"], complete=True)) == 1


@pytest.mark.parametrize(
    ("value", "task", "told"),
    [
        (["sprots"], "topics", "task 'topics' has no label 'sprots'"),
        (["aa"], None, "Did you mean 'a'"),
        ({"topics": {"bb": True}}, None, "task 'topics' has no label 'bb'. Did you mean 'b'"),
        ({"topic": ["a"]}, None, "there is no task 'topic'"),
        (["a"], "kind", "from a source declared for 'kind' only"),
        ("x", "topics", "task 'topics' has no label 'x'"),
        ({}, "topics", "return None to abstain"),
        (3, "topics", "expected a label name"),
        (one_of("a", "b"), "topics", "name those that apply in a list"),
    ],
)
def test_errors_say_what_is_wrong(value, task, told):
    with pytest.raises(VoteError, match=told):
        votes_for(SPACE, value, task)


@pytest.mark.parametrize("labels", [["a", "b", "c"], [f"l{n}" for n in range(60)]])
def test_votes_that_break_the_logic_are_refused(labels):
    one, other, *_ = labels
    rules = [at_most(2, "topics"), implies(("topics", one), ("topics", other))]
    space = TaskGraph([Task("topics", labels, multiple=True)], constraints=rules).label_space
    assert len(votes_for(space, [one, other])) == 2
    for value in (labels[:3], {one: True, other: False}):
        with pytest.raises(VoteError, match=r"no feasible outcome|breaks the rule"):
            votes_for(space, value)
