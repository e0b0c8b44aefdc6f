"""Arguments that users give, checked where they come in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any

import numpy as np

from assay.errors import AssayError


def whole_number(name: str, value: Any, *, least: int = 0, error: type[AssayError] = AssayError) -> int:
    """An argument that must be an integer of at least ``least``.

    >>> whole_number("workers", 1.5, least=1)
    Traceback (most recent call last):
    assay.errors.AssayError: workers must be a positive integer, but is 1.5
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < least:
        wanted = {0: "a non-negative integer", 1: "a positive integer"}.get(least, f"an integer of at least {least}")
        raise error(f"{name} must be {wanted}, but is {value!r}")
    return int(value)


def several(name: str, value: Any, of: str, error: type[AssayError] = AssayError) -> list[Any]:
    """An argument that must be a list, or anything one can go through; a single text is not.

    >>> several("adversarial", 5, "sources")
    Traceback (most recent call last):
    assay.errors.AssayError: adversarial must be a list of sources, but is 5
    """
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise error(f"{name} must be a list of {of}, but is {value!r}")
    return list(value)


def random_numbers(seed: Any, *also: int) -> np.random.Generator:
    """Random numbers that depend on a seed, and on nothing but it and ``also``.

    >>> random_numbers("x")
    Traceback (most recent call last):
    assay.errors.AssayError: seed must be a non-negative integer, but is 'x'
    """
    if isinstance(seed, np.random.Generator) and not also:
        return seed
    number = whole_number("seed", seed)
    return np.random.default_rng([number, *also] if also else number)
