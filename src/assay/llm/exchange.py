"""A question to a model and its answer: what is sent, what of the answer is kept, and how both are read and written."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from assay.llm.endpoint import Endpoint

_PER_MESSAGE = 32
_PER_REQUEST = 256
"""Tokens that servers add to what they are sent: marks around messages, a system text of their own."""


@dataclass(frozen=True)
class Request:
    """A question to a model: its messages, and how to answer."""

    endpoint: Endpoint
    body: Mapping[str, Any]
    """As OpenAI's chat completions have it, with the model."""
    only: tuple[str, ...] = ()
    """The texts of which its answer is to be one, if these are few: as ``response_format`` has it, written out."""

    @cached_property
    def digest(self) -> bytes:
        """What it is kept under: equal for the same question to the same model at the same URL."""
        told = json.dumps([self.endpoint.chat_url, self.body], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(told.encode()).digest()

    @cached_property
    def form(self) -> str:
        """How it is to be answered, without what is asked: answers of one form are about as long."""
        told = {name: value for name, value in self.body.items() if name not in ("messages", "seed")}
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]

    @cached_property
    def characters(self) -> int:
        """How long its messages are, in bytes of UTF-8."""
        return sum(len(message["content"].encode("utf-8", "replace")) for message in self.body["messages"])

    @property
    def most_tokens(self) -> tuple[int, int]:
        """As many tokens as it may at most cost, in and out: a token is at least one byte."""
        schema = len(json.dumps(self.body["response_format"])) if "response_format" in self.body else 0
        added = _PER_REQUEST + _PER_MESSAGE * len(self.body["messages"])
        return self.characters + schema + added, int(self.body["max_tokens"])


@dataclass(frozen=True)
class Token:
    """A token of an answer, with the most probable ones at its place."""

    text: str
    logprob: float
    top: tuple[tuple[str, float], ...]
    """Texts and log-probabilities, the most probable first."""


@dataclass(frozen=True)
class Reply:
    """What of an answer is kept."""

    text: str
    finished: bool
    """False if it was cut at the most tokens it could have."""
    tokens: tuple[Token, ...]
    """Empty if the server tells no log-probabilities."""
    input_tokens: int
    output_tokens: int
    is_billed_as_told: bool = field(default=True, compare=False)
    """False if the server did not tell how many tokens it counted, so that these are guessed."""

    @classmethod
    def of(cls, payload: Any, request: Request) -> Reply:
        """The answer in what a server sent.

        Raises
        ------
        ValueError
            If it is no chat completion.
        """
        try:
            choice = payload["choices"][0]
            text = choice["message"].get("content") or ""
            said = ((choice.get("logprobs") or {}).get("content")) or ()
            tokens = tuple(map(_token, said))
            usage = payload.get("usage") or {}
            counted = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
            finished = choice.get("finish_reason") != "length"
        except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"not a chat completion ({type(error).__name__}: {error})") from None
        if not isinstance(text, str):
            raise ValueError("not a chat completion: its content is no text")
        guessed = [guessed_tokens(request.characters), max(len(tokens), guessed_tokens(len(text.encode())))]
        told = [n if isinstance(n, int) and n >= 0 else None for n in counted]
        spent_in, spent_out = (guess if n is None else n for n, guess in zip(told, guessed, strict=True))
        return cls(text, finished, tokens, spent_in, spent_out, is_billed_as_told=None not in told)

    def to_json(self) -> str:
        """The answer as a text that :meth:`from_json` reads."""
        tokens = [[token.text, token.logprob, token.top] for token in self.tokens]
        return json.dumps([self.text, self.finished, tokens, self.input_tokens, self.output_tokens])

    @classmethod
    def from_json(cls, text: str) -> Reply:
        """What :meth:`to_json` wrote."""
        said, finished, tokens, spent_in, spent_out = json.loads(text)
        read = tuple(Token(word, logprob, tuple((t, p) for t, p in top)) for word, logprob, top in tokens)
        return cls(said, finished, read, spent_in, spent_out)


def _token(said: Mapping[str, Any]) -> Token:
    top = [(str(other["token"]), _logprob(other)) for other in said.get("top_logprobs") or ()]
    return Token(str(said["token"]), _logprob(said), tuple(sorted(top, key=lambda one: -one[1])))


def _logprob(said: Mapping[str, Any]) -> float:
    value = float(said["logprob"])
    if math.isnan(value):
        raise ValueError("a log-probability is NaN")
    return min(value, 0.0)


def guessed_tokens(characters: float) -> int:
    """Tokens of a text where nobody has counted: one for four bytes.

    >>> guessed_tokens(10)
    3
    """
    return math.ceil(characters / 4)


def messages(text: str, system: str | None = None, examples: Sequence[tuple[str, str]] = ()) -> list[dict[str, str]]:
    """A conversation that ends with a question; examples are pairs of a question and its answer.

    >>> [message["role"] for message in messages("spam?", "Be brief.", [("ham?", "no")])]
    ['system', 'user', 'assistant', 'user']
    """
    first = [] if system is None else [{"role": "system", "content": system}]
    shown = [
        {"role": role, "content": content}
        for pair in examples
        for role, content in zip(("user", "assistant"), pair, strict=True)
    ]
    return [*first, *shown, {"role": "user", "content": text}]
