"""This machine: one process, or several."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any, TypeVar

from assay.engine.job import in_order, packed, run
from assay.errors import AssayError

Piece = TypeVar("Piece")
Result = TypeVar("Result")


_START_UP = 4.0
"""About how many seconds processes take until they work."""
_BUSY = 1.5
"""Work that uses more cores than this is done by several threads already."""


class Local:
    """This process. Compiled loops use all its cores.

    >>> list(Local().map(abs, [-1, 2]))
    [1, 2]
    """

    def map(self, job: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """One piece after the other."""
        return map(job, pieces)


class Auto:
    """This process, and after a while as many as there are cores, if the work uses no more than one of them.

    Starting processes takes seconds, so that small work is done sooner without them; and rules use all cores by
    themselves. So work is begun here, and goes on elsewhere once it has taken as long as starting would take.

    >>> list(Auto().map(abs, [-1, 2]))
    [1, 2]
    """

    def __init__(self, *, patience: float = _START_UP) -> None:
        self.patience = patience

    def map(self, job: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """One piece after the other, and later as many at a time as there are cores."""
        rest = iter(pieces)
        cores = _cores()
        wall = busy = 0.0
        for piece in rest:
            began, used = time.perf_counter(), time.process_time()
            result = job(piece)
            wall += time.perf_counter() - began
            busy += time.process_time() - used
            yield result
            if cores > 1 and wall > self.patience and busy < _BUSY * wall and _can_be_sent(job):
                yield from Processes(cores).map(job, rest)
                return


class Processes:
    """Several processes on this machine, for sources that are written in Python."""

    def __init__(self, workers: int) -> None:
        if not isinstance(workers, int) or isinstance(workers, bool) or workers < 1:
            raise AssayError(f"workers must be a positive integer, but is {workers!r}")
        most = max(_MOST_WORKERS, _PER_CORE * (os.cpu_count() or 1))
        if workers > most:
            raise AssayError(f"workers must be at most {most} on this machine, but is {workers!r}")
        self.workers = workers

    def __repr__(self) -> str:
        return f"Processes({self.workers})"

    def map(self, job: Callable[[Piece], Result], pieces: Iterable[Piece]) -> Iterator[Result]:
        """As many pieces at a time as there are workers."""
        from loky import ProcessPoolExecutor
        from loky.process_executor import TerminatedWorkerError

        work = packed(job)
        given = iter(pieces)
        first = next(given, _NOTHING)
        if first is _NOTHING:  # nothing to start processes for
            return
        pool = ProcessPoolExecutor(
            self.workers, initializer=_receive, initargs=(work, os.getpid()), env=_ONE_THREAD_EACH
        )
        try:
            yield from in_order(partial(pool.submit, _run_received), chain([first], given), lambda: 2 * self.workers)
        except TerminatedWorkerError as error:
            raise AssayError(
                "a worker process died, killed or out of memory; use fewer workers or a smaller batch_size"
            ) from error
        except BaseException:
            # Whoever stops the program does not want to wait for the pieces at hand.
            pool.shutdown(kill_workers=True)
            raise
        finally:
            pool.shutdown()


_NOTHING: Any = object()
_ONE_THREAD_EACH = {"POLARS_MAX_THREADS": "1", "ASSAY_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""Workers are as many as there are cores, so that each should use one."""


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _can_be_sent(job: Callable[[Any], Any]) -> bool:
    try:
        packed(job)
    except AssayError:
        return False
    return True


_MOST_WORKERS, _PER_CORE = 32, 8
"""More processes than this, or than so many for each core, are a slip of the pen: each takes a hundred megabytes."""
_LOOK_EVERY = 0.5
"""Seconds between two looks whether the process that started a worker is still there."""
_received = b""


def _receive(work: bytes, parent: int) -> None:
    """What a worker does first: keep the job, and end as soon as the process that started it is gone."""
    global _received
    _received = work
    if os.name != "nt":
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_EVERY)
    os._exit(1)


def _run_received(piece: Any) -> Any:
    return run(_received, piece)
