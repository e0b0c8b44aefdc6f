"""Rows per second for ten keyword and regex sources over short texts.

Assay's declarative sources and its Python functions, a plain Python loop, and with
--peers snorkel's appliers, all on the same texts and with the same votes:

    python -m benchmarks.speed.apply --peers

The best of several rounds counts, in which the contenders take turns; the first call,
with whatever is loaded and compiled then, is shown apart. The peers run in a virtual
environment of their own, made once under --scratch.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from rich.console import Console
from rich.table import Table

import assay
from benchmarks.speed import apply_workload as workload

RESULTS = Path(__file__).parents[1] / "results" / "apply.json"
LOOP, PEER = "plain Python loop", "snorkel PandasLFApplier"
DECLARATIVE, FUNCTIONS = "Assay declarative, polars", "Assay functions, list"
TARGETS = {DECLARATIVE: 200.0, FUNCTIONS: 20.0}
# snorkel 0.10 is from the days of these, and faster with them.
PEER_PACKAGES = (["torch==2.13.0"], ["snorkel==0.10.*", "numpy<2", "pandas<3"])

Contender = dict[str, Any]


def declarative(**options: bool) -> list[Any]:
    """The ten sources as rules; the options are those of assay.keywords."""
    return [
        *(
            assay.keywords(words, label, on="text", name=name, **options)
            for name, (label, words) in workload.KEYWORDS.items()
        ),
        *(assay.regex(pattern, label, on="text", name=name) for name, (label, pattern) in workload.PATTERNS.items()),
    ]


def functions() -> list[Any]:
    """The ten sources as functions of a row."""
    written = workload.functions(*workload.LABELS, abstain=None)
    return [
        assay.source(task="topic", name=name)(function) for name, function in zip(workload.NAMES, written, strict=True)
    ]


def contenders(texts: list[str]) -> dict[str, Callable[[], Any]]:
    tasks = assay.TaskGraph([assay.Task("topic", list(workload.LABELS))])
    rows, polars, pandas = workload.rows(texts), pl.DataFrame({"text": texts}), pd.DataFrame({"text": texts})
    substrings, words, asked = declarative(whole_words=False, case_sensitive=True), declarative(), functions()
    plain = workload.functions(0, 1, 2, 3, abstain=-1)

    def applied(sources: list[Any], data: Any) -> Callable[[], Any]:
        return lambda: assay.apply(sources, data, tasks, progress=False)

    return {
        DECLARATIVE: applied(substrings, polars),
        "Assay declarative, pandas": applied(substrings, pandas),
        "Assay declarative, whole words in any case": applied(words, polars),
        FUNCTIONS: applied(asked, rows),
        "Assay functions, polars": applied(asked, polars),
        LOOP: lambda: [[function(row) for function in plain] for row in rows],
    }


def columns(votes: Any) -> list[list[int]]:
    """A contender's votes, by source, as positions in LABELS with −1 for an abstention."""
    if isinstance(votes, list):
        return [list(column) for column in zip(*votes, strict=True)]
    found = []
    for source, table in enumerate(votes.values):
        positions = [workload.LABELS.index(str(dict(vote.labels)["topic"])) for vote in table]
        found.append(np.array([*positions, -1])[votes.codes[:, source]].tolist())
    return found


def measured(texts: list[str], repeats: int) -> list[Contender]:
    runs = contenders(texts)
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    checksums = {}
    for turn in range(repeats):
        for name, run in runs.items():
            start = time.perf_counter()
            votes = run()
            seconds[name].append(time.perf_counter() - start)
            if not turn:
                checksums[name] = workload.checksums(columns(votes))
    return [
        {
            "contender": name,
            "rows": len(texts),
            "first": taken[0],
            "seconds": min(taken),
            "repeats": repeats,
            "checksums": checksums[name],
        }
        for name, taken in seconds.items()
    ]


