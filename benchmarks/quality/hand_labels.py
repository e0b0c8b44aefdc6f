"""What a few hand labels are worth: labels of real votes with the gold of 20 to 500 items given.

    ASSAY_DATA=… python -m benchmarks.quality.hand_labels --peers
    ASSAY_DATA=… python -m benchmarks.quality.hand_labels --sets youtube,rte --labels 20,100 --draws 2

On the sets of run.py. Items are drawn at random from those with gold, at most half of these; in each draw, more
labels are the fewer ones and others besides. Every method has all votes and the gold of those items, and is scored
on all other items with gold, also the rows that know no gold, so that figures of one number of labels can be
compared. Log loss: in nats, of probabilities clipped at 0.001 and scaled to one; the majority vote's is that of the
shares of votes. Logistic regression: on the indicators of votes, its penalty chosen by cross-validation on the items
with gold. Dawid-Skene is given them as ``true_labels``, Hyper Label Model in its semi-supervised mode. Settings are
the same for all sets.

Without --peers, the rows of peers in the file of an earlier run are kept: the draws are the same. Runs of some sets,
numbers or draws only are written to results/scratch. The picture needs altair and vl-convert-python:
pip install 'assay[report]'.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
from rich.console import Console
from rich.table import Table

import assay
from benchmarks.quality import peers as quality_peers
from benchmarks.quality.cell import Codes, FloatArray
from benchmarks.quality.methods import DEFAULT, MAJORITY, by_label_model, vote_shares
from benchmarks.quality.run import SCRATCH, STATIC, worker_of, write
from benchmarks.quality.sets import KINDS, NOTICEABLE, VoteSet, scores, stored_sets
from benchmarks.quality.summary import KIND_NAMES
from benchmarks.quality.vote_regression import by_regression
from benchmarks.support import peer_environment
from benchmarks.support.problems import RESULTS, Target, in_parallel, plain_table, target_table
from benchmarks.support.processes import NotRunError

LABELS, DRAWS = (20, 50, 100, 200, 500), 5
WITH, REGRESSION = "Assay, gold given", "logistic regression on votes"
PEERS = (quality_peers.DAWID_SKENE, quality_peers.HYPER)
METHODS = (MAJORITY, DEFAULT, WITH, REGRESSION, *PEERS)
FIGURES = ("accuracy", "log_loss")
LARGE = 300
"""Sets with as many items with gold or more are in the means."""
LEAST_ACCURACY = {100: {"lf": 76.0, "crowd": 84.3, "llm": 85.0}, 20: {"lf": 74.8, "llm": 84.5}}
MOST_LOG_LOSS = {100: {"lf": 0.61, "crowd": 0.46, "llm": 0.35}}
NEVER_WORSE, SUPERVISED = (20, 100), 500
"""Numbers of labels at which no set may lose by gold, and at which a regression on them may not be better."""
LIMIT = 240.0


@dataclass(frozen=True)
class Cell:
    """A method on a set with the gold of one draw."""

    method: str
    set: str
    labels: int
    draw: int
    figures: dict[str, float]
    """:data:`FIGURES` on all other items with gold; empty if it did not run."""
    not_run: str = ""


@dataclass(frozen=True)
class Row:
    """A method on a set with so many labels: means over draws."""

    method: str
    set: str
    kind: str
    gold: int
    """Items of the set that have it."""
    labels: int
    draws: int
    """Those that it ran on."""
    accuracy: float
    log_loss: float
    over_default: float
    """Points of accuracy ahead of the default without gold, on the same items."""
    error: float
    """Its standard error over draws; of those items only, not of others."""
    not_run: str = ""


def revealed(given: VoteSet, labels: int, draw: int) -> Codes:
    """(items,): the gold of so many random items that have it, −1 for all others."""
    # By name, so that a draw is the same whichever other sets are run.
    rng = np.random.default_rng([draw, crc32(given.name.encode())])
    chosen = rng.permutation(np.flatnonzero(given.known))[:labels]
    gold = np.full(len(given.gold), -1, dtype=np.int64)
    gold[chosen] = given.gold[chosen]
    return gold


def kept_back(given: VoteSet, gold: Codes) -> VoteSet:
    """The set with the gold that was not revealed, to be scored on."""
    return replace(given, gold=np.where(gold >= 0, -1, given.gold))


def tries(given: VoteSet, labels: Iterable[int], draws: int) -> list[tuple[int, int]]:
    """Numbers of labels, up to half of the set's gold, and draws; nothing is drawn for no labels."""
    most = int(given.known.sum()) // 2
    return [(count, draw) for count in labels if count <= most for draw in range(draws if count else 1)]


