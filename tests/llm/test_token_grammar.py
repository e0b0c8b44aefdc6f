"""Answers as tokens: a grammar allows exactly the texts that it was made of, and servers get it where they take it."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import PromptSettings, TaskGraph, prompt
from assay.llm import AnswerCache, Reply
from assay.llm.token_grammar import grammar_of
from tests.support.local_model import started
from tests.support.model_server import ModelServer, Wrong, completion

MAIL = TaskGraph.flat("mail", ["Ham", "Spam"])
ROWS = [{"text": f"comment {number}"} for number in range(4)]
HARD = prompt("Spam? {text}", answers={"yes": "Spam", "no": "Ham"}, soft=False, name="hard")
JSON = '{"answer": "yes"}'


def allowed(grammar):
    """All texts that a grammar allows, read as llama.cpp reads it."""
    marks = re.findall(r'<\[\d+\]>|[()|]|""', grammar.removeprefix("root ::= "))

    def alternatives(at):
        found, here = set(), {()}
        while at < len(marks) and marks[at] != ")":
            mark = marks[at]
            if mark == "(":
                inner, at = alternatives(at + 1)
                here = {one + two for one in here for two in inner}
            elif mark == "|":
                found, here = found | here, {()}
            elif mark != '""':
                here = {(*one, int(mark[2:-2])) for one in here}
            at += 1
        return found | here, at

    return alternatives(0)[0]


@given(st.sets(st.lists(st.integers(0, 3), min_size=1, max_size=5).map(tuple), min_size=1, max_size=12))
def test_a_grammar_allows_what_it_was_made_of(texts):
    assert allowed(grammar_of(sorted(texts))) == texts


@pytest.mark.parametrize("refuses", [True, False])
def test_a_server_that_takes_no_tokens_gets_a_schema(refuses):
    """Whether it complains, or does not know what a grammar is and takes no notice."""

    def answer(body, before):
        if "grammar" in body:
            return Wrong("400", message="failed to parse grammar") if refuses else completion("it is spam, yes")
        return completion(JSON if "response_format" in body else "what?")

    with ModelServer(answer, tokenizer=True) as server:
        settings = PromptSettings(base_url=server.base_url, model="m", concurrency=1)
        votes = assay.apply(HARD, ROWS, MAIL, prompts=settings, progress=False)
    assert [("grammar" in body, "response_format" in body) for body in server.bodies] == [
        (True, False),
        *[(False, True)] * (len(ROWS) if refuses else len(ROWS) - 1),
    ]
    assert set(votes.to_pandas()["hard"][1:]) == {"Spam"}


def test_a_server_that_takes_tokens_gets_them_alone():
    with ModelServer(lambda body, before: completion(JSON), tokenizer=True) as server:
        settings = PromptSettings(base_url=server.base_url, model="m")
        assay.apply(HARD, ROWS, MAIL, prompts=settings, progress=False)
    assert {("grammar" in body, "response_format" in body) for body in server.bodies} == {(True, False)}


def test_whoever_may_think_aloud_is_not_held_to_the_answer():
    thinking = prompt("{text}", answers={"yes": "Spam", "no": "Ham"}, soft=False, max_tokens=500, name="thinking")
    with ModelServer(lambda body, before: completion(JSON), tokenizer=True) as server:
        assay.apply(thinking, ROWS, MAIL, prompts=PromptSettings(base_url=server.base_url, model="m"), progress=False)
    assert all("grammar" not in body for body in server.bodies)


def test_the_real_model_writes_an_answer_in_its_own_tokens(tmp_path):
    """It would spell JSON in pieces, with marks around it, at three times the tokens."""
    with started() as model:
        settings = replace(model.settings, cache=tmp_path / "answers.sqlite")
        source = prompt("{text}", answers={"Organization": "Spam", "no": "Ham"}, soft=False, name="hard")
        assay.apply(source, ROWS, MAIL, prompts=settings, progress=False)
        with AnswerCache(settings.cache) as cache:
            replies = [Reply.from_json(text) for (text,) in cache._file.execute("SELECT reply FROM answers")]
    assert len(replies) == len(ROWS)
    assert {reply.text for reply in replies} <= {'{"answer": "Organization"}', '{"answer": "no"}'}
    assert {reply.output_tokens for reply in replies} == {7}
