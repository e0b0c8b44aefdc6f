"""The peers of speed/apply.py, run by it in an environment of their own; prints JSON."""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
from snorkel.labeling import LabelingFunction, LFApplier, PandasLFApplier

from benchmarks.speed import apply_workload as workload


def measured(name: str, runs: list[Callable[[], Any]], rows: int) -> tuple[dict[str, Any], list[Any]]:
    """The best of some runs over ``rows`` rows each, and what they returned."""
    seconds, matrices = [], []
    for run in runs:
        start = time.perf_counter()
        matrices.append(run())
        seconds.append(time.perf_counter() - start)
    found = {"contender": name, "rows": rows, "first": seconds[0], "seconds": min(seconds), "repeats": len(runs)}
    return found, matrices


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, required=True)
    arguments.add_argument("--repeats", type=int, required=True)
    given = arguments.parse_args()

    texts = workload.texts(given.rows)
    written = workload.functions(0, 1, 2, 3, abstain=-1)
    functions = [LabelingFunction(name, function) for name, function in zip(workload.NAMES, written, strict=True)]
    rows, frame = workload.rows(texts), pd.DataFrame({"text": texts})
    over_list, over_frame = LFApplier(functions), PandasLFApplier(functions)
    listed, matrices = measured(
        "snorkel LFApplier, list", [lambda: over_list.apply(rows, progress_bar=False)] * given.repeats, len(rows)
    )
    listed["checksums"] = workload.checksums(matrices[0].T.tolist())

    # Slices, so that it too has a chance to be alone on the processor for a whole run.
    size = len(rows) // 10
    slices = [frame[start : start + size] for start in range(0, len(rows), size)]
    framed, matrices = measured(
        "snorkel PandasLFApplier", [partial(over_frame.apply, part, progress_bar=False) for part in slices], size
    )
    framed["checksums"] = workload.checksums(np.concatenate(matrices).T.tolist())
    versions = {name: version(name) for name in ("snorkel", "torch", "numpy", "pandas")}
    print(json.dumps({"contenders": [listed, framed], "versions": versions | {"python": platform.python_version()}}))


if __name__ == "__main__":
    main()
