"""Tensors on disk: a safetensors file, with JSON for the rest in its header. Nothing in it is ever run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from assay._core.atomic_files import writing
from assay._core.reading import is_file, reading
from assay.errors import AssayError

_KEY = "assay"
_DIGEST = "digest"


def write_tensors(path: str | Path, kind: str, said: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Path:
    """Write tensors and JSON to one file, which is there whole, or not at all."""
    target = Path(path)
    told, own = {"kind": kind, **said}, _apart(tensors)
    # One text, since safetensors writes several in an order that changes from run to run.
    noted = json.dumps({**told, _DIGEST: _digest(told, own)})
    with writing(target) as unfinished:
        save_file(own, unfinished, {_KEY: noted})
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
    if not is_file(path):
        raise AssayError(f"there is no file {path}")
    with reading(path, f"file with {kind}"), safe_open(path, framework="pt") as file:
        said = json.loads((file.metadata() or {})[_KEY])
        # Files of earlier versions have no digest.
        digest = said.pop(_DIGEST, None)
        if said["kind"] != kind:
            raise AssayError(f"{path} holds {said['kind']}, but {kind} was expected")
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  not a dict
        if digest is not None and digest != _digest(said, tensors):
            raise AssayError("it does not hold what was written to it")
        broken = next((name for name, tensor in tensors.items() if not _is_finite(tensor)), None)
        if broken is not None:
            raise AssayError(f"{broken!r} must hold finite numbers, but does not")
        return said, tensors


def _digest(told: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> str:
    """Tells the contents of a file from any others."""
    digest = hashlib.sha256(json.dumps(told).encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(json.dumps([name, str(tensor.dtype), list(tensor.shape)]).encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def _is_finite(tensor: Tensor) -> bool:
    return not tensor.is_floating_point() or bool(torch.isfinite(tensor).all())


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
