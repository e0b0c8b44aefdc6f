"""Atomic files: written completely, or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.errors import AssayError

Arrays = dict[str, npt.NDArray[Any]]


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
        handle, name = mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except (OSError, ValueError) as error:  # a name with a NUL is a ValueError
        raise AssayError(f"cannot write {target}: {getattr(error, 'strerror', None) or error}") from error
    os.close(handle)
    unfinished = Path(name)
    try:
        yield unfinished
        unfinished.chmod(0o644)
        try:
            unfinished.replace(target)
        except OSError as error:
            raise AssayError(f"cannot write {target}: {error.strerror}") from error
    finally:
        unfinished.unlink(missing_ok=True)


def write_arrays(path: str | Path, said: Mapping[str, Any], arrays: Arrays) -> Path:
    """Write plain arrays, and JSON for the rest under ``said``, to one ``.npz`` file."""
    target = Path(path)
    with writing(target) as unfinished, unfinished.open("wb") as file:
        np.savez_compressed(file, said=np.array(json.dumps(said)), **arrays)  # type: ignore[arg-type]
    return target


def read_arrays(path: str | Path, what: str) -> Arrays:
    """All arrays of an ``.npz`` file that holds what Assay wrote."""
    try:
        with Path(path).open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except FileNotFoundError:
        raise AssayError(f"there is no file {path}") from None
    except Exception as error:  # bytes that are not what they should be fail in any way
        raise AssayError(f"{path} is not a valid {what} file, or it is damaged: {error}") from error
