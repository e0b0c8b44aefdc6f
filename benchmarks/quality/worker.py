"""A method in a process of its own, which is ended when a set takes too long and begun anew for the next one.

One process for all sets, since loading a peer may take longer than all it then does.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from benchmarks.support.processes import NotRunError

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""The sets are small, and threads that wait for each other on a busy machine cost torch ten times its time."""


class Worker:
    def __init__(self, module: str, method: str, python: Path | str = sys.executable) -> None:
        self._command = [str(python), "-m", module, method]
        self._folder = tempfile.TemporaryDirectory(prefix="assay-quality-")
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        self._folder.cleanup()

    def label(
        self,
        votes: npt.NDArray[np.integer],
        classes: int,
        limit: float,
        balance: npt.NDArray[np.float64] | None = None,
        gold: npt.NDArray[np.integer] | None = None,
        timed: bool = True,
    ) -> tuple[npt.NDArray[np.float64], dict[str, Any]]:
        """(items, classes) probabilities and what the process told of them, within ``limit`` seconds.

        The class balance, (classes,), and gold, (items,) with −1 where unknown, are for methods that take them.
        What is timed is run twice.
        """
        files = [Path(self._folder.name, name) for name in ("votes.npz", "labels.npz")]
        known = {name: value for name, value in (("balance", balance), ("gold", gold)) if value is not None}
        np.savez(files[0], votes=votes, classes=classes, timed=timed, **known)
        told = self._asked("\t".join(map(str, files)), limit)
        if "not_run" in told:
            raise NotRunError(told["not_run"])
        with np.load(files[1]) as stored:
            return stored["labels"], told

    def _asked(self, line: str, limit: float) -> dict[str, Any]:
        process = self._process or self._begun()
        assert process.stdin is not None
        assert process.stdout is not None
        # One that has ended already is seen by its silence.
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(line + "\n")
            process.stdin.flush()
        with selectors.DefaultSelector() as waiting:
            waiting.register(process.stdout, selectors.EVENT_READ)
            if not waiting.select(limit):
                self._end()
                raise NotRunError(f"takes more than {limit:.0f} s")
        answer = process.stdout.readline()
        if not answer:
            code = process.wait()
            self._end()
            raise NotRunError("ran out of memory" if code == -signal.SIGKILL else f"failed: exit code {code}")
        told: dict[str, Any] = json.loads(answer)
        return told

    def _begun(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | ONE_THREAD,
        )
        return self._process

    def _end(self) -> None:
        if self._process:
            self._process.kill()
            self._process.communicate()
        self._process = None
