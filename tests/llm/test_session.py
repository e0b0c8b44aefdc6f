"""Many questions at a time: each is asked once, answers are kept before they are used, and the first error ends it."""

import asyncio

import pytest

from assay import PromptSettings
from assay.llm import Endpoint, Request, Session, messages
from tests.support.model_server import ModelServer, Wrong, completion

QUICK = {"first_pause": 0.01, "retries": 2, "timeout": 2.0}


def asking(server, text):
    endpoint = Endpoint(base_url=server.base_url, model="m")
    request = Request(endpoint, {"model": "m", "messages": messages(text), "max_tokens": 3})

    async def job(ask):
        return (await ask(request)).text

    return job


def run(server, texts, **settings):
    found = {}
    with Session(PromptSettings(**{**QUICK, **settings})) as session:
        session.run((asking(server, text) for text in texts), found.__setitem__)
    return [found[number] for number in range(len(found))], session.ledger


@pytest.mark.parametrize("cache", [False, True])
def test_equal_questions_are_asked_once(cache, tmp_path):
    settings = {"cache": tmp_path / "answers.sqlite"} if cache else {}
    with ModelServer() as server:
        found, ledger = run(server, [str(number % 7) for number in range(70)], **settings)
    assert found == found[:7] * 10
    assert set(server.answered.values()) == {1}
    assert (ledger.calls, ledger.from_cache) == (7, 63)


def test_what_is_in_the_cache_is_not_asked_again(tmp_path):
    with ModelServer() as server:
        first, _ = run(server, "abcdef", cache=tmp_path / "answers.sqlite")
        again, ledger = run(server, "abcdefgh", cache=tmp_path / "answers.sqlite")
        assert again[:6] == first
        assert (ledger.calls, ledger.from_cache) == (2, 6)
        assert set(server.asked.values()) == {1}


def test_whoever_waits_for_a_question_that_fails_fails_too():
    with ModelServer(lambda body, before: Wrong("400")) as server, pytest.raises(Exception, match="refused a question"):
        run(server, ["a"] * 5)
    assert sum(server.asked.values()) == 1


def test_the_first_error_ends_all():
    async def bad(ask):
        raise RuntimeError("mine")

    with ModelServer() as server, Session(PromptSettings()) as session, pytest.raises(RuntimeError, match="mine"):
        session.run([asking(server, "a"), bad, *[asking(server, str(n)) for n in range(1000)]], lambda *_: None)
    assert len(server.asked) < 1000


def test_it_works_where_a_loop_is_running():
    async def in_a_notebook(server):
        return run(server, "abc")[0]

    with ModelServer(lambda body, before: completion("yes")) as server:
        assert asyncio.run(in_a_notebook(server)) == ["yes"] * 3


def test_jobs_are_made_as_they_are_needed():
    made, ahead = 0, []

    def jobs(server):
        nonlocal made
        for number in range(200):
            made += 1
            yield asking(server, str(number))

    with ModelServer() as server, Session(PromptSettings(concurrency=3)) as session:
        session.run(jobs(server), lambda number, _: ahead.append(made - number))
    assert len(ahead) == 200
    assert max(ahead) <= 6


def test_nothing_is_left_open(tmp_path, recwarn):
    import gc
    import threading

    with ModelServer() as server:
        before = threading.active_count()
        run(server, "abc", cache=tmp_path / "answers.sqlite")
        assert threading.active_count() == before
    gc.collect()
    assert not recwarn.list
