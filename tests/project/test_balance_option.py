"""A class balance as it is typed on the command line."""

import pytest

import assay
from assay.project import class_balance_from


@pytest.fixture
def dotted():
    labels = {"a": ["b", "v1.5"], "a.b": ["c", "x=y"], "t": ["a.b", "c"]}
    return assay.TaskGraph([assay.Task(name, own) for name, own in labels.items()])


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["Person=0.6"], {"entity": {"Person": 0.6}}),
        (["entity.Person=.6"], {"entity": {"Person": 0.6}}),
        (["Person=0.5..0.7", "Office = 0.2"], {"entity": {"Person": (0.5, 0.7)}, "org": {"Office": 0.2}}),
        (["Person=..0.7", "Doctor=0.2.."], {"entity": {"Person": (0.0, 0.7)}, "person": {"Doctor": (0.2, 1.0)}}),
        (["Person=5e-1", "entity.Organization=0.5"], {"entity": {"Person": 0.5, "Organization": 0.5}}),
        (["entity=0.6", "entity.Person=0.6"], {"entity": 0.6}),
        (["entity.Persn=0.6"], {"entity": {"Persn": 0.6}}),
        (["Docter=0.6"], {"Docter": 0.6}),
    ],
    ids=str,
)
def test_what_is_meant(entities, typed, meant):
    assert class_balance_from(typed, entities) == meant


def test_labels_of_several_tasks_are_left_for_the_model_to_ask_about(pair):
    assert class_balance_from(["good=0.5"], pair) == {"good": 0.5}
    assert class_balance_from(["food.good=0.5"], pair) == {"food": {"good": 0.5}}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("v1.5=0.2", {"a": {"v1.5": 0.2}}),
        ("a.v1.5=0.2", {"a": {"v1.5": 0.2}}),
        ("a.b.c=0.2", {"a.b": {"c": 0.2}}),
        ("a.b=0.2", {"a": {"b": 0.2}}),
        ("t.a.b=0.2", {"t": {"a.b": 0.2}}),
        ("x=y=0.2", {"a.b": {"x=y": 0.2}}),
    ],
)
def test_names_may_contain_dots_and_equals_signs(dotted, typed, meant):
    assert class_balance_from([typed], dotted) == meant


@pytest.mark.parametrize("typed", ["Person", "=0.5", "Person=", "Person=half", "Person=0.1..x", "Person=0.1..0.2..0.3"])
def test_what_cannot_be_understood(entities, typed):
    with pytest.raises(assay.ProjectError) as caught:
        class_balance_from([typed], entities)
    assert "as in Spam=0.15 or mail.Spam=0.1..0.2" in str(caught.value)
    assert repr(typed) in str(caught.value)


def test_a_label_twice(entities):
    with pytest.raises(assay.ProjectError, match="gives the share of 'Person' twice"):
        class_balance_from(["Person=0.5", "entity.Person=0.6"], entities)
