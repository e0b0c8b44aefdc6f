"""A progress bar for long work, shown only on a terminal."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, Self


class Progress:
    """A bar on stderr that counts rows; silent if stderr is not a terminal.

    >>> with Progress("counting", total=10, show=False) as bar:
    ...     bar.advance(10)
    """

    def __init__(self, title: str, total: int | None, *, show: bool = True, unit: str = "rows") -> None:
        self._bar: Any = None
        if show and sys.stderr.isatty():
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
