"""Servers that refuse a parameter get the question without it."""

import pytest

from assay.llm.quirks import Quirks

BODY = {"model": "m", "messages": [], "max_tokens": 1, "logprobs": True, "top_logprobs": 20, "temperature": 0.0}


@pytest.mark.parametrize(
    ("complaint", "left"),
    [
        ("logprobs are not supported with this model", {"model", "messages", "max_tokens", "temperature"}),
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead",
         {"model", "messages", "max_completion_tokens", "logprobs", "top_logprobs", "temperature"}),
        ("'temperature' does not support 0.0", {"model", "messages", "max_tokens", "logprobs", "top_logprobs"}),
    ],
)  # fmt: skip
def test_what_is_complained_of_is_left_out(complaint, left):
    quirks = Quirks()
    assert quirks.learn(complaint, BODY)
    assert set(quirks.adapted(BODY)) == left


@pytest.mark.parametrize(
    "complaint",
    [
        "Invalid 'top_logprobs': integer above maximum value. Expected a value <= 5, but got 20 instead.",
        "Requested sample logprobs of 20, which is greater than max allowed: 5",
    ],
)
def test_of_alternatives_as_many_are_asked_for_as_there_are(complaint):
    quirks = Quirks()
    assert quirks.learn(complaint, BODY)
    adapted = quirks.adapted(BODY)
    assert (adapted["logprobs"], adapted["top_logprobs"]) == (True, 5)
    assert quirks.adapted({**BODY, "top_logprobs": 1})["top_logprobs"] == 1
    assert quirks.learn("no logprobs at all", adapted)
    assert "logprobs" not in quirks.adapted(BODY)


def test_other_complaints_are_not_heeded_and_none_twice():
    quirks = Quirks()
    assert not quirks.learn("the context is too long", BODY)
    assert not quirks.learn("no response_format here", BODY)
    assert quirks.learn("logprobs", BODY)
    assert not quirks.learn("logprobs", quirks.adapted(BODY))
    assert quirks.adapted({"model": "m"}) == {"model": "m"}


def test_a_question_that_was_under_way_is_refused_for_what_is_known_by_then():
    quirks = Quirks()
    assert quirks.learn("logprobs", BODY)
    assert quirks.learn("logprobs", BODY)


def test_a_server_that_takes_no_tokens_may_take_a_schema():
    quirks = Quirks()
    assert quirks.learn("failed to parse grammar", {"model": "m", "grammar": "root ::= <[1]>"})
    schema = {"model": "m", "response_format": {}}
    assert quirks.adapted(schema) == schema
    assert quirks.learn("cannot make a grammar of this schema", schema)
    assert quirks.adapted(schema) == {"model": "m"}
