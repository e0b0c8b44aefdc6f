"""How many tokens questions and answers have: counted by a server that has a tokenizer, or as earlier ones had."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from assay.errors import SourceError
from assay.llm.exchange import Request

if TYPE_CHECKING:
    import httpx2


@dataclass(frozen=True)
class TokenRate:
    """Tokens of a question by its length: some for each, and some for each byte."""

    for_each: float
    per_byte: float

    @classmethod
    def of(cls, characters: npt.ArrayLike, tokens: npt.ArrayLike) -> TokenRate:
        """By least squares, from (n,) lengths and counts; both parts are at least 0.

        >>> round(TokenRate.of([10, 20, 40], [15, 20, 30]).tokens(1, 100))
        60
        """
        lengths, counts = (np.asarray(one, dtype=float) for one in (characters, tokens))
        spread = float(((lengths - lengths.mean()) ** 2).sum())
        slope = float(((lengths - lengths.mean()) * counts).sum()) / spread if spread > 0 else 0.0
        start = float(counts.mean() - slope * lengths.mean())
        if start < 0 or slope < 0:  # too few, or too alike, to tell the two apart
            return cls(0.0, float(counts.sum() / lengths.sum())) if lengths.sum() else cls(float(counts.mean()), 0.0)
        return cls(start, slope)

    def tokens(self, questions: int, characters: int) -> float:
        """Of so many questions that have so many bytes together."""
        return self.for_each * questions + self.per_byte * characters


async def answer_tokens(request: Request, http: httpx2.AsyncClient) -> float | None:
    """The tokens of an answer that is to be one of some texts, on average, with the one that ends it.

    None if the server has no tokenizer that we know, or the answer may be anything.
    """
    if not request.only:
        return None
    listed = await all_tokens_of(request, http)
    counts = await _all_by_text(request, http) if listed is None else [len(tokens) for tokens in listed]
    return None if counts is None else float(np.mean(counts)) + 1


async def all_tokens_of(request: Request, http: httpx2.AsyncClient) -> list[list[int]] | None:
    """Of each text that may be answered the numbers of its tokens, as llama.cpp tells them; None if it does not."""
    found: list[list[int]] = []
    for text in request.only:
        asked = {"content": text, "add_special": False, "parse_special": False}
        tokens = (await _post(request, http, "tokenize", asked)).get("tokens")
        if not isinstance(tokens, list) or not tokens or not all(isinstance(token, int) for token in tokens):
            return None
        found.append(tokens)
    return found


async def _all_by_text(request: Request, http: httpx2.AsyncClient) -> list[int] | None:
    """Of each text that may be answered how many tokens it has, as vLLM counts."""
    found: list[int] = []
    for text in request.only:
        asked = {"model": request.endpoint.model, "prompt": text, "add_special_tokens": False}
        count = (await _post(request, http, "tokenize", asked)).get("count")
        if not isinstance(count, int):
            return None
        found.append(count)
    return found


async def counted(requests: Sequence[Request], http: httpx2.AsyncClient) -> list[int] | None:
    """The tokens of questions, as the server's tokenizer counts them; None if it has none that we know."""
    found: list[int] = []
    for request in requests:
        count = await _by_messages(request, http)
        if count is None:
            count = await _by_template(request, http)
        if count is None:
            return None
        found.append(count)
    return found


async def _by_messages(request: Request, http: httpx2.AsyncClient) -> int | None:
    """As vLLM counts: the messages themselves."""
    said = await _post(
        request, http, "tokenize", {"model": request.endpoint.model, "messages": request.body["messages"]}
    )
    count = said.get("count")
    return count if isinstance(count, int) else None


async def _by_template(request: Request, http: httpx2.AsyncClient) -> int | None:
    """As llama.cpp counts: the text that it makes of the messages."""
    said = await _post(request, http, "apply-template", {"messages": request.body["messages"]})
    text = said.get("prompt")
    if not isinstance(text, str):
        return None
    asked = {"content": text, "add_special": True, "parse_special": True}
    tokens = (await _post(request, http, "tokenize", asked)).get("tokens")
    return len(tokens) if isinstance(tokens, list) else None


async def _post(request: Request, http: httpx2.AsyncClient, where: str, body: Any) -> dict[str, Any]:
    import httpx2

    try:
        headers = {**request.endpoint.headers(), "Content-Type": "application/json"}
        response = await http.post(f"{request.endpoint.root_url}/{where}", content=json.dumps(body), headers=headers)
        said = json.loads(response.content) if response.status_code == 200 else {}
    except (httpx2.HTTPError, ValueError, SourceError):  # what is wrong with a key is said by whoever asks
        return {}
    return said if isinstance(said, dict) else {}
