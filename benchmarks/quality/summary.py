"""What the cells of run.py come to: means over sets, distances to the majority vote, who is better than whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks.quality import peers as peers
from benchmarks.quality.methods import DEFAULT, OURS
from benchmarks.quality.sets import KINDS, clearly_behind
from benchmarks.support import problems
from benchmarks.support.problems import Target

Cell = dict[str, Any]

FIGURES = ("score", "accuracy", "brier", "log_loss", "calibration_error", "seconds")
COMPARED = {"score": 1, "brier": -1, "log_loss": -1}
"""Figures of which methods are compared, and whether more of them is better."""
RESAMPLES = 10_000
KIND_NAMES = {"lf": "labeling functions", "crowd": "crowds", "llm": "prompts"}
SETS = {"lf": 10, "crowd": 10, "llm": 2}
LEAST_SCORE = {"lf": 73.4, "crowd": 84.5, "llm": 84.5}
"""Mean scores that the default is to reach."""
SPARE = {"lf": 0.0, "crowd": 0.0, "llm": 0.03}
"""How far its Brier score and log loss may be from the best of the others."""


@dataclass(frozen=True)
class Stated:
    """Means of a peer's score that others measured."""

    lf: float
    crowd: float | None
    over: str


_THESE, _ALL = "these 20 sets", "42 sets, among them these 20"
STATED = {
    peers.HYPER: Stated(73.8, 81.7, _THESE),
    peers.SNORKEL: Stated(68.8, 81.7, _THESE),
    peers.DAWID_SKENE: Stated(35.7, 83.5, _THESE),
    peers.EBCC: Stated(39.6, 83.9, _THESE),
    peers.METAL: Stated(67.1, 76.9, _ALL),
    peers.ONE_COIN: Stated(42.0, 79.7, _ALL),
    peers.FLYING_SQUID: Stated(67.0, None, "11 sets of WRENCH, as published"),
}
"""Where a peer does not run, these stand in for it; where it does, they tell whether it was run rightly."""


@dataclass(frozen=True)
class Overview:
    """A method over the sets of a kind."""

    method: str
    kind: str
    sets: int
    missing: int
    """Sets that other methods ran on and this one did not."""
    below_majority: tuple[str, ...]
    """Sets on which the score is clearly below the majority vote's."""
    worst: float
    """The lowest difference of score to the majority vote's."""
    means: dict[str, float]


@dataclass(frozen=True)
class Comparison:
    """Whether one method is better than another, by a paired bootstrap over sets."""

    better: str
    than: str
    kind: str
    figure: str
    sets: int
    mean: float
    """Difference of the means, signed so that more is better."""
    low: float
    high: float
    """95% interval."""
    probability: float
    """The share of resamples in which the first is better; ties count half."""


@dataclass(frozen=True)
class Summary:
    overviews: tuple[Overview, ...]
    comparisons: tuple[Comparison, ...]

    def of(self, method: str, kind: str) -> Overview | None:
        return next((one for one in self.overviews if (one.method, one.kind) == (method, kind)), None)

    @property
    def methods(self) -> list[str]:
        return list(dict.fromkeys(one.method for one in self.overviews))

    def told(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "means": [asdict(one) for one in self.overviews],
            "comparisons": [asdict(one) for one in self.comparisons],
            "stated_elsewhere": {name: asdict(one) for name, one in STATED.items()},
        }


def of(cells: Sequence[Cell]) -> Summary:
    run = [cell for cell in cells if "not_run" not in cell]
    methods = list(dict.fromkeys([*OURS, *peers.PEERS]))
    overviews = []
    for method in methods:
        for kind in KINDS:
            every = {cell["set"] for cell in cells if cell["kind"] == kind}
            its = [cell for cell in run if (cell["method"], cell["kind"]) == (method, kind)]
            if any((cell["method"], cell["kind"]) == (method, kind) for cell in cells):
                overviews.append(_overview(method, kind, its, len(every)))
    compared = [
        comparison
        for method in methods
        if method != DEFAULT
        for kind in (*KINDS, "all")
        for figure in COMPARED
        if (comparison := compare(run, DEFAULT, method, kind, figure))
    ]
    return Summary(tuple(overviews), tuple(compared))


def figures_of(run: Sequence[Cell], method: str, figure: str, kind: str = "all") -> dict[str, float]:
    """By set."""
    return {
        cell["set"]: cell[figure]
        for cell in run
        if cell["method"] == method and kind in ("all", cell["kind"]) and "not_run" not in cell
    }


def _overview(method: str, kind: str, run: Sequence[Cell], sets: int) -> Overview:
    taken = [figure for figure in FIGURES if run and all(figure in cell for cell in run)]
    return Overview(
        method,
        kind,
        len(run),
        sets - len(run),
        tuple(cell["set"] for cell in run if clearly_behind(cell["over_majority"], cell["its_error"])),
        min((cell["over_majority"] for cell in run), default=0.0),
        {figure: float(np.mean([cell[figure] for cell in run])) for figure in taken},
    )


def compare(run: Sequence[Cell], better: str, than: str, kind: str, figure: str) -> Comparison | None:
    """On the sets that both have; None if these are fewer than two."""
    ours, theirs = (figures_of(run, method, figure, kind) for method in (better, than))
    shared = sorted(ours.keys() & theirs.keys())
    if len(shared) < 2:
        return None
    gains = COMPARED[figure] * np.array([ours[name] - theirs[name] for name in shared])
    drawn = np.random.default_rng(0).integers(len(shared), size=(RESAMPLES, len(shared)))
    means = gains[drawn].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    chance = float((means > 0).mean() + (means == 0).mean() / 2)
    return Comparison(better, than, kind, figure, len(shared), float(gains.mean()), float(low), float(high), chance)


