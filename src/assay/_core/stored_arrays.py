"""Arrays and values that were read from a file: checked before anything computes with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

_WORDS = {"b": "true or false", "i": "integers", "u": "unsigned integers", "f": "numbers"}


def stored_array(
    arrays: Mapping[str, npt.NDArray[Any]],
    name: str,
    shape: tuple[int | None, ...],
    dtype: type[np.generic] = np.float64,
    *,
    low: float | None = None,
    high: float | None = None,
) -> npt.NDArray[Any]:
    """An array of a file, of this type and shape (None: any length), finite and between two bounds.

    Compiled loops trust what they are given: an index out of range would read, or write, other memory.

    Raises
    ------
    KeyError, ValueError
        If it is not there, or not like that.

    >>> stored_array({"prior": np.array([0.5, np.nan])}, "prior", (2,), low=0, high=1)
    Traceback (most recent call last):
    ValueError: 'prior' must hold finite numbers, but does not
    """
    array = arrays[name]
    wanted = np.dtype(dtype)
    if array.dtype != wanted:
        raise ValueError(f"{name!r} must hold {_WORDS[wanted.kind]} ({wanted}), but its type is {array.dtype}")
    if array.ndim != len(shape) or any(want not in (None, got) for want, got in zip(shape, array.shape, strict=True)):
        expected = " × ".join("any" if length is None else str(length) for length in shape) or "a single value"
        raise ValueError(f"{name!r} must be {expected}, but its shape is {array.shape}")
    if not array.size:
        return array
    if wanted.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name!r} must hold finite numbers, but does not")
    for bound, found, is_out in ((low, array.min(), np.less), (high, array.max(), np.greater)):
        if bound is not None and is_out(found, bound):
            raise ValueError(f"{name!r} must be {_range(low, high)}, but has {found}")
    return array


def distribution(arrays: Mapping[str, npt.NDArray[Any]], name: str, outcomes: int) -> npt.NDArray[np.float64]:
    """(outcomes,): probabilities that sum to one.

    >>> distribution({"balance": np.array([0.5, 0.7])}, "balance", 2)
    Traceback (most recent call last):
    ValueError: 'balance' must be probabilities that sum to one, but they sum to 1.2
    """
    found = stored_array(arrays, name, (outcomes,), low=0, high=1 + _ROUNDING)
    if abs(found.sum() - 1) > _ROUNDING:
        raise ValueError(f"{name!r} must be probabilities that sum to one, but they sum to {found.sum():g}")
    return found


def stored_number(said: Mapping[str, Any], name: str, low: float, high: float) -> float:
    """A number of a file, between two bounds.

    >>> stored_number({"discount": "x"}, "discount", 0, 1)
    Traceback (most recent call last):
    ValueError: 'discount' must be a number from 0 to 1, but is 'x'
    """
    value = said[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError(f"{name!r} must be a number {_range(low, high)}, but is {value!r}")
    return value


def of_type(kind: Any, said: Any) -> Any:
    """A dataclass, a tuple or a plain value from what a file says, if its types are right.

    Raises
    ------
    ValueError
        If they are not.

    >>> of_type(tuple[str, ...], ["a", 5])
    Traceback (most recent call last):
    ValueError: 1: Input should be a valid string
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(kind).validate_python(said)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


_ROUNDING = 1e-6
"""How far sums may be off."""


def _range(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return f"at most {high}" if low is None else f"at least {low}"
    return f"from {low:g} to {high:g}"
