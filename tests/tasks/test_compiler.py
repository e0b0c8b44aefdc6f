"""Tasks and their logic, compiled to outcomes: those that an enumeration finds."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import assay
from assay import Task, TaskError, TaskGraph, excludes, implies, majority_vote
from assay.tasks.compiler import MAX_OUTCOMES
from tests.support.oracles import brute_force
from tests.support.strategies import LABELS, Declaration, Rule, declarations, full_vectors, task_graphs


def frozen(vectors: list[dict[str, str | None]]) -> list[tuple[tuple[str, str | None], ...]]:
    return sorted((tuple(sorted(vector.items())) for vector in vectors), key=repr)


@given(declarations())
@example(
    Declaration(
        (Task("t0", LABELS[:2]), Task("t1", LABELS[:2])), (Rule("excludes", (("t0", "a"), ("t1", "a"), ("t1", "b"))),)
    )
)
def test_compiled_outcomes_are_those_of_brute_force(declared):
    expected = brute_force(declared)
    if expected is None:
        with pytest.raises(TaskError):
            declared.compile()
    else:
        assert frozen(full_vectors(declared.compile())) == frozen(expected)


@given(declarations())
def test_unrelated_tasks_are_in_different_components(declared):
    try:
        components = declared.compile().label_space.components
    except TaskError:
        return
    links = [{task.name, *(above for above, _ in task.parents)} for task in declared.tasks]
    links += [rule.tasks for rule in declared.rules]
    links += [set(declared.feasible[0])] if declared.feasible else []
    homes = [set(component.tasks) for component in components]
    assert sorted(task for home in homes for task in home) == sorted(task.name for task in declared.tasks)
    for link in links:
        assert sum(bool(link & home) for home in homes) == 1
    for home in homes:
        reached = {min(home)}
        for _ in home:
            reached |= {task for link in links if link & reached for task in link}
        assert reached == home


@given(task_graphs())
def test_outcomes_are_distinct_and_every_label_is_in_one(tasks):
    for component in tasks.label_space.components:
        assert len(np.unique(component.codes, axis=0)) == len(component) == len(component.outcomes)
    for task in tasks:
        component = tasks.label_space.components[tasks.label_space.component_of(task.name)]
        assert set(task.labels) <= {outcome[task.name] for outcome in component.outcomes}


def test_the_outcomes_of_the_papers_hierarchy(entities):
    assert entities.label_space.outcomes == (
        {"entity": "Person", "person": "Doctor", "org": None},
        {"entity": "Person", "person": "Lawyer", "org": None},
        {"entity": "Organization", "person": None, "org": "Hospital"},
        {"entity": "Organization", "person": None, "org": "Office"},
    )


def test_a_deep_tree_has_one_outcome_a_leaf():
    depth = 40
    tasks = [Task("t0", ["stop", "go"])]
    tasks += [Task(f"t{i}", ["stop", "go"], parent=(f"t{i - 1}", "go")) for i in range(1, depth)]
    assert len(TaskGraph(reversed(tasks)).label_space.only) == depth + 1


def test_unrelated_tasks_are_never_multiplied():
    start = time.perf_counter()
    tasks = TaskGraph([Task(f"t{i}", ["yes", "no"]) for i in range(30)])
    votes = assay.Votes.from_columns(tasks, {f"s{i}": (f"t{i}", ["yes", None]) for i in range(30)})
    votes.summary(gold=[{"t0": "yes"}, {"t29": "no"}])
    majority = majority_vote(votes)
    assert time.perf_counter() - start < 20  # loading included; 2³⁰ outcomes would take hours
    assert len(tasks.label_space.components) == len(majority) == 30
    assert len(tasks.label_space) == 60


def test_excluding_many_labels_does_not_multiply_them_first():
    tags = [f"t{i}" for i in range(40)]
    tasks = TaskGraph(
        [Task(tag, ["yes", "no"]) for tag in tags], constraints=[excludes(*((tag, "yes") for tag in tags))]
    )
    assert len(tasks.label_space.only) == 41


def test_logic_relates_tasks_across_the_tree():
    tasks = TaskGraph(
        [Task("relation", ["lives_in", "knows"]), Task("object", ["Person", "Location"]), Task("tone", ["up", "down"])],
        constraints=[implies(("relation", "lives_in"), ("object", "Location")), lambda v: v["object"] != "x"],
    )
    assert [component.tasks for component in tasks.label_space.components] == [("relation", "object"), ("tone",)]
    assert {"relation": "lives_in", "object": "Person"} not in tasks.label_space.components[0].outcomes
    assert "lives_in" in tasks.to_mermaid()


def test_a_predicate_may_look_at_the_whole_vector():
    tasks = TaskGraph([Task(f"t{i}", ["yes", "no"]) for i in range(4)], constraints=[lambda v: "yes" in v.values()])
    assert len(tasks.label_space.only) == 2**4 - 1


@given(st.lists(st.sampled_from([*product(LABELS, LABELS)]), min_size=1, unique=True))
def test_feasible_vectors_keep_their_order(vectors):
    used = [[label for label in LABELS if any(vector[i] == label for vector in vectors)] for i in range(2)]
    given_vectors = [{"x": one, "y": other} for one, other in vectors]
    tasks = TaskGraph([Task("x", used[0]), Task("y", used[1])], feasible=[*given_vectors, given_vectors[0]])
    assert list(tasks.label_space.outcomes) == given_vectors


def test_a_task_left_out_of_a_feasible_vector_does_not_apply_in_it():
    tasks = TaskGraph([Task("a", ["x", "y"]), Task("b", ["z"])], feasible=[{"a": "x"}, {"a": "y", "b": "z"}])
    assert tasks.label_space.outcomes[0] == {"a": "x", "b": None}


ONE = [Task("a", ["x", "y"])]
TWO = [Task("a", ["x", "y"]), Task("b", ["p", "q"])]


@pytest.mark.parametrize(
    ("declare", "advice"),
    [
        (lambda: TaskGraph(TWO, constraints=[implies(("a", "x"), ("c", "p"))]), "'a=x implies c=p' names task 'c'"),
        (lambda: TaskGraph(TWO, constraints=[excludes(("a", "x"), ("b", "P"))]), "label 'P'.* Did you mean 'p'"),
        (lambda: TaskGraph(ONE, constraints=[lambda v: v["a"] != "x"]), "label 'x' of task 'a' is in no feasible"),
        (lambda: TaskGraph(ONE, constraints=[lambda v: v["a"] == "z"]), "leave no outcome for a: .*lambda; drop one"),
        (lambda: TaskGraph(ONE, constraints=[lambda v: True]), "looks at no task"),
        (lambda: TaskGraph(ONE, constraints=[lambda v: v["b"] == "x"]), "looks at no task"),
        (lambda: TaskGraph(TWO, constraints=[lambda v: v["a"] < v["a"].real]), "failed on .*AttributeError"),
        (lambda: TaskGraph(ONE, feasible=[]), r"feasible=\[\] leaves no outcome"),
        (lambda: TaskGraph(ONE, feasible=[{}]), "name no task"),
        (lambda: TaskGraph(ONE, feasible=[{"a": "x"}]), "label 'y' of task 'a' is in no feasible outcome"),
        (lambda: TaskGraph(ONE, feasible=[{"A": "x"}]), "names task 'A', which does not exist. Did you mean 'a'"),
        (lambda: TaskGraph(ONE, feasible=[{"a": "X"}]), "label 'X' of task 'a'.* Did you mean 'x'"),
        (
            lambda: TaskGraph(ONE, feasible=[{"a": "x"}, {"a": "y"}], constraints=[lambda v: v["a"] == "x"]),
            "feasible vector {'a': 'y'} breaks the other rules",
        ),
        (
            lambda: TaskGraph(
                [Task(f"t{i}", ["yes", "no"]) for i in range(30)], constraints=[lambda v: any(v.values())]
            ),
            f"more than {MAX_OUTCOMES:,} outcomes.*feasible",
        ),
        (lambda: TaskGraph.flat("a", map(str, range(MAX_OUTCOMES + 1))), f"the limit is {MAX_OUTCOMES:,}"),
    ],
)
def test_errors_say_what_to_do(declare, advice):
    with pytest.raises(TaskError, match=advice):
        declare()
