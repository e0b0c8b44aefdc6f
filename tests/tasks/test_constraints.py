from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import TaskError, excludes, implies
from assay.tasks.constraints import from_predicate
from tests.support.strategies import LABELS, Rule

DOMAINS = {"t0": (*LABELS, None), "t1": LABELS, "t2": LABELS}
pairs = st.sampled_from([(task, label) for task, labels in DOMAINS.items() for label in labels])


@given(st.sampled_from(["implies", "excludes", "predicate"]), st.lists(pairs, min_size=2, max_size=4))
def test_constraints_hold_where_their_words_say_so(kind, mentioned):
    rule = Rule(kind, tuple(mentioned))
    constraint = rule.constraint()
    if kind == "predicate":
        constraint = from_predicate(constraint, DOMAINS)
    for labels in product(*DOMAINS.values()):
        vector = dict(zip(DOMAINS, labels, strict=True))
        assert constraint.holds(vector) == rule.holds(vector)
        assert all(early.holds(vector) for early in constraint.early if constraint.holds(vector))


@given(st.lists(st.sampled_from(list(DOMAINS)), min_size=1, unique=True), st.data())
def test_the_tasks_of_a_predicate_are_those_it_can_ask_for(asked, data):
    """However it asks: one label decides whether the next task is looked at."""
    needed = {task: data.draw(st.sampled_from(DOMAINS[task])) for task in asked}

    def predicate(vector):
        return all(vector.get(task) == label for task, label in needed.items())

    assert set(from_predicate(predicate, DOMAINS).tasks) == set(asked)


def test_a_predicate_with_too_many_cases_relates_everything():
    domains = {f"t{i}": ("yes", "no") for i in range(20)}

    def one_of_the_first_eighteen(vector):
        return sum([vector[f"t{i}"] == "yes" for i in range(18)]) == 1

    assert from_predicate(one_of_the_first_eighteen, domains).tasks == tuple(domains)


def test_constraints_read_as_they_are_written():
    assert str(implies(("a", "x"), ("b", "y"), ("c", None))) == "a=x implies b=y or c=N/A"
    assert str(excludes(("a", "x"), ["b", "y"])) == "a=x excludes b=y"


@pytest.mark.parametrize(
    ("declare", "advice"),
    [
        (lambda: implies(("a", "x")), "needs a consequence"),
        (lambda: implies("a", ("b", "y")), r"expected a pair \(task, label\).*but got 'a'"),
        (lambda: excludes(("a", "x")), "two assignments or more"),
        (lambda: excludes(("a", "x"), ("b",)), "expected a pair"),
    ],
)
def test_errors_say_what_to_do(declare, advice):
    with pytest.raises(TaskError, match=advice):
        declare()
