"""How a prompt is put to a model, and what is made of its replies: one way of asking a class."""

from __future__ import annotations

import itertools
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.llm import Ask, Endpoint, Reply, Request, guessed_tokens, messages
from assay.sources.prompt_answers import Answers, FloatArray, UnreadableError, calibrated

_ALTERNATIVES = 20
"""How many tokens a server is asked for at a place: as many as vendors tell."""
_FORCED = 1e-3
"""A server that tells log-probabilities after leaving out what was not asked for gives a forced text less than this."""
_MOST_OBJECTS = 256
"""Up to so many different answers to several questions are listed for a server that can choose between them."""
_QUOTES = 3
"""Tokens of the quotes around a text, and of the end of a reply."""


@dataclass(frozen=True)
class Conversation:
    """What a model is told besides the question, and how it is to answer."""

    system: str | None = None
    examples: tuple[tuple[str, str], ...] = ()
    """Questions and their answers."""
    spares: tuple[tuple[str, str], ...] = ()
    """One more for an answer, in place of an example that is the question itself."""
    temperature: float | None = None
    max_tokens: int | None = None

    def request(
        self, endpoint: Endpoint, text: str, max_tokens: int, only: Sequence[str] = (), **parameters: Any
    ) -> Request:
        """A question to a model, whose answer is to be one of some texts, unless it may think aloud before."""
        given = {"temperature": 0.0 if self.temperature is None else self.temperature, **parameters}
        return Request(
            endpoint,
            {
                "model": endpoint.model,
                "messages": messages(text, self.system, self._shown_before(text)),
                "max_tokens": max_tokens if self.max_tokens is None else self.max_tokens,
                **given,
            },
            tuple(only) if self.max_tokens is None else (),
        )

    def _shown_before(self, text: str) -> list[tuple[str, str]]:
        """The examples, of which none is the question itself: its answer would be told."""
        if all(question != text for question, _ in self.examples):
            return list(self.examples)
        spare = {answer: (question, answer) for question, answer in self.spares}
        places = [pair if pair[0] != text else spare.get(pair[1]) for pair in self.examples]
        return [pair for pair in places if pair is not None]


@dataclass(frozen=True)
class Said:
    """What a model said about one row."""

    vote: Any
    """A label as a source may say it; None to abstain."""
    score: float
    """How sure it is, from 0 to 1; 1 if it does not tell."""
    text: str
    """What it wrote first."""
    probabilities: Mapping[str, float] | None = None
    """By answer; None if several questions were asked at once."""


class Question(ABC):
    """One way of asking."""

    answers: Answers | Mapping[str, Answers]
    """What may be answered; by task, if it asks about several."""

    @abstractmethod
    def requests(self, conversation: Conversation, endpoint: Endpoint, text: str) -> list[Request]:
        """What will be asked, as far as it does not depend on the replies."""

    @abstractmethod
    def said(self, replies: Sequence[Reply]) -> Said | None:
        """What the replies to these say; None if it takes another way of asking to find out.

        Raises
        ------
        UnreadableError
            If they say nothing that was asked for.
        """

    @property
    @abstractmethod
    def answer_tokens(self) -> float:
        """How many tokens the reply to a request may have on average, as far as that can be told without the model."""

    @property
    def otherwise(self) -> Question | None:
        """The way to ask if replies say nothing."""
        return None

    async def ask(self, conversation: Conversation, endpoint: Endpoint, text: str, ask: Ask) -> Said:
        """Ask, one request after the other."""
        requests = self.requests(conversation, endpoint, text)
        said = self.said([await ask(request) for request in requests])
        if said is None:
            assert self.otherwise is not None
            return await self.otherwise.ask(conversation, endpoint, text, ask)
        return said

    def calibrated(self, empty: Said) -> Question:
        """The same question, its probabilities relative to what was said of an empty row."""
        return self


@dataclass(frozen=True)
class Choice(Question):
    """One question with a few answers: what its kinds share."""

    answers: Answers
    empty: tuple[float, ...] | None = None
    """(answers,): how probable each is for an empty row, to compare with."""

    def decided(self, probabilities: FloatArray, text: str) -> Said:
        """What probabilities of answers say."""
        told = probabilities if self.empty is None else calibrated(probabilities, np.array(self.empty))
        code, score = self.answers.decided(told)
        by_answer = dict(zip(self.answers.texts, told.tolist(), strict=True))
        return Said(None if code < 0 else self.answers.votes[1][code], score, text, by_answer)

    def calibrated(self, empty: Said) -> Question:
        assert empty.probabilities is not None
        return replace(self, empty=tuple(empty.probabilities.values()))


@dataclass(frozen=True)
class Written(Choice):
    """The answer that a model writes; once, or several times, by chance, to see how often it writes which."""

    samples: int = 1

    def requests(self, conversation: Conversation, endpoint: Endpoint, text: str) -> list[Request]:
        schema = _schema({"answer": self.answers})
        length = _length({"answer": self.answers})
        only = _objects({"answer": self.answers})
        if self.samples == 1:
            return [conversation.request(endpoint, text, length, only, response_format=schema)]
        heat = 1.0 if conversation.temperature is None else conversation.temperature
        return [
            conversation.request(endpoint, text, length, only, response_format=schema, temperature=heat, seed=seed)
            for seed in range(self.samples)
        ]

    @property
    def answer_tokens(self) -> float:
        return _usual_length({"answer": self.answers})

    def said(self, replies: Sequence[Reply]) -> Said:
        found: list[FloatArray] = []
        for left, reply in zip(reversed(range(len(replies))), replies, strict=True):
            try:
                found.append(self.answers.one_hot(self.answers.read(reply.text, reply.finished)))
            except UnreadableError:
                if not left and not found:  # none of them can be read
                    raise
        return self.decided(np.mean(found, axis=0), replies[0].text)


