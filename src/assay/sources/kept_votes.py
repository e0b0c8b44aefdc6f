"""Votes that are kept from one time to the next, batch by batch: one file a source, to which is only ever appended.

A record holds what a source said about certain rows, and names both by a digest. Each is checked when it is read; what
is damaged, or was left unfinished by a process that was killed, is as if it were not there.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa

from assay._core.atomic_files import finished, hold, writing
from assay._core.reading import is_failure
from assay.errors import AssayError
from assay.sources.base import Source
from assay.sources.batch_job import Failures, OnError, Said
from assay.sources.fingerprints import fingerprint
from assay.tasks import LabelSpace, TaskGraph

MOST_BYTES = 2**30
"""How much is kept of sources that are not applied any more."""
_MAGIC = b"AKV1"
_RECORD = struct.Struct("<4sQQ32sQ32s")
"""The first row, how many rows, their digest, how many bytes follow, their digest."""
_SUM = struct.Struct("<I")
_ENDING = ".votes"
_TYPES = ("int8", "int16", "int32", "int64")


@dataclass(frozen=True)
class Reuse:
    """How much of a source's votes was there already."""

    source: str
    kept: int
    """On how many rows."""
    applied: int
    """On how many rows it was asked."""
    reason: str | None = None
    """Why its votes are not kept; None if they are."""


class _Place(NamedTuple):
    """Where a record is, and what it is about."""

    rows: int
    batch: bytes
    offset: int
    length: int
    digest: bytes


@dataclass
class _Kept:
    """The records of one source."""

    path: Path
    trusted: bool
    """Whether a user promised that its votes depend on nothing else, so that a failure may be a passing one."""
    places: dict[int, _Place] = field(default_factory=dict)
    """By first row; of several about the same rows, the last."""
    size: int = 0
    """Bytes up to the end of the last whole record."""
    used: set[int] = field(default_factory=set)
    file: BinaryIO | None = None