def judged(summary: Summary) -> list[Target]:
    """Targets for the default, on all sets; none if some were left out."""
    default = {kind: one for kind in KINDS if (one := summary.of(DEFAULT, kind))}
    if any(kind not in default or default[kind].sets < SETS[kind] for kind in KINDS):
        return []
    targets = [
        Target(f"mean score, {KIND_NAMES[kind]}", default[kind].means["score"], low=LEAST_SCORE[kind]) for kind in KINDS
    ]
    below = [name for one in default.values() for name in one.below_majority]
    targets.append(Target(f"sets clearly below the majority vote {', '.join(below)}".strip(), len(below), high=0))
    for kind in KINDS:
        for figure, name in (("brier", "Brier score"), ("log_loss", "log loss")):
            rivals = {
                one.means[figure]: one.method
                for one in summary.overviews
                if one.kind == kind and not one.missing and not one.method.startswith("Assay")
            }
            if rivals:
                best = min(rivals)
                what = f"mean {name}, {KIND_NAMES[kind]}, against the best other: {rivals[best]}"
                targets.append(Target(what, default[kind].means[figure], high=best + SPARE[kind]))
    return targets


def tables(cells: Sequence[Cell], summary: Summary) -> Iterator[Table]:
    kinds = [kind for kind in KINDS if any(cell["kind"] == kind for cell in cells)]
    yield from (_scores(cells, kind) for kind in kinds)
    yield from (_means(summary, kind) for kind in kinds)
    if summary.comparisons:
        yield _comparisons(summary)
    if any(method in peers.PEERS for method in summary.methods):
        yield _beside_stated(cells, summary)


def _scores(cells: Sequence[Cell], kind: str) -> Table:
    """Methods by sets."""
    mine = {(cell["method"], cell["set"]): cell for cell in cells if cell["kind"] == kind}
    sets = list(dict.fromkeys(name for _, name in mine))
    rows = [
        [method, *(_score(mine.get((method, name))) for name in sets)]
        for method in dict.fromkeys(method for method, _ in mine)
    ]
    return problems.plain_table(f"Score, {KIND_NAMES[kind]}", ["method", *(name[:12] for name in sets)], rows)


def _score(cell: Cell | None) -> str:
    if cell is None:
        return ""
    return "failed" if "not_run" in cell else f"{cell['score']:.1f}"


def _means(summary: Summary, kind: str) -> Table:
    columns = ["method", "score", "accuracy", "below MV", "worst", "Brier", "log loss", "calibration", "seconds"]
    title = f"Means, {KIND_NAMES[kind]} (in brackets: over how many sets, if not all); how many sets are clearly below "
    table = problems.plain_table(title + "the majority vote (MV), and the worst difference to it", columns, ())
    for method in summary.methods:
        if method in peers.PEERS and method == next(name for name in summary.methods if name in peers.PEERS):
            table.add_section()
        if one := summary.of(method, kind):
            row = [method, _mean(one, "score", 1), _mean(one, "accuracy", 1)]
            row += [str(len(one.below_majority)), f"{one.worst:+.1f}"]
            figures = (("brier", 3), ("log_loss", 3), ("calibration_error", 3), ("seconds", 2))
            table.add_row(*row, *(_mean(one, figure, digits) for figure, digits in figures))
    return table


def _mean(one: Overview | None, figure: str, digits: int) -> str:
    if one is None or figure not in one.means:
        return "–"
    told = f"{one.means[figure]:.{digits}f}"
    return f"{told} ({one.sets})" if one.missing and figure == "score" else told


def _comparisons(summary: Summary) -> Table:
    title = f"{DEFAULT} against the others: difference of mean score, 95% interval and probability of being better"
    found = {(one.than, one.kind): one for one in summary.comparisons if one.figure == "score"}
    rows = []
    for than in dict.fromkeys(than for than, _ in found):
        row = [than]
        for kind in (*KINDS, "all"):
            one = found.get((than, kind))
            row += (
                [f"{one.mean:+.1f}", f"{one.low:+.1f} … {one.high:+.1f}", f"{one.probability:.3f}"] if one else [""] * 3
            )
        rows.append(row)
    columns = [part for kind in (*KINDS, "all") for part in (kind, "interval", "better")]
    return problems.plain_table(
        f"{title} (paired bootstrap over sets, {RESAMPLES:,} resamples)", ["method", *columns], rows
    )


def _beside_stated(cells: Sequence[Cell], summary: Summary) -> Table:
    """Peers' measured means beside those stated elsewhere, and what of them could not be run."""
    table = problems.plain_table(
        "Peers: mean score as measured here, as stated elsewhere, and what was not run",
        ["peer", "lf", "crowd", "stated: lf", "crowd", "over", "not run here"],
        (),
    )
    for column in table.columns[-2:]:
        column.justify = "left"
    for name in peers.PEERS:
        failed = [f"{cell['set']}: {cell['not_run']}" for cell in cells if cell["method"] == name and "not_run" in cell]
        stated = STATED.get(name)
        table.add_row(
            f"{name}, our implementation" if name == peers.EBCC else name,
            *(_mean(summary.of(name, kind), "score", 1) for kind in ("lf", "crowd")),
            *(["", ""] if stated is None else [f"{stated.lf}", "" if stated.crowd is None else f"{stated.crowd}"]),
            "" if stated is None else stated.over,
            "; ".join(failed) if name in summary.methods else "not run",
        )
    return table
