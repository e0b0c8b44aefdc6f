"""A small HTTP server that speaks chat completions, fails on purpose, and counts what it was asked.

It answers at once, so that what tests and benchmarks measure is ours. Run as a module, it serves until it is killed.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

Body = dict[str, Any]


@dataclass(frozen=True)
class Wrong:
    """What the server does in place of an answer."""

    kind: str
    """``slow``, ``cut``, ``garbage``, or the number of a status."""
    headers: tuple[str, ...] = ()
    message: str = "no"


def last_text(body: Body) -> str:
    return str(body["messages"][-1]["content"])


def chance_of(*parts: object) -> float:
    """A number from 0 to 1 that depends on the parts alone."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:8], "big") / 2**64


def words(body: Body) -> int:
    """The tokens of a question, as this server counts them: words, and ten for each message."""
    return sum(10 + len(message["content"].split()) for message in body["messages"])


def completion(
    text: str, tokens: Sequence[dict[str, float]] = (), asked: Body | None = None, cut: bool = False
) -> Body:
    """A chat completion; ``tokens`` are, place by place, texts and log-probabilities, the written one first."""
    told = [
        {
            "token": next(iter(top)),
            "logprob": next(iter(top.values())),
            "top_logprobs": [{"token": token, "logprob": logprob} for token, logprob in top.items()],
        }
        for top in tokens
    ]
    usage = {} if asked is None else {"prompt_tokens": words(asked), "completion_tokens": max(len(text.split()), 1)}
    return {
        "choices": [
            {
                "message": {"role": "assistant", "content": text},
                "finish_reason": "length" if cut else "stop",
                "logprobs": {"content": told} if told else None,
            }
        ],
        "usage": usage,
    }


def yes_or_no(body: Body) -> Body:
    """Yes or no, by the text alone."""
    return completion("yes" if chance_of(last_text(body)) < 0.5 else "no", asked=body)


@dataclass
class ModelServer:
    """A server in a thread of this process. ``answer`` gets the body and how often it came before.

    >>> with ModelServer() as server:
    ...     server.base_url.startswith("http://127.0.0.1:")
    True
    """

    answer: Callable[[Body, int], Body | Wrong] = field(default=lambda body, before: yes_or_no(body))
    slow: float = 30.0
    port: int = 0
    tokenizer: bool = False
    asked: Counter[str] = field(default_factory=Counter)
    """How often each question came."""
    answered: Counter[str] = field(default_factory=Counter)
    """How often each was answered."""
    failed: Counter[str] = field(default_factory=Counter)
    """How often each kind of fault happened."""
    bodies: list[Body] = field(default_factory=list)
    """The first thousand bodies."""
    headers: list[str] = field(default_factory=list)
    under_way: int = 0
    most_under_way: int = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        started = threading.Event()

        async def serve() -> None:
            self._stop = asyncio.Event()
            self._loop = asyncio.get_running_loop()
            server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, limit=2**20)
            self.port = server.sockets[0].getsockname()[1]
            started.set()
            await self._stop.wait()
            server.close()
            others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        self._thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
        self._thread.start()
        assert started.wait(10)
        return self

    def __exit__(self, *error: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._one(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        path = head.split(" ", 2)[1]
        length = next(
            (int(v) for k, _, v in (h.partition(":") for h in head.split("\r\n")) if k.lower() == "content-length"), 0
        )
        body = json.loads(await reader.readexactly(length)) if length else {}
        if path.endswith("/chat/completions"):
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
            try:
                return await self._complete(head, body, writer)
            finally:
                self.under_way -= 1
        if self.tokenizer and path == "/apply-template":
            return await _send(
                writer,
                {"prompt": " ".join(["mark"] * 10 * len(body["messages"]) + [m["content"] for m in body["messages"]])},
            )
        if self.tokenizer and path == "/tokenize" and "content" in body:
            return await _send(writer, {"tokens": list(range(len(body["content"].split())))})
        return await _send(writer, {"error": {"message": f"no {path} here"}}, 404)

    async def _complete(self, head: str, body: Body, writer: asyncio.StreamWriter) -> bool:
        question = json.dumps(body, sort_keys=True)
        before = self.asked[question]
        self.asked[question] += 1
        if len(self.bodies) < 1000:
            self.bodies.append(body)
            self.headers.append(head)
        said = self.answer(body, before)
        if not isinstance(said, Wrong):
            self.answered[question] += 1
            return await _send(writer, said)
        self.failed[said.kind] += 1
        if said.kind == "slow":
            await asyncio.sleep(self.slow)
            return False
        if said.kind == "cut":
            self.answered[question] += 1  # it was worked out, and lost on the way
            writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"choices"')
            await writer.drain()
            return False
        if said.kind == "garbage":
            return await _send(writer, "<html>busy</html>")
        return await _send(writer, {"error": {"message": said.message}}, int(said.kind), said.headers)


async def _send(writer: asyncio.StreamWriter, said: Any, status: int = 200, headers: Sequence[str] = ()) -> bool:
    body = said.encode() if isinstance(said, str) else json.dumps(said).encode()
    lines = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(body)}", "Content-Type: application/json", *headers]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
    await writer.drain()
    return True


if __name__ == "__main__":
    with ModelServer() as running:
        print(running.base_url, flush=True)
        threading.Event().wait()
