"""What prompts will cost, before they are asked: calls, tokens and money."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from assay._core.batch_size import BATCH_SIZE
from assay._core.rows import batches
from assay.llm import Endpoint, PromptSettings, Request, Session, TokenRate
from assay.sources.base import Source, flatten
from assay.sources.prompts import PromptSource

if TYPE_CHECKING:
    import pandas as pd

_COUNTED = 100
"""As many questions of a prompt are counted by the server's tokenizer; the rest by their length."""
_GUESSED = TokenRate(10.0, 0.25)
"""Where nobody has counted: a token for four bytes, and ten for each question."""
_ENOUGH = 50
"""From as many earlier answers on the tokens of their questions tell those of others."""
_ENOUGH_ALIKE = 10
"""From as many earlier answers of the same form on their tokens tell those of others."""

Basis = Literal["tokenizer", "earlier answers", "guess"]


@dataclass(frozen=True)
class PromptCost:
    """What one prompt will cost."""

    source: str
    model: str
    questions: int
    """Those to be paid for."""
    kept: int
    """Those whose answers are in the cache."""
    input_tokens: int
    output_tokens: int
    cost: float | None
    """None if the model has no price."""
    basis: Basis
    """How tokens are known: counted by the server's tokenizer, foreseen from earlier answers, or guessed."""


@dataclass(frozen=True)
class PromptCosts:
    """What prompts will cost."""

    prompts: tuple[PromptCost, ...]
    budget: float | None = None

    @property
    def questions(self) -> int:
        """How many are to be paid for."""
        return sum(one.questions for one in self.prompts)

    @property
    def tokens(self) -> int:
        """How many there will be, in and out."""
        return sum(one.input_tokens + one.output_tokens for one in self.prompts)

    @property
    def cost(self) -> float | None:
        """What it will cost; None if a model has no price."""
        known = [one.cost for one in self.prompts if one.cost is not None]
        return sum(known) if len(known) == len(self.prompts) else None

    def to_pandas(self) -> pd.DataFrame:
        """A row for each prompt."""
        import pandas as pd

        return pd.DataFrame([asdict(one) for one in self.prompts])

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        told = [asdict(one) for one in self.prompts]
        return {
            "prompts": told,
            "questions": self.questions,
            "tokens": self.tokens,
            "cost": self.cost,
            "budget": self.budget,
        }

    def __str__(self) -> str:
        cost = "with a model that has no price" if self.cost is None else f"for {self.cost:.4g}"
        if self.cost is not None and self.budget is not None:
            cost += f" of {self.budget:g}" + (", more than the budget" if self.cost > self.budget else "")
        return f"{self.questions:,} questions, about {self.tokens:,} tokens, {cost}"


def prompt_costs(
    sources: Source | Iterable[Any],
    data: Any,
    *,
    prompts: PromptSettings | None = None,
    ask: Iterable[int] | None = None,
    batch_size: int = BATCH_SIZE,
    tokenizer: bool = True,
) -> PromptCosts:
    """What :func:`assay.apply` would ask and pay, without asking.

    Questions that are the same, or whose answers are kept, count once or not at all. Tokens are counted by the
    tokenizer of servers that have one (vLLM, llama.cpp); else they are foreseen from earlier answers of the model, once
    there are 50 in the cache; else they are guessed from the length of texts. How long answers are is foreseen from
    earlier answers to the same prompt, once there are ten; else a tokenizer counts those that may be given; else it is
    guessed.

    Parameters
    ----------
    sources, data, prompts, ask
        As in :func:`assay.apply`; sources that are not prompts cost nothing.
    batch_size
        How many rows are worked on at a time.
    tokenizer
        Whether a server may be asked to count tokens. If not, no server is asked for anything.

    >>> import assay
    >>> spam = assay.prompt("Is this spam? {text}", answers={"yes": "Spam", "no": "Ham"}, name="is_spam",
    ...     model="large", base_url="http://127.0.0.1:1/v1")
    >>> rows = [{"text": "win a prize"}, {"text": "lunch?"}, {"text": "lunch?"}]
    >>> prices = {"large": {"input": 2.5, "output": 10}}
    >>> print(prompt_costs(spam, rows, prompts=assay.PromptSettings(prices=prices)))
    2 questions, about 33 tokens, for 9.75e-05
    """
    settings = prompts or PromptSettings()
    asked = [source for source in flatten(sources) if isinstance(source, PromptSource)]
    chosen = None if ask is None else frozenset(map(int, ask))
    found = [
        _Questions(source.name, source.endpoint(settings), settings, source.question.answer_tokens) for source in asked
    ]
    with Session(settings) as session:
        seen: set[bytes] = set()

        def count(one: _Questions, requests: Iterable[Request]) -> None:
            for request in requests:
                if request.digest not in seen:
                    seen.add(request.digest)
                    one.add(request, session.holds(request))

        for number, batch in enumerate(batches(data, batch_size)):
            for source, one in zip(asked, found, strict=True):
                count(one, source.empty_requests(settings) if number == 0 else ())
                count(one, chain.from_iterable(source.requests(batch, settings, chosen)))
        return PromptCosts(tuple(one.cost(session, tokenizer) for one in found), settings.budget)


