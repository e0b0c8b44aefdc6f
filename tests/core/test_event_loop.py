"""Coroutines are run several at a time, in order, whether or not a loop already runs."""

import asyncio

from assay._core.event_loop import gathered


def test_so_many_are_under_way_at_a_time():
    now, most = 0, 0

    async def ask(number):
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.001 * (number % 3))
        now -= 1
        return number * 2

    assert gathered(ask, range(40), at_once=7) == [2 * number for number in range(40)]
    assert most == 7
    assert gathered(ask, [], at_once=7) == []


def test_inside_of_another_loop():
    async def ask(number):
        return number

    async def notebook():
        return gathered(ask, [1, 2], at_once=2)

    assert asyncio.run(notebook()) == [1, 2]


def test_the_loop_stays_the_same():
    async def ask(_):
        return id(asyncio.get_running_loop())

    assert len({*gathered(ask, [1, 2], 1), *gathered(ask, [3], 1)}) == 1
