"""Work spread over the cores of one machine."""

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
    """How many threads compiled loops use: as many as ``ASSAY_THREADS`` says, or as there are cores to use.

    >>> thread_count() >= 1
    True
    """
    asked = os.environ.get("ASSAY_THREADS", "")
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def parallel_map(job: Callable[[Piece], Result], pieces: Iterable[Piece]) -> list[Result]:
    """The job's results in the order of the pieces, several at a time.

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
    # Threads do not come along into a forked process, which must make its own.
    os.register_at_fork(after_in_child=_pool.cache_clear)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Small matrices are solved faster by one thread than by several that wait for each other."""
    with _blas().limit(limits=1, user_api="blas"):
        yield


@cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def ranges(size: int, parts: int, step: int = 1) -> list[slice]:
    """Up to ``parts`` slices of about equal length that make up ``size``; all but the last are multiples of ``step``.

    >>> ranges(10, 2, step=4)
    [slice(0, 8, None), slice(8, 10, None)]
    """
    length = -(-size // max(parts, 1))
    length = -(-length // step) * step
    return [slice(start, min(start + length, size)) for start in range(0, size, max(length, 1))]
