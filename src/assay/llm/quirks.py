"""What servers differ in: parameters that some refuse, and how to go on without them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_MAY_BE_REFUSED = {
    "max_completion_tokens": ("max_tokens",),
    "response_format": ("response_format",),
    "json_schema": ("response_format",),
    "grammar": ("grammar", "response_format"),
    "top_logprobs": ("logprobs", "top_logprobs"),
    "logprobs": ("logprobs", "top_logprobs"),
    "seed": ("seed",),
    "temperature": ("temperature",),
}
"""What a server complains of -> the parameters that it then gets no more."""
_NEW_NAMES = {"max_tokens": "max_completion_tokens"}
_LIMITED = "top_logprobs"
"""The parameter of which servers take fewer than we ask for."""


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
        self.most: int | None = None
        """As many alternatives of a token as the server tells at most."""

    def learn(self, complaint: str, body: Mapping[str, Any]) -> bool:
        """Whether there is something in a complaint, about a body as it was sent, that can be done without."""
        if "logprobs" in complaint and (limit := _limit(complaint, body.get(_LIMITED))) is not None:
            self.most = limit
            return True
        for word, parameters in _MAY_BE_REFUSED.items():
            # What another question was refused for, while this one was under way, is refused here for the same reason.
            sent = {name for name in parameters if name in body}
            if word in complaint and sent:
                self.refused |= sent
                return True
        return False

    def adapted(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """A body without what the server refuses."""
        kept = {name: value for name, value in body.items() if name not in self.refused}
        renamed = {_NEW_NAMES[name]: body[name] for name in self.refused if name in _NEW_NAMES and name in body}
        if self.most is not None and _LIMITED in kept:
            kept[_LIMITED] = min(kept[_LIMITED], self.most)
        return {**kept, **renamed}


def _limit(complaint: str, asked: int | None) -> int | None:
    """The number that a complaint names as the most there can be: the largest that is below what was asked for."""
    named = [int(number) for number in re.findall(r"(?<![\w.])\d{1,3}(?![\w.]\w)", complaint)]
    return max((number for number in named if 0 < number < (asked or 0)), default=None)
