"""Contenders in processes of their own, which are not begun, or are ended, when they take too much."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.support import contenders

SPARE = 0.9
"""The share of the machine's free memory that a contender may take."""


class NotRunError(Exception):
    """Why there is no measurement."""


def answer(
    module: str,
    arguments: Sequence[str | Path],
    *,
    limit: float,
    python: Path | str = sys.executable,
    environment: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The JSON that a module prints, ``benchmarks.…``, in a process that has ``limit`` seconds."""
    command = [str(python), "-m", module, *map(str, arguments)]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=limit,
            env=os.environ | dict(environment or {}),
        )
    except subprocess.TimeoutExpired as error:
        raise NotRunError(f"takes more than {limit:.0f} s") from error
    if done.returncode == -signal.SIGKILL:
        raise NotRunError("ran out of memory")
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise NotRunError(f"failed: {last[0]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def contend(
    name: str, folder: Path, *, peers: Path | None, repeats: int, enough: float, limit: float, **environment: str
) -> dict[str, Any]:
    """What support/contenders.py measures; ``peers`` is the interpreter that has them."""
    python = peers if name in contenders.PEERS else sys.executable
    assert python is not None, f"{name} needs the peers' environment"
    arguments: list[str | Path] = [name, folder, "--repeats", str(repeats), "--enough", str(enough)]
    return answer(contenders.__name__, arguments, limit=limit, python=python, environment=environment)


def must_fit(earlier: Mapping[str, Any], times: float, *, memory: float, limit: float) -> None:
    """Refuse a size that is so many times an earlier one, if it would take more than there is.

    Seconds and memory of all contenders grow at most as the number of items does.
    """
    held = earlier["memory"]
    most = max(held["peak"], held["preparing"])
    needs = held["baseline"] + times * (most - held["baseline"])
    if needs > SPARE * memory:
        raise NotRunError(f"needs about {needs / 1e9:.0f} GB")
    takes = times * (earlier["prepare"] + earlier["total"])
    if takes > limit:
        raise NotRunError(f"takes about {takes / 60:.0f} minutes")
