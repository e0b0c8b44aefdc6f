"""Asking for rules: every label has a name of its own, every text is shown once, and texts are data."""

import json

from hypothesis import given
from hypothesis import strategies as st

from assay import Task, TaskGraph
from assay.llm import Endpoint
from assay.suggestions.rule_question import Labels, rule_requests

ENDPOINT = Endpoint(base_url="http://127.0.0.1:1/v1", model="m")
TASKS = TaskGraph(
    [
        Task("entity", ["Person", "Other"]),
        Task("person", ["Doctor", "Other"], parent=("entity", "Person")),
        Task("topics", ["sports", "money"], multiple=True),
    ]
)


def test_labels_that_tasks_share_are_told_apart():
    labels = Labels.of(TASKS)
    assert labels.places == {
        "Person": ("entity", "Person"),
        "entity: Other": ("entity", "Other"),
        "Doctor": ("person", "Doctor"),
        "person: Other": ("person", "Other"),
        "sports": ("topics", "sports"),
        "money": ("topics", "money"),
    }
    assert "person (only if Person of entity): Doctor, person: Other" in labels.told
    assert "topics, any number of them: sports, money" in labels.told
    assert json.loads(labels.example())["rules"][0]["label"] == "Person"


@given(st.lists(st.text(max_size=2_000), min_size=1, max_size=60, unique=True))
def test_each_text_is_shown_once_as_it_is(texts):
    short = [text[:600] for text in texts]
    requests = rule_requests(ENDPOINT, TASKS, texts)
    assert all(request.characters < 12_000 for request in requests)
    shown = [
        json.loads(line)
        for request in requests
        for line in request.body["messages"][-1]["content"]
        .split("JSON string:\n")[1]
        .split("\n\nPropose rules")[0]
        .split("\n")
    ]
    assert [text.removesuffix(" …") for text in shown] == [text.removesuffix(" …") for text in short]


def test_a_question_is_the_same_for_the_same_texts():
    one, other = (rule_requests(ENDPOINT, TASKS, ["{labels} {texts}", "b"]) for _ in range(2))
    assert [request.digest for request in one] == [request.digest for request in other]
    assert '"{labels} {texts}"' in one[0].body["messages"][-1]["content"]