@dataclass(frozen=True)
class FirstToken(Choice):
    """How probable the answers are by the first token that a model would write, in one request.

    Where the server tells no probabilities, it is the answer that this token begins.
    """

    def requests(self, conversation: Conversation, endpoint: Endpoint, text: str) -> list[Request]:
        return [conversation.request(endpoint, text, 1, logprobs=True, top_logprobs=_ALTERNATIVES)]

    @property
    def answer_tokens(self) -> float:
        return 1.0

    def said(self, replies: Sequence[Reply]) -> Said:
        reply = replies[0]
        # A reply may start with a line break or a quote, which begin no answer.
        for token in reply.tokens:
            told = self.answers.from_token(token)
            if told is not None:
                return self.decided(told, reply.text)
            if token.text.strip(" \n\"'*"):
                break
        return self.decided(self.answers.one_hot(self.answers.read(reply.text, reply.finished)), reply.text)


@dataclass(frozen=True)
class Forced(Choice):
    """How probable the answers are as whole texts: a request for each, whose reply can only be that answer.

    llama.cpp and vLLM tell log-probabilities from before a text is constrained, so that those of a forced text are
    those of the model. Servers that tell them afterwards say that anything forced is certain: then the model
    is asked to write its answer.
    """

    def requests(self, conversation: Conversation, endpoint: Endpoint, text: str) -> list[Request]:
        return [
            conversation.request(
                endpoint,
                text,
                len(json.dumps(answer).encode()) + 1,
                [json.dumps(answer)],
                response_format=_json_schema({"type": "string", "enum": [answer]}),
                logprobs=True,
                top_logprobs=1,
            )
            for answer in self.answers.texts
        ]

    @property
    def answer_tokens(self) -> float:
        return float(np.mean([guessed_tokens(len(text.encode())) + _QUOTES for text in self.answers.texts]))

    def said(self, replies: Sequence[Reply]) -> Said | None:
        forced = [json.dumps(answer) for answer in self.answers.texts]
        logs = [_log_of(reply, text) for reply, text in zip(replies, forced, strict=True)]
        known = [log for log in logs if log is not None]
        if len(known) < len(logs) or max(known) > -_FORCED:
            return None
        return self.decided(self.answers.from_logprobs(known), replies[0].text)

    @property
    def otherwise(self) -> Question:
        return Written(self.answers)


def _log_of(reply: Reply, text: str) -> float | None:
    """The log-probability of a forced text; None if the reply is something else, or does not tell."""
    if reply.text.strip() != text or not reply.tokens:
        return None
    written, total = "", 0.0
    for token in reply.tokens:
        if text in written:  # what follows is the end of the reply, which is no part of the answer
            break
        written += token.text
        total += token.logprob
    return total


@dataclass(frozen=True)
class Several(Question):
    """Several questions at once, a task each: the reply is a JSON object with an answer for each."""

    answers: Mapping[str, Answers]

    def requests(self, conversation: Conversation, endpoint: Endpoint, text: str) -> list[Request]:
        only, schema = _objects(self.answers), _schema(self.answers)
        return [conversation.request(endpoint, text, _length(self.answers), only, response_format=schema)]

    @property
    def answer_tokens(self) -> float:
        return _usual_length(self.answers)

    def said(self, replies: Sequence[Reply]) -> Said:
        text = replies[0].text
        found = _json_object(text)
        vote = {}
        for task, answers in self.answers.items():
            if not isinstance(found.get(task), str):
                raise UnreadableError(f"expected JSON with an answer for {task!r}, but the model said {text[:300]!r}")
            meaning = answers.meanings[answers.read(found[task])]
            if meaning is not None:
                vote[task] = meaning
        return Said(vote or None, 1.0, text)


def _json_object(text: str) -> dict[str, Any]:
    """The JSON object in a reply, which may stand in a block of code."""
    start, end = text.find("{"), text.rfind("}")
    try:
        found = json.loads(text[start : end + 1])
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise UnreadableError(f"expected a JSON object, but the model said {text[:300]!r}")
    return found


def _schema(answers: Mapping[str, Answers]) -> dict[str, Any]:
    """An object that has one of some answers for each question."""
    return _json_schema(
        {
            "type": "object",
            "properties": {name: {"type": "string", "enum": list(one.texts)} for name, one in answers.items()},
            "required": list(answers),
            "additionalProperties": False,
        }
    )


def _json_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)}}


def _objects(answers: Mapping[str, Answers]) -> list[str]:
    """All objects with answers, as JSON; none if they are too many to list."""
    if math.prod(len(one.texts) for one in answers.values()) > _MOST_OBJECTS:
        return []
    chosen = itertools.product(*(one.texts for one in answers.values()))
    return [json.dumps(dict(zip(answers, texts, strict=True))) for texts in chosen]


def _length(answers: Mapping[str, Answers]) -> int:
    """As many tokens as an object with answers can have, with spaces and line breaks: a token is at least a byte."""
    longest = {name: max(one.texts, key=lambda text: len(text.encode())) for name, one in answers.items()}
    return len(json.dumps(longest, indent=4).encode()) + 8


def _usual_length(answers: Mapping[str, Answers]) -> float:
    """The tokens of an object with answers, about: marks and quotes are tokens of their own."""
    texts = [guessed_tokens(len(text.encode())) for one in answers.values() for text in one.texts]
    names = sum(guessed_tokens(len(name.encode())) for name in answers)
    return 3.0 + names + len(answers) * (5.0 + float(np.mean(texts)))
