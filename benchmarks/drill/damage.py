"""Ways to damage a file: its bytes, the arrays it holds, and what it says in JSON."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import numpy.typing as npt

Rng = np.random.Generator
Array = npt.NDArray[Any]

NESTED = 100_000
"""How deep the deepest JSON is."""


def flipped(raw: bytes, rng: Rng) -> bytes:
    """One bit is another."""
    found = bytearray(raw)
    found[rng.integers(len(raw))] ^= 1 << int(rng.integers(8))
    return bytes(found)


def cut(raw: bytes, rng: Rng) -> bytes:
    """The end is missing."""
    return raw[: int(rng.integers(len(raw)))]


def doubled(raw: bytes, rng: Rng) -> bytes:
    """A part is there twice."""
    start, stop = sorted(rng.integers(len(raw) + 1, size=2).tolist())
    return raw[:stop] + raw[start:]


def overwritten(raw: bytes, rng: Rng) -> bytes:
    """A part is something else, or zeros."""
    start = int(rng.integers(len(raw)))
    length = int(rng.integers(1, 64))
    other = bytes(length) if rng.random() < 0.5 else rng.bytes(length)
    return (raw[:start] + other + raw[start + length :])[: len(raw)]


OF_BYTES: tuple[Callable[[bytes, Rng], bytes], ...] = (flipped, cut, doubled, overwritten)


def array_damaged(array: Array, rng: Rng) -> Array:
    """An array with one thing wrong: its shape, its type, a value, or its order."""
    kinds: list[Callable[[], Array]] = [
        lambda: array[..., None],
        lambda: array.ravel()[: max(array.size - 1, 0)],
        lambda: np.concatenate([array.ravel(), array.ravel()]),
        lambda: array.astype(str),
        lambda: np.zeros(0, dtype=array.dtype),
        lambda: array.ravel()[::-1].reshape(array.shape),
    ]
    if array.dtype.kind in "iuf":
        kinds += [
            lambda: array.astype(np.float32 if array.dtype.kind == "f" else np.float64),
            lambda: array.astype(array.dtype.newbyteorder(">")),
        ]
    if array.dtype.kind in "if" and array.size:
        worst = [-5, 7, 10**15] if array.dtype.kind == "i" else [np.nan, np.inf, -5.0, 7.0, 1e300]
        kinds += [lambda value=value: _with(array, rng, value) for value in worst]  # type: ignore[misc]
    return kinds[int(rng.integers(len(kinds)))]()


def _with(array: Array, rng: Rng, value: float) -> Array:
    changed = array.copy()
    limits = np.iinfo(array.dtype) if array.dtype.kind == "i" else np.finfo(array.dtype)
    changed.reshape(-1)[rng.integers(array.size)] = value if value != value else np.clip(value, limits.min, limits.max)
    return changed


def json_damaged(said: Any, rng: Rng) -> Any:
    """A JSON value in which one place is missing, of another type, or out of range."""
    changed = deepcopy(said)
    place, key = _place(changed, rng)
    others: list[Any] = [None, -1, 7, 99, 1e308, float("nan"), "x", "x" * 50_000, [], {}, [[]], True, 2**70]
    if rng.random() < 0.2:
        place.pop(key)
    else:
        place[key] = others[int(rng.integers(len(others)))]
    return changed


def _place(said: Any, rng: Rng) -> tuple[Any, Any]:
    """A place somewhere within, all depths alike."""
    found = [(said, key) for key in (said if isinstance(said, dict) else range(len(said)))]
    level = found
    while level:
        inside = [place[key] for place, key in level if isinstance(place[key], dict | list) and place[key]]
        if not inside or rng.random() < 0.3:
            break
        within = inside[int(rng.integers(len(inside)))]
        level = [(within, key) for key in (within if isinstance(within, dict) else range(len(within)))]
        found = level
    return found[int(rng.integers(len(found)))]


def npz_damaged(raw: bytes, rng: Rng) -> bytes:
    """A well-formed ``.npz`` file with one array, or one word of its JSON, that is wrong."""
    with np.load(io.BytesIO(raw), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    kind = rng.random()
    if kind < 0.04:
        return _bomb(arrays)
    if kind < 0.08:
        arrays["said"] = np.array("[" * NESTED)
    elif kind < 0.4:
        arrays["said"] = np.array(json.dumps(json_damaged(json.loads(str(arrays["said"])), rng)))
    else:
        name = sorted(set(arrays) - {"said"})[int(rng.integers(len(arrays) - 1))]
        if rng.random() < 0.1:
            del arrays[name]
        else:
            arrays[name] = array_damaged(arrays[name], rng)
    return _npz(arrays)


def _npz(arrays: dict[str, Array]) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def _bomb(arrays: dict[str, Array]) -> bytes:
    """A small file with an array that says it is larger than any memory."""
    file = io.BytesIO(_npz(arrays))
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (10**13,)})
    with zipfile.ZipFile(file, "a") as members:
        members.writestr("bomb.npy", head.getvalue())
    return file.getvalue()
