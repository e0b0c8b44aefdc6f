"""No faster than a server allows: so many requests and tokens a minute, and pauses that it asks for."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_LONGEST_PAUSE = 60.0
_MINUTE = 60.0


class Pace:
    """When the next request may be sent.

    Requests are spread evenly: after one that takes up so many of a minute's requests, or tokens, the next waits for
    that share of the minute.
    """

    def __init__(
        self,
        requests_per_minute: float | None,
        tokens_per_minute: float | None,
        *,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._seconds_a_request = 0.0 if requests_per_minute is None else _MINUTE / requests_per_minute
        self._seconds_a_token = 0.0 if tokens_per_minute is None else _MINUTE / tokens_per_minute
        self._next_request = self._next_token = self._open_again = 0.0
        self._now, self._sleep = now, sleep

    async def wait(self, tokens: float) -> None:
        """Wait until a request of about so many tokens may be sent."""
        now = self._now()
        at = max(now, self._next_request, self._next_token)
        self._next_request = at + self._seconds_a_request
        self._next_token = at + self._seconds_a_token * tokens
        while (left := max(at, self._open_again) - self._now()) > 0:
            await self._sleep(left)

    def correct(self, tokens: float) -> None:
        """So many tokens more were used than was thought, or fewer."""
        self._next_token += self._seconds_a_token * tokens

    def pause(self, seconds: float) -> None:
        """Send nothing for a while: the server asks for it."""
        self._open_again = max(self._open_again, self._now() + seconds)


def pause_after(attempt: int, first: float, asked_for: float | None, chance: random.Random) -> float:
    """How long to wait before asking again: as long as the server asks for, or twice as long as the last time.

    Up to a quarter more, by chance, so that requests that failed together are not repeated together.
    """
    planned = min(first * 2**attempt, _LONGEST_PAUSE) if asked_for is None else asked_for
    return planned * (1 + chance.random() / 4)


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds in a header ``Retry-After``, which holds a number or a date; None if it holds neither.

    >>> retry_after("1.5"), retry_after("soon")
    (1.5, None)
    >>> retry_after("Tue, 17 Nov 2026 20:00:10 GMT", datetime(2026, 11, 17, 20, tzinfo=UTC))
    10.0
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            when = parsedate_to_datetime(value)
        except ValueError:
            return None
        aware = when if when.tzinfo is not None else when.replace(tzinfo=UTC)
        seconds = (aware - (datetime.now(UTC) if now is None else now)).total_seconds()
    return min(seconds, 10 * _LONGEST_PAUSE) if 0 <= seconds < float("inf") else None
