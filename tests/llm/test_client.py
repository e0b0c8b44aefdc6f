"""One server, asked patiently: what may pass is asked again, what will not is said at once, and no key is shown."""

import threading
import time

import pytest

from assay import PromptSettings
from assay.llm import BudgetSpentError, Endpoint, Request, Session, UnansweredError, UnreachableError, messages
from tests.support.model_server import ModelServer, Wrong, completion, last_text

QUICK = {"first_pause": 0.01, "retries": 3, "timeout": 0.5}


def question(server, text="spam?", key=None, **parameters):
    endpoint = Endpoint(base_url=server.base_url, model="m", key=key)
    return Request(endpoint, {"model": "m", "messages": messages(text), "max_tokens": 3, **parameters})


def answers(requests, **settings):
    """The replies to some questions, or the errors in their place, and what was counted."""
    found = {}

    def job(request):
        async def ask(ask):
            try:
                return (await ask(request)).text
            except (UnansweredError, BudgetSpentError) as error:
                return error

        return ask

    with Session(PromptSettings(**{**QUICK, **settings})) as session:
        session.run([job(request) for request in requests], found.__setitem__)
    return [found[number] for number in range(len(requests))], session.ledger


PASSING = [Wrong("429"), Wrong("500"), Wrong("503"), Wrong("cut"), Wrong("garbage"), Wrong("slow")]


@pytest.mark.parametrize("wrong", PASSING, ids=lambda wrong: wrong.kind)
def test_what_may_pass_is_asked_again(wrong):
    with ModelServer(lambda body, before: wrong if before < 2 else completion("yes", asked=body)) as server:
        found, ledger = answers([question(server)])
    assert found == ["yes"]
    assert (ledger.calls, ledger.repeated, sum(server.asked.values())) == (1, 2, 3)


@pytest.mark.parametrize("wrong", PASSING, ids=lambda wrong: wrong.kind)
def test_what_does_not_pass_is_an_error_of_one_question(wrong):
    def answer(body, before):
        return wrong if last_text(body) == "bad" else completion("yes", asked=body)

    with ModelServer(answer) as server:
        found, _ = answers([question(server, text) for text in ("good", "bad", "other")], retries=1)
    assert (found[0], found[2]) == ("yes", "yes")
    assert isinstance(found[1], UnansweredError)
    assert "gave no answer in 2 attempts" in str(found[1])


def test_a_question_that_is_refused_is_not_asked_again():
    def answer(body, before):
        return Wrong("400", message="context too long") if last_text(body) == "bad" else completion("yes", asked=body)

    with ModelServer(answer) as server:
        found, ledger = answers([question(server, "bad"), question(server, "good")])
    assert "status 400: 'context too long'" in str(found[0])
    assert (found[1], ledger.repeated) == ("yes", 0)


@pytest.mark.parametrize(
    ("status", "what"), [("401", "refuses the key"), ("403", "refuses us"), ("404", "no such model")]
)
def test_a_server_that_refuses_us_ends_all(status, what, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    with ModelServer(lambda body, before: Wrong(status, message="not you")) as server:
        with pytest.raises(UnreachableError, match=what) as caught:
            answers([question(server, str(number), key="MY_KEY") for number in range(50)])
        assert sum(server.asked.values()) <= PromptSettings().concurrency
        assert "Bearer sk-very-secret" in server.headers[0]
    assert "secret" not in str(caught.value)
    assert ("MY_KEY" in str(caught.value)) == (status != "404")


def test_a_server_that_is_not_there_ends_all():
    with ModelServer() as server:
        pass
    start = time.monotonic()
    with pytest.raises(UnreachableError, match="cannot be reached: no connection"):
        answers([question(server, str(number)) for number in range(50)], retries=12)
    assert time.monotonic() - start < 5  # with all of its attempts it would be forty seconds


def test_a_server_that_comes_back_is_asked_again():
    gone, done = threading.Event(), threading.Event()

    def come_back():
        gone.wait(20)
        time.sleep(0.3)
        with ModelServer(port=server.port):
            done.wait(20)

    thread = threading.Thread(target=come_back)
    found = {}

    def job(request):
        async def ask(ask):
            return (await ask(request)).text

        return ask

    with Session(PromptSettings(retries=8, first_pause=0.05, timeout=0.5)) as session:
        with ModelServer() as server:
            thread.start()
            session.run([job(question(server))], found.__setitem__)
        gone.set()
        session.run([job(question(server, str(number))) for number in range(5)], found.__setitem__)
    done.set()
    thread.join()
    assert session.ledger.calls == 6
    assert session.ledger.repeated > 0


def test_a_pause_that_is_asked_for_is_made():
    wrong = Wrong("429", headers=("Retry-After: 0.4",))
    with ModelServer(lambda body, before: wrong if before < 1 else completion("yes")) as server:
        start = time.monotonic()
        found, _ = answers([question(server)])
    assert found == ["yes"]
    assert time.monotonic() - start >= 0.4


def test_requests_keep_to_the_limit():
    with ModelServer() as server:
        start = time.monotonic()
        answers([question(server, str(number)) for number in range(11)], requests_per_minute=1200)
    assert time.monotonic() - start >= 10 * 60 / 1200


def test_no_more_questions_are_under_way_than_allowed():
    def answer(body, before):
        return Wrong("slow") if before < 1 else completion("yes")

    with ModelServer(answer, slow=0.2) as server:
        answers([question(server, str(number)) for number in range(9)], concurrency=3)
    assert server.most_under_way == 3


def test_a_server_that_refuses_a_parameter_gets_the_question_without():
    def answer(body, before):
        return Wrong("400", message="unknown field 'seed'") if "seed" in body else completion("yes")

    with ModelServer(answer) as server:
        found, ledger = answers([question(server, str(number), seed=number) for number in range(20)], concurrency=1)
    assert found == ["yes"] * 20
    assert sum(server.asked.values()) == 21
    assert ledger.repeated == 0


def test_what_was_lost_on_the_way_counts_as_paid():
    prices = {"m": {"input": 1e6, "output": 1e6}}
    with ModelServer(lambda body, before: Wrong("cut")) as server:
        request = question(server)
        most = sum(request.most_tokens)
        found, ledger = answers([request], prices=prices, budget=2.5 * most, retries=5)
    assert isinstance(found[0], BudgetSpentError)
    assert ledger.spent == 2 * most
    assert sum(server.asked.values()) == 2
