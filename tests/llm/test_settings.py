"""Settings of prompts, checked where they come in."""

import pytest

from assay import PromptSettings
from assay.errors import SourceError
from assay.llm import Price


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"concurrency": 0}, "concurrency must be a positive integer"),
        ({"retries": -1}, "retries must be a non-negative"),
        ({"timeout": 0}, "timeout must be a positive number"),
        ({"timeout": None}, "timeout must be a positive number"),
        ({"budget": "5"}, "budget must be a positive number"),
        ({"requests_per_minute": float("inf")}, "requests_per_minute must be"),
        ({"base_url": "here"}, "base_url must be the URL"),
        ({"key": "sk-secret"}, "name of an environment variable"),
        ({"prices": {"m": 3}}, "the price of 'm' must be"),
        ({"prices": {"m": {"input": 1}}}, "the price of 'm' must be"),
        ({"prices": {"m": {"input": -1, "output": 0}}}, "the input price of 'm' must be"),
    ],
)
def test_what_cannot_be_is_refused(given, complaint):
    with pytest.raises(SourceError, match=complaint):
        PromptSettings(**given)


def test_a_budget_needs_prices():
    settings = PromptSettings(budget=1.0, prices={"large": {"input": 1, "output": 2}})
    assert settings.price_of("large") == Price(1.0, 2.0)
    with pytest.raises(SourceError, match=r"price of the model 'larger', which prices lack\. Did you mean 'large'"):
        settings.price_of("larger")
    assert PromptSettings().price_of("any") is None
