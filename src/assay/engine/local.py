"""This machine: one process, or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeVar

from assay.engine.job import in_order, packed, run
from assay.errors import AssayError

Piece = TypeVar("Piece")
Result = TypeVar("Result")


class Local:
    """This process. Compiled loops use all its cores.

    >>> list(Local().map(abs, [-1, 2]))
    [1, 2]
    """

    def map(self, job: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """One piece after the other."""
        return map(job, pieces)


class Processes:
    """Several processes on this machine, for sources that are written in Python."""

    def __init__(self, workers: int) -> None:
        if not isinstance(workers, int) or isinstance(workers, bool) or workers < 1:
            raise AssayError(f"workers must be a positive integer, but is {workers!r}")
        self.workers = workers

    def __repr__(self) -> str:
        return f"Processes({self.workers})"

    def map(self, job: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """As many pieces at a time as there are workers."""
        from loky import ProcessPoolExecutor
        from loky.process_executor import TerminatedWorkerError

        work = packed(job)
        with ProcessPoolExecutor(self.workers, initializer=_receive, initargs=(work,)) as pool:
            try:
                yield from in_order(partial(pool.submit, _run_received), pieces, lambda: 2 * self.workers)
            except TerminatedWorkerError as error:
                raise AssayError(
                    "a worker process died, killed or out of memory; use fewer workers or a smaller batch_size"
                ) from error


_received = b""


def _receive(work: bytes) -> None:
    global _received
    _received = work


def _run_received(piece: Any) -> Any:
    return run(_received, piece)
