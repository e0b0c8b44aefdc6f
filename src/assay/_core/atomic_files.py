"""Atomic files: written completely, or not at all."""

from __future__ import annotations

import glob
import hashlib
import json
import math
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from typing import Any, BinaryIO
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

from assay._core.memory import memory_bytes
from assay._core.reading import reading
from assay.errors import AssayError

Arrays = dict[str, npt.NDArray[Any]]

_DIGEST = "digest"


@contextmanager
def writing(path: str | Path) -> Iterator[Path]:
    """A path to write to, that takes the place of ``path`` once the block has ended well.

    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "notes.txt"
    >>> with writing(target) as unfinished:
    ...     _ = unfinished.write_text("done")
    ...     target.exists()
    False
    >>> target.read_text()
    'done'
    """
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(target)
        handle, name = mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except (OSError, ValueError) as error:  # a name with a NUL is a ValueError
        raise AssayError(f"cannot write {target}: {getattr(error, 'strerror', None) or error}") from error
    hold(handle)
    unfinished = Path(name)
    try:
        yield unfinished
        unfinished.chmod(0o644)
        try:
            unfinished.replace(target)
        except OSError as error:
            raise AssayError(f"cannot write {target}: {error.strerror}") from error
        finished.append(target)
    finally:
        os.close(handle)
        unfinished.unlink(missing_ok=True)


finished: list[Path] = []
"""The files that this process has written, for whoever is asked what was kept."""

_ABANDONED = 60.0
"""Seconds after which an unfinished file that nobody holds belongs to a process that was killed."""


def hold(handle: int) -> bool:
    """Hold a file as long as it is open; False if another process holds it."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove_abandoned(target: Path) -> None:
    """Remove what processes that were killed left of their attempts to write this file."""
    for path in target.parent.glob(f".{glob.escape(target.name)}.????????"):
        try:
            if time.time() - path.stat().st_mtime < _ABANDONED:
                continue
            with path.open("rb") as file:
                if hold(file.fileno()):
                    path.unlink()
        except OSError:  # gone meanwhile, or not ours to remove
            continue


def write_arrays(path: str | Path, said: Mapping[str, Any], arrays: Arrays) -> Path:
    """Write plain arrays, and JSON for the rest under ``said``, to one ``.npz`` file."""
    target = Path(path)
    with writing(target) as unfinished, unfinished.open("wb") as file:
        np.savez_compressed(file, said=np.array(json.dumps(said)), **arrays)  # type: ignore[arg-type]
    return target


def read_arrays(path: str | Path, what: str) -> tuple[dict[str, Any], Arrays]:
    """What :func:`write_arrays` wrote; ``what`` says what the file should be."""
    with reading(path, what), Path(path).open("rb") as opened:
        _check_sizes(opened)
        opened.seek(0)
        with np.load(opened, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        said = json.loads(str(arrays.pop("said")))
        if not isinstance(said, dict):
            raise ValueError(f"expected a JSON object, but got {said!r}")
        return said, arrays


def _check_sizes(opened: BinaryIO) -> None:
    """Refuse arrays that are larger than what is stored of them, and more of them than fit into memory."""
    total = 0
    with ZipFile(opened) as members:
        for member in members.infolist():
            with members.open(member) as array:
                first = npy.read_magic(array) == (1, 0)
                shape, _, dtype = (npy.read_array_header_1_0 if first else npy.read_array_header_2_0)(array)
                if dtype.hasobject or math.prod(shape) * dtype.itemsize + array.tell() != member.file_size:
                    raise ValueError(f"{member.filename} does not hold {shape} of {dtype}")
            total += member.file_size
    if total > (most := memory_bytes()):
        raise ValueError(f"it holds {total:,} bytes of arrays, but this machine has {most:,}")


def write_json(path: str | Path, said: Mapping[str, Any]) -> Path:
    """Write a JSON object, with a digest of it."""
    target = Path(path)
    with writing(target) as unfinished:
        told = {**said, _DIGEST: _digest(said)}
        unfinished.write_text(json.dumps(told, indent=1), encoding="utf-8")
    return target


def read_json(path: str | Path, what: str, error: type[AssayError] = AssayError) -> dict[str, Any]:
    """The object that :func:`write_json` wrote; ``what`` says what the file should be.

    >>> import tempfile
    >>> kept = write_json(Path(tempfile.mkdtemp()) / "run.json", {"items": 3})
    >>> read_json(kept, "run")
    {'items': 3}
    """
    with reading(path, what, error):
        said = json.loads(Path(path).read_text(encoding="utf-8"))
        if not isinstance(said, dict):
            raise ValueError(f"expected a JSON object, but got {said!r}")
        written = said.pop(_DIGEST, None)  # which files of earlier versions lack
        if written is not None and written != _digest(said):
            raise ValueError("it does not hold what was written to it")
        return said


def _digest(said: Mapping[str, Any]) -> str:
    # Through JSON and back, so that tuples and lists are the same.
    plain = json.loads(json.dumps(said))
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()
