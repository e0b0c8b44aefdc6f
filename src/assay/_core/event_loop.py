"""Coroutines, run from code that is not one: on an event loop in a thread that lasts as long as the process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable
from functools import cache
from typing import Any


@cache
def _loop() -> asyncio.AbstractEventLoop:
    # One for all batches, so that connections which a user's code keeps stay open.
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="assay-async", daemon=True).start()
    return loop


def gathered(ask: Callable[[Any], Awaitable[Any]], given: Iterable[Any], at_once: int) -> list[Any]:
    """What ``ask`` says about each, in order, with at most ``at_once`` under way; an exception where it raised one.

    Can be called where an event loop already runs, as in a notebook. Ctrl-C cancels what is under way.

    >>> async def halved(number):
    ...     return 6 // number
    >>> gathered(halved, [1, 0, 3], at_once=2)
    [6, ZeroDivisionError('integer division or modulo by zero'), 2]
    """
    future = asyncio.run_coroutine_threadsafe(_gathered(ask, list(given), at_once), _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


async def _gathered(ask: Callable[[Any], Awaitable[Any]], given: list[Any], at_once: int) -> list[Any]:
    answers: list[Any] = [None] * len(given)
    rest = iter(enumerate(given))

    async def work() -> None:
        for number, one in rest:
            try:
                answers[number] = await ask(one)
            except Exception as error:
                answers[number] = error

    async with asyncio.TaskGroup() as group:
        for _ in range(min(at_once, len(given))):
            group.create_task(work())
    return answers
