"""Tasks of which any subset of labels may apply, as questions, and the logic between them."""

from itertools import product

import pytest

from assay import Task, TaskError, TaskGraph, at_most, excludes, implies

LABELS = ["a", "b", "c", "d"]


def topics(labels=LABELS, **other):
    return Task("topics", labels, multiple=True, **other)


def subsets(graph):
    """The subsets of labels that its components leave together."""
    found = [{}]
    for component in graph.label_space.components:
        found = [one | outcome for one in found for outcome in component.outcomes]
    return {frozenset(name for name, label in one.items() if not label.startswith("not ")) for one in found}


def every(labels=LABELS):
    return [{label for label, there in zip(labels, flags, strict=True) if there} for flags in product([0, 1], repeat=4)]


def test_each_label_is_a_component_and_all_subsets_are_feasible():
    graph = TaskGraph([topics(), Task("kind", ["x", "y"])])
    assert [component.tasks for component in graph.label_space.components][:2] == [("topics: a",), ("topics: b",)]
    assert len(graph.label_space.components) == 5
    assert len(subsets(TaskGraph([topics()]))) == 16


@pytest.mark.parametrize(
    ("constraint", "holds"),
    [
        (implies(("topics", "a"), ("topics", "b")), lambda s: "a" not in s or "b" in s),
        (implies(("topics", "a"), ("topics", "b"), ("topics", "c")), lambda s: "a" not in s or s & {"b", "c"}),
        (excludes(("topics", "a"), ("topics", "d")), lambda s: not {"a", "d"} <= s),
        (at_most(2, "topics"), lambda s: len(s) <= 2),
        (at_most(1, ("topics", "d"), ("topics", "a"), ("topics", "b")), lambda s: len(s & {"a", "b", "d"}) <= 1),
    ],
)
def test_logic_leaves_what_enumeration_leaves(constraint, holds):
    graph = TaskGraph([topics()], constraints=[constraint])
    wanted = {frozenset(f"topics: {label}" for label in one) for one in every() if holds(one)}
    assert subsets(graph) == wanted


def test_500_labels_with_much_logic_stay_apart():
    labels = [f"l{number}" for number in range(500)]
    rules = [at_most(3, "topics"), implies(("topics", "l1"), ("topics", "l2"))]
    graph = TaskGraph([topics(labels)], constraints=rules)
    assert len(graph.label_space.components) == 500
    assert [rule.kind for rule in graph.label_space.later] == ["at_most", "implies"]
    few = TaskGraph([topics(labels)], constraints=rules[1:])
    assert len(few.label_space.components) == 499
    assert not few.label_space.later


@pytest.mark.parametrize("constraints", [[], [at_most(2, "topics")], [implies(("topics", "a"), ("topics", "b"))]])
def test_graphs_survive_json(constraints):
    graph = TaskGraph([topics(), Task("kind", ["x", "y"])], constraints=constraints)
    for one in (graph, graph.unlinked):
        again = TaskGraph.from_dict(one.to_dict())
        assert again == one
        assert again.declared == graph.declared
        assert again.multiple == {"topics": tuple(LABELS)}


def test_rules_that_are_met_later_survive_json():
    labels = [f"l{number}" for number in range(40)]
    graph = TaskGraph([topics(labels)], constraints=[at_most(5, "topics")])
    (rule,) = TaskGraph.from_dict(graph.to_dict()).label_space.later
    assert (rule.most, len(rule.mentions), rule.text) == (5, 40, "at most 5 of topics")


def test_unlinked_graphs_ask_each_label_by_itself():
    graph = TaskGraph([topics()], constraints=[at_most(2, "topics")])
    assert len(graph.label_space.components) == 1
    assert len(graph.unlinked.label_space.components) == 4
    assert graph.unlinked.linked is graph
    alone = TaskGraph([topics()])
    assert alone.unlinked is alone


def test_parents_above_and_below():
    graph = TaskGraph(
        [
            Task("entity", ["Person", "Place"]),
            topics(["a", "b"], parent=("entity", "Person")),
            Task("club", ["x", "y"], parent=("topics", "a")),
        ]
    )
    (component,) = graph.label_space.components
    assert len(component) == 1 + 2 + 2 * 2  # a place; a person without a; one with a, in one of two clubs
    with pytest.raises(TaskError, match="more than 10,000 outcomes"):
        TaskGraph([Task("entity", ["P", "Q"]), topics([f"l{n}" for n in range(20)], parent=("entity", "P"))])


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Task("topics", LABELS, multiple=1), "multiple must be True or False, but got 1"),
        (lambda: at_most(0, "topics"), "at_most.. needs a positive number first"),
        (lambda: at_most(2, ("t", "a")), "rules nothing out: it names 1 assignments"),
        (lambda: TaskGraph([topics()], constraints=[at_most(4, "topics")]), "rules nothing out: it names 4 labels"),
        (lambda: TaskGraph([topics()], constraints=[at_most(2, "topic")]), "no task with multiple=True.*'topics'"),
        (
            lambda: TaskGraph([topics()], constraints=[implies(("topics", "aa"), ("topics", "b"))]),
            "names label 'aa' of task 'topics'.*Did you mean 'a'",
        ),
        (
            lambda: TaskGraph([topics()], constraints=[implies(("topics", "a"), ("topics", None))]),
            "any subset of its labels may; name a label",
        ),
        (
            lambda: TaskGraph([topics(), Task("topics: a", ["x"])]),
            "two tasks are called 'topics: a'",
        ),
    ],
)
def test_errors_say_what_to_do(make, told):
    with pytest.raises(TaskError, match=told):
        make()
