"""Files that are read: whatever goes wrong on the way is one kind of error, which names the file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import AssayError


def is_file(path: str | Path) -> bool:
    """Whether there is such a file; False for what no file can be called.

    >>> is_file("x" * 5_000), is_file("a\\0b")
    (False, False)
    """
    return os.path.isfile(path)


@contextmanager
def reading(path: str | Path, what: str, error: type[AssayError] = AssayError) -> Iterator[None]:
    """Say of anything that fails within that a file is not a valid ``what``, as an error of this kind.

    Bytes that are not what they should be fail in any way: they nest too deeply, are of the wrong type, ask for
    more memory than there is. Errors of ours already say what is wrong; they are only told where.

    >>> import json
    >>> with reading("model.npz", "model file"):
    ...     json.loads("[" * 100_000)
    Traceback (most recent call last):
    assay.errors.AssayError: model.npz is not a valid model file, or it is damaged: it is nested too deeply
    """
    try:
        yield
    except FileNotFoundError:
        raise error(f"there is no file {path}") from None
    except AssayError as known:
        if str(path) in str(known):
            raise
        raise error(f"{path} is not a valid {what}, or it is damaged: {known}") from known
    except BaseException as failed:
        if not is_failure(failed):
            raise
        raise error(f"{path} is not a valid {what}, or it is damaged: {reason(failed)}") from failed


def is_failure(raised: BaseException) -> bool:
    """Whether something failed, rather than that somebody stops the program.

    polars panics with an exception that is not an ``Exception``.

    >>> is_failure(KeyError("x")), is_failure(KeyboardInterrupt())
    (True, False)
    """
    return isinstance(raised, Exception) or type(raised).__name__ == "PanicException"


def reason(failed: BaseException) -> str:
    """Why something failed, in words."""
    if isinstance(failed, RecursionError):
        return "it is nested too deeply"
    if isinstance(failed, MemoryError):
        return f"it would not fit into memory ({failed})"
    if isinstance(failed, KeyError):
        return f"it lacks {failed}"
    return str(failed) or type(failed).__name__
