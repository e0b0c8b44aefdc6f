"""The process in which one method labels one set of votes after another: what Assay's methods and peers' share.

Each line it is told names two .npz files: one of votes, the number of classes and perhaps the class
balance or gold labels of a few items, never those it is scored on, and one to write probabilities to. It answers
every line with one of JSON.
"""

from __future__ import annotations

import argparse
import json
import logging
import platform
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.support import measuring

Codes = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

ONCE_IS_ENOUGH = 20.0
"""Seconds of a first run beyond which there is no second one: what is compiled or loaded once no longer shows."""


@dataclass(frozen=True)
class Method:
    label: Callable[..., Any]
    """(items, sources) votes and the number of classes -> (items, classes) probabilities.

    One that can be told the class balance takes it as ``balance``, (classes,); one that learns from gold labels
    takes them as ``gold``, (items,), −1 where unknown.
    """
    packages: tuple[str, ...]


def main(methods: Mapping[str, Method]) -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("method", choices=[*methods])
    method = methods[arguments.parse_args().method]
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    measuring.die_first()
    for line in sys.stdin:
        votes, labels = line.rstrip("\n").split("\t")
        try:
            # Some methods print as they go.
            with redirect_stdout(sys.stderr):
                told = _labeled(method, votes, labels)
        except Exception as error:
            told = {"not_run": f"failed: {type(error).__name__}: {error}".splitlines()[0][:200]}
        print(json.dumps(told), flush=True)


def _labeled(method: Method, votes_file: str, labels_file: str) -> dict[str, Any]:
    with np.load(votes_file) as stored:
        votes, classes = stored["votes"].astype(np.int64), int(stored["classes"])
        told = {name: stored[name] for name in ("balance", "gold") if name in stored}
        timed = bool(stored["timed"])

    def run() -> tuple[float, Any]:
        # Peers draw from the global generator.
        np.random.seed(0)  # noqa: NPY002
        start = time.process_time()
        found = method.label(votes, classes, **told)
        return time.process_time() - start, found

    seconds, labels = run()
    if timed and seconds < ONCE_IS_ENOUGH:
        seconds, labels = run()
    np.savez(labels_file, labels=np.asarray(labels, dtype=np.float64))
    versions = {name: version(name) for name in method.packages} | {"python": platform.python_version()}
    return {"seconds": seconds, "versions": versions}
