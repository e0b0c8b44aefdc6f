"""The paper's three synthetic panels (its figure "synthetic"), as PNG and JSON.

    python -m benchmarks.recovery.figures

Left: the error ‖μ̂ − μ*‖ against the number of items n, for a binary, a 5-class and a
3-task hierarchical problem; μ is P(vote, outcome) over all values and outcomes, and
neither it nor the class balance is given. Middle: the error against the number of
dependent pairs among ten sources, with the dependencies declared and not. Right:
runtime against n, for Assay and for data programming by Gibbs sampling (gibbs.py),
which takes classes to be equally frequent; Assay is told so too.

The picture needs altair and vl-convert-python: pip install 'assay[report]'.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import assay
from assay.simulate import flat_world
from benchmarks.recovery import gibbs
from benchmarks.support import problems
from benchmarks.support.problems import Target

CURVES = {
    "binary": (problems.binary, "em"),
    "binary, Algorithm 1": (problems.binary, "completion"),
    "5 classes": (problems.five_classes, "em"),
    "3 tasks": (problems.hierarchy, "em"),
}
SLOPE = (-0.55, -0.45)
PAIRS = range(6)
COMPARED = 100_000
"""The number of items at which the runtimes are compared."""
COLOURS = ["#1f5a99", "#7fb2dc", "#d1752a", "#3f8f5b"]


def error_at(curve: str, n: int, seed: int) -> float:
    world, method = CURVES[curve]
    truth = world(seed)
    return problems.moment_error(assay.LabelModel(method=method).fit(truth.draw(n, 100 + seed).votes), truth)


def pair_errors(pairs: int, n: int, seed: int) -> tuple[float, float]:
    """With the dependencies declared, and without."""
    world = problems.binary(seed, pairs)
    votes = world.draw(n, 50 + seed).votes
    declared = assay.LabelModel(dependencies=world.dependencies).fit(votes)
    undeclared = assay.LabelModel().fit(votes)
    return problems.moment_error(declared, world), problems.moment_error(undeclared, world)


def spread(errors: list[float]) -> dict[str, Any]:
    return {"mean": float(np.mean(errors)), "least": min(errors), "most": max(errors), "errors": errors}


def left(sizes: list[int], seeds: int) -> dict[str, Any]:
    jobs = [(curve, n, seed) for curve in CURVES for n in reversed(sizes) for seed in range(seeds)]
    found = dict(zip(jobs, problems.in_parallel(error_at, jobs), strict=True))
    curves = {}
    for curve in CURVES:
        points = [{"n": n} | spread([found[curve, n, seed] for seed in range(seeds)]) for n in sizes]
        slope = np.polyfit(np.log([p["n"] for p in points]), np.log([p["mean"] for p in points]), 1)[0]
        curves[curve] = {"slope": float(slope), "points": points}
    return curves


def middle(n: int, seeds: int) -> dict[str, Any]:
    jobs = [(pairs, n, seed) for pairs in PAIRS for seed in range(seeds)]
    found = dict(zip(jobs, problems.in_parallel(pair_errors, jobs), strict=True))
    points = []
    for pairs in PAIRS:
        declared, undeclared = zip(*(found[pairs, n, seed] for seed in range(seeds)), strict=True)
        points.append({"pairs": pairs, "declared": spread(list(declared)), "undeclared": spread(list(undeclared))})
    return {"n": n, "points": points}


def assay_seconds(votes: assay.Votes) -> dict[str, float]:
    """A whole fit; and its two parts, counting votes and solving from the counts, error bars included."""
    model = assay.LabelModel(class_balance=[0.5, 0.5])
    start = time.perf_counter()
    counts = assay.count(votes)
    counted = time.perf_counter()
    assert model.fit(counts).sources_ is not None
    solved = time.perf_counter()
    assert model.fit(votes).sources_ is not None
    return {"count": counted - start, "solve": solved - counted, "fit": time.perf_counter() - solved}


def right(sizes: list[int], repeats: int) -> dict[str, Any]:
    """Least times of several runs, and the errors of both models on the same votes."""
    world = flat_world(sources=10, kind="class-conditional", seed=1)
    gibbs.compile_now()
    assay_seconds(world.draw(100).votes)
    points = []
    for n in sizes:
        votes = world.draw(n, 7).votes
        rounds = repeats if n <= COMPARED else 1 + repeats // 4
        times = [assay_seconds(votes) for _ in range(rounds)]
        best = {part: min(one[part] for one in times) for part in times[0]}
        sampled = [gibbs.train(votes.codes) for _ in range(min(rounds, 3))]
        model = assay.LabelModel(class_balance=[0.5, 0.5]).fit(votes)
        truth = problems.moments(world.conditionals, world.balance)
        points.append(
            {"n": n}
            | {f"{part}_seconds": seconds for part, seconds in best.items()}
            | {
                "gibbs_seconds": min(one.seconds for one in sampled),
                "assay_error": problems.moment_error(model, world),
                "gibbs_error": float(np.linalg.norm(sampled[0].moments().ravel() - truth)),
            }
        )
    return {"epochs": gibbs.EPOCHS, "decay": gibbs.DECAY, "step": gibbs.STEP, "points": points}


def judged(result: dict[str, Any], compared: int) -> list[Target]:
    targets = [
        Target(f"left: slope, {curve}", found["slope"], *SLOPE) for curve, found in result["left"]["curves"].items()
    ]
    points = result["middle"]["points"]
    alone = points[0]["declared"]["mean"]
    targets += [
        Target(
            "middle: most error with declared pairs, × independent",
            max(p["declared"]["mean"] / alone for p in points),
            high=2.0,
        ),
        Target(
            "middle: least error with undeclared pairs, × declared",
            min(p["undeclared"]["mean"] / p["declared"]["mean"] for p in points[1:]),
            low=5.0,
        ),
    ]
    at = next(p for p in result["right"]["points"] if p["n"] == compared)
    solving = [p["solve_seconds"] for p in result["right"]["points"] if p["n"] >= 10_000]
    unfair = max(p["gibbs_error"] / p["assay_error"] for p in result["right"]["points"])
    return [
        *targets,
        Target(f"right: Gibbs / (count + solve) in time, n = {compared:,}", times_faster(at), low=100.0),
        Target("right: solve, most / least over n ≥ 10,000", max(solving) / min(solving), high=1.5),
        Target("right: Gibbs / Assay in error, the most over n (fair if near one)", unfair, high=1.5),
    ]


def times_faster(point: dict[str, float]) -> float:
    return point["gibbs_seconds"] / (point["count_seconds"] + point["solve_seconds"])


def drawn(result: dict[str, Any]) -> Any:
    """The three panels side by side."""
    import altair as alt

    size = {"width": 330, "height": 290}
    legend = alt.Legend(orient="bottom", title=None, columns=2, labelLimit=260, symbolOpacity=1, symbolSize=110)
    items = alt.X(
        "n:Q",
        title="items, n",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(
            values=[1e3, 1e4, 1e5, 1e6],
            labelExpr="'10' + {3: '³', 4: '⁴', 5: '⁵', 6: '⁶'}[round(log(datum.value) / LN10)]",
        ),
    )

    def colour(domain: list[str], colours: list[str]) -> Any:
        return alt.Color("what:N", scale=alt.Scale(domain=domain, range=colours), legend=legend)

    def logarithmic(field: str, title: str, steps: list[int]) -> Any:
        """An axis with a tick at each of some steps in every power of ten."""
        ticks = [step * 10.0**power for power in range(-4, 3) for step in steps]
        axis = alt.Axis(values=ticks, format="~g")
        return alt.Y(f"{field}:Q", title=title, scale=alt.Scale(type="log", nice=False, padding=12), axis=axis)

    def banded(rows: list[dict[str, Any]], x: Any, shade: Any) -> Any:
        base = alt.Chart(alt.Data(values=rows)).encode(x=x, color=shade)
        error = logarithmic("mean", "error  ‖μ̂ − μ*‖", [1, 2, 5])
        band = base.mark_area(opacity=0.16).encode(y=logarithmic("least", "error  ‖μ̂ − μ*‖", [1, 2, 5]), y2="most:Q")
        return band + base.mark_line(point=alt.OverlayMarkDef(size=42), strokeWidth=2.2).encode(y=error)

    curves = result["left"]["curves"]
    named = {curve: f"{curve}  (slope {found['slope']:.2f})".replace("-", "−") for curve, found in curves.items()}
    rows = [{"what": named[curve]} | point for curve, found in curves.items() for point in found["points"]]
    first = banded(rows, items, colour(list(named.values()), COLOURS)).properties(
        title=alt.Title("Error falls as n^(−1/2)", subtitle="mean and range over seeds, class balance unknown"), **size
    )

    wording = {"declared": "dependencies declared", "undeclared": "taken for independent"}
    rows = [
        {"what": words, "pairs": point["pairs"]} | point[kind]
        for point in result["middle"]["points"]
        for kind, words in wording.items()
    ]
    pairs = alt.X(
        "pairs:Q", title="dependent pairs among ten sources", axis=alt.Axis(values=list(PAIRS), format="d", grid=False)
    )
    count = f"{result['middle']['n']:,}"
    second = banded(rows, pairs, colour(list(wording.values()), [COLOURS[0], COLOURS[2]])).properties(
        title=alt.Title("Declared dependencies cost little", subtitle=f"copy probability 0.6, n = {count}"),
        **size,
    )

    lines = {
        "gibbs_seconds": f"Gibbs sampling, {result['right']['epochs']} epochs",
        "fit_seconds": "Assay, whole fit",
        "count_seconds": "Assay, counting",
        "solve_seconds": "Assay, solving",
    }
    rows = [
        {"what": words, "n": point["n"], "seconds": point[part]}
        for point in result["right"]["points"]
        for part, words in lines.items()
    ]
    third = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=alt.OverlayMarkDef(size=42), strokeWidth=2.2)
        .encode(
            x=items,
            y=logarithmic("seconds", "seconds", [1]),
            color=colour(list(lines.values()), [COLOURS[2], COLOURS[0], COLOURS[1], COLOURS[3]]),
        )
        .properties(
            title=alt.Title("Solving does not depend on n", subtitle="ten binary sources; compiling is not counted"),
            **size,
        )
    )
    return (
        alt.hconcat(first, second, third, spacing=36)
        .resolve_scale(color="independent", x="independent", y="independent")
        .configure(padding=16, background="white", font="DejaVu Sans, Helvetica, Arial, sans-serif")
        .configure_title(anchor="start", fontSize=15, subtitleFontSize=12, subtitleColor="#555", offset=10)
        .configure_axis(labelFontSize=12, titleFontSize=12, gridColor="#e8e8e8", titleFontWeight="normal")
        .configure_legend(labelFontSize=11.5, rowPadding=4)
        .configure_view(stroke="#cccccc")
    )


def shown(result: dict[str, Any]) -> list[Any]:
    sizes = [point["n"] for point in next(iter(result["left"]["curves"].values()))["points"]]
    first = problems.plain_table(
        f"Left: ‖μ̂ − μ*‖, mean of {result['left']['seeds']} seeds",
        ["problem", *(f"n = {n:,}" for n in sizes), "slope"],
        [
            [curve, *(f"{p['mean']:.4f}" for p in found["points"]), f"{found['slope']:.3f}"]
            for curve, found in result["left"]["curves"].items()
        ],
    )
    second = problems.plain_table(
        f"Middle: ‖μ̂ − μ*‖ at n = {result['middle']['n']:,}, mean of {result['middle']['seeds']} seeds",
        ["dependent pairs", "declared", "undeclared", "ratio"],
        [
            [str(p["pairs"]), f"{d:.4f}", f"{u:.4f}", f"{u / d:.1f}"]
            for p in result["middle"]["points"]
            for d, u in [(p["declared"]["mean"], p["undeclared"]["mean"])]
        ],
    )
    keys = ["count_seconds", "solve_seconds", "fit_seconds", "gibbs_seconds", "assay_error", "gibbs_error"]
    third = problems.plain_table(
        "Right: seconds, and errors ‖μ̂ − μ*‖ on the same votes",
        [
            *("items", "count", "solve", "whole fit", f"Gibbs, {gibbs.EPOCHS} epochs", "error, Assay", "error, Gibbs"),
            "Gibbs / (count + solve)",
            "Gibbs / whole fit",
        ],
        [
            [
                f"{p['n']:,}",
                *(f"{p[key]:.4f}" for key in keys),
                f"{times_faster(p):.1f}",
                f"{p['gibbs_seconds'] / p['fit_seconds']:.1f}",
            ]
            for p in result["right"]["points"]
        ],
    )
    return [first, second, third]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--quick", action="store_true", help="a smoke run: small n, two seeds, no targets")
    arguments.add_argument(
        "--only",
        nargs="+",
        choices=["left", "middle", "right"],
        default=["left", "middle", "right"],
        help="panels to measure anew; the others are kept from the JSON file",
    )
    arguments.add_argument("--seeds", type=int, default=6, help="problems a point (%(default)s)")
    arguments.add_argument("--output", type=Path, default=None, help="the JSON file (benchmarks/results/figures.json)")
    arguments.add_argument("--picture", type=Path, default=None, help="the PNG file (benchmarks/results/figures.png)")
    given = arguments.parse_args()
    try:
        import altair  # noqa: F401
        import vl_convert  # noqa: F401
    except ImportError:
        sys.exit("the picture needs altair and vl-convert-python: pip install 'assay[report]'")
    folder = problems.RESULTS / "scratch" if given.quick else problems.RESULTS
    output, picture = given.output or folder / "figures.json", given.picture or folder / "figures.png"

    seeds = 2 if given.quick else given.seeds
    sizes = [1_000, 3_162, 10_000] if given.quick else [1_000, 3_162, 10_000, 31_623, 100_000, 316_228, 1_000_000]
    times = [1_000, 10_000] if given.quick else [1_000, 10_000, 100_000, 1_000_000]
    many = 20_000 if given.quick else 500_000
    panels: dict[str, Callable[[], dict[str, Any]]] = {
        # A process of its own, so that no other thread is at work.
        "right": lambda: problems.in_parallel(right, [(times, 3 if given.quick else 9)])[0],
        "left": lambda: {"seeds": seeds, "curves": left(sizes, seeds)},
        "middle": lambda: {"seeds": seeds, **middle(many, seeds)},
    }
    kept = [panel for panel in panels if panel not in given.only]
    if kept and not output.exists():
        arguments.error(f"--only keeps the other panels of {output.name}, which does not exist; run all panels first")
    earlier = json.loads(output.read_text(encoding="utf-8")) if kept else {}
    result = {panel: run() if panel in given.only else earlier[panel] for panel, run in panels.items()}
    targets = judged(result, min(COMPARED, times[-1]))
    console = Console(width=130)
    for table in shown(result):
        console.print(table)
    if not given.quick:
        console.print(problems.target_table(targets))
    problems.save(output, result, targets)
    picture.parent.mkdir(parents=True, exist_ok=True)
    drawn(result).save(str(picture), scale_factor=2)
    console.print(f"drawn: {picture.name}")


if __name__ == "__main__":
    main()
