"""Everything about votes but the votes: the numbering of values, and the outcomes that each allows."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import AssayError, TaskGraph, VoteError, Votes
from assay.votes.schema import Schema
from tests.support.oracles import spoken
from tests.support.strategies import schemas

LETTERS = TaskGraph.flat("letter", ["A", "B", "C"])
A, B, C = (LETTERS.label_space.vote(label) for label in "ABC")


@given(schemas())
def test_values_are_numbered_one_source_after_the_other(schema):
    numbered = [(source, value) for source, table in enumerate(schema.values) for value in range(len(table))]
    assert schema.value_count == len(numbered)
    assert schema.source_of_value.tolist() == [source for source, _ in numbered]
    assert len(schema.offsets) == len(schema.names) + 1
    assert [int(schema.offsets[source]) + value for source, value in numbered] == list(range(len(numbered)))


@given(schemas())
def test_codes_fit_and_no_smaller_integers_would_do(schema):
    highest = max(map(len, schema.values)) - 1
    assert highest <= np.iinfo(schema.code_type).max
    assert schema.code_type == np.int8 or highest > np.iinfo(np.int8).max


@given(schemas())
def test_outcome_sets_are_those_that_values_allow(schema):
    """By going through the outcomes of each component one by one."""
    assert len(schema.outcome_sets) == len(schema.label_space.components)
    for index, (component, sets) in enumerate(zip(schema.label_space.components, schema.outcome_sets, strict=True)):
        assert len({mask.tobytes() for mask in sets.masks}) == len(sets.masks)
        assert not sets.masks.all(axis=1).any()
        for table, of_code in zip(schema.values, sets.of_code, strict=True):
            assert len(of_code) == len(table) + 1
            assert of_code[-1] == -1
            for vote, row in zip(table, of_code, strict=False):
                told = spoken(schema.tasks, dict(vote.labels))
                assert (row >= 0) == (index in told)
                if row >= 0:
                    assert frozenset(np.flatnonzero(sets.masks[row]).tolist()) == told[index]
                    assert (sets.masks[row] == component.allows(vote)).all()
        assert sets.of_value.tolist() == [row for of_code in sets.of_code for row in of_code[:-1]]
        # No set is there that nobody can mean.
        assert set(sets.of_value[sets.of_value >= 0].tolist()) == set(range(len(sets.masks)))


@given(schemas())
def test_the_tasks_of_a_source_are_those_its_values_speak_about(schema):
    for number, (name, table) in enumerate(zip(schema.names, schema.values, strict=True)):
        expected = [task for task in schema.tasks.names if any(task in dict(vote.labels) for vote in table)]
        assert schema.tasks_of(name) == schema.tasks_of(number) == tuple(expected)


@given(schemas())
def test_a_source_is_found_by_its_name_and_by_its_number_from_either_end(schema):
    count = len(schema.names)
    for number, name in enumerate(schema.names):
        assert schema.position(name) == schema.position(number) == schema.position(number - count) == number
        assert schema.position(np.int64(number)) == number


@given(schemas(), st.data())
def test_selecting_keeps_what_belongs_to_a_source(schema, data):
    columns = data.draw(st.lists(st.integers(0, len(schema.names) - 1), min_size=1, unique=True))
    part = schema.select(columns)
    assert part.tasks is schema.tasks
    assert list(zip(part.names, part.values, strict=True)) == [(schema.names[j], schema.values[j]) for j in columns]
    for index, sets in enumerate(part.outcome_sets):
        whole = schema.outcome_sets[index]
        for j, of_code in zip(columns, sets.of_code, strict=True):
            for mine, before in zip(of_code, whole.of_code[j], strict=True):
                assert (mine < 0) == (before < 0)
                assert mine < 0 or (sets.masks[mine] == whole.masks[before]).all()


@given(schemas())
def test_a_round_trip_through_json(schema):
    again = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    assert again == schema
    assert hash(again) == hash(schema)
    assert again.to_dict() == schema.to_dict()


def test_equality_is_of_tasks_sources_and_values():
    schema = Schema(LETTERS, ("s", "t"), ((A, B), (A,)))
    # Lists are taken as well, and kept as tuples.
    assert schema == Schema(LETTERS, ["s", "t"], [[A, B], [A]])
    assert hash(schema) == hash(Schema(LETTERS, ["s", "t"], [[A, B], [A]]))
    others = [
        Schema(LETTERS, ("s", "u"), ((A, B), (A,))),
        Schema(LETTERS, ("t", "s"), ((A, B), (A,))),
        Schema(LETTERS, ("s", "t"), ((B, A), (A,))),
        Schema(LETTERS, ("s", "t"), ((A, B), (B,))),
        Schema(TaskGraph.flat("letter", ["A", "B"]), ("s", "t"), ((A, B), (A,))),
        "a schema",
    ]
    for other in others:
        assert schema != other
    assert len({schema, Schema(LETTERS, ("s", "t"), ((A, B), (A,))), *others[:2]}) == 3


def test_repr_counts():
    assert repr(Schema(LETTERS, ("s", "t"), ((A, B), (A,)))) == "Schema(2 sources, 3 values, 1 task)"


SCHEMA = Schema(LETTERS, ("titles", "crowd"), ((A, B), (C,)))


@pytest.mark.parametrize(
    ("ask", "advice"),
    [
        (lambda: SCHEMA.position("title"), "there is no source 'title'. Did you mean 'titles'"),
        (lambda: SCHEMA.position("Crowd"), "Did you mean 'crowd'"),
        (lambda: SCHEMA.position("zzz"), "there is no source 'zzz'. Known: 'titles', 'crowd'"),
        (lambda: SCHEMA.position(2), "there is no source number 2; there are 2"),
        (lambda: SCHEMA.position(-3), "there is no source number -3; there are 2"),
        (lambda: SCHEMA.tasks_of("title"), "Did you mean 'titles'"),
        (lambda: SCHEMA.select([]), "expected at least one source"),
        (lambda: SCHEMA.select([0, 0]), "two sources are called 'titles'; give each its own name"),
        (lambda: Schema(LETTERS, (), ()), "expected at least one source, but there is none"),
        (lambda: Schema(LETTERS, ("a", "b", "a"), ((), (), ())), "two sources are called 'a'"),
        (lambda: Schema(LETTERS, ("a", 3), ((), ())), r"source names must be strings, but got 3 \(int\)"),
        (lambda: Schema(LETTERS, (None,), ((),)), r"must be strings, but got None \(NoneType\)"),
        (lambda: SCHEMA.position(0.5), "expected the name or the column number of a source, but got 0.5"),
        (lambda: SCHEMA.position(None), "expected the name or the column number of a source, but got None"),
        (lambda: Schema(LETTERS, ("a",), ((A, A),)), "the value table of source 'a' lists 'A' twice"),
        (lambda: Schema(LETTERS, ("a", "b"), ((A,),)), "one value table for each of the 2 sources, but there are 1"),
    ],
)
def test_errors_say_what_to_do(ask, advice):
    with pytest.raises(VoteError, match=advice):
        ask()


@pytest.mark.parametrize(
    "damage",
    [
        {"tasks": {}},
        {"tasks": "letter"},
        {"sources": [{"name": "s"}]},
        {"sources": [{"values": []}]},
        {"sources": [{"name": "s", "values": [{"letter": "Z"}]}]},
        {"sources": [{"name": "s", "values": [{"word": "A"}]}]},
        {"sources": [{"name": "s", "values": 3}]},
        {"sources": []},
        {"sources": None},
        {"sources": [{"name": "s", "values": []}] * 2},
    ],
    ids=str,
)
def test_a_damaged_dict_is_refused(damage):
    with pytest.raises((KeyError, TypeError, ValueError, AssayError)):
        Schema.from_dict({**SCHEMA.to_dict(), **damage})


def test_sources_that_never_spoke_have_no_values():
    schema = Votes.from_columns(LETTERS, {"s": [None, None], "t": ["A", None], "u": [None, None]}).schema
    assert schema.offsets.tolist() == [0, 0, 1, 1]
    assert schema.source_of_value.tolist() == [1]
    assert schema.tasks_of("s") == ()
    (sets,) = schema.outcome_sets
    assert [of_code.tolist() for of_code in sets.of_code] == [[-1], [0, -1], [-1]]
