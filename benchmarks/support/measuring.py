"""Seconds, memory and accuracy of the process that is measured.

Needs nothing but numpy, so that peers in their own environment are measured by the same lines.
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

_BLOCK = 100_000


def seconds_of(run: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    answer = run()
    return time.perf_counter() - start, answer


def resident() -> int:
    """Bytes in memory now; the most so far where the system does not tell."""
    return _told_by_kernel("VmRSS") or _most_so_far()


def peak() -> int:
    """The most bytes that were in memory at once, since the start or since :func:`forget_peak`."""
    # Not ru_maxrss where this exists: a process starts with the ru_maxrss of the one that started it.
    return _told_by_kernel("VmHWM") or _most_so_far()


def forget_peak() -> None:
    """Let :func:`peak` begin anew, on Linux; elsewhere it goes on from the start."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def die_first() -> None:
    """If memory runs out after all, let it be this process that ends, and none of its neighbours."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def memory_of_machine() -> int:
    """Bytes that can be had without swapping."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def accuracy(probabilities: npt.NDArray[Any], gold: npt.NDArray[np.integer]) -> float:
    """The share of items whose most probable class is right, of those with gold; ties count by their share."""
    right, known = 0.0, 0
    for start in range(0, len(gold), _BLOCK):
        truth = np.asarray(gold[start : start + _BLOCK])
        block = np.asarray(probabilities[start : start + _BLOCK])[truth >= 0]
        truth = truth[truth >= 0]
        best = block >= block.max(axis=1, keepdims=True) - 1e-9
        right += float((best / best.sum(axis=1, keepdims=True))[np.arange(len(truth)), truth].sum())
        known += len(truth)
    return right / max(known, 1)


def _told_by_kernel(field: str) -> int:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(f"{field}:")), 0)


def _most_so_far() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
