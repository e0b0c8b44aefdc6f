"""What is made further up, asked for from below."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def from_above(module: str, name: str) -> Any:
    """Something from a module of Assay that is not loaded before it is asked for.

    ``votes.plot`` is where one looks for pictures of votes; but pictures are made of counts and models, which are
    made of votes. So containers know where their pictures are made, and nothing else about it.

    >>> from_above("report.words", "count")(2, "picture")
    '2 pictures'
    """
    return getattr(import_module(f"assay.{module}"), name)
