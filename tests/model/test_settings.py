"""Settings of the label model: each declared once, checked, and put in the terms of one component."""

import dataclasses
import inspect
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.counts import SourceGraph, layout_of
from assay.model.estimate.knowledge import Belief, Knowledge
from assay.model.settings import ModelSettings, check_settings, knowledge_for, plain
from assay.simulate import flat_world
from tests.support.strategies import said

SETTINGS = [field.name for field in dataclasses.fields(ModelSettings)]
BINARY = flat_world(sources=8, coverage=0.7, balance=[0.4, 0.6], seed=1).draw(3000)


def test_every_setting_is_declared_once():
    """Its name, type and default stand in ModelSettings alone; LabelModel only says what it means."""
    signature = inspect.signature(assay.LabelModel).parameters
    assert list(signature) == SETTINGS
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in signature.values())
    for field in dataclasses.fields(ModelSettings):
        assert field.default is signature[field.name].default
    assert not set(vars(assay.LabelModel)["__annotations__"]) & set(SETTINGS)
    assert set(assay.LabelModel().get_params()) == set(SETTINGS)


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_is_told_of(name):
    told = inspect.getdoc(assay.LabelModel).partition("Attributes\n---")[0]
    assert f"\n{name}\n    " in told


def layouts(schema):
    graph = SourceGraph(schema.names)
    return [layout_of(schema, index, graph) for index in range(len(schema.label_space.components))]


@given(said(min_rows=1), st.data())
def test_what_is_known_of_a_source_goes_to_the_components_it_speaks_about(given_votes, data):
    schema = given_votes.votes.schema
    name = data.draw(st.sampled_from(schema.names))
    model = ModelSettings(adversarial=[name], beliefs={name: (0.7, 5.0)}, abstentions="ignored", accuracies="local")
    for index, layout in enumerate(layouts(schema)):
        known = knowledge_for(model, schema, index, layout)
        assert known.ignore_abstentions
        assert known.balance is None
        here = [schema.names[source] for source in layout.sources]
        assert known.signs.tolist() == [-1.0 if one == name else 1.0 for one in here]
        assert known.beliefs == ({here.index(name): Belief(accuracy=0.7, strength=5.0)} if name in here else {})
        component = schema.label_space.components[index]
        for one, applies in zip(here, known.applies, strict=True):
            tasks = [task for task in schema.tasks_of(one) if task in component.tasks]
            expected = [any(outcome[task] is not None for task in tasks) for outcome in component.outcomes]
            assert applies.tolist() == expected


def test_without_settings_nothing_is_known(entities):
    schema = assay.Votes.from_columns(entities, {"s": ["Person"], "t": ["Doctor"]}).schema
    (layout,) = layouts(schema)
    known, none = knowledge_for(ModelSettings(), schema, 0, layout), Knowledge.none(layout)
    assert known.signs.tolist() == none.signs.tolist() == [1.0, 1.0]
    assert (known.balance, dict(known.beliefs), known.applies, known.ignore_abstentions) == (None, {}, None, False)
    assert (none.balance, dict(none.beliefs), none.applies, none.ignore_abstentions) == (None, {}, None, False)
    told = knowledge_for(ModelSettings(beliefs={0: 0.8}), schema, 0, layout)
    assert told.beliefs[0].strength == Belief.strength


def test_what_is_known_of_the_class_balance(entities):
    schema = assay.Votes.from_columns(entities, {"s": ["Person"], "t": ["Doctor"]}).schema
    (layout,) = layouts(schema)
    whole = knowledge_for(ModelSettings(class_balance=[0.1, 0.2, 0.3, 0.4]), schema, 0, layout)
    assert whole.balance.vector.tolist() == [0.1, 0.2, 0.3, 0.4]
    assert (whole.balance.strength, whole.balance.of) == (None, "all")
    settings = ModelSettings(class_balance={"Person": 0.6}, balance_strength=30, balance_of="voted")
    some = knowledge_for(settings, schema, 0, layout)
    assert some.balance.vector is None
    assert (some.balance.strength, some.balance.of) == (30, "voted")
    assert [statement.low for statement in some.balance.statements] == [0.6]


@pytest.mark.parametrize("strength", [None, "exact", 1, 0.5, np.float64(20)])
def test_strengths_of_a_class_balance(strength):
    check_settings(ModelSettings(class_balance=[0.5, 0.5], balance_strength=strength), has_gold=False)


