"""scikit-learn end models on disk: one ``.npz`` file with JSON, and classifiers as skops stores them; never pickle."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from assay._core.atomic_files import Arrays, read_arrays, write_arrays
from assay._core.extras import how_to_install
from assay._core.reading import is_file, reading
from assay._core.stored_arrays import of_type, stored_array
from assay.errors import AssayError

_FORMAT = 1
_KIND = "scikit-learn end model"
_ESTIMATOR = "estimator"


@dataclass(frozen=True, eq=False)
class StoredClassifiers:
    """What a file of a scikit-learn end model holds."""

    settings: Mapping[str, Any]
    """Those of the model that JSON can tell."""
    tasks: Mapping[str, Any]
    """The task graph of the labels, as :meth:`assay.TaskGraph.to_dict` has it."""
    estimator: Any
    """The classifier as it was given, not fitted."""
    classifiers: tuple[Any, ...]
    """Those that were fitted; or, where there was nothing to tell apart, the number of the only label."""

    def write(self, path: str | Path) -> Path:
        """Write all of it to one file, which is there whole, or not at all."""
        arrays = {_ESTIMATOR: _dumped(self.estimator)}
        only: list[int | None] = []
        for at, classifier in enumerate(self.classifiers):
            only.append(classifier if isinstance(classifier, int) else None)
            if only[-1] is None:
                arrays[_name(at)] = _dumped(classifier)
        said = {
            "kind": _KIND,
            "format": _FORMAT,
            "settings": dict(self.settings),
            "tasks": dict(self.tasks),
            "only": only,
        }
        return write_arrays(path, {**said, "digest": _digest(said, arrays)}, arrays)

    @classmethod
    def read(cls, path: str | Path, trusted: Sequence[str]) -> StoredClassifiers:
        """What was written, if all types in it are trusted: by skops, or by name."""
        if isinstance(trusted, str) or not all(isinstance(name, str) for name in _listed(trusted)):
            raise AssayError(
                "trusted must be the full names of types, such as ['sklearn.tree._tree.Tree'], or functions, "
                f"but is {trusted!r}"
            )
        if not is_file(path):
            raise AssayError(f"there is no file {path}")
        _skops()  # before the file is said to be at fault
        said, arrays = read_arrays(path, _KIND)
        if said.get("kind") != _KIND or said.get("format") != _FORMAT:
            raise AssayError(f"{path} is no {_KIND}, or one of another version of Assay")
        with reading(path, _KIND):
            digest = said.pop("digest")
            if digest != _digest(said, arrays):
                raise ValueError("it does not hold what was written to it")
            only = of_type(tuple[int | None, ...], said["only"])
            names = [_ESTIMATOR, *(_name(at) for at, label in enumerate(only) if label is None)]
            stored = {name: stored_array(arrays, name, (None,), np.uint8).tobytes() for name in names}
            _refuse_untrusted(path, stored.values(), trusted)
            loaded = {name: _loaded(path, part, trusted) for name, part in stored.items()}
            classifiers = tuple(loaded[_name(at)] if label is None else label for at, label in enumerate(only))
            settings, tasks = (of_type(dict[str, Any], said[name]) for name in ("settings", "tasks"))
        return cls(settings, tasks, loaded[_ESTIMATOR], classifiers)


def _refuse_untrusted(path: str | Path, stored: Iterable[bytes], trusted: Sequence[str]) -> None:
    """Look at the names of all types before anything is made of them."""
    skops = _skops()
    unknown = sorted({name for part in stored for name in skops.get_untrusted_types(data=part)} - set(trusted))
    if unknown:
        raise AssayError(
            f"{path} holds types that are not known to be safe: {', '.join(unknown)}. Look at each, since loading "
            "may run its code; those that you trust are allowed by name: "
            f"SklearnEndModel.load(path, trusted={[*trusted, *unknown]!r})"
        )


def _loaded(path: str | Path, stored: bytes, trusted: Sequence[str]) -> Any:
    try:
        return _skops().loads(stored, trusted=list(trusted))
    except (ImportError, AttributeError) as error:
        raise AssayError(
            f"{path} needs code that cannot be imported here: {error}; install or import what it was saved with"
        ) from error


def _dumped(estimator: Any) -> npt.NDArray[np.uint8]:
    """The bytes that skops makes of an estimator."""
    skops = _skops()
    try:
        stored = skops.dumps(estimator)
        nameless = [name for name in skops.get_untrusted_types(data=stored) if "<" in name]
    except Exception as error:  # skops calls code of the estimator, which fails in any way
        raise AssayError(f"{estimator!r} cannot be saved without pickle: {error}. {_INSTEAD}") from error
    if nameless:
        told = ", ".join(nameless)
        raise AssayError(f"{estimator!r} cannot be saved without pickle: nothing could import {told}. {_INSTEAD}")
    return np.frombuffer(stored, dtype=np.uint8)


_INSTEAD = (
    "Use functions and classes that a module has by name; or assay.EndModel(tasks, encoder=assay.Features()), "
    "which can be saved"
)


def _skops() -> Any:
    try:
        import skops.io
    except ModuleNotFoundError as missing:
        raise AssayError(
            f"to save or load assay.SklearnEndModel needs {missing.name}, which is not installed: "
            f"{how_to_install('sklearn')}"
        ) from missing
    return skops.io


def _listed(trusted: Any) -> list[Any]:
    return list(trusted) if isinstance(trusted, Iterable) else [trusted]


def _name(at: int) -> str:
    return f"classifier {at}"


def _digest(said: Mapping[str, Any], arrays: Arrays) -> str:
    digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype} {array.shape}".encode() + array.tobytes())
    return digest.hexdigest()
