"""Files that are there whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp

from assay.errors import AssayError


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
    except OSError as error:
        raise AssayError(f"cannot write {target}: {error.strerror}") from error
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
