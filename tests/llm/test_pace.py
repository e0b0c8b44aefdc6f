"""No faster than a server allows, on a clock that tests turn."""

import asyncio
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.llm.pace import Pace, pause_after, retry_after


class Clock:
    def __init__(self):
        self.time = 100.0

    def now(self):
        return self.time

    async def sleep(self, seconds):
        self.time += seconds


def starts(clock, pace, tokens):
    """When each of some requests is sent, one after the other."""

    async def send():
        found = []
        for count in tokens:
            await pace.wait(count)
            found.append(clock.time)
        return found

    return asyncio.run(send())


@given(st.floats(1, 1000), st.integers(2, 30))
def test_no_more_requests_a_minute_than_allowed(limit, count):
    clock = Clock()
    sent = starts(clock, Pace(limit, None, now=clock.now, sleep=clock.sleep), [1] * count)
    assert sent[-1] - sent[0] == pytest.approx((count - 1) * 60 / limit)


@given(st.lists(st.integers(1, 500), min_size=2, max_size=20))
def test_no_more_tokens_a_minute_than_allowed(tokens):
    clock = Clock()
    sent = starts(clock, Pace(None, 1000, now=clock.now, sleep=clock.sleep), tokens)
    assert sent[-1] - sent[0] == pytest.approx(sum(tokens[:-1]) * 60 / 1000)


def test_tokens_that_were_not_foreseen_are_waited_for():
    clock = Clock()
    pace = Pace(None, 60, now=clock.now, sleep=clock.sleep)
    starts(clock, pace, [1])
    pace.correct(9)
    assert starts(clock, pace, [1]) == [110.0]


def test_a_pause_holds_for_all_that_follow():
    clock = Clock()
    pace = Pace(None, None, now=clock.now, sleep=clock.sleep)
    pace.pause(7)
    pace.pause(3)
    assert starts(clock, pace, [1, 1]) == [107.0, 107.0]


@given(st.integers(0, 100), st.floats(0.01, 5))
def test_pauses_double_up_to_a_minute(attempt, first):
    pause = pause_after(attempt, first, None, random.Random(1))
    planned = min(first * 2**attempt, 60)
    assert planned <= pause <= 1.25 * planned


@given(st.floats(0, 500))
def test_a_server_that_asks_for_a_pause_gets_it(seconds):
    assert pause_after(3, 1.0, seconds, random.Random(1)) >= seconds


@pytest.mark.parametrize("value", [None, "", "soon", "-5", "nan", "inf", "Tue, 99 Nov 2026 20:00:10 GMT"])
def test_what_is_no_pause_is_none(value):
    assert retry_after(value) is None


def test_a_pause_is_never_an_hour():
    assert retry_after("86400") == 600
