"""Answers that were paid for: one SQLite file, in which each is safe before the next question is asked."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from assay.errors import DataError
from assay.llm.endpoint import Endpoint
from assay.llm.exchange import Reply, Request
from assay.llm.tokens import TokenRate

_PATIENCE = 60.0
"""How many seconds to wait while another process writes."""
_LATEST = 1_000
"""As many answers are looked at to foresee others."""
_TABLE = """
CREATE TABLE IF NOT EXISTS answers (
    question BLOB PRIMARY KEY, url TEXT NOT NULL, model TEXT NOT NULL, reply TEXT NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, characters INTEGER NOT NULL, at REAL NOT NULL,
    form TEXT
) WITHOUT ROWID
"""


@dataclass(frozen=True)
class Kept:
    """What a cache holds of one model."""

    url: str
    model: str
    answers: int
    input_tokens: int
    output_tokens: int
    first: float
    last: float
    """When the first and the last answer came, in seconds since 1970."""


@dataclass(frozen=True)
class Earlier:
    """What the latest answers of a model tell about others."""

    answers: int
    rate: TokenRate


class AnswerCache:
    """Answers by the content of their questions. Questions themselves, with the data in them, are not kept.

    An answer is in the file once :meth:`put` returns, even if the process is killed then. Several processes may use
    a file at the same time.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        with self._faults():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
            try:
                self._file.execute("PRAGMA journal_mode = WAL")
                self._file.execute("PRAGMA synchronous = NORMAL")
                self._file.execute(_TABLE)
                self._add_form()
            except sqlite3.Error:
                self._file.close()
                raise

    def _add_form(self) -> None:
        """Older caches do not say of which form their answers are."""
        if any(name == "form" for _, name, *_ in self._file.execute("PRAGMA table_info(answers)")):
            return
        try:
            self._file.execute("ALTER TABLE answers ADD COLUMN form TEXT")
        except sqlite3.OperationalError as error:
            if "duplicate column" not in str(error):  # another process was faster
                raise

    def get(self, request: Request) -> Reply | None:
        """The answer to a question that was asked before."""
        with self._faults():
            found = self._file.execute("SELECT reply FROM answers WHERE question = ?", (request.digest,)).fetchone()
            return None if found is None else Reply.from_json(found[0])

    def holds(self, request: Request) -> bool:
        """Whether a question was asked before."""
        with self._faults():
            asked = self._file.execute("SELECT 1 FROM answers WHERE question = ?", (request.digest,))
            return asked.fetchone() is not None

    def put(self, request: Request, reply: Reply) -> None:
        """Keep an answer."""
        endpoint = request.endpoint
        with self._faults():
            self._file.execute(
                "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    request.digest,
                    endpoint.chat_url,
                    endpoint.model,
                    reply.to_json(),
                    reply.input_tokens,
                    reply.output_tokens,
                    request.characters,
                    time.time(),
                    request.form,
                ),
            )

    def kept(self) -> list[Kept]:
        """What it holds, by model."""
        with self._faults():
            rows = self._file.execute(
                "SELECT url, model, COUNT(*), SUM(input_tokens), SUM(output_tokens), MIN(at), MAX(at) "
                "FROM answers GROUP BY url, model ORDER BY url, model"
            ).fetchall()
        return [Kept(*row) for row in rows]

    def earlier(self, endpoint: Endpoint) -> Earlier | None:
        """What the latest answers of a model tell about others; None if there are none."""
        with self._faults():
            rows = self._file.execute(
                "SELECT characters, input_tokens FROM answers WHERE url = ? AND model = ? ORDER BY at DESC LIMIT ?",
                (endpoint.chat_url, endpoint.model, _LATEST),
            ).fetchall()
        if not rows:
            return None
        characters, asked = zip(*rows, strict=True)
        return Earlier(len(rows), TokenRate.of(characters, asked))

    def answer_tokens(self, endpoint: Endpoint, form: str) -> tuple[int, float]:
        """How many of the latest answers of a model have a form, and their tokens on average."""
        with self._faults():
            rows = self._file.execute(
                "SELECT output_tokens FROM answers WHERE url = ? AND model = ? AND form = ? ORDER BY at DESC LIMIT ?",
                (endpoint.chat_url, endpoint.model, form, _LATEST),
            ).fetchall()
        return len(rows), sum(tokens for (tokens,) in rows) / max(len(rows), 1)

    def clear(self, *, model: str | None = None) -> int:
        """Forget all answers, or those of one model; returns how many there were."""
        with self._faults():
            where, given = ("", ()) if model is None else (" WHERE model = ?", (model,))
            gone = self._file.execute(f"DELETE FROM answers{where}", given).rowcount  # noqa: S608  no text of a user's
            self._file.execute("VACUUM")
            self._file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return int(gone)

    @property
    def bytes(self) -> int:
        """How large it is on disk."""
        parts = (self.path.with_name(self.path.name + end) for end in ("", "-wal"))
        return sum(part.stat().st_size for part in parts if part.exists())

    def close(self) -> None:
        """Close the file; the last process that does so tidies it up."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise DataError(
                f"cannot use the cache of answers {self.path}: {error}; if it is damaged, remove it, and answers will "
                "be asked for and paid again"
            ) from error
        except (ValueError, TypeError) as error:
            raise DataError(
                f"the cache of answers {self.path} holds something that is no answer ({error}); remove the file, and "
                "answers will be asked for and paid again"
            ) from error