def scored(method: str, given: VoteSet, labels: int, draw: int, found: FloatArray) -> Cell:
    """``found`` are labels of all items."""
    every = scores(found, kept_back(given, revealed(given, labels, draw)))
    return Cell(method, given.name, labels, draw, {figure: every[figure] for figure in FIGURES})


def ours(name: str, labels: int, draw: int) -> list[Cell]:
    """The majority vote, Assay and the regression on one draw."""
    given = _read(name)
    votes, gold = given.votes.astype(np.int64), revealed(given, labels, draw)
    cells = [scored(method, given, labels, draw, found) for method, found in _without_gold(name).items()]
    if not labels:
        return cells
    for method, learn in ((WITH, by_label_model), (REGRESSION, by_regression)):
        try:
            cells.append(scored(method, given, labels, draw, learn(votes, given.classes, gold=gold)))
        except assay.AssayError as error:
            cells.append(Cell(method, name, labels, draw, {}, f"failed: {error}".splitlines()[0]))
    return cells


@cache
def _read(name: str) -> VoteSet:
    return stored_sets([name])[0]


@cache
def _without_gold(name: str) -> dict[str, FloatArray]:
    given = _read(name)
    votes = given.votes.astype(np.int64)
    return {MAJORITY: vote_shares(votes, given.classes), DEFAULT: by_label_model(votes, given.classes)}


def by_peer(method: str, python: Path, sets: Sequence[VoteSet], labels: Sequence[int], draws: int) -> list[Cell]:
    """A peer on all sets and draws."""
    cells = []
    with worker_of(method, python) as worker:
        for given in sets:
            for count, draw in tries(given, labels, draws):
                gold = revealed(given, count, draw) if count else None
                try:
                    found, _ = worker.label(given.votes, given.classes, LIMIT, gold=gold, timed=False)
                except NotRunError as error:
                    cells.append(Cell(method, given.name, count, draw, {}, str(error)))
                else:
                    cells.append(scored(method, given, count, draw, found))
            print(f"{given.name}, {method}: done", file=sys.stderr)
    return cells


def measured(sets: Sequence[VoteSet], labels: Sequence[int], draws: int, peers: Path | None) -> list[Cell]:
    """``peers`` is the interpreter that has them; None leaves them out."""
    jobs = [(one.name, *chosen) for one in sets for chosen in tries(one, labels, draws)]
    cells = [cell for found in in_parallel(ours, jobs, progress="draws") for cell in found]
    if peers:
        # A thread waits for the process of each peer.
        with ThreadPoolExecutor(len(PEERS)) as pool:
            for found in pool.map(lambda method: by_peer(method, peers, sets, labels, draws), PEERS):
                cells += found
    return cells


def averaged(cells: Sequence[Cell], sets: Sequence[VoteSet]) -> list[Row]:
    """Over draws, by set, number of labels and method, in this order."""
    by_draw = {(one.set, one.labels, one.draw): one.figures for one in cells if one.method == DEFAULT}
    rows = []
    for given in sets:
        mine = [one for one in cells if one.set == given.name]
        for labels in sorted({one.labels for one in mine}):
            for method in METHODS:
                its = [one for one in mine if (one.labels, one.method) == (labels, method)]
                if its:
                    rows.append(_averaged(its, given, by_draw))
    return rows


