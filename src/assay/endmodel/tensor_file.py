"""Tensors on disk: a safetensors file, with JSON for the rest in its header. Nothing in it is ever run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from assay._core.atomic_files import writing
from assay.errors import AssayError

_KEY = "assay"


def write_tensors(path: str | Path, kind: str, said: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Path:
    """Write tensors and JSON to one file, which is there whole, or not at all."""
    target = Path(path)
    header = {_KEY: json.dumps({"kind": kind, **said})}
    with writing(target) as unfinished:
        save_file(_apart(tensors), unfinished, header)
    return target


def _apart(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Tensors on the CPU that share no memory, as a file has them: networks may use a weight twice."""
    found: dict[str, Tensor] = {}
    places: set[int] = set()
    for name, tensor in tensors.items():
        own = tensor.detach().cpu().contiguous()
        place = own.untyped_storage().data_ptr()
        found[name] = own.clone() if place in places else own
        places.add(place)
    return found


def read_tensors(path: str | Path, kind: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """What :func:`write_tensors` was given."""
    if not Path(path).is_file():
        raise AssayError(f"there is no file {path}")
    try:
        with safe_open(path, framework="pt") as file:
            said = json.loads((file.metadata() or {})[_KEY])
            if said["kind"] != kind:
                raise AssayError(f"{path} holds {said['kind']}, but {kind} was expected")
            return said, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  not a dict
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise AssayError(
            f"{path} does not hold {kind} that Assay wrote, or is damaged or cut short: {error}"
        ) from error


def under(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Tensors with a prefix before their names.

    >>> import torch
    >>> part_of("a", under("a", {"x": torch.ones(1)}))
    {'x': tensor([1.])}
    """
    return {f"{prefix}/{name}": tensor for name, tensor in tensors.items()}


def part_of(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors that were put under a prefix."""
    start = f"{prefix}/"
    return {name.removeprefix(start): tensor for name, tensor in tensors.items() if name.startswith(start)}