@pytest.mark.parametrize("strength", ["strong", 0, -1, float("nan"), float("inf"), True, [1], np.ones(2)], ids=str)
def test_other_strengths_are_told_of(strength):
    with pytest.raises(assay.AssayError, match="balance_strength must be a positive number of items, 'exact' or None"):
        check_settings(ModelSettings(class_balance=[0.5, 0.5], balance_strength=strength), has_gold=False)


@pytest.mark.parametrize("setting", [{"balance_strength": "exact"}, {"balance_of": "voted"}], ids=str)
def test_settings_of_a_class_balance_need_one(setting):
    (name,) = setting
    with pytest.raises(assay.AssayError, match=f"{name} is about class_balance, which is not given"):
        check_settings(ModelSettings(**setting), has_gold=False)


def test_a_class_balance_is_checked_against_tasks_that_are_known(entities):
    settings = ModelSettings(class_balance={"Docter": 0.3})
    check_settings(settings, has_gold=False)
    with pytest.raises(assay.AssayError, match="Did you mean 'Doctor'"):
        check_settings(settings, has_gold=False, tasks=entities)


def test_settings_as_json_has_them():
    given_settings = {"a": np.array([0.5]), "b": (1, {2: np.float64(3)}), "c": None, "d": {np.int64(1)}}
    assert plain(given_settings) == {"a": [0.5], "b": [1, {"2": 3.0}], "c": None, "d": [1]}
    assert json.loads(json.dumps(plain(given_settings))) == plain(given_settings)


@pytest.mark.parametrize(
    "wrong",
    [
        {"dependencies": "learned"},
        {"method": None},
        {"method": ["em"]},
        {"abstentions": None},
        {"max_steps": "many"},
        {"max_steps": True},
        {"seed": "x"},
    ],
    ids=str,
)
def test_what_is_checked_before_anything_is_counted(wrong):
    (name,) = wrong
    with pytest.raises(assay.AssayError, match=f"{name} must be"):
        check_settings(ModelSettings(**wrong), has_gold=False)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"method": "emm"},
            "method must be one of 'auto', 'robust', 'em', 'completion', 'covariance', but is 'emm'",
        ),
        ({"abstentions": "none"}, "abstentions must be one of"),
        ({"accuracies": "both"}, "accuracies must be one of"),
        ({"balance_of": "some"}, "balance_of must be one of 'all', 'voted', but is 'some'"),
        ({"class_balance": {2: 0.1}}, "there is no label 2"),
        ({"max_steps": 0}, "max_steps must be a positive integer"),
        ({"max_steps": 2.5}, "max_steps must be a positive integer"),
        ({"class_balance": [0.5, 0.6]}, "must be positive and sum to one"),
        ({"class_balance": [1.0, 0.0]}, "must be positive and sum to one"),
        ({"class_balance": [float("nan"), 1.0]}, "must be positive and sum to one"),
        ({"class_balance": [0.2, 0.3, 0.5]}, r"must have 2 probabilities, one per outcome, but its shape is \(3,\)"),
        ({"class_balance": "even"}, "must be 2 probabilities, or shares by label name, but is 'even'"),
        ({"beliefs": {"0": 1.5}}, "a belief must be an accuracy between 0 and 1"),
        ({"beliefs": {"0": "good"}}, "a belief must be an accuracy between 0 and 1"),
        ({"beliefs": {"0": (0.8, -1)}}, "a belief must be an accuracy between 0 and 1"),
        ({"beliefs": {"0": (0.8, 1, 2)}}, "a belief must be an accuracy between 0 and 1"),
        ({"beliefs": {"0": (0.8, float("inf"))}}, "a belief must be an accuracy between 0 and 1"),
        ({"beliefs": {"nobody": 0.8}}, "there is no source 'nobody'"),
        ({"adversarial": ["nobody"]}, "there is no source 'nobody'"),
        ({"adversarial": [99]}, "there is no source number 99"),
        ({"dependencies": [("0", "nobody")]}, "which does not exist"),
        ({"dependencies": ["01"]}, "a dependency names two sources or more"),
        ({"dependencies": [0, 1]}, "a dependency names two sources or more"),
    ],
    ids=str,
)
def test_wrong_settings_are_told_of(settings, message):
    with pytest.raises(assay.AssayError, match=message):
        assay.LabelModel(**settings).fit(BINARY.votes)


@pytest.mark.parametrize("method", ["completion", "covariance"])
def test_moment_methods_refuse_what_they_cannot_use(method):
    with pytest.raises(assay.AssayError, match="does not use gold"):
        assay.LabelModel(method=method).fit(BINARY.votes, BINARY.gold)
    with pytest.raises(assay.AssayError, match="does not use beliefs"):
        assay.LabelModel(method=method, beliefs={0: 0.9}).fit(BINARY.votes)