def _averaged(its: Sequence[Cell], given: VoteSet, default: dict[tuple[str, int, int], dict[str, float]]) -> Row:
    run = [one for one in its if one.figures]
    failed = [one.not_run for one in its if not one.figures]
    accuracy, log_loss = ([one.figures[figure] for one in run] for figure in FIGURES)
    ahead = [one.figures["accuracy"] - default[one.set, one.labels, one.draw]["accuracy"] for one in run]
    return Row(
        method=its[0].method,
        set=given.name,
        kind=given.kind,
        gold=int(given.known.sum()),
        labels=its[0].labels,
        draws=len(run),
        accuracy=float(np.mean(accuracy)) if run else 0.0,
        log_loss=float(np.mean(log_loss)) if run else 0.0,
        over_default=float(np.mean(ahead)) if run else 0.0,
        error=float(np.std(ahead, ddof=1) / np.sqrt(len(run))) if len(run) > 1 else 0.0,
        not_run=f"{len(failed)} of {len(its)} draws: {failed[0]}" if failed else "",
    )


def large(rows: Sequence[Row], method: str, kind: str, labels: int) -> list[Row]:
    """A method's rows on the large sets of a kind."""
    wanted = (method, kind, labels)
    return [one for one in rows if (one.method, one.kind, one.labels) == wanted and one.gold >= LARGE and one.draws]


def mean(rows: Sequence[Row], figure: str) -> float:
    return float(np.mean([getattr(one, figure) for one in rows]))


def judged(rows: Sequence[Row]) -> list[Target]:
    """Targets of the numbers of labels and the kinds that there are."""
    targets = []
    for labels, least in LEAST_ACCURACY.items():
        for kind, low in least.items():
            if its := large(rows, WITH, kind, labels):
                targets.append(Target(f"{labels} labels: accuracy, {KIND_NAMES[kind]}", mean(its, "accuracy"), low=low))
    for labels, most in MOST_LOG_LOSS.items():
        for kind, high in most.items():
            if its := large(rows, WITH, kind, labels):
                what = f"{labels} labels: log loss, {KIND_NAMES[kind]}"
                targets.append(Target(what, mean(its, "log_loss"), high=high))
    for labels in NEVER_WORSE:
        its = [one for one in rows if (one.method, one.labels) == (WITH, labels) and one.draws]
        if its:
            worst = min(its, key=lambda one: one.over_default)
            what = f"{labels} labels: the worst difference to none, {worst.set}"
            targets.append(Target(what, worst.over_default, low=-NOTICEABLE))
    for kind in KINDS:
        its, rivals = (large(rows, method, kind, SUPERVISED) for method in (WITH, REGRESSION))
        if its and rivals:
            what = f"{SUPERVISED} labels: {{}}, {KIND_NAMES[kind]}, against the regression"
            targets.append(Target(what.format("accuracy"), mean(its, "accuracy"), low=mean(rivals, "accuracy")))
            targets.append(Target(what.format("log loss"), mean(its, "log_loss"), high=mean(rivals, "log_loss")))
    return targets


def means_table(rows: Sequence[Row], kind: str) -> Table:
    """Methods by numbers of labels."""
    counts = {labels: len(large(rows, DEFAULT, kind, labels)) for labels in sorted({one.labels for one in rows})}
    counts = {labels: sets for labels, sets in counts.items() if sets}
    table = []
    for method in METHODS:
        cells = [_told(large(rows, method, kind, labels), sets) for labels, sets in counts.items()]
        if any(cells):
            table.append([method, *cells])
    title = (
        f"Accuracy / log loss by number of labels, {KIND_NAMES[kind]} with {LARGE} gold items or more (how many sets)"
    )
    return plain_table(title, ["method", *(f"{labels} ({sets})" for labels, sets in counts.items())], table)


