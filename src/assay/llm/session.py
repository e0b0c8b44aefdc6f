"""A session with models: many questions under way at a time, each asked once, each answer kept before it is used."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from assay._core.progress import Progress
from assay.llm.cache import AnswerCache, Earlier
from assay.llm.client import Client, http_client
from assay.llm.endpoint import Endpoint
from assay.llm.exchange import Reply, Request
from assay.llm.ledger import Ledger
from assay.llm.settings import PromptSettings
from assay.llm.tokens import answer_tokens, counted

Ask = Callable[[Request], Awaitable[Reply]]
"""Asks one question."""
Answer = TypeVar("Answer")
Job = Callable[[Ask], Awaitable[Answer]]
"""Asks what it needs to know, one question after the other, and says what came of it."""


class Session:
    """Asks questions in a thread of its own, so that it works in notebooks too, which have a loop of theirs.

    Used as a context: the cache and the connections are closed at its end.
    """

    def __init__(self, settings: PromptSettings, *, bar: Progress | None = None) -> None:
        self.settings = settings
        self.ledger = Ledger(settings)
        self.memo: dict[Any, Any] = {}
        """What prompts have found out that holds for the whole session."""
        self._bar = bar
        self._clients: dict[Endpoint, Client] = {}
        self._under_way: dict[bytes, asyncio.Future[Reply]] = {}
        self._resources = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            path = self.settings.cache
            if path is None:
                folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="assay-"))
                path = Path(folder) / "answers.sqlite"
            self._cache = opened.enter_context(AnswerCache(path))
            self._loop = asyncio.new_event_loop()
            opened.callback(self._loop.close)
            thread = threading.Thread(target=self._loop.run_forever, name="assay-prompts", daemon=True)
            thread.start()
            opened.callback(thread.join)
            opened.callback(self._loop.call_soon_threadsafe, self._loop.stop)
            self._http = http_client(self.settings)
            opened.callback(lambda: self._wait(self._http.aclose()))
            self._resources = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._resources.close()

    def run(self, jobs: Iterable[Job[Answer]], keep: Callable[[int, Answer], None]) -> None:
        """Do all jobs, as many at a time as the settings say; ``keep`` gets the number of each, and its answer.

        Jobs are made as they are needed, so that there may be many. The first error ends them all.
        """
        self._wait(self._run(jobs, keep))

    def holds(self, request: Request) -> bool:
        """Whether a question was answered before."""
        return self._cache.holds(request)

    def earlier(self, endpoint: Endpoint) -> Earlier | None:
        """What earlier answers of a model tell about others."""
        return self._cache.earlier(endpoint)

    def answer_tokens(self, endpoint: Endpoint, form: str) -> tuple[int, float]:
        """How many earlier answers of a model have a form, and their tokens on average."""
        return self._cache.answer_tokens(endpoint, form)

    def count_tokens(self, requests: Sequence[Request]) -> list[int] | None:
        """The tokens of questions, if the server has a tokenizer that we know."""
        found: list[int] | None = self._wait(counted(requests, self._http))
        return found

    def count_answer_tokens(self, request: Request) -> float | None:
        """The tokens of an answer on average, if the server can count those of all that may be given."""
        found: float | None = self._wait(answer_tokens(request, self._http))
        return found

    def _wait(self, work: Any) -> Any:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def _run(self, jobs: Iterable[Job[Answer]], keep: Callable[[int, Answer], None]) -> None:
        numbered = iter(enumerate(jobs))

        async def work() -> None:
            for number, job in numbered:
                keep(number, await job(self._ask))
                if self._bar is not None:
                    self._bar.advance(1)
                    self._bar.describe(str(self.ledger))

        workers = [asyncio.ensure_future(work()) for _ in range(self.settings.concurrency)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    async def _ask(self, request: Request) -> Reply:
        known = self._cache.get(request)
        if known is not None:
            self.ledger.from_cache += 1
            return known
        if (other := self._under_way.get(request.digest)) is not None:
            self.ledger.from_cache += 1
            return await asyncio.shield(other)
        future: asyncio.Future[Reply] = self._loop.create_future()
        self._under_way[request.digest] = future
        try:
            reply = await self._client(request.endpoint).ask(request)
            self._cache.put(request, reply)
            future.set_result(reply)
            return reply
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError):
                future.cancel()
            else:
                future.set_exception(error)
                future.exception()  # whoever waits for it gets it; nobody need
            raise
        finally:
            del self._under_way[request.digest]

    def _client(self, endpoint: Endpoint) -> Client:
        if endpoint not in self._clients:
            self._clients[endpoint] = Client(endpoint, self.settings, self._http, self.ledger)
        return self._clients[endpoint]
