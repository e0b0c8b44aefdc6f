from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import LabelSpace, Task, TaskError, TaskGraph, Vote, VoteError
from assay.tasks.label_space import texts_of
from tests.support.strategies import full_vectors, partial_vectors, task_graphs


def test_a_vote_allows_the_outcomes_that_agree_with_it_and_only_those(entities):
    allows = entities.label_space.allows
    assert allows("Person").tolist() == [True, True, False, False]
    assert allows("Doctor").tolist() == [True, False, False, False]
    assert allows(("org", None)).tolist() == [True, True, False, False]
    assert allows({"entity": "Organization", "org": "Office"}).tolist() == [False, False, False, True]


@given(st.data())
def test_votes_are_sets_of_outcomes(data):
    tasks = data.draw(task_graphs())
    said = data.draw(partial_vectors(tasks, sets=False))
    vote = tasks.label_space.vote(said)
    assert dict(vote.labels) == said
    assert vote.tasks == tuple(name for name in tasks.label_space.tasks if name in said)
    assert tasks.label_space.vote(vote) == vote
    for component in tasks.label_space.components:
        agreeing = [all(o[t] == label for t, label in said.items() if t in o) for o in component.outcomes]
        assert component.allows(vote).tolist() == agreeing
        assert any(agreeing)


@given(st.data())
def test_a_vector_in_no_outcome_is_no_vote(data):
    tasks = data.draw(task_graphs())
    any_label = st.sampled_from(["a", "b", "c", None])
    said = data.draw(st.dictionaries(st.sampled_from(tasks.names), any_label, min_size=1))
    possible = any(said.items() <= vector.items() for vector in full_vectors(tasks))
    if possible:
        tasks.label_space.vote(said)
    else:
        with pytest.raises(VoteError):
            tasks.label_space.vote(said)


@given(task_graphs())
def test_labels_of_outcomes(tasks):
    for component in tasks.label_space.components:
        for task in component.tasks:
            labels = [None if code < 0 else tasks[task].labels[code] for code in component.label_of(task)]
            assert labels == [outcome[task] for outcome in component.outcomes]


@given(task_graphs())
def test_bare_labels_work_where_one_task_has_them(tasks):
    for label in "abc":
        homes = [task.name for task in tasks if label in task.labels]
        if len(homes) == 1:
            assert tasks.label_space.vote(label) == tasks.label_space.vote((homes[0], label))
        else:
            with pytest.raises(VoteError, match=f"'{label}'"):
                tasks.label_space.vote(label)
        for home in homes:
            assert tasks.label_space.vote(label, home).labels == ((home, label),)


def test_an_ambiguous_label_suggests_the_pairs(pair):
    with pytest.raises(VoteError, match=r"is in 2 tasks: say which one with \('mood', 'good'\) or \('food', 'good'\)"):
        pair.label_space.vote("good")
    assert pair.label_space.vote("cold").labels == (("food", "cold"),)
    assert pair.label_space.vote("good", "food").labels == (("food", "good"),)


@pytest.mark.parametrize(
    ("value", "task", "advice"),
    [
        ("Docter", None, "no task has the label 'Docter'. Did you mean 'Doctor'"),
        ("Docter", "person", "task 'person' has no label 'Docter'. Did you mean 'Doctor'"),
        ("Person", "person", "task 'person' has no label 'Person'. Task 'entity' has it"),
        (("persn", "Doctor"), None, "no task 'persn'. Did you mean 'person'"),
        ("Doctor", "persn", "no task 'persn'. Did you mean 'person'"),
        (("org", "Office"), "person", "a vote on task 'org', from a source declared for 'person' only"),
        ({"org": "Office"}, ("person", "entity"), "declared for 'person', 'entity' only"),
        ({"entity": "Person", "org": "Office"}, None, "no feasible outcome has entity=Person, org=Office"),
        ({"entity": "Person", "person": None}, None, "entity=Person, person=N/A.*None inside a vote means N/A; leave"),
        ({}, None, "at least one task in a vote.*None to abstain"),
        (-1, None, r"expected a label name, but got -1 \(int\); return None to abstain"),
        ("", None, "no task has the label ''"),
        ("person", None, "'person' is a task, not a label; say its label by name, such as 'Doctor', 'Lawyer'"),
        (float("nan"), None, "got nan .*return None to abstain"),
        (True, None, r"got True \(bool\)$"),
        (np.array([1, 2]), None, "expected a label name, but got array"),
        (["Doctor"], None, "expected a label name"),
        ({"person": 3}, None, "expected a label name for task 'person', but got 3"),
        ({"person": pd.NA}, None, "expected a label name for task 'person', but got <NA>"),
    ],
)
def test_what_is_no_vote_says_why(entities, value, task, advice):
    with pytest.raises(VoteError, match=advice):
        entities.label_space.vote(value, task)


def test_several_components_have_no_joint_outcomes(pair):
    space = pair.label_space
    assert (len(space), space.component_of("food")) == (4, 1)
    for ask in (lambda: space.only, lambda: space.outcomes, lambda: space.allows("cold")):
        with pytest.raises(TaskError, match=r"2 unrelated components.*label_space.components"):
            ask()
    with pytest.raises(VoteError, match="Did you mean 'food'"):
        space.component_of("foods")


@given(st.data())
def test_texts_of_votes_are_as_many_as_votes(data):
    wild = st.sampled_from(["a", "b", "N/A", "a, y=b", "x=a"])
    tasks = TaskGraph([Task(name, data.draw(st.lists(wild, min_size=1, unique=True))) for name in ("x", "y", "x=a, y")])
    votes = set()
    for _ in range(5):
        names = data.draw(st.lists(st.sampled_from(tasks.names), min_size=1, unique=True))
        votes.add(tasks.label_space.vote({name: data.draw(st.sampled_from(tasks[name].labels)) for name in names}))
    assert len(set(texts_of(list(votes)))) == len(votes)


def test_votes_read_as_labels():
    assert str(Vote((("a", None),))) == "N/A"
    assert texts_of([Vote((("a", None),)), Vote((("a", "N/A"),))]) == ['{"a": null}', '{"a": "N/A"}']
    assert texts_of([Vote((("a", "x"),)), Vote((("b", "x"),))]) == ["a=x", "b=x"]


def test_an_empty_label_space_answers_nothing():
    with pytest.raises(TaskError, match="0 unrelated components"):
        LabelSpace(()).outcomes  # noqa: B018
