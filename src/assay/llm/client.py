"""One server, asked patiently: at its pace, again after what may pass, and without what it refuses."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay._core.extras import how_to_install
from assay.errors import SourceError
from assay.llm.endpoint import Endpoint
from assay.llm.exchange import Reply, Request, guessed_tokens
from assay.llm.failures import UnansweredError, UnreachableError
from assay.llm.ledger import Ledger
from assay.llm.pace import Pace, pause_after, retry_after
from assay.llm.quirks import Quirks
from assay.llm.settings import PromptSettings
from assay.llm.token_grammar import grammar_of
from assay.llm.tokens import all_tokens_of

if TYPE_CHECKING:
    import httpx2

_MAY_PASS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_HOPELESS = {401: "refuses the key", 403: "refuses us", 404: "knows no such model or URL", 405: "takes no questions"}
_QUOTED = 300
"""How many characters of a server's complaint are shown."""
_FIRST_CONTACT = 2
"""How often a server is tried again that has never been there: a mistyped URL is told at once."""


def http_client(settings: PromptSettings) -> httpx2.AsyncClient:
    """The client that all servers are asked with."""
    try:
        import httpx2
    except ImportError:
        raise SourceError(f"prompts need the package httpx2: {how_to_install('llm')}") from None
    limits = httpx2.Limits(max_connections=settings.concurrency, max_keepalive_connections=settings.concurrency)
    return httpx2.AsyncClient(timeout=settings.timeout, limits=limits)


@dataclass(frozen=True)
class _Attempt:
    """How one attempt ended without an answer."""

    what: str
    wait: float | None = None
    """How many seconds the server asks to wait."""
    may_be_billed: bool = False
    """Whether the server may have answered."""
    by_server: bool = True
    """Whether a server was there at all."""


