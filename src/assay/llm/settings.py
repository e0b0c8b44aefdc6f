"""How prompts are asked: where, how many at a time, how often again, for how much money, and where answers are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path
from typing import Any

from assay._core.arguments import whole_number
from assay.errors import SourceError, near_miss
from assay.llm.endpoint import Endpoint, check_key_name, check_url


@dataclass(frozen=True)
class Price:
    """What a million tokens cost, in any currency."""

    input: float
    output: float

    def cost(self, input_tokens: float, output_tokens: float) -> float:
        """What some tokens cost.

        >>> Price(0.5, 2.0).cost(1_000_000, 1_000_000)
        2.5
        """
        return (input_tokens * self.input + output_tokens * self.output) / 1e6


@dataclass(frozen=True, kw_only=True)
class PromptSettings:
    """How :func:`assay.apply` asks prompts.

    Parameters
    ----------
    base_url, model, key
        For prompts that do not say it themselves, as in :func:`assay.prompt`.
    cache
        The SQLite file that answers are kept in, so that no question is paid for twice, whatever happens to the
        program. By default a file that lasts as long as the call.
    budget
        As much may be spent in a call of :func:`assay.apply`, in the currency of ``prices``. No question is sent that
        could exceed it; items that were not asked about are counted in ``votes.faults``.
    prices
        Model -> ``{"input": ..., "output": ...}``, what a million tokens cost.
    concurrency
        How many questions are under way at a time.
    requests_per_minute, tokens_per_minute
        The limits of the server, if it has some.
    timeout
        How many seconds an answer may take.
    retries
        How often a question is asked again that failed for a reason that may pass: too many requests, a server
        error, a cut connection, no answer in time, an answer that is none. Between attempts there is a pause,
        which doubles each time, or is as long as the server asks for.
    first_pause
        Its length after the first failure, in seconds.

    >>> PromptSettings(prices={"large": {"input": 2.5, "output": 10}}).prices["large"].cost(1e6, 0)
    2.5
    """

    base_url: str | None = None
    model: str | None = None
    key: str | None = None
    cache: str | Path | None = None
    budget: float | None = None
    prices: Mapping[str, Any] = field(default_factory=dict)
    concurrency: int = 8
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout: float = 60.0
    retries: int = 6
    first_pause: float = 0.5

    def __post_init__(self) -> None:
        if self.base_url is not None:
            check_url(self.base_url)
        check_key_name(self.key)
        whole_number("concurrency", self.concurrency, least=1, error=SourceError)
        whole_number("retries", self.retries, error=SourceError)
        for name in ("budget", "requests_per_minute", "tokens_per_minute", "timeout", "first_pause"):
            value = getattr(self, name)
            may_be_none = name not in ("timeout", "first_pause")
            if not (value is None and may_be_none) and not _is_amount(value):
                raise SourceError(f"{name} must be a positive number, but is {value!r}")
        object.__setattr__(self, "prices", {str(model): _price(model, said) for model, said in self.prices.items()})

    def endpoint(self) -> Endpoint:
        """The server and model that are asked if nobody says another one."""
        missing = [name for name in ("base_url", "model") if not getattr(self, name)]
        if missing or self.base_url is None or self.model is None:
            raise SourceError(
                f"nobody said which model to ask: give {' and '.join(missing)} in assay.PromptSettings(...), or in "
                "[prompts] of assay.toml"
            )
        return Endpoint(base_url=self.base_url, model=self.model, key=self.key)

    def price_of(self, model: str) -> Price | None:
        """What a model costs; None if nobody said it, an error if that is needed to keep to a budget."""
        found: Price | None = self.prices.get(model)
        if found is None and self.budget is not None:
            raise SourceError(
                f"a budget needs the price of the model {model!r}, which prices lack. "
                f"{near_miss(model, self.prices)} Give prices={{{model!r}: {{'input': ..., 'output': ...}}}}, "
                "what a million tokens cost"
            )
        return found


def _is_amount(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) < float("inf")


def _price(model: str, said: Any) -> Price:
    given = vars(said) if isinstance(said, Price) else said
    if not isinstance(given, Mapping) or set(given) != {"input", "output"}:
        raise SourceError(f"the price of {model!r} must be {{'input': ..., 'output': ...}}, but is {said!r}")
    for part, value in given.items():
        if value != 0 and not _is_amount(value):
            raise SourceError(f"the {part} price of {model!r} must be a number of at least 0, but is {value!r}")
    return Price(float(given["input"]), float(given["output"]))
