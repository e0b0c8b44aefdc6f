"""Tokens of questions, counted by servers that have a tokenizer, or by their length."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import PromptSettings
from assay.llm import Endpoint, Request, Session, TokenRate, messages
from tests.support.local_model import started
from tests.support.model_server import ModelServer, words


def question(base_url, text, model="m"):
    return Request(
        Endpoint(base_url=base_url, model=model), {"model": model, "messages": messages(text), "max_tokens": 1}
    )


@given(st.lists(st.integers(1, 10_000), min_size=2), st.integers(0, 100), st.floats(0, 1))
def test_a_rate_is_found_again(lengths, for_each, per_byte):
    tokens = for_each + per_byte * np.array(lengths)
    rate = TokenRate.of(lengths, tokens)
    assert rate.tokens(len(lengths), sum(lengths)) == pytest.approx(tokens.sum(), abs=1e-6)
    assert rate.for_each >= 0
    assert rate.per_byte >= 0


def test_a_server_counts_in_the_way_of_llama():
    with ModelServer(tokenizer=True) as server, Session(PromptSettings()) as session:
        asked = [question(server.base_url, "a " * count) for count in (3, 30)]
        assert session.count_tokens(asked) == [words(request.body) for request in asked]
        assert not server.asked


def test_a_server_without_a_tokenizer_does_not_count():
    with ModelServer() as server, Session(PromptSettings()) as session:
        assert session.count_tokens([question(server.base_url, "a")]) is None
    with Session(PromptSettings()) as session:
        assert session.count_tokens([question(server.base_url, "a")]) is None  # nobody is there


def test_the_real_model_counts_as_it_bills():
    with started() as model, Session(model.settings) as session:
        asked = [
            question(model.base_url, text, "smollm2-135m") for text in ("Say yes.", "Is this spam? {} é", "x " * 50)
        ]
        counts = session.count_tokens(asked)
        billed = {}

        def job(request):
            async def ask(ask):
                return (await ask(request)).input_tokens

            return ask

        session.run([job(request) for request in asked], billed.__setitem__)
    assert counts == [billed[number] for number in range(3)]