class Client:
    """Asks one server."""

    def __init__(self, endpoint: Endpoint, settings: PromptSettings, http: httpx2.AsyncClient, ledger: Ledger) -> None:
        self.endpoint = endpoint
        self._settings = settings
        self._http = http
        self._ledger = ledger
        self._headers = {**endpoint.headers(), "Content-Type": "application/json"}
        self._pace = Pace(settings.requests_per_minute, settings.tokens_per_minute)
        self._quirks = Quirks()
        self._grammars: dict[tuple[str, ...], str] = {}
        self._reading = asyncio.Lock()
        self._chance = random.Random(0)  # noqa: S311  of pauses, not of secrets
        self._answered = 0

    async def ask(self, request: Request) -> Reply:
        """The answer to a question.

        Raises
        ------
        BudgetSpentError
            If the question could exceed the budget.
        UnansweredError
            If it failed for good; other questions may fare better.
        UnreachableError
            If no question to this server will be answered.
        """
        answered_before = self._answered
        attempt = 0
        while True:
            tokens = guessed_tokens(request.characters)
            await self._pace.wait(tokens)
            promised = self._ledger.promise(request)
            try:
                reply = await self._attempt(request)
            except BaseException as error:  # if it was cancelled, it may have been answered
                self._ledger.lose(promised, may_be_billed=not isinstance(error, SourceError))
                raise
            if isinstance(reply, Reply):
                self._ledger.settle(promised, request, reply)
                self._pace.correct(reply.input_tokens + reply.output_tokens - tokens)
                self._answered += 1
                return reply
            if reply is None:  # the question was changed to what the server takes
                self._ledger.lose(promised, may_be_billed=False)
                continue
            self._ledger.lose(promised, may_be_billed=reply.may_be_billed)
            if attempt == self._attempts_again(reply):
                if not reply.by_server and self._answered == answered_before:
                    raise UnreachableError(
                        f"{self.endpoint.base_url} cannot be reached: {reply.what}; see whether it runs, and try "
                        "again: answers that are kept in a cache are not asked for again"
                    )
                raise UnansweredError(
                    f"{self.endpoint.base_url} gave no answer in {attempt + 1} attempts: {reply.what}"
                )
            self._ledger.repeated += 1
            pause = pause_after(attempt, self._settings.first_pause, reply.wait, self._chance)
            if reply.wait is not None:
                self._pace.pause(reply.wait)
            await asyncio.sleep(pause)
            attempt += 1

    def _attempts_again(self, failed: _Attempt) -> int:
        """How often to ask again after a failure."""
        retries = self._settings.retries
        return retries if failed.by_server or self._answered else min(retries, _FIRST_CONTACT)

    async def _attempt(self, request: Request) -> Reply | _Attempt | None:
        import httpx2

        body = self._quirks.adapted(await self._constrained(request))
        sent = json.dumps(body).encode()
        try:
            response = await self._http.post(self.endpoint.chat_url, content=sent, headers=self._headers)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            return _Attempt(f"no connection ({error or type(error).__name__})", by_server=False)
        except httpx2.PoolTimeout:
            return _Attempt("no free connection in time")
        except httpx2.TimeoutException:
            return _Attempt(f"no answer within {self._settings.timeout:g} seconds", may_be_billed=True)
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            return _Attempt(f"the connection was cut ({error or type(error).__name__})", may_be_billed=True)
        if response.status_code == 200:
            try:
                reply = Reply.of(json.loads(response.content), request)
            except ValueError as error:
                return _Attempt(f"it sent {_quoted(response.text)}, {error}", may_be_billed=True)
            if "grammar" in body and reply.finished and reply.text.strip() not in request.only:
                self._quirks.refused.add("grammar")  # it does not know what that is, and takes no notice
            return reply
        complaint = _complaint(response)
        if response.status_code in _MAY_PASS:
            wait = retry_after(response.headers.get("Retry-After"))
            return _Attempt(f"status {response.status_code}: {complaint}", wait)
        if response.status_code in (400, 422) and self._quirks.learn(complaint, body):
            return None
        if response.status_code in _HOPELESS:
            raise UnreachableError(
                f"{self.endpoint.base_url} {_HOPELESS[response.status_code]} (status {response.status_code}, "
                f"model {self.endpoint.model!r}): {complaint}{self._about_key(response.status_code)}"
            )
        raise UnansweredError(
            f"{self.endpoint.base_url} refused a question, status {response.status_code}: {complaint}"
        )

    async def _constrained(self, request: Request) -> Mapping[str, Any]:
        """The body; if its answer is to be one of some texts, with their tokens, where the server takes these."""
        if not request.only:
            return request.body
        async with self._reading:
            if request.only not in self._grammars and "grammar" not in self._quirks.refused:
                tokens = await all_tokens_of(request, self._http)
                if tokens is None:  # it will not do better with other texts
                    self._quirks.refused.add("grammar")
                else:
                    self._grammars[request.only] = grammar_of(tokens)
        if "grammar" in self._quirks.refused:  # maybe since another question was asked
            return request.body
        others = {name: value for name, value in request.body.items() if name != "response_format"}
        return {**others, "grammar": self._grammars[request.only]}

    def _about_key(self, status: int) -> str:
        if status not in (401, 403):
            return ""
        if self.endpoint.key is None:
            return "; give key= the name of the environment variable that holds the key"
        return f"; see whether the environment variable {self.endpoint.key} holds the right key"


def _complaint(response: Any) -> str:
    """What a server says went wrong."""
    try:
        said = json.loads(response.content)
        error = said.get("error", said.get("detail", said))
        told = error.get("message", error) if isinstance(error, dict) else error
        return _quoted(told if isinstance(told, str) else json.dumps(told))
    except (ValueError, AttributeError):
        return _quoted(response.text)


def _quoted(text: str) -> str:
    whole = " ".join(text.split())
    return repr(whole if len(whole) <= _QUOTED else f"{whole[:_QUOTED]} …")
