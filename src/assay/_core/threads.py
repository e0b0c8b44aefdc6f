"""Parallel work on the cores of one machine."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def thread_count() -> int:
    """The number of threads that compiled loops use: ``ASSAY_THREADS``, or the number of available cores.

    >>> thread_count() >= 1
    True
    """
    setting = os.environ.get("ASSAY_THREADS", "")
    if setting.isdigit() and int(setting) > 0:
        return int(setting)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def parallel_map(job: Callable[[Piece], Result], pieces: Iterable[Piece]) -> list[Result]:
    """The job's results in the order of the pieces, computed in parallel.

    >>> parallel_map(abs, [-1, 2])
    [1, 2]
    """
    todo = list(pieces)
    if len(todo) < 2 or thread_count() < 2 or getattr(_here, "is_worker", False):
        return [job(piece) for piece in todo]
    return list(_pool(thread_count()).map(job, todo))


def overlapped(job: Callable[[Piece], Result], pieces: Iterable[Piece], ahead: int = 1) -> Iterator[Result]:
    """The job's results in the order of the pieces: each core does a piece by itself, while others are read or written.

    So a core that waits for a file, or decodes one, keeps no other from computing. At most ``ahead`` results more than
    there are cores are in memory; pieces are asked for one by one, in this thread.

    >>> list(overlapped(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    stream = iter(pieces)
    first = list(zip(range(2), stream, strict=False))
    if len(first) < 2 or thread_count() < 2 or getattr(_here, "is_worker", False):
        yield from (job(piece) for _, piece in first)
        yield from (job(piece) for piece in stream)
        return
    pool = ThreadPoolExecutor(thread_count(), thread_name_prefix="assay-piece", initializer=_become_worker)
    try:
        running: deque[Future[Result]] = deque(pool.submit(job, piece) for _, piece in first)
        while running:
            while len(running) < thread_count() + ahead and (more := list(zip(range(1), stream, strict=False))):
                running.append(pool.submit(job, more[0][1]))
            yield running.popleft().result()
    finally:
        # Whoever stops, or fails, does not want to wait for more than the pieces at hand.
        pool.shutdown(cancel_futures=True)


_here = threading.local()
"""What this thread is: a worker of :func:`overlapped` shares the cores with others, and needs no threads of its own."""


def _become_worker() -> None:
    _here.is_worker = True


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="assay")


if hasattr(os, "register_at_fork"):
    # Threads do not survive a fork, so a child process must make its own pool.
    os.register_at_fork(after_in_child=_pool.cache_clear)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread: small matrices are solved faster without synchronisation."""
    with _blas().limit(limits=1, user_api="blas"):
        yield


@cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def ranges(size: int, parts: int, step: int = 1) -> list[slice]:
    """Up to ``parts`` slices of about equal length that cover ``size``; all but the last are multiples of ``step``.

    >>> ranges(10, 2, step=4)
    [slice(0, 8, None), slice(8, 10, None)]
    """
    length = -(-size // max(parts, 1))
    length = -(-length // step) * step
    return [slice(start, min(start + length, size)) for start in range(0, size, max(length, 1))]
