"""Questions and answers: when two are the same, what is kept, and what they can cost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.llm import Endpoint, Reply, Request, Token, messages
from tests.support.model_server import completion

HERE = Endpoint(base_url="http://localhost/v1", model="m")
texts = st.text(max_size=20)
numbers = st.floats(max_value=0, min_value=-50)


def question(text="spam?", endpoint=HERE, **parameters):
    return Request(endpoint, {"model": endpoint.model, "messages": messages(text), "max_tokens": 3, **parameters})


def test_the_digest_is_the_content():
    same = [question(), question(), Request(HERE, dict(reversed(question().body.items())))]
    other = [
        question("ham?"),
        question(seed=1),
        question(endpoint=Endpoint(base_url="http://localhost/v2", model="m")),
        question(endpoint=Endpoint(base_url="http://localhost/v1", model="n")),
    ]
    assert len({one.digest for one in same}) == 1
    assert len({one.digest for one in [same[0], *other]}) == 5


def test_the_key_is_no_part_of_the_content():
    assert question(endpoint=Endpoint(base_url=HERE.base_url, model="m", key="K")).digest == question().digest


@given(texts)
def test_a_text_has_no_more_tokens_than_bytes(text):
    asked, answered = question(text).most_tokens
    assert asked >= len(text.encode("utf-8", "replace"))
    assert answered == 3


tokens = st.builds(Token, texts, numbers, st.lists(st.tuples(texts, numbers), max_size=3).map(tuple))


@given(st.builds(Reply, texts, st.booleans(), st.lists(tokens, max_size=3).map(tuple), st.integers(0), st.integers(0)))
def test_a_reply_comes_back_as_it_was_kept(reply):
    assert Reply.from_json(reply.to_json()) == reply


def test_what_is_read_from_a_completion():
    reply = Reply.of(completion("yes", [{"yes": -0.1, "no": -2.0}], question().body, cut=True), question())
    assert reply == Reply("yes", False, (Token("yes", -0.1, (("yes", -0.1), ("no", -2.0))),), 11, 1)


def test_tokens_are_guessed_where_the_server_does_not_count():
    reply = Reply.of({"choices": [{"message": {"content": None}}]}, question("x" * 40))
    assert (reply.text, reply.input_tokens, reply.output_tokens) == ("", 10, 0)


@pytest.mark.parametrize(
    "said",
    [None, [], {}, {"choices": []}, {"choices": [{}]}, {"choices": [{"message": {"content": 3}}]}, "yes",
     {"choices": [{"message": {"content": "a"}, "logprobs": {"content": [{"token": "a", "logprob": float("nan")}]}}]}],
)  # fmt: skip
def test_what_is_no_completion_is_refused(said):
    with pytest.raises(ValueError, match="not a chat completion"):
        Reply.of(said, question())