def costs_of_requests(
    name: str, requests: Sequence[Request], settings: PromptSettings, answer_tokens: float
) -> PromptCosts:
    """What some questions to one model would cost, without asking."""
    found = _Questions(name, requests[0].endpoint, settings, answer_tokens)
    with Session(settings) as session:
        for request in requests:
            found.add(request, session.holds(request))
        return PromptCosts((found.cost(session),), settings.budget)


class _Questions:
    """Questions of one kind, counted as they pass by, and some of them kept to be looked at."""

    def __init__(self, name: str, endpoint: Endpoint, settings: PromptSettings, answer_tokens: float) -> None:
        self.name, self.endpoint, self.settings, self.answer_tokens = name, endpoint, settings, answer_tokens
        self.kept = self.new = self.characters = 0
        self.some: list[Request] = []
        self._chance = random.Random(0)  # noqa: S311  of a sample

    def add(self, request: Request, kept: bool) -> None:
        if kept:
            self.kept += 1
            return
        self.new += 1
        self.characters += request.characters
        if len(self.some) < _COUNTED:
            self.some.append(request)
        elif (at := self._chance.randrange(self.new)) < _COUNTED:  # each is in the sample with the same chance
            self.some[at] = request

    def cost(self, session: Session, tokenizer: bool = True) -> PromptCost:
        rate, answer, basis = self._rate(session, tokenizer)
        tokens_in = round(rate.tokens(self.new, self.characters))
        tokens_out = round(answer * self.new)
        price = self.settings.prices.get(self.endpoint.model)
        return PromptCost(
            source=self.name,
            model=self.endpoint.model,
            questions=self.new,
            kept=self.kept,
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            cost=None if price is None else price.cost(tokens_in, tokens_out),
            basis=basis,
        )

    def _rate(self, session: Session, tokenizer: bool) -> tuple[TokenRate, float, Basis]:
        """Tokens of a question by its length, tokens of an answer, and how they are known."""
        if not self.some:
            return _GUESSED, self.answer_tokens, "guess"
        answer = self._answer(session, tokenizer)
        counts = session.count_tokens(self.some) if tokenizer else None
        if counts is not None:
            return TokenRate.of([request.characters for request in self.some], counts), answer, "tokenizer"
        earlier = session.earlier(self.endpoint)
        if earlier is not None and earlier.answers >= _ENOUGH:
            return earlier.rate, answer, "earlier answers"
        return _GUESSED, answer, "guess"

    def _answer(self, session: Session, tokenizer: bool) -> float:
        """Tokens of an answer, as earlier ones of the same form had; before that, as those that may be given have.

        A server that only takes a schema may let models write more than that: short tokens, and marks around a
        JSON object, which are paid for though nobody sees them.
        """
        total = 0.0
        forms = {request.form: request for request in self.some}
        for form, count in Counter(request.form for request in self.some).items():
            answers, tokens = session.answer_tokens(self.endpoint, form)
            if answers < _ENOUGH_ALIKE:
                possible = session.count_answer_tokens(forms[form]) if tokenizer else None
                tokens = self.answer_tokens if possible is None else possible
            total += count * tokens
        return total / len(self.some)
