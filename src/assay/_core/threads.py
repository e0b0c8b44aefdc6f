"""Parallel work on the cores of one machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
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
    if len(todo) < 2 or thread_count() < 2:
        return [job(piece) for piece in todo]
    return list(_pool(thread_count()).map(job, todo))


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
