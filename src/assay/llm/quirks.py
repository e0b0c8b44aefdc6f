"""What servers differ in: parameters that some refuse, and how to go on without them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_MAY_BE_REFUSED = {
    "max_completion_tokens": ("max_tokens",),
    "response_format": ("response_format",),
    "json_schema": ("response_format",),
    "grammar": ("response_format",),
    "top_logprobs": ("logprobs", "top_logprobs"),
    "logprobs": ("logprobs", "top_logprobs"),
    "seed": ("seed",),
    "temperature": ("temperature",),
}
"""What a server complains of -> the parameters that it then gets no more."""
_NEW_NAMES = {"max_tokens": "max_completion_tokens"}


class Quirks:
    """The parameters that one server refuses, learned from its complaints.

    >>> quirks = Quirks()
    >>> quirks.learn("Unknown parameter: 'logprobs'", {"model": "m", "logprobs": True, "top_logprobs": 5})
    True
    >>> quirks.adapted({"model": "m", "logprobs": True, "top_logprobs": 5})
    {'model': 'm'}
    """

    def __init__(self) -> None:
        self.refused: set[str] = set()

    def learn(self, complaint: str, body: Mapping[str, Any]) -> bool:
        """Whether there is something in a complaint, about a body as it was sent, that can be done without."""
        for word, parameters in _MAY_BE_REFUSED.items():
            new = {name for name in parameters if name in body} - self.refused
            if word in complaint and new:
                self.refused |= set(parameters)
                return True
        return False

    def adapted(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """A body without what the server refuses."""
        kept = {name: value for name, value in body.items() if name not in self.refused}
        renamed = {_NEW_NAMES[name]: body[name] for name in self.refused if name in _NEW_NAMES and name in body}
        return {**kept, **renamed}
