"""Seconds and memory of fitting and labeling beside snorkel and crowd-kit, and of counting beside reading memory.

    python -m benchmarks.speed.run --peers

Simulated votes, 60% abstentions. Every contender has every size in a process of its
own, with its votes in its own container before the clock starts; the least of several
runs counts. Sizes that would take more memory than there is, or more time than --limit,
are foretold from the next smaller one and not run. Compiling is shown apart. The peers
run in a virtual environment of their own, made once under --scratch.

The picture needs altair and vl-convert-python: pip install 'assay[report]'.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.speed import counting
from benchmarks.support import contenders, measuring, peer_environment, problems, processes, stored_votes
from benchmarks.support.contenders import ASSAY, BARE, COMPLETION, DAWID_SKENE, SNORKEL
from benchmarks.support.problems import Target
from benchmarks.support.processes import NotRunError

ROWS = (10_000, 100_000, 1_000_000, 10_000_000)
QUICK = (1_000, 10_000)
SOURCES = (10, 50, 200)
CLASSES = (2, 5)
PILOT = 100_000
"""Measured before anything larger, since it tells what larger sizes will take."""

Found = list[dict[str, Any]]


class Size(NamedTuple):
    items: int
    sources: int
    classes: int

    def __str__(self) -> str:
        return f"{self.items:,} × {self.sources}, k = {self.classes}"


COUNTED = {Size(1_000_000, 50, 5): 76.0, Size(10_000_000, 50, 2): 52.0}
"""Sizes that counting alone is measured at, and how many times reading the votes once it may take: what packing
and popcount, compiled, took on the machine that the target was set on (.165 and 1.13 s, at 23 GB/s)."""

BARE_TIMES = {Size(1_000_000, 50, 2): 50.0, Size(100_000, 200, 2): 15.0, Size(1_000_000, 10, 2): 8.0}
"""How many times as long snorkel should take as Assay does from a bare matrix."""


@dataclass(frozen=True)
class Effort:
    repeats: int
    enough: float
    """No further repeat is begun when so many seconds are spent."""
    limit: float
    """How many seconds a process may take."""
    memory: float
    """How many bytes of memory there are."""


@contextmanager
def simulated(size: Size) -> Iterator[Path]:
    """A folder of votes, as long as it is needed."""
    with tempfile.TemporaryDirectory(prefix="assay-speed-") as folder:
        stored_votes.simulate(Path(folder), *size)
        yield Path(folder)


def fits(sizes: list[Size], names: list[str], peers: Path | None, effort: Effort) -> Found:
    """All contenders at all sizes, smaller ones first."""
    found: Found = []
    for size in sizes:
        with simulated(size) as folder:
            for name in names:
                one = {"contender": name, **size._asdict()} | attempt(name, size, folder, found, peers, effort)
                print(f"{size}, {name}: {outcome(one)}", file=sys.stderr)
                found.append(one)
    return found


def attempt(name: str, size: Size, folder: Path, found: Found, peers: Path | None, effort: Effort) -> dict[str, Any]:
    try:
        earlier = smaller(found, name, size)
        if earlier:
            times = size.items / earlier["items"]
            processes.must_fit(earlier, times, memory=effort.memory, limit=effort.limit)
        return processes.contend(
            name, folder, peers=peers, repeats=effort.repeats, enough=effort.enough, limit=effort.limit
        )
    except NotRunError as error:
        return {"not_run": str(error)}


def smaller(found: Found, name: str, size: Size) -> dict[str, Any] | None:
    """The largest measurement of this contender with fewer items, all else equal."""
    before = [
        one
        for one in found
        if (one["contender"], one["sources"], one["classes"]) == (name, size.sources, size.classes)
        and "not_run" not in one
    ]
    return max(before, key=lambda one: int(one["items"]), default=None)


def outcome(one: dict[str, Any]) -> str:
    return f"not run: {one['not_run']}" if "not_run" in one else f"{one['total']:.3f} s"


def first_calls(limit: float) -> dict[str, float]:
    """Seconds of the first call in a process: with nothing compiled, and with compiled code on disk."""
    with simulated(Size(contenders.WARM_UP, 10, 2)) as folder, tempfile.TemporaryDirectory() as cache:
        return {
            when: processes.contend(ASSAY, folder, peers=None, repeats=1, enough=1, limit=limit, NUMBA_CACHE_DIR=cache)[
                "first_call"
            ]
            for when in ("compiling", "compiled code from cache")
        }


def counts(sizes: list[Size], effort: Effort) -> Found:
    """Every way of counting at every size."""
    found: Found = []
    for size in sizes:
        with simulated(size) as folder:
            for way in counting.WAYS:
                one = {"way": way, **size._asdict()} | count(way, size, folder, effort)
                print(f"{size}, {way}: {one.get('not_run') or one['seconds']}", file=sys.stderr)
                found.append(one)
    check(found)
    return found


def count(way: str, size: Size, folder: Path, effort: Effort) -> dict[str, Any]:
    needs = counting.bytes_needed(way, *size)
    if needs > processes.SPARE * effort.memory:
        return {"not_run": f"needs about {needs / 1e9:.0f} GB"}
    try:
        arguments: list[str | Path] = [way, folder, "--repeats", str(effort.repeats), "--enough", str(effort.enough)]
        return processes.answer(counting.__name__, arguments, limit=effort.limit)
    except NotRunError as error:
        return {"not_run": str(error)}


def check(found: Found) -> None:
    """Stop if two ways of counting disagree."""
    seen: dict[tuple[int, ...], str] = {}
    for one in found:
        size, digest = (one["items"], one["sources"], one["classes"]), one.get("checksum")
        if digest and seen.setdefault(size, digest) != digest:
            sys.exit(f"{one['way']} counts otherwise than the ways before it")


def bandwidth(quick: bool) -> dict[str, float]:
    """Bytes a second, over an array that is many times as large as the caches."""
    size = 2**28 if quick else 2**31
    return processes.answer(counting.__name__, [counting.BANDWIDTH, "--repeats", "7", "--bytes", str(size)], limit=300)


def at(found: Found, name: str, size: Size) -> dict[str, Any] | None:
    """The measurement of a contender at a size, if it was run."""
    wanted = {"contender": name, **size._asdict()}
    return next((one for one in found if wanted.items() <= one.items() and "not_run" not in one), None)


def sizes_of(found: Found) -> list[Size]:
    return list(dict.fromkeys(Size(one["items"], one["sources"], one["classes"]) for one in found))


def ratio(found: Found, size: Size, rival: str, ours: str) -> float | None:
    """How many times as long a rival takes for fitting and labeling."""
    theirs, mine = at(found, rival, size), at(found, ours, size)
    return theirs["total"] / mine["total"] if theirs and mine else None


def judged(found: Found, counted: Found, speed: dict[str, float]) -> list[Target]:
    """The targets of the issue on speed, those of them that the sizes measured allow to judge."""
    middle, wide, large = Size(1_000_000, 50, 2), Size(1_000_000, 200, 2), Size(10_000_000, 50, 2)
    targets = [
        Target(f"1  {middle}: {rival} / {ours}", value, low=least)
        for rival, ours, least in ((SNORKEL, ASSAY, 20.0), (SNORKEL, COMPLETION, 50.0), (DAWID_SKENE, ASSAY, 80.0))
        if (value := ratio(found, middle, rival, ours))
    ]
    mine, theirs = at(found, ASSAY, middle), at(found, SNORKEL, middle)
    if mine and theirs:
        memory = mine["memory"]["peak"] / theirs["memory"]["peak"]
        targets += [
            Target(f"1  {middle}: peak memory, Assay / snorkel", memory, high=0.5),
            Target(f"1  {middle}: accuracy, Assay − snorkel", mine["accuracy"] - theirs["accuracy"], low=0.0),
        ]
    if value := ratio(found, wide, SNORKEL, ASSAY):
        targets.append(Target(f"2  {wide}: {SNORKEL} / {ASSAY}", value, low=30.0))
    targets += [
        Target(f"7  {size}: {SNORKEL} / {BARE}", value, low=least)
        for size, least in BARE_TIMES.items()
        if (value := ratio(found, size, SNORKEL, BARE))
    ]
    if mine := at(found, ASSAY, wide):
        targets.append(Target(f"2  {wide}: peak memory, GB", mine["memory"]["peak"] / 1e9, high=1.5))
    for one in counted:
        size = Size(one["items"], one["sources"], one["classes"])
        if one["way"] == counting.ASSAY and "seconds" in one and size in COUNTED:
            passes = one["seconds"] * speed["read"] / (size.items * size.sources)
            targets.append(Target(f"3  {size}: counting / reading at full bandwidth", passes, high=COUNTED[size]))
    return targets + growth(at(found, ASSAY, middle), at(found, ASSAY, large))


def growth(small: dict[str, Any] | None, large: dict[str, Any] | None) -> list[Target]:
    """From a million items to ten."""
    if not small or not large:
        return []
    targets = [Target("4  from 10⁶ to 10⁷ items: total time, ×", large["total"] / small["total"], high=11.0)]
    solving = large["solving"] / small["solving"]
    targets.append(Target("4  from 10⁶ to 10⁷ items: solving after counting, ×", solving, 0.8, 1.2))
    return targets


def ratios(found: Found) -> Found:
    """Rival : Assay at each size, in seconds and in peak memory."""
    compared: Found = []
    for size in sizes_of(found):
        for rival in contenders.PEERS:
            for ours in (ASSAY, COMPLETION):
                theirs, mine = at(found, rival, size), at(found, ours, size)
                if theirs and mine:
                    compared.append(
                        {"rival": rival, "ours": ours, **size._asdict()}
                        | {part: theirs[part] / mine[part] for part in ("fit", "total")}
                        | {"peak_memory": theirs["memory"]["peak"] / mine["memory"]["peak"]}
                        | {"accuracy_gained": mine["accuracy"] - theirs["accuracy"]}
                    )
    return compared


def fit_table(found: Found) -> Table:
    table = problems.plain_table(
        "Fit and predict, seconds; memory in MB, of the process and above what it had before there were votes",
        [
            *("items × sources, classes", "contender", "container", "first call", "fit", "predict", "total"),
            *("total / Assay", "total / completion", "peak", "above", "% right", "runs"),
        ],
        (),
    )
    table.columns[1].justify = "left"
    for size in sizes_of(found):
        for one in found:
            if size._asdict().items() <= one.items():
                table.add_row(str(size), *fit_cells(found, size, one))
        table.add_section()
    return table


def fit_cells(found: Found, size: Size, one: dict[str, Any]) -> list[str]:
    name = one["contender"]
    if "not_run" in one:
        return [f"{name}; not run: {one['not_run']}"]
    times = [ratio(found, size, name, ours) for ours in (ASSAY, COMPLETION)]
    peak, base = one["memory"]["peak"], one["memory"]["baseline"]
    return [
        name,
        *(f"{one[part]:.3f}" for part in ("prepare", "first_call", "fit", "predict", "total")),
        *("–" if value is None else f"{value:.2f}" for value in times),
        f"{peak / 1e6:,.0f}",
        f"{(peak - base) / 1e6:,.0f}",
        f"{100 * one['accuracy']:.2f}",
        str(one["repeats"]),
    ]


def bare_table(found: Found, speed: dict[str, float]) -> Table:
    """What a bare matrix takes, beside the least that anyone could take."""
    rows = []
    for size in sizes_of(found):
        bare, prepared, theirs = (at(found, name, size) for name in (BARE, ASSAY, SNORKEL))
        if bare and prepared:
            reading = size.items * size.sources / speed["read"]
            cells = [bare["total"], prepared["counting"], reading]
            times = [
                theirs["total"] / bare["total"] if theirs else None,
                bare["total"] / prepared["counting"],
                bare["total"] / reading,
            ]
            texts = ["–" if value is None else f"{value:.1f}" for value in times]
            rows.append([str(size), *(f"{cell:.4f}" for cell in cells), *texts])
    columns = ["items × sources, classes", "fit and predict", "counting", "reading", "snorkel / it"]
    title = "From a bare int8 matrix, seconds; beside counting votes once, and reading them once at full bandwidth"
    return problems.plain_table(title, [*columns, "it / counting", "it / reading"], rows)


def count_table(counted: Found, speed: dict[str, float]) -> Table:
    rows = []
    for one in counted:
        size = str(Size(one["items"], one["sources"], one["classes"]))
        if "not_run" in one:
            rows.append([size, f"{one['way']}; not run: {one['not_run']}"])
            continue
        share = one["share_of_bandwidth"]
        rows.append([size, one["way"], f"{one['seconds']:.4f}", f"{share:.2%}", f"{1 / share:,.1f}"])
    title = f"Counting all co-votes; memory is read at {speed['read'] / 1e9:.1f} GB/s and copied at "
    title += f"{speed['copy'] / 1e9:.1f} GB/s (read + written)"
    columns = ["items × sources, classes", "way", "seconds", "of the bandwidth", "times reading once"]
    table = problems.plain_table(title, columns, rows)
    table.columns[1].justify = "left"
    return table


def chosen(given: argparse.Namespace) -> list[Size]:
    """Sizes in an order in which smaller numbers of items come first."""
    rows = set(given.rows)
    if max(rows) > PILOT:
        rows.add(PILOT)
    return [
        Size(items, sources, classes)
        for items in sorted(rows)
        for sources in sorted(given.sources)
        for classes in sorted(given.classes)
    ]


def options() -> argparse.ArgumentParser:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--quick", action="store_true", help="a smoke run: small sizes, two repeats, no targets")
    arguments.add_argument("--rows", type=int, nargs="+", default=None, help=f"numbers of items {ROWS}")
    arguments.add_argument("--sources", type=int, nargs="+", default=None, help=f"numbers of sources {SOURCES}")
    arguments.add_argument("--classes", type=int, nargs="+", default=None, help=f"numbers of classes {CLASSES}")
    arguments.add_argument("--only", choices=["fit", "count"], help="only fit and predict, or only counting")
    arguments.add_argument("--peers", action="store_true", help="run snorkel and crowd-kit too, installed from PyPI")
    arguments.add_argument(
        "--scratch",
        type=Path,
        default=peer_environment.SCRATCH,
        help="where the peers' environment is kept (a folder among the temporary files)",
    )
    arguments.add_argument("--repeats", type=int, default=7, help="most runs, of which the best counts (%(default)s)")
    arguments.add_argument(
        "--enough", type=float, default=15.0, help="seconds after which no further run is begun (%(default)s)"
    )
    arguments.add_argument("--limit", type=float, default=600.0, help="most seconds of a process (%(default)s)")
    arguments.add_argument("--memory", type=float, default=None, help="gigabytes there are (as the machine tells)")
    arguments.add_argument("--output", type=Path, default=None, help="the JSON file (benchmarks/results/speed.json)")
    arguments.add_argument("--picture", type=Path, default=None, help="the PNG file (benchmarks/results/speed.png)")
    return arguments


def main() -> None:
    given = options().parse_args()
    if given.only != "count":
        try:
            from benchmarks.speed import chart
        except ImportError:
            sys.exit("the picture needs altair and vl-convert-python: pip install 'assay[report]'")
    partial = given.quick or given.only or given.rows or given.sources or given.classes or not given.peers
    folder = problems.RESULTS / "scratch" if partial else problems.RESULTS
    output, picture = given.output or folder / "speed.json", given.picture or folder / "speed.png"
    given.rows = given.rows or (QUICK if given.quick else ROWS)
    given.sources = given.sources or (SOURCES[:2] if given.quick else SOURCES)
    given.classes = given.classes or CLASSES
    effort = Effort(
        2 if given.quick else given.repeats,
        given.enough,
        given.limit,
        measuring.memory_of_machine() if given.memory is None else given.memory * 1e9,
    )
    counted_sizes = [size._replace(items=PILOT) for size in COUNTED] if given.quick else list(COUNTED)
    console = Console(width=180)
    start = time.perf_counter()
    result: dict[str, Any] = {"bandwidth": (speed := bandwidth(given.quick))}
    found, counted = [], []
    if given.only != "count":
        result["first_calls"] = first_calls(given.limit)
        peers = peer_environment.python_of(given.scratch) if given.peers else None
        names = [*contenders.OURS, *(contenders.PEERS if peers else ())]
        result["fits"] = found = fits(chosen(given), names, peers, effort)
        result["ratios"] = ratios(found)
        console.print(fit_table(found))
        console.print(bare_table(found, speed))
        console.print(
            "First call of Assay in a process: "
            + ", ".join(f"{seconds:.2f} s ({when})" for when, seconds in result["first_calls"].items())
        )
        picture.parent.mkdir(parents=True, exist_ok=True)
        chart.drawn(found).save(str(picture), scale_factor=2)
        console.print(f"drawn: {picture.name}")
    if given.only != "fit":
        result["counts"] = counted = counts(counted_sizes, effort)
        for one in counted:
            if "seconds" in one:
                one["share_of_bandwidth"] = one["items"] * one["sources"] / one["seconds"] / speed["read"]
        console.print(count_table(counted, speed))
    targets = [] if given.quick else judged(found, counted, speed)
    if targets:
        console.print(problems.target_table(targets))
    for one in (one for one in [*found, *counted] if one.get("not_run", "").startswith("failed")):
        what, size = one.get("contender") or one["way"], Size(one["items"], one["sources"], one["classes"])
        console.print(f"[red]{what} at {size} {one['not_run']}[/red]")
    problems.save(output, result | {"seconds": time.perf_counter() - start}, targets)


if __name__ == "__main__":
    main()