def peers(scratch: Path, rows: int, repeats: int) -> tuple[list[Contender], dict[str, str]]:
    """The same by snorkel, in an environment that is made when it is first needed."""
    python = scratch / ("Scripts" if os.name == "nt" else "bin") / "python"
    complete = scratch / "complete"
    if not complete.exists():
        print("making the environment for snorkel (torch is large; only the first time)", file=sys.stderr)
        venv.create(scratch, clear=True, with_pip=True)
        for packages in PEER_PACKAGES:
            subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True, stdout=sys.stderr)
        complete.touch()
    arguments = ["--rows", str(rows), "--repeats", str(repeats)]
    command = [python, "-m", "benchmarks.speed.apply_peers", *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    answer = json.loads(done.stdout)
    return answer["contenders"], answer["versions"]


def check(found: list[Contender]) -> None:
    """Stop if any two contenders disagree on a vote."""
    expected = next(one for one in found if one["contender"] == LOOP)["checksums"]
    for one in found:
        different = [name for name, digest in one["checksums"].items() if digest != expected[name]]
        if different:
            sys.exit(f"{one['contender']} votes otherwise than the {LOOP} in: {', '.join(different)}")


def shown(found: list[Contender], rows: int) -> Table:
    table = Table(title=f"{len(workload.NAMES)} sources over {rows:,} texts", title_justify="left")
    table.add_column("contender")
    for title in ("rows/s", "× PandasLFApplier", "× plain loop", "first call, s", "calls × rows"):
        table.add_column(title, justify="right")
    for one in found:
        by_peer, by_loop = one["ratio_to_pandas_applier"], one["ratio_to_loop"]
        table.add_row(
            one["contender"],
            f"{one['rows_per_second']:,.0f}",
            "–" if by_peer is None else f"{by_peer:,.1f}",
            f"{by_loop:,.2f}",
            f"{one['first']:.3f}",
            f"{one['repeats']} × {one['rows']:,}",
        )
    return table


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=100_000, help="how many texts, a multiple of ten (%(default)s)")
    arguments.add_argument("--repeats", type=int, default=15, help="rounds, of which the best counts (%(default)s)")
    arguments.add_argument("--peers", action="store_true", help="measure snorkel too, installed from PyPI")
    arguments.add_argument(
        "--scratch",
        type=Path,
        default=Path(tempfile.gettempdir()) / "assay-benchmark-peers",
        help="where the peers' environment is kept (a folder among the temporary files)",
    )
    arguments.add_argument("--output", type=Path, default=RESULTS, help="the JSON file (benchmarks/results/apply.json)")
    given = arguments.parse_args()
    if given.rows < 10 or given.rows % 10:
        arguments.error(f"--rows must be a multiple of ten, but got {given.rows}")

    found = measured(workload.texts(given.rows), given.repeats)
    versions = {name: version(name) for name in ("assay", "polars", "numpy", "pandas")}
    versions["python"] = platform.python_version()
    peer_versions: dict[str, str] = {}
    if given.peers:
        more, peer_versions = peers(given.scratch, given.rows, given.repeats)
        found += more
    check(found)

    speeds = {one["contender"]: one["rows"] / one["seconds"] for one in found}
    for one in found:
        speed = speeds[one["contender"]]
        one["rows_per_second"] = speed
        one["ratio_to_pandas_applier"] = speed / speeds[PEER] if PEER in speeds else None
        one["ratio_to_loop"] = speed / speeds[LOOP]
    console = Console(width=120)
    console.print(shown(found, given.rows))
    console.print("All contenders cast the same votes.")
    targets = {}
    for name, least in TARGETS.items() if given.peers else ():
        targets[name] = {"at_least": least, "ratio": speeds[name] / speeds[PEER]}
        verdict = "reached" if targets[name]["ratio"] >= least else "missed"
        console.print(f"{name}: {targets[name]['ratio']:,.0f}× {PEER}, target {least:,.0f}×: {verdict}")

    given.output.parent.mkdir(parents=True, exist_ok=True)
    result = {
        "rows": given.rows,
        "sources": len(workload.NAMES),
        "processors": os.cpu_count(),
        "versions": versions,
        "peer_versions": peer_versions,
        "targets": targets,
        "contenders": found,
    }
    given.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
