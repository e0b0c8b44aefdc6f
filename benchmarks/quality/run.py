"""How right and how sure labels are on real votes: Assay's methods, and with --peers its rivals.

    ASSAY_DATA=… python -m benchmarks.quality.run --peers
    ASSAY_DATA=… python -m benchmarks.quality.run --resume --again assay    (peers' results are kept)

Sets of votes are read from votes/lf, votes/crowd and votes/llm of the folder that ASSAY_DATA names.
Every method has all votes of a set and the number of classes, never the gold, and labels
the items it learned from; its settings are the same for all sets. The form and the constants of Assay's
default were chosen on simulated votes (families.py) and on none of these sets, so that this is
also its table when each kind is left out of the choosing. Each method has a process
of its own and --limit seconds a set; if it fails on one, it goes on with the next.

Score: F1 of class 1 or accuracy, as is usual for the set, in percent, over ten seeded ways
to break ties. Below MV: sets on which the score is more than 0.5 points and two standard errors
below the majority vote's; the error is of the difference, paired over items, where ties count
by their share and F1 is linearised. Brier score: summed over classes. Log loss: in nats, of probabilities clipped at
0.001 and scaled to one. Calibration error: 15 bins of equally many items by the confidence in
the top class. Seconds: of one processor, which other work on the machine does not lengthen,
from the matrix of votes to probabilities, by one thread; the second of two runs so that
compiling is out (the first, if it took more than 20 s). The same rules for all methods; the
majority vote gives the winners of an item equal probabilities, vote shares give every class
its part.

Peers run in a virtual environment of their own, made once under --scratch. Results are
written after every cell; --resume goes on from there. The picture needs altair and
vl-convert-python: pip install 'assay[report]'.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.quality import sets as quality_sets
from benchmarks.quality import summary as quality_summary
from benchmarks.quality.methods import OURS, by_majority
from benchmarks.quality.peers import PEERS
from benchmarks.quality.sets import VoteSet
from benchmarks.quality.summary import Cell
from benchmarks.quality.worker import Worker
from benchmarks.support import peer_environment, problems
from benchmarks.support.processes import NotRunError

SCRATCH = peer_environment.SCRATCH.with_name("assay-quality-peers")
STATIC = problems.RESULTS.parents[1] / "docs" / "_static"


def measured(method: str, given: VoteSet, worker: Worker, limit: float) -> Cell:
    """The scores and seconds of a method on a set, or why there are none."""
    found: Cell = {"method": method, "set": given.name, "kind": given.kind}
    try:
        labels, told = worker.label(given.votes, given.classes, limit)
    except NotRunError as error:
        return found | {"not_run": str(error)}
    voted = by_majority(given.votes, given.classes)
    points, error = quality_sets.gap(labels, voted, given, given.metric)
    return found | quality_sets.scores(labels, given) | {"over_majority": points, "its_error": error} | told


def worker_of(method: str, peers: Path | None) -> Worker:
    """``peers`` is the interpreter that has them."""
    if method in OURS:
        return Worker("benchmarks.quality.methods", method)
    assert peers is not None, f"{method} needs the peers' environment"
    return Worker("benchmarks.quality.peers", method, peers)


def named(words: str, names: Iterable[str]) -> list[str]:
    """The names that have all parts of one of the words: "default", "dawid-skene,snorkel", "assay"."""
    names = list(names)
    found = []
    for word in words.split(","):
        meant = [name for name in names if _parts(word) <= _parts(name)]
        if not meant:
            sys.exit(f"no method is called {word.strip()!r}; there are: {'; '.join(names)}")
        found += meant
    return [name for name in names if name in found]


def _parts(name: str) -> set[str]:
    return set(re.findall(r"\w+", name.lower()))


def kept(file: Path, again: str, sets: Sequence[VoteSet]) -> list[Cell]:
    """The cells that need not be run again on these sets; ``again`` names methods, or says "failed"."""
    if not file.exists():
        return []
    cells: list[Cell] = json.loads(file.read_text(encoding="utf-8"))["cells"]
    words = [word.strip() for word in again.split(",") if word.strip()]
    methods = ",".join(word for word in words if word != "failed")
    renewed = named(methods, [*OURS, *PEERS]) if methods else []
    chosen = {one.name for one in sets}

    def stays(cell: Cell) -> bool:
        return cell["set"] not in chosen or not (cell["method"] in renewed or ("failed" in words and "not_run" in cell))

    return [cell for cell in cells if stays(cell)]


def run(
    sets: Sequence[VoteSet], methods: Sequence[str], cells: list[Cell], peers: Path | None, limit: float, file: Path
) -> None:
    """Add the cells that are missing, writing the file after each; what there is remains when interrupted."""
    done = {(cell["method"], cell["set"]) for cell in cells}
    missing = {method: [one for one in sets if (method, one.name) not in done] for method in methods}
    count, number = sum(map(len, missing.values())), 0
    for method, its_sets in missing.items():
        with worker_of(method, peers) as worker:
            for one in its_sets:
                cell = measured(method, one, worker, limit)
                number += 1
                print(f"[{number}/{count}] {one.name}, {method}: {outcome(cell)}", file=sys.stderr)
                cells.append(cell)
                write(file, {"cells": cells})


def outcome(cell: Cell) -> str:
    return cell.get("not_run") or f"{cell['score']:.1f}, log loss {cell['log_loss']:.3f}, {cell['seconds']:.2f} s"


def write(file: Path, result: dict[str, Any], targets: Sequence[problems.Target] = ()) -> None:
    """Whole or not at all, however the program ends."""
    unfinished = file.with_suffix(".part")
    problems.save(unfinished, result, targets)
    unfinished.replace(file)


def options() -> argparse.ArgumentParser:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--peers", action="store_true", help="run the rivals too, installed from PyPI")
    arguments.add_argument("--sets", default="", help="names of sets, with commas (all)")
    arguments.add_argument("--methods", default="", help="words of methods' names, with commas (all)")
    arguments.add_argument("--resume", action="store_true", help="keep the results that are there, add what is missing")
    arguments.add_argument(
        "--again", default="", help='with --resume: methods to run anew, as --methods ("assay": ours), or "failed"'
    )
    arguments.add_argument("--limit", type=float, default=240.0, help="most seconds of a process (%(default)s)")
    arguments.add_argument(
        "--scratch",
        type=Path,
        default=SCRATCH,
        help="where the peers' environment is kept (a folder among the temporary files)",
    )
    arguments.add_argument(
        "--out", type=Path, default=None, help="folder of quality.json and quality.png (benchmarks/results, docs)"
    )
    return arguments


def main() -> None:
    given = options().parse_args()
    try:
        from benchmarks.quality import chart
    except ImportError:
        sys.exit("the picture needs altair and vl-convert-python: pip install 'assay[report]'")
    if given.again and not given.resume:
        sys.exit("--again is for --resume; without that everything is run anyway")
    whole = given.resume or (given.peers and not given.sets and not given.methods)
    folder = given.out or problems.RESULTS / ("" if whole else "scratch")
    file, picture = folder / "quality.json", (STATIC if whole and not given.out else folder) / "quality.png"

    sets = quality_sets.stored_sets([name.strip() for name in given.sets.split(",") if name.strip()])
    methods = [*OURS, *(PEERS if given.peers else ())]
    methods = named(given.methods, methods) if given.methods else methods
    cells = kept(file, given.again, sets) if given.resume else []
    peers = peer_environment.python_of(given.scratch, peer_environment.QUALITY) if given.peers else None
    interrupted = False
    try:
        run(sets, methods, cells, peers, given.limit, file)
    except KeyboardInterrupt:
        interrupted = True
    order = [*OURS, *PEERS]
    cells.sort(key=lambda cell: (quality_sets.KINDS.index(cell["kind"]), cell["set"], order.index(cell["method"])))
    summary = quality_summary.of(cells)
    targets = quality_summary.judged(summary)
    write(file, {"cells": cells, **summary.told()}, targets)
    console = Console(width=180)
    for table in quality_summary.tables(cells, summary):
        console.print(table)
    if targets:
        console.print(problems.target_table(targets))
    if interrupted:
        sys.exit(f"interrupted; what was measured is in {file.name}, and --resume goes on from there")
    picture.parent.mkdir(parents=True, exist_ok=True)
    chart.drawn(cells, summary).save(str(picture), scale_factor=2)
    console.print(f"drawn: {picture.name}")


if __name__ == "__main__":
    main()
