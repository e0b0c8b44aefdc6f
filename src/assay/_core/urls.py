"""Data that is elsewhere, named by a URL: read through fsspec as if it were a file here."""

from __future__ import annotations

import hashlib
import io
import re
from pathlib import Path, PurePosixPath
from typing import Any

from assay.errors import DataError

_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+://")


class Url(str):
    """Where data is, with what a path can do that is read from.

    >>> Url("s3://bucket/texts.parquet").suffix
    '.parquet'
    """

    @property
    def suffix(self) -> str:
        """The ending of its name."""
        return PurePosixPath(self).suffix

    @property
    def name(self) -> str:
        """It by its whole name."""
        return str(self)

    def open(self, mode: str = "r", **options: Any) -> Any:
        """A file to read from."""
        system, path = self._found()
        opened = system.open(path, "rb")
        return opened if "b" in mode else io.TextIOWrapper(opened, **options)

    def is_file(self) -> bool:
        """Whether there is something."""
        system, path = self._found()
        return bool(system.isfile(path))

    @property
    def size(self) -> int:
        """How many bytes there are."""
        system, path = self._found()
        return int(system.size(path))

    def digest(self) -> str:
        """Tells it from what is there at another time, as far as its server tells: by size, time and tag."""
        system, path = self._found()
        return hashlib.sha256(str(system.checksum(path)).encode()).hexdigest()

    def _found(self) -> tuple[Any, str]:
        """The file system, and the path there."""
        try:
            from fsspec.core import url_to_fs

            system, path = url_to_fs(str(self))
        except ImportError as error:
            needed = "fsspec" if error.name == "fsspec" else str(error)
            raise DataError(f"cannot read {self}: the protocol needs another package: {needed}") from error
        except ValueError as error:
            raise DataError(f"cannot read {self}: {error}") from error
        return system, path


def place_of(data: str | Path) -> Path | Url:
    """Where data is: a file here, or a URL.

    >>> place_of("texts.csv"), place_of("file:///data/texts.csv"), place_of("s3://bucket/texts.csv")
    (PosixPath('texts.csv'), PosixPath('/data/texts.csv'), 's3://bucket/texts.csv')
    """
    if isinstance(data, Path | Url) or not _SCHEME.match(data):
        return data if isinstance(data, Path | Url) else Path(data)
    return Path(data.removeprefix("file://")) if data.startswith("file:///") else Url(data)