class KeptVotes:
    """A folder with the votes that sources cast earlier; see the ``keep`` of :func:`assay.apply`.

    Parameters
    ----------
    folder
        Made when the first votes are kept.
    most_bytes
        How much to keep of sources that are no longer applied; the oldest are removed first.
    fresh
        Whether all sources are asked again, whatever is there.

    >>> import tempfile
    >>> from assay import TaskGraph, apply, keywords
    >>> tasks, rows = TaskGraph.flat("mail", ["ham", "spam"]), [{"text": "win a prize"}, {"text": "lunch?"}]
    >>> prize = keywords(["prize"], "spam", on="text", name="prize")
    >>> kept = KeptVotes(tempfile.mkdtemp())
    >>> for _ in range(2):
    ...     votes = apply([prize], rows, tasks, keep=kept)
    ...     print(kept.reuse[0].kept, kept.reuse[0].applied)
    0 2
    2 0
    """

    def __init__(self, folder: str | Path, *, most_bytes: int = MOST_BYTES, fresh: bool = False) -> None:
        self.folder = Path(folder)
        self.most_bytes = most_bytes
        self.fresh = fresh
        self.reuse: tuple[Reuse, ...] = ()
        """What the last call of :func:`assay.apply` found here, source by source."""
        self._sources: dict[str, _Kept] = {}
        self._reasons: dict[str, str] = {}
        self._counts: dict[str, list[int]] = {}
        self._may_write = False

    @property
    def count(self) -> int:
        """Of how many sources votes are in the folder."""
        return len(list(self.folder.glob(f"*{_ENDING}")))

    @property
    def size(self) -> int:
        """How many bytes are in the folder."""
        return sum(path.stat().st_size for path in self.folder.glob(f"*{_ENDING}"))

    def clear(self) -> int:
        """Remove everything; returns how many sources had votes here."""
        paths = list(self.folder.glob(f"*{_ENDING}"))
        for path in paths:
            path.unlink(missing_ok=True)
        return len(paths)

    # While sources are applied

    @contextmanager
    def opened(self, sources: Sequence[Source], tasks: TaskGraph) -> Iterator[KeptVotes]:
        """For one application of these sources. What was added stays, however it ends."""
        self._sources, self._reasons, self._may_write = {}, {}, False
        self._counts = {source.name: [0, 0] for source in sources}
        by_digest: dict[str, _Kept] = {}
        lock = self._lock()
        try:
            for source in sources:
                found = fingerprint(source, tasks)
                if found.digest is None:
                    self._reasons[source.name] = found.reason or ""
                    continue
                if found.digest not in by_digest:
                    trusted = getattr(source, "cache", None) is True
                    path = self.folder / f"{found.digest}{_ENDING}"
                    by_digest[found.digest] = _Kept(path, trusted) if self.fresh else _opened(path, trusted)
                self._sources[source.name] = by_digest[found.digest]
            yield self
        finally:
            for kept in by_digest.values():
                if kept.file is not None:
                    kept.file.close()
            self.reuse = tuple(
                Reuse(name, kept, applied, self._reasons.get(name)) for name, (kept, applied) in self._counts.items()
            )
            if lock is not None:
                os.close(lock)

    def _lock(self) -> int | None:
        """Only one process adds to a folder at a time; others read what is there."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise AssayError(f"cannot keep votes in {self.folder}: {error.strerror}") from error
        self._may_write = hold(handle) or os.name == "nt"
        return handle

    def found(self, source: str, start: int, rows: int, batch: bytes | None, space: LabelSpace) -> Said | None:
        """What a source said about these rows, if that is here."""
        kept = self._sources.get(source)
        place = None if kept is None else kept.places.get(start)
        if kept is None or place is None or (place.rows, place.batch) != (rows, batch):
            return None
        said = _read(kept.path, place, space)
        if said is None:
            del kept.places[start]
        return said

    def note(self, source: str, start: int, rows: int, *, is_kept: bool) -> None:
        """Count rows of which votes were here, or were not."""
        self._counts[source][0 if is_kept else 1] += rows
        if is_kept:
            self._sources[source].used.add(start)

    def add(self, source: str, start: int, batch: bytes | None, said: Said, on_error: OnError) -> None:
        """Keep what a source said about the rows that a digest names, unless it failed in a way that must be seen."""
        kept = self._sources.get(source)
        if kept is None or batch is None or not self._may_write:
            return
        if said.failed is not None and (kept.trusted or on_error == "raise"):
            return
        place = kept.places.get(start)
        if place is not None and (place.rows, place.batch) == (len(said.codes), batch):
            return  # of another source that is the same
        if kept.file is None:
            # Behind the last whole record may be half of one.
            kept.file = kept.path.open("r+b" if kept.path.exists() else "w+b")
            kept.file.truncate(kept.size)
            kept.file.seek(kept.size)
            if self.folder not in finished:
                finished.append(self.folder)
        record, place = _record(start, batch, said, kept.size)
        kept.file.write(record)
        kept.file.flush()
        kept.places[start] = place
        kept.size += len(record)
        kept.used.add(start)

    def prune(self) -> None:
        """After all rows: forget what is about other rows, and the oldest of what other sources said."""
        if not self._may_write:
            return
        for kept in {kept.path: kept for kept in self._sources.values()}.values():
            if kept.file is not None:
                kept.file.close()
                kept.file = None
            if kept.path.exists():
                _compact(kept)
                os.utime(kept.path)
        now = {kept.path for kept in self._sources.values()}
        others = [path for path in self.folder.glob(f"*{_ENDING}") if path not in now]
        left = self.most_bytes
        for path in sorted(others, key=lambda path: path.stat().st_mtime, reverse=True):
            left -= path.stat().st_size
            if left < 0:
                path.unlink(missing_ok=True)


def _opened(path: Path, trusted: bool) -> _Kept:
    """The records of a file, up to the first that is not whole."""
    kept = _Kept(path, trusted)
    if not path.is_file():
        return kept
    end = path.stat().st_size
    with path.open("rb") as file:
        while len(head := file.read(_RECORD.size + _SUM.size)) == _RECORD.size + _SUM.size:
            magic, start, rows, batch, length, digest = _RECORD.unpack(head[: _RECORD.size])
            if magic != _MAGIC or _SUM.unpack(head[_RECORD.size :])[0] != zlib.crc32(head[: _RECORD.size]):
                break
            offset = file.tell()
            if offset + length > end:
                break
            kept.places[start] = _Place(rows, batch, offset, length, digest)
            kept.size = offset + length
            file.seek(kept.size)
    return kept


def _record(start: int, batch: bytes, said: Said, at: int) -> tuple[bytes, _Place]:
    content = pa.compress(_content(said), codec="zstd", asbytes=True)
    digest = hashlib.sha256(content).digest()
    head = _RECORD.pack(_MAGIC, start, len(said.codes), batch, len(content), digest)
    whole = head + _SUM.pack(zlib.crc32(head))
    place = _Place(len(said.codes), batch, at + len(whole), len(content), digest)
    return whole + content, place


def _content(said: Said) -> bytes:
    failed = None
    if said.failed is not None:
        failed = {key: value for key, value in vars(said.failed).items() if key != "cause"}
    told = {
        "codes": said.codes.dtype.name,
        "votes": [[vote.to_dict() for vote in votes] for votes in said.votes],
        "has scores": said.scores is not None,
        "failed": failed,
        "bytes": 0,
    }
    codes = np.ascontiguousarray(said.codes).tobytes()
    scores = b"" if said.scores is None else np.ascontiguousarray(said.scores, dtype=np.float64).tobytes()
    told["bytes"] = len(codes) + len(scores)
    words = json.dumps(told).encode()
    return _SUM.pack(len(words)) + words + codes + scores


def _read(path: Path, place: _Place, space: LabelSpace) -> Said | None:
    """A record, or None if it is damaged."""
    try:
        with path.open("rb") as file:
            file.seek(place.offset)
            content = file.read(place.length)
        if hashlib.sha256(content).digest() != place.digest:
            return None
        return _said(content, place.rows, space)
    except BaseException as error:  # whatever damaged bytes do
        if not is_failure(error):
            raise
        return None


def _said(content: bytes, rows: int, space: LabelSpace) -> Said:
    most = rows * 16 + 2**26
    plain = pa.CompressedInputStream(pa.BufferReader(content), "zstd").read(most)
    (size,) = _SUM.unpack(plain[: _SUM.size])
    told: Mapping[str, Any] = json.loads(plain[_SUM.size : _SUM.size + size])
    if told["codes"] not in _TYPES:
        raise ValueError(f"codes cannot be of type {told['codes']!r}")
    dtype = np.dtype(told["codes"])
    at = _SUM.size + size
    codes = np.frombuffer(plain, dtype, rows, at)
    votes = [tuple(space.vote(vote) for vote in several) for several in told["votes"]]
    if len(codes) and not (codes.min() >= -1 and codes.max() < len(votes)):
        raise ValueError("codes without a vote")
    scores = np.frombuffer(plain, np.float64, rows, at + rows * dtype.itemsize) if told["has scores"] else None
    if len(plain) != at + told["bytes"]:
        raise ValueError("more or fewer bytes than there should be")
    return Said(codes, votes, scores, None if told["failed"] is None else _failures(**told["failed"]))


def _failures(count: int, row: int, error: str, grave: list[Any] | None) -> Failures:
    return Failures(int(count), int(row), str(error), None if grave is None else (int(grave[0]), str(grave[1])))


def _compact(kept: _Kept) -> None:
    """Write a file anew with the records that were used, if there are others."""
    head = _RECORD.size + _SUM.size
    whole = sum(kept.places[start].length + head for start in kept.used if start in kept.places)
    if whole == kept.path.stat().st_size:
        return
    with kept.path.open("rb") as old, writing(kept.path) as unfinished, unfinished.open("wb") as new:
        for start in sorted(kept.used & kept.places.keys()):
            place = kept.places[start]
            old.seek(place.offset - head)
            new.write(old.read(head + place.length))
