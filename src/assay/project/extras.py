"""Which steps can be taken with the optional packages that are installed."""

from __future__ import annotations

import importlib.util


def can_train() -> bool:
    """Whether end models can be trained and read: the extra ``torch``."""
    return _installed("torch", "safetensors")


def can_draw() -> bool:
    """Whether the page of a report can be made: the extra ``report``."""
    return _installed("altair", "vl_convert")


def _installed(*packages: str) -> bool:
    return all(importlib.util.find_spec(package) is not None for package in packages)
