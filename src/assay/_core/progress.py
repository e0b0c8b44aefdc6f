"""A progress bar for long work, shown on a terminal or in a notebook, or told to a program that waits for it."""

from __future__ import annotations

import json
import os
import sys
import time
from types import TracebackType
from typing import Any, Self

TOLD_BY = "ASSAY_PROGRESS"
"""If this variable of the environment is set to ``json``, progress is told as lines of JSON on stderr."""


class Progress:
    """A bar on stderr that counts rows, or a line of text in a notebook; silent if there is neither.

    >>> with Progress("counting", total=10, show=False) as bar:
    ...     bar.advance(10)
    """

    def __init__(self, title: str, total: int | None, *, show: bool = True, unit: str = "rows") -> None:
        self._bar: Any = None
        if show and os.environ.get(TOLD_BY) == "json":
            self._bar = _Told(unit)
            self._task = self._bar.add_task(title, total=total)
        elif show and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as RichProgress

            self._bar = RichProgress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn(f"{{task.completed:,}} {unit}"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task(title, total=total)
        elif show and in_notebook():
            self._bar = _Line(unit)
            self._task = self._bar.add_task(title, total=total)

    def advance(self, count: int) -> None:
        """Record that ``count`` more rows are done."""
        if self._bar is not None:
            self._bar.advance(self._task, count)

    def describe(self, text: str) -> None:
        """Set the text beside the bar."""
        if self._bar is not None:
            self._bar.update(self._task, description=text)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def in_notebook() -> bool:
    """Whether this is the kernel of a notebook, whose cells show what is written to stderr."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


class _Line:
    """A line that is written over: all that a notebook can show without further packages."""

    _EVERY = 0.2
    """Seconds between two states of the line."""

    def __init__(self, unit: str) -> None:
        self._unit, self._title, self._done = unit, "", 0
        self._total: int | None = None
        self._shown, self._width = 0.0, 0

    def add_task(self, title: str, total: int | None) -> int:
        self._title, self._total = title, total
        return 0

    def advance(self, task: int, count: int) -> None:
        self._done += count
        self._show()

    def update(self, task: int, description: str) -> None:
        self._title = description
        self._show()

    def start(self) -> None:
        self._show()

    def stop(self) -> None:
        print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)

    def _show(self) -> None:
        if time.monotonic() - self._shown < self._EVERY:
            return
        self._shown = time.monotonic()
        self._write()

    def _write(self) -> None:
        of = "" if self._total is None else f" of {self._total:,}"
        text = f"{self._title}: {self._done:,}{of} {self._unit}"
        self._width = max(self._width, len(text))
        print("\r" + text.ljust(self._width), end="", file=sys.stderr, flush=True)


class _Told(_Line):
    """The same for a program: a line of JSON for each state."""

    def stop(self) -> None:
        self._write()

    def _write(self) -> None:
        told = {"progress": self._title, "done": self._done, "total": self._total, "unit": self._unit}
        print(json.dumps(told), file=sys.stderr, flush=True)
