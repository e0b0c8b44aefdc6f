"""Votes that contradict the logic between tasks."""

from itertools import permutations

import numpy as np

import assay
from assay import Task, TaskGraph, excludes, implies
from assay.checks.taxonomy import _implied


class TestTaxonomy:
    def test_votes_that_contradict_the_task_graph(self, entities):
        person = np.arange(600) % 2 == 0
        columns = {f"coarse{j}": ("entity", np.where(person, "Person", "Organization").tolist()) for j in range(3)}
        right = [(here and "Doctor") or None for here in person]
        wrong = [None if here else "Doctor" for here in person]
        for fine, told in ((right, False), (wrong, True)):
            report = assay.check(assay.Votes.from_columns(entities, columns | {"fine": ("person", fine)}))
            assert ("A204" in report.codes) == told


def test_what_is_implied_is_what_a_look_at_each_pair_finds():
    tasks = TaskGraph(
        [
            Task("a", ["x", "y", "z"]),
            Task("b", ["u", "v"], parent=("a", "x")),
            Task("c", ["p", "q", "r"]),
            Task("d", ["only"], parent=("b", "v")),
        ],
        constraints=[
            implies(("a", "y"), ("c", "q")),
            excludes(("b", "u"), ("c", "p")),
            excludes(("b", "u"), ("c", "r")),
        ],
    )
    component = tasks.label_space.only
    expected = {}
    for one, other in permutations(component.tasks, 2):
        for label in component.labels[component.tasks.index(one)]:
            said = {outcome[other] for outcome in component.outcomes if outcome[one] == label}
            if len(component.labels[component.tasks.index(other)]) > 1 and len(said) == 1 and (only := said.pop()):
                expected.setdefault((one, other), {})[label] = only
    assert list(_implied(component).items()) == list(expected.items())
    assert expected["a", "c"] == {"y": "q"}