def _told(its: Sequence[Row], sets: int) -> str:
    if not its:
        return ""
    told = f"{mean(its, 'accuracy'):.1f} / {mean(its, 'log_loss'):.3f}"
    return told if len(its) == sets else f"{told} ({len(its)})"


def sets_table(rows: Sequence[Row], labels: int) -> Table:
    """Sets by methods, and what gold adds to the default."""
    mine = {(one.set, one.method): one for one in rows if one.labels == labels}
    methods = [method for method in METHODS if any(name == method for _, name in mine)]
    table = []
    for name in dict.fromkeys(name for name, _ in mine):
        its = [mine.get((name, method)) for method in methods]
        cells = [f"{one.accuracy:.1f} / {one.log_loss:.2f}" if one and one.draws else "failed" for one in its]
        gain = mine.get((name, WITH))
        table.append([name, *cells, f"{gain.over_default:+.1f} ± {gain.error:.1f}" if gain and gain.draws else "–"])
    title = f"Accuracy / log loss with {labels} labels, and what gold adds (± the standard error over draws)"
    return plain_table(title, ["set", *methods, "gold adds"], table)


def kept(file: Path) -> list[Row]:
    """The rows of peers of an earlier run."""
    if not file.exists():
        return []
    rows = [Row(**row) for row in json.loads(file.read_text(encoding="utf-8"))["rows"]]
    return [row for row in rows if row.method in PEERS]


def numbers(text: str) -> tuple[int, ...]:
    """Numbers of labels, from "20,100"."""
    found = sorted({int(part) for part in text.split(",")})
    if found[0] < 1:
        raise argparse.ArgumentTypeError(f"expected numbers above zero with commas between them, got {text!r}")
    return tuple(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", action="store_true", help="run crowd-kit and Hyper Label Model, from PyPI, too")
    parser.add_argument("--sets", default="", help="names of sets, with commas (all)")
    parser.add_argument("--labels", type=numbers, default=LABELS, help="numbers of labels (20,50,100,200,500)")
    parser.add_argument("--draws", type=int, default=DRAWS, help="draws of items (%(default)s)")
    parser.add_argument("--scratch", type=Path, default=SCRATCH, help="where the peers' environment is kept")
    parser.add_argument("--out", type=Path, default=None, help="folder of the results (benchmarks/results, docs)")
    given = parser.parse_args()
    try:
        from benchmarks.quality import hand_label_chart
    except ImportError:
        sys.exit("the picture needs altair and vl-convert-python: pip install 'assay[report]'")
    whole = not given.sets and given.labels == LABELS and given.draws == DRAWS
    folder = given.out or RESULTS / ("" if whole else "scratch")
    file = folder / "quality_hand_labels.json"
    picture = (STATIC if whole and not given.out else folder) / "quality_hand_labels.png"

    sets = stored_sets([name.strip() for name in given.sets.split(",") if name.strip()])
    peers = peer_environment.python_of(given.scratch, peer_environment.QUALITY) if given.peers else None
    rows = averaged(measured(sets, (0, *given.labels), given.draws, peers), sets)
    if whole and not peers:
        rows += kept(file)
    # They are means over all sets.
    targets = [] if given.sets else judged(rows)
    write(file, {"rows": [asdict(one) for one in rows]}, targets)
    console = Console(width=180)
    for kind in KINDS:
        if any(one.kind == kind for one in rows):
            console.print(means_table(rows, kind))
    for labels in NEVER_WORSE:
        if labels in given.labels:
            console.print(sets_table(rows, labels))
    if targets:
        console.print(target_table(targets))
    for one in rows:
        if one.not_run:
            console.print(f"{one.method}, {one.set}, {one.labels} labels: not run, {one.not_run}", markup=False)
    picture.parent.mkdir(parents=True, exist_ok=True)
    hand_label_chart.drawn(rows).save(str(picture), scale_factor=2)
    console.print(f"drawn: {picture.name}")


if __name__ == "__main__":
    main()
