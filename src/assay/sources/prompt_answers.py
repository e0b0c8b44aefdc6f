"""The answers of a prompt: what each means, and how they are found in what a model says, or in its probabilities."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import SourceError
from assay.llm import Token
from assay.votes import intern

FloatArray = npt.NDArray[np.float64]

_AROUND = " \t\r\n\"'`*_.,;:!?()[]“”‘’"
"""Quotes, punctuation and emphasis that models put around an answer."""
_TOLD = re.compile(r"\banswer(?:\s+is\s*[:=]?|\s*[:=])\s*([^\n]+?)\s*$", re.IGNORECASE)
_SHARED = 3
"""Answers that begin with as many equal characters may begin with the same token."""


class UnreadableError(SourceError):
    """A model answered something else than what it was asked for."""


@dataclass(frozen=True)
class Answers:
    """The answers that a model may give to one question, and what each says."""

    texts: tuple[str, ...]
    meanings: tuple[Any, ...]
    """What a source votes for each, None to abstain."""

    @classmethod
    def of(cls, given: Any, where: str = "answers") -> Answers:
        """From a dict of answer -> vote, or a list of labels that are answers themselves."""
        if isinstance(given, Mapping):
            texts, meanings = tuple(given), tuple(given.values())
        elif isinstance(given, Sequence) and not isinstance(given, str | bytes):
            texts = meanings = tuple(given)
        else:
            raise SourceError(f"{where} must be a dict of answer -> label, or a list of labels, but is {given!r}")
        strange = [text for text in texts if not isinstance(text, str) or not _plain(text)]
        if strange:
            raise SourceError(f"{where} must be texts, but one is {strange[0]!r}")
        if len({_plain(text) for text in texts}) < len(texts):
            raise SourceError(f"{where} must differ by more than case and punctuation, but are {list(texts)}")
        if len(texts) < 2:
            raise SourceError(f"{where} must be at least two, or there is nothing to ask; map one to None to abstain")
        if all(meaning is None for meaning in meanings):
            raise SourceError(f"{where} must have at least one that is not None, or the prompt always abstains")
        return cls(texts, meanings)

    @cached_property
    def votes(self) -> tuple[npt.NDArray[np.int32], list[Any]]:
        """(answers,): the number of each answer's vote, −1 to abstain; and the votes, each once."""
        return intern(list(self.meanings))

    @cached_property
    def _plain_texts(self) -> tuple[str, ...]:
        return tuple(map(_plain, self.texts))

    @property
    def begin_apart(self) -> bool:
        """Whether no two answers can begin with the same token, as far as that can be told without the model."""
        for i, one in enumerate(self._plain_texts):
            for other in self._plain_texts[:i]:
                shared = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
                if shared is None or shared >= _SHARED or one.split()[0] == other.split()[0]:
                    return False
        return True

    def read(self, text: str, finished: bool = True) -> int:
        """The number of the answer that a text gives.

        It is one if it is the answer, up to case and punctuation; begins with it and goes on after a comma, full stop
        or line break; ends in "answer: …"; is JSON with the answer; or, if it was cut, begins only this answer.

        Raises
        ------
        UnreadableError
            If it is none of these, or more than one.

        >>> yes_no = Answers(("yes", "no"), ("Spam", None))
        >>> [yes_no.read(text) for text in ("Yes.", "**No**, it is not", '{"answer": "yes"}', "So the answer is: no")]
        [0, 1, 0, 1]
        """
        told = _from_json(text)
        for candidate in (told, text, *_openings(text), *(match.group(1) for match in _TOLD.finditer(text))):
            if candidate is not None and _plain(candidate) in self._plain_texts:
                return self._plain_texts.index(_plain(candidate))
        if not finished and (found := self._begun(text)) is not None:
            return found
        wanted = ", ".join(map(repr, self.texts))
        raise UnreadableError(f"expected one of the answers {wanted}, but the model said {_shown(text)}")

    def _begun(self, text: str) -> int | None:
        """The answer that a text is the beginning of, if it is of one only."""
        start = _plain(text)
        if start in self._plain_texts:
            return self._plain_texts.index(start)
        found = [number for number, answer in enumerate(self._plain_texts) if start and answer.startswith(start)]
        return found[0] if len(found) == 1 else None

    def one_hot(self, number: int) -> FloatArray:
        """(answers,): certain of one."""
        certain = np.zeros(len(self.texts))
        certain[number] = 1.0
        return certain

    def from_token(self, token: Token) -> FloatArray | None:
        """(answers,): how probable each is by the first token of a reply; None if no token begins an answer."""
        weights = np.zeros(len(self.texts))
        for text, logprob in token.top or ((token.text, token.logprob),):
            number = self._begun(text)
            if number is not None:
                weights[number] += math.exp(logprob)
        return weights / weights.sum() if weights.sum() > 0 else None

    def from_logprobs(self, logprobs: Sequence[float]) -> FloatArray:
        """(answers,): how probable each is by the log-probability of its whole text."""
        logs = np.asarray(logprobs)
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())

    def decided(self, probabilities: FloatArray) -> tuple[int, float]:
        """The number of the most probable vote, −1 to abstain, and its probability.

        Answers that mean the same count together. Two votes that are equally probable are an abstention.
        """
        codes, values = self.votes
        sums = np.zeros(len(values) + 1)
        np.add.at(sums, codes, probabilities)  # the last place is that of −1
        order = np.argsort(-sums, kind="stable")
        if len(order) > 1 and sums[order[0]] - sums[order[1]] < 1e-9:
            return -1, 0.0
        best = int(order[0])
        return (-1, 0.0) if best == len(values) else (best, float(min(sums[best], 1.0)))


def calibrated(probabilities: FloatArray, empty: FloatArray) -> FloatArray:
    """Probabilities relative to what the model says of an empty row, for which they become even.

    >>> calibrated(np.array([0.8, 0.2]), np.array([0.8, 0.2])).tolist()
    [0.5, 0.5]
    """
    weights = probabilities / np.maximum(empty, 1e-6)
    return np.asarray(weights / weights.sum())


def _plain(text: str) -> str:
    return " ".join(text.strip(_AROUND).casefold().split())


def _openings(text: str) -> list[str]:
    """The text up to its first punctuation mark or line break."""
    start = text.lstrip(_AROUND)
    match = re.search(r"[.,;:!?\n*\"]", start)
    return [] if match is None else [start[: match.start()]]


def _from_json(text: str) -> str | None:
    """The answer in a reply that is JSON: a text, or an object with one."""
    try:
        said = json.loads(text)
    except ValueError:
        return None
    if isinstance(said, dict) and len(said) == 1:
        said = next(iter(said.values()))
    return said if isinstance(said, str) else None


def _shown(text: str) -> str:
    return repr(text if len(text) <= 200 else f"{text[:200]} …")
