"""What the tests of a report share: a fitted model and the counts of its votes."""

import pytest

from assay import LabelModel, Task, TaskGraph
from assay.counts.tally import Tally
from assay.report.facts import Counted
from assay.simulate import task_world
from tests.support.browser import browser

__all__ = ["browser", "counted", "fitted"]


@pytest.fixture(scope="module")
def fitted():
    tasks = TaskGraph(
        [
            Task("entity", ["Person", "Organization"]),
            Task("person", ["Doctor", "Lawyer"], parent=("entity", "Person")),
            Task("org", ["Hospital", "Office"], parent=("entity", "Organization")),
        ]
    )
    speak = ["entity", "entity", "person", "org", "person", "org", ("entity", "person")]
    drawn = task_world(tasks, speak, seed=5).draw(3_000)
    return LabelModel().fit(drawn.votes), drawn.votes, drawn.votes.gold(drawn.gold)


@pytest.fixture(scope="module")
def counted(fitted):
    model, votes, _ = fitted
    return Counted(model.fitted_, Tally.of(votes))
