"""Ways of asking: what is sent, and what is made of the replies."""

import json
import math

import pytest

from assay.llm import Endpoint, Reply, Token
from assay.sources.prompt_answers import Answers, UnreadableError
from assay.sources.prompt_questions import Conversation, FirstToken, Forced, Several, Written

HERE = Endpoint(base_url="http://localhost/v1", model="m")
YES_NO = Answers.of({"yes": "Spam", "no": "Ham"})
LONG = Answers.of({"not spam": "Ham", "not sure": None})


def body(question, conversation=None):
    (request,) = question.requests(conversation or Conversation(), HERE, "spam?")
    return request.body


def reply(text, *tops, finished=True):
    tokens = [Token(next(iter(top)), next(iter(top.values())), tuple(top.items())) for top in tops]
    return Reply(text, finished, tuple(tokens), 1, 1)


def test_what_is_sent_is_what_was_written():
    conversation = Conversation("Be brief.", (("ham?", "no"),))
    assert body(FirstToken(YES_NO), conversation) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "ham?"},
            {"role": "assistant", "content": "no"},
            {"role": "user", "content": "spam?"},
        ],
        "max_tokens": 1,
        "temperature": 0.0,
        "logprobs": True,
        "top_logprobs": 20,
    }


def test_the_first_token_tells_probabilities():
    said = FirstToken(YES_NO).said([reply("No", {"No": math.log(0.6), "Yes": math.log(0.2), "I": math.log(0.2)})])
    assert (said.vote, said.score) == ("Ham", pytest.approx(0.75))
    assert said.probabilities == pytest.approx({"yes": 0.25, "no": 0.75})


def test_a_line_break_before_the_answer_is_passed_over():
    said = FirstToken(YES_NO).said([reply("\nNo", {"\n": -0.1}, {"No": math.log(0.9), "Yes": math.log(0.1)})])
    assert said.score == pytest.approx(0.9)


def test_without_probabilities_the_answer_counts_as_certain():
    assert FirstToken(YES_NO).said([reply("Yes", finished=False)]).score == 1.0
    with pytest.raises(UnreadableError):
        FirstToken(YES_NO).said([reply("This", {"This": -0.1}, finished=False)])


def test_whole_answers_are_forced_one_by_one():
    requests = Forced(LONG).requests(Conversation(), HERE, "spam?")
    enums = [r.body["response_format"]["json_schema"]["schema"]["enum"] for r in requests]
    assert enums == [["not spam"], ["not sure"]]
    replies = [
        reply('"not spam"', {'"': -1.0}, {"not": -1.0}, {" spam": math.log(0.6)}, {'"': 0.0}, {"": -3.0}),
        reply('"not sure"', {'"': -1.0}, {"not": -1.0}, {" sure": math.log(0.2)}, {'"': 0.0}, {"": -9.0}),
    ]
    said = Forced(LONG).said(replies)
    assert said.probabilities == pytest.approx({"not spam": 0.75, "not sure": 0.25})
    assert said.vote == "Ham"


@pytest.mark.parametrize(
    "replies",
    [
        [reply('"not spam"', {'"not spam"': 0.0}), reply('"not sure"', {'"not sure"': 0.0})],  # after the constraint
        [reply('"not spam"'), reply('"not sure"')],  # no log-probabilities
        [reply("It is", {"It": -1.0}), reply('"not sure"', {'"not sure"': -1.0})],  # not forced at all
    ],
)
def test_where_forcing_tells_nothing_the_answer_is_written(replies):
    assert Forced(LONG).said(replies) is None
    assert Forced(LONG).otherwise == Written(LONG)


def test_an_answer_that_is_written_is_constrained_and_fits():
    sent = body(Written(YES_NO))
    assert sent["response_format"]["json_schema"]["schema"]["properties"]["answer"]["enum"] == ["yes", "no"]
    assert sent["max_tokens"] > len(json.dumps({"answer": "yes"}, indent=4))
    assert Written(YES_NO).said([reply('{\n  "answer": "no"\n}')]).vote == "Ham"


def test_samples_differ_by_seed_and_their_shares_are_probabilities():
    question = Written(YES_NO, samples=4)
    requests = question.requests(Conversation(), HERE, "spam?")
    assert [r.body["seed"] for r in requests] == [0, 1, 2, 3]
    assert {r.body["temperature"] for r in requests} == {1.0}
    assert len({r.digest for r in requests}) == 4
    said = question.said([reply("yes"), reply("no"), reply("what?"), reply("no")])
    assert said.probabilities == pytest.approx({"yes": 1 / 3, "no": 2 / 3})
    with pytest.raises(UnreadableError):
        question.said([reply("what?")] * 4)
    with pytest.raises(UnreadableError):
        question.said([reply(text) for text in ("what?", "when?", "where?", "who?")])


def test_a_question_compared_with_an_empty_row():
    question = FirstToken(YES_NO)
    empty = question.said([reply("No", {"No": math.log(0.8), "Yes": math.log(0.2)})])
    compared = question.calibrated(empty)
    said = compared.said([reply("No", {"No": math.log(0.7), "Yes": math.log(0.3)})])
    assert said.vote == "Spam"
    assert compared.said([reply("No", {"No": math.log(0.8), "Yes": math.log(0.2)})]).vote is None


SEVERAL = Several(
    {
        "entity": Answers.of({"a person": "Person", "a company": "Organization"}),
        "person": Answers.of({"doctor": "Doctor", "lawyer": "Lawyer", "neither": None}),
    }
)


def test_several_questions_at_once():
    schema = body(SEVERAL)["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["entity", "person"]
    assert SEVERAL.said([reply('{"entity": "a person", "person": "Doctor"}')]).vote == {
        "entity": "Person",
        "person": "Doctor",
    }
    assert SEVERAL.said([reply('```json\n{"entity": "a company", "person": "neither"}\n```')]).vote == {
        "entity": "Organization"
    }


@pytest.mark.parametrize("text", ["a person", '{"entity": "a person"}', '{"entity": 1, "person": "doctor"}', "[]", "{"])
def test_a_reply_without_all_answers_is_not_read(text):
    with pytest.raises(UnreadableError):
        SEVERAL.said([reply(text)])
