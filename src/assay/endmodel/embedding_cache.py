"""Embeddings that were computed before: one SQLite file, by the content of the texts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Self
from zlib import crc32

import numpy as np
import numpy.typing as npt

from assay.errors import DataError

Floats = npt.NDArray[np.float32]
_PATIENCE = 60.0
"""How many seconds to wait while another process writes."""
_AT_ONCE = 500
"""As many vectors are asked for at a time."""
_TABLES = """
CREATE TABLE IF NOT EXISTS encoders (name TEXT PRIMARY KEY, probe BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS vectors (
    encoder TEXT NOT NULL, text BLOB NOT NULL, vector BLOB NOT NULL, checksum INTEGER NOT NULL,
    PRIMARY KEY (encoder, text)
) WITHOUT ROWID;
"""


class EmbeddingCache:
    """Vectors of one encoder by the content of texts. Texts themselves are not kept.

    Vectors are in the file once :meth:`put` returns, even if the process is killed then. Several processes may use a
    file at the same time, and a file may hold the vectors of several encoders.
    """

    def __init__(self, path: Path, encoder: str) -> None:
        self.path, self.encoder = path, encoder
        with self._faults():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
            try:
                self._file.execute("PRAGMA journal_mode = WAL")
                self._file.execute("PRAGMA synchronous = NORMAL")
                self._file.executescript(_TABLES)
            except sqlite3.Error:
                self._file.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def probe(self) -> Floats | None:
        """What the encoder that filled the cache makes of a text which never changes; None if it is new here."""
        with self._faults():
            found = self._file.execute("SELECT probe FROM encoders WHERE name = ?", (self.encoder,)).fetchone()
        return None if found is None else np.frombuffer(found[0], dtype=np.float32)

    def begin(self, probe: Floats) -> None:
        """Forget the vectors of another encoder that had this name."""
        with self._faults(), self._at_once():
            self._file.execute("DELETE FROM vectors WHERE encoder = ?", (self.encoder,))
            self._file.execute("INSERT OR REPLACE INTO encoders VALUES (?, ?)", (self.encoder, probe.tobytes()))

    def get(self, texts: Sequence[str]) -> dict[str, Floats]:
        """Those of some texts that are known."""
        keys = {_key(text): text for text in texts}
        found = {}
        listed = list(keys)
        for start in range(0, len(listed), _AT_ONCE):
            some = listed[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            # Only marks are put into the query, as many as there are keys.
            query = f"SELECT text, vector, checksum FROM vectors WHERE encoder = ? AND text IN ({marks})"  # noqa: S608
            with self._faults():
                rows = self._file.execute(query, (self.encoder, *some)).fetchall()
            for key, vector, checksum in rows:
                if crc32(vector) != checksum:
                    raise DataError(f"{self.path} is damaged: a vector is not what was written; remove the file")
                found[keys[key]] = np.frombuffer(vector, dtype=np.float32)
        return found

    def put(self, texts: Sequence[str], vectors: Floats) -> None:
        """Keep the vectors of some texts."""
        raw = [vector.tobytes() for vector in vectors]
        rows = [(self.encoder, _key(text), one, crc32(one)) for text, one in zip(texts, raw, strict=True)]
        with self._faults(), self._at_once():
            self._file.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """All that is written in the block, or nothing."""
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._file.execute("ROLLBACK")
            raise
        self._file.execute("COMMIT")

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise DataError(
                f"cannot use {self.path} as a cache of embeddings: {error}; remove it, or name another"
            ) from error


def _key(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
