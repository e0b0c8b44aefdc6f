"""Seconds, memory and accuracy on votes of many people who each label little, beside crowd-kit's Dawid-Skene.

    ASSAY_DATA=… python -m benchmarks.speed.crowds --peers

Real crowds are the sets in votes/crowd of the folder that ASSAY_DATA names; a simulated one
has a million items and a thousand workers, five votes an item and four classes. Gold is for
scoring only. As in speed/run.py every contender has a process of its own; the peers run in the
same virtual environment, made once under --scratch.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.support import peer_environment, problems, processes, stored_votes
from benchmarks.support.contenders import ASSAY, DAWID_SKENE, MAJORITY
from benchmarks.support.problems import Target
from benchmarks.support.processes import NotRunError
from benchmarks.support.stored_votes import LongVotes

SIMULATED = "simulated"
WORKERS, VOTES_AN_ITEM, CLASSES = 1_000, 5, 4

Found = list[dict[str, Any]]


def data_sets() -> list[Path]:
    """The files of real crowds, none if they are not there."""
    data = os.environ.get("ASSAY_DATA")
    if not data:
        print("the real crowds are missing: ASSAY_DATA names no folder with votes/crowd/*.npz", file=sys.stderr)
        return []
    files = sorted(Path(data, "votes", "crowd").glob("*.npz"))
    if not files:
        print("the real crowds are missing: there is no votes/crowd/*.npz in ASSAY_DATA", file=sys.stderr)
    return files


def stored(files: list[Path], items: int, folder: Path) -> Iterator[tuple[str, Path]]:
    """Folders of votes, one after the other: the real crowds, then the simulated one."""
    for file in files:
        with np.load(file) as found:
            matrix, gold, classes = found["L"], found["y"], int(found["k"])
        item, source = np.nonzero(matrix >= 0)
        votes = LongVotes(item, source, matrix[item, source])
        stored_votes.write_long(folder / file.stem, votes, gold, matrix.shape[1], classes)
        yield file.stem, folder / file.stem
    stored_votes.simulate_crowd(folder / SIMULATED, items, WORKERS, VOTES_AN_ITEM, CLASSES)
    yield SIMULATED, folder / SIMULATED


def measured(files: list[Path], given: argparse.Namespace) -> Found:
    peers = peer_environment.python_of(given.scratch) if given.peers else None
    names = [ASSAY, MAJORITY, *([DAWID_SKENE] if peers else [])]
    found: Found = []
    with tempfile.TemporaryDirectory(prefix="assay-crowds-") as folder:
        for crowd, votes in stored(files, given.items, Path(folder)):
            size = stored_votes.described(votes)
            shape = {"items": size.items, "workers": size.sources, "classes": size.classes}
            shape["votes"] = len(np.load(votes / "label.npy", mmap_mode="r"))
            for name in names:
                one = {"crowd": crowd, "contender": name, **shape}
                try:
                    one |= processes.contend(
                        name, votes, peers=peers, repeats=given.repeats, enough=10.0, limit=given.limit
                    )
                except NotRunError as error:
                    one["not_run"] = str(error)
                print(f"{crowd}, {name}: {one.get('not_run') or one['total']}", file=sys.stderr)
                found.append(one)
    return found


def cells(one: dict[str, Any]) -> list[str]:
    shape = f"{one['items']:,} × {one['workers']:,}, k = {one['classes']}, {one['votes']:,} votes"
    if "not_run" in one:
        return [one["crowd"], shape, f"{one['contender']}; not run: {one['not_run']}"]
    peak, base = one["memory"]["peak"], one["memory"]["baseline"]
    return [
        one["crowd"],
        shape,
        one["contender"],
        *(f"{one[part]:.3f}" for part in ("prepare", "fit", "predict", "total")),
        f"{peak / 1e6:,.0f}",
        f"{(peak - base) / 1e6:,.0f}",
        f"{max(one['memory']['preparing'], peak) / 1e6:,.0f}",
        f"{100 * one['accuracy']:.2f}",
    ]


def shown(found: Found) -> Table:
    columns = ["crowd", "items × workers", "contender", "container", "fit", "predict", "total"]
    columns += ["peak", "above", "peak with preparing", "% right"]
    title = "Crowds: seconds, memory in MB (of the process; above what it had before; its container's making included)"
    table = problems.plain_table(title, columns, ())
    for column in table.columns[1:3]:
        column.justify = "left"
    for before, one in zip([None, *found], found, strict=False):
        if before and before["crowd"] != one["crowd"]:
            table.add_section()
        table.add_row(*cells(one))
    return table


def means(found: Found) -> dict[str, dict[str, float]]:
    """Over the real crowds, by contender: mean accuracy, and how many sets fall below the majority vote."""
    real = [one for one in found if one["crowd"] != SIMULATED and "not_run" not in one]
    majority = {one["crowd"]: one["accuracy"] for one in real if one["contender"] == MAJORITY}
    summary = {}
    for name in dict.fromkeys(one["contender"] for one in real):
        own = {one["crowd"]: one["accuracy"] for one in real if one["contender"] == name}
        below = sum(score < majority.get(crowd, 0.0) for crowd, score in own.items())
        summary[name] = {"sets": len(own), "accuracy": float(np.mean(list(own.values()))), "below_majority": below}
    return summary


def judged(found: Found) -> list[Target]:
    """On the simulated crowd: no slower, no larger and no worse than crowd-kit."""
    of = {one["contender"]: one for one in found if one["crowd"] == SIMULATED and "not_run" not in one}
    if not {ASSAY, DAWID_SKENE} <= of.keys():
        return []
    ours, theirs = of[ASSAY], of[DAWID_SKENE]
    memory = theirs["memory"]["peak"] / ours["memory"]["peak"]
    return [
        Target("7  simulated crowd: seconds, crowd-kit / Assay", theirs["total"] / ours["total"], low=1.0),
        Target("7  simulated crowd: peak memory, crowd-kit / Assay", memory, low=1.0),
        Target("7  simulated crowd: accuracy, Assay − crowd-kit", ours["accuracy"] - theirs["accuracy"], low=0.0),
    ]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--quick", action="store_true", help="a smoke run: 20,000 simulated items, no targets")
    arguments.add_argument("--items", type=int, default=None, help="how many items to simulate (1,000,000)")
    arguments.add_argument("--peers", action="store_true", help="run crowd-kit too, installed from PyPI")
    arguments.add_argument(
        "--scratch",
        type=Path,
        default=peer_environment.SCRATCH,
        help="where the peers' environment is kept (a folder among the temporary files)",
    )
    arguments.add_argument("--repeats", type=int, default=3, help="most runs, of which the best counts (%(default)s)")
    arguments.add_argument("--limit", type=float, default=600.0, help="most seconds of a process (%(default)s)")
    arguments.add_argument("--output", type=Path, default=None, help="the JSON file (benchmarks/results/crowds.json)")
    given = arguments.parse_args()
    files = data_sets()
    partial = given.quick or given.items or not given.peers or not files
    output = given.output or problems.RESULTS / ("scratch" if partial else "") / "crowds.json"
    given.items = given.items or (20_000 if given.quick else 1_000_000)

    found = measured(files, given)
    console = Console(width=180)
    console.print(shown(found))
    summary = means(found)
    for name, one in summary.items():
        console.print(
            f"{name}: {100 * one['accuracy']:.2f}% right in the mean of {one['sets']} real crowds, "
            f"{one['below_majority']} of them below the majority vote"
        )
    targets = [] if given.quick else judged(found)
    if targets:
        console.print(problems.target_table(targets))
    problems.save(output, {"crowds": found, "real": summary}, targets)


if __name__ == "__main__":
    main()
