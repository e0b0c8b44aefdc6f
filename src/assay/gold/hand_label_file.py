"""The file of hand labels: one answer a line, appended and never changed, so that nothing said is ever lost.

A line is a JSON object::

    {"item": "doc-17", "answer": {"entity": "Person"}, "by": "ann", "at": "2026-03-01T09:30:00+00:00",
     "chosen": "random", "chance": 0.02}

In place of ``answer`` it may have ``"skipped": true``, or ``"undo": true``, which takes back the last answer of that
person on that item. ``chosen`` and ``chance`` say how the item came to be asked about, if that is known.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

from assay._core.atomic_files import writing
from assay.errors import DataError, listing

Item = int | str
"""The name of an item; its row number if items have no names."""
Answer = Mapping[str, str | None]
"""Task -> label; None is N/A. Tasks about which nothing is known are left out."""
Kind = Literal["random", "useful"]
"""How an item was chosen: at random, or since its label promises to teach the most."""


@dataclass(frozen=True)
class HandAnswer:
    """What one person said about one item: an answer, that they skip it, or that they take back what they said.

    >>> HandAnswer("doc-17", by="ann", answer={"entity": "Person"}, chosen="random", chance=0.5).kind
    'answer'
    """

    item: Item
    by: str
    """Who said it."""
    answer: Answer | None = None
    """Task -> label, if it is an answer."""
    is_undo: bool = False
    """Whether it takes back the last answer of this person on this item; if not, no answer means skipped."""
    at: datetime | None = None
    """When; the time of writing if it is not given."""
    chosen: Kind | None = None
    """How the item was chosen, if that is known."""
    chance: float | None = None
    """The probability with which it was chosen, if that is known."""
    place: str | None = field(default=None, compare=False, repr=False)
    """The file and the line that say it, if it was read from one."""

    @property
    def kind(self) -> Literal["answer", "skipped", "undo"]:
        """What it is."""
        return "undo" if self.is_undo else "skipped" if self.answer is None else "answer"


def append_answer(path: str | Path, said: HandAnswer) -> None:
    """Write an answer to the end of a file; when this returns, it is on disk.

    A line that an earlier process was killed in the middle of is removed: nobody was told that it had been kept.
    """
    line = json.dumps(_to_dict(said), ensure_ascii=False) + "\n"
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        is_new = not target.exists()
        with target.open("a+b") as file, _locked(file):
            _mend(file)
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())
        if is_new:
            _sync_folder(target.parent)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot write {target}: {getattr(error, 'strerror', None) or error}") from error


def write_answers(path: str | Path, said: Iterable[HandAnswer]) -> None:
    """Write a file anew, with these answers and no others: all of them, or none."""
    with writing(Path(path)) as unfinished:
        lines = (json.dumps(_to_dict(one), ensure_ascii=False) + "\n" for one in said)
        unfinished.write_text("".join(lines), encoding="utf-8")


def read_answers(path: str | Path) -> tuple[HandAnswer, ...]:
    """All lines of a file, in order. A last line that was cut off in the middle is passed over.

    Raises
    ------
    DataError
        If there is no such file, or a line is not as it should be; names the line.
    """
    target = Path(path)
    try:
        whole = target.read_bytes()
    except FileNotFoundError:
        raise DataError(f"there is no file {target}") from None
    except (OSError, ValueError) as error:  # a name with a NUL is a ValueError
        raise DataError(f"cannot read {target}: {getattr(error, 'strerror', None) or error}") from error
    *lines, last = whole.split(b"\n")
    if last and _is_whole(last):
        lines.append(last)
    return tuple(_read(line, target, number) for number, line in enumerate(lines, start=1) if line.strip())


def _to_dict(said: HandAnswer) -> dict[str, Any]:
    what: dict[str, Any] = {said.kind: dict(said.answer or {}) if said.kind == "answer" else True}
    how = {"chosen": said.chosen, "chance": said.chance}
    at = (said.at or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="milliseconds")
    return {"item": said.item, **what, "by": said.by, "at": at, **{k: v for k, v in how.items() if v is not None}}


def _read(line: bytes, path: Path, number: int) -> HandAnswer:
    try:
        return replace(_from_dict(json.loads(line.decode())), place=f"{path}, line {number}")
    except (ValueError, TypeError, OverflowError, RecursionError) as error:  # not text, not JSON, or not sane
        raise DataError(f"{path}, line {number} is not a hand label: {error}; mend it, or remove the line") from None


_FIELDS = ("item", "answer", "skipped", "undo", "by", "at", "chosen", "chance")


def _from_dict(said: Any) -> HandAnswer:
    if not isinstance(said, dict):
        raise TypeError(f"expected an object with {listing(_FIELDS)}, but got {said!r}")
    unknown = [name for name in said if name not in _FIELDS]
    if unknown:
        raise ValueError(f"it has the unknown field {unknown[0]!r}; expected some of {listing(_FIELDS)}")
    kinds = [name for name in ("answer", "skipped", "undo") if name in said]
    if len(kinds) != 1:
        raise ValueError('it needs one of "answer": {task: label}, "skipped": true and "undo": true')
    answer = said.get("answer")
    if kinds == ["answer"]:
        _check("answer", answer, "an object of task: label", _is_answer(answer))
    else:
        _check(kinds[0], said[kinds[0]], "true", said[kinds[0]] is True)
    item: Any = said.get("item")
    by: Any = said.get("by")
    chosen, chance = said.get("chosen"), said.get("chance")
    _check("item", item, "a name or a row number", isinstance(item, int | str) and not isinstance(item, bool))
    _check("by", by, "the name of who said it", isinstance(by, str) and bool(by))
    _check("chosen", chosen, "'random' or 'useful'", chosen is None or chosen in get_args(Kind))
    is_chance = isinstance(chance, int | float) and not isinstance(chance, bool) and 0 < chance <= 1
    _check("chance", chance, "a number above 0 and up to 1", chance is None or is_chance)
    _check("at", said.get("at"), "a time as in 2026-03-01T09:30:00Z", isinstance(said.get("at"), str))
    at = datetime.fromisoformat(said["at"])
    at = at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    return HandAnswer(item, by, answer, kinds == ["undo"], at, chosen, None if chance is None else float(chance))


def _is_answer(answer: Any) -> bool:
    return (
        isinstance(answer, dict)
        and bool(answer)
        and all(label is None or (isinstance(label, str) and label) for label in answer.values())
    )


def _check(field: str, value: Any, expected: str, holds: bool) -> None:
    if not holds:
        raise ValueError(f"{field!r} must be {expected}, but is {value!r}")


def _is_whole(line: bytes) -> bool:
    """Whether a last line only lacks its end."""
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _mend(file: Any) -> None:
    """End the last line of a file, or remove it if it was cut off in the middle."""
    size = file.seek(0, os.SEEK_END)
    start = max(size - 2**20, 0)  # far longer than any line
    file.seek(start)
    before, newline, last = file.read().rpartition(b"\n")
    if not last:
        return
    if _is_whole(last):
        file.write(b"\n")
    else:
        file.truncate(start + len(before) + len(newline))
    file.seek(0, os.SEEK_END)


@contextmanager
def _locked(file: Any) -> Iterator[None]:
    """Nobody else writes to the file meanwhile: a half-written line is not that of another who is writing just now."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        yield
        return
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)


def _sync_folder(folder: Path) -> None:
    """So that a new file is found again even after a loss of power."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
