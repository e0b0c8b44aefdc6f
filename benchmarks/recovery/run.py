"""How well the label model recovers what it cannot see, on simulated votes, each figure beside its target.

    python -m benchmarks.recovery.run

The class balance is never given. Sections, by the numbers of the label model's issue:

2  moments: ‖μ̂ − μ*‖ over E[ψ_i·Y], ten binary sources, with and without dependent pairs
3  hierarchy: labels of three tasks against the best possible ones, and the class balance
4  chain: sources 0–1–2 dependent in a chain, against expectation-maximization by brute force
6  intervals: how often the 95% interval of an accuracy holds the true one
7  regret: accuracy lost against the best possible labels, and accuracies from sparse votes

With --peers, section 7 also runs snorkel's label model and crowd-kit's Dawid-Skene on
the same votes, in a virtual environment of their own, made once under --scratch.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

import assay
from assay import hierarchical_majority_vote, majority_vote
from assay.counts import Evidence, Patterns, SourceGraph, layout_of
from assay.model.estimate import Knowledge, fit_component
from assay.model.estimate.start import soft_majority
from assay.simulate import Simulation, World, flat_world
from assay.votes import SparseCodes
from benchmarks.recovery import brute_force
from benchmarks.support import problems
from benchmarks.support.problems import Target

PEER_PACKAGES = (["torch==2.13.0"], ["snorkel==0.10.*", "crowd-kit==1.4.2", "numpy<2", "pandas<3"])

FloatArray = npt.NDArray[np.float64]
Section = tuple[list[Table], list[Target], dict[str, Any]]
Peers = tuple[list[str], dict[str, list[FloatArray]], dict[str, list[FloatArray]], dict[str, str]]
"""Names; per name and draw the labels, (items, 2), and P(right | votes, class), (sources, 2); and versions."""


def accuracy(probabilities: Any, gold: npt.NDArray[np.int64]) -> float:
    """The share of items whose most probable outcome is right; ties count by their share."""
    best = probabilities >= probabilities.max(axis=1, keepdims=True) - 1e-9
    return float((best / best.sum(axis=1, keepdims=True))[np.arange(len(gold)), gold].mean())


def labels_of(model: assay.LabelModel, votes: assay.Votes) -> FloatArray:
    return np.asarray(model.predict_proba(votes))


# 2: moments


def moments_of(pairs: int, n: int, seed: int) -> tuple[float, float, float]:
    """Errors over E[ψ_i·Y]: against gold on the same items, against the population, and of gold itself."""
    world = problems.binary(seed, pairs)
    drawn = world.draw(n, 100 + seed)
    model = assay.LabelModel(dependencies=world.dependencies).fit(drawn.votes)
    balance = np.asarray(model.class_balance_)
    learned = np.array([table[1, 1] * balance[1] for table in model.conditionals_])
    counted = ((drawn.votes.codes == 1) & (drawn.gold == 1)[:, None]).mean(axis=0)
    true = np.array([table[1, 1] * world.balance[1] for table in world.conditionals])
    norm = np.linalg.norm
    return float(norm(learned - counted)), float(norm(learned - true)), float(norm(counted - true))


def section_moments(quick: bool) -> Section:
    n, seeds = (2_000, 2) if quick else (10_000, 5)
    rows, targets, found = [], [], {}
    for pairs, most in ((0, 0.008), (3, 0.012)):
        what = f"{pairs} dependent pairs, declared" if pairs else "independent"
        errors = problems.in_parallel(moments_of, [(pairs, n, seed) for seed in range(seeds)])
        sample, population, gold = np.mean(errors, axis=0)
        rows.append([what, f"{sample:.4f}", f"≤ {most}", f"{population:.4f}", f"{gold:.4f}"])
        targets.append(Target(f"2  moments, {what}", float(sample), high=most))
        found[what] = {"against_gold": float(sample), "against_population": float(population), "gold": float(gold)}
    title = f"2  ‖μ̂ − μ*‖ over E[ψ_i·Y], ten binary sources, n = {n:,}, mean of {seeds} seeds"
    columns = ["", "against gold on the same items", "target", "against the population", "gold against the population"]
    return [problems.plain_table(title, columns, rows)], targets, {"n": n, "seeds": seeds, "found": found}


# 3: hierarchy


def hierarchy_of(n: int, seed: int) -> tuple[float, float, float, float]:
    """Accuracy of the best labels, of ours, of the hierarchical majority vote; and how far off the balance is."""
    world = problems.hierarchy(seed)
    drawn = world.draw(n, 100 + seed)
    model = assay.LabelModel().fit(drawn.votes)
    found = (world.posterior(drawn.votes.codes), labels_of(model, drawn.votes), hierarchical_majority_vote(drawn.votes))
    off = float(np.abs(np.asarray(model.class_balance_) - world.balance).max())
    best, ours, majority = (accuracy(labels, drawn.gold) for labels in found)
    return best, ours, majority, off


def section_hierarchy(quick: bool) -> Section:
    rows, targets, found = [], [], {}
    for n, seeds, most in ((2_000, 2, 0.5),) if quick else ((10_000, 12, 0.5), (100_000, 6, 0.2)):
        results = np.array(problems.in_parallel(hierarchy_of, [(n, seed) for seed in range(seeds)]))
        best, ours, majority, off = results.T
        lost = 100 * (best - ours)
        rows.append(
            [
                f"n = {n:,}, {seeds} seeds",
                *(f"{100 * part.mean():.2f}" for part in (best, ours, majority)),
                f"{lost.mean():.2f}",
                f"{lost.max():.2f}",
                f"≤ {most}",
                f"{off.mean():.3f}",
                f"{off.max():.3f}",
            ]
        )
        targets.append(Target(f"3  hierarchy, n = {n:,}, points lost, mean", float(lost.mean()), high=most))
        if n >= 100_000:
            targets.append(Target("3  hierarchy, class balance, worst outcome and seed", float(off.max()), high=0.03))
        found[str(n)] = {"best": best.tolist(), "ours": ours.tolist(), "majority": majority.tolist()} | {
            "balance_off": off.tolist()
        }
    title = "3  three tasks, four coarse and six fine sources: % of items labeled right, class balance unknown"
    columns = ["", "best possible", "Assay", "majority", "points lost", "worst", "target", "balance off", "worst"]
    return [problems.plain_table(title, columns, rows)], targets, {"found": found}


# 4: chain

CHAIN, ALONE = [(0, 1), (1, 2)], [(3,), (4,), (5,)]


def chain_of(coverage: float, n: int, seed: int) -> tuple[float, float, float]:
    """Errors over the joint votes of both chain cliques and of the other sources: brute force, default, Algorithm 1."""
    world = flat_world(sources=6, coverage=coverage, copies=CHAIN, copy_probability=0.6, seed=seed)
    votes = world.draw(n, 100 + seed).votes
    graph = SourceGraph(votes.names, world.dependencies)
    layout = layout_of(votes.schema, 0, graph)
    codes = layout.codes(votes)
    evidence = Evidence(layout, Patterns.of(codes))
    groups = [*CHAIN, *ALONE]

    table = brute_force.JointTable([3] * 6, 2, groups, [(1,)])
    start = soft_majority(layout, layout.design(SparseCodes.of(codes)), np.ones(6))
    solved = table.fit(np.where(codes < 0, 2, codes), start)
    with np.errstate(divide="ignore"):
        all_votes = np.where(table.votes == 2, -1, table.votes)
        exact = np.exp(world.log_likelihood(all_votes)) * world.balance
    true = np.concatenate([table.marginal(exact, group).ravel() for group in groups])
    estimates = [np.concatenate([table.marginal(solved, group).ravel() for group in groups])]
    for method in ("em", "completion"):
        parameters = fit_component(evidence, Knowledge.none(layout), method=method).parameters
        of = {clique.sources: joint for clique, joint in zip(layout.cliques, parameters.joint, strict=True)}
        estimates.append(np.concatenate([(of[group] * parameters.balance).ravel() for group in groups]))
    errors = [float(np.linalg.norm(estimate - true)) for estimate in estimates]
    return errors[0], errors[1], errors[2]


def section_chain(quick: bool) -> Section:
    n, seeds = (2_000, 2) if quick else (10_000, 12)
    rows, targets, found = [], [], {}
    for coverage in (1.0, 0.7):
        what = "no abstentions" if coverage == 1 else f"coverage {coverage:.0%}"
        errors = problems.in_parallel(chain_of, [(coverage, n, seed) for seed in range(seeds)])
        brute, default, completion = np.mean(errors, axis=0)
        rows.append(
            [
                what,
                f"{brute:.4f}",
                f"{default:.4f}",
                f"{default / brute:.2f}",
                f"{completion:.4f}",
                f"{completion / brute:.2f}",
                "≤ 1.5",
            ]
        )
        targets.append(Target(f"4  chain, {what}, default, × brute force", float(default / brute), high=1.5))
        targets.append(Target(f"4  chain, {what}, Algorithm 1, × brute force", float(completion / brute), high=1.5))
        found[what] = {"brute_force": float(brute), "default": float(default), "completion": float(completion)}
    title = f"4  chain 0–1–2 and three more sources, n = {n:,}: error over clique moments, mean of {seeds} seeds"
    columns = ["", "brute force", "default", "ratio", "Algorithm 1", "ratio", "target"]
    return [problems.plain_table(title, columns, rows)], targets, {"n": n, "seeds": seeds, "found": found}


# 6: intervals

KINDS: dict[str, tuple[Callable[[int], World], int, int]] = {
    "binary, 8 sources, no abstentions": (lambda seed: flat_world(sources=8, seed=seed), 2_000, 40),
    "binary, 12 sources, 40% coverage": (lambda seed: flat_world(sources=12, coverage=0.4, seed=seed), 5_000, 40),
    "three classes, 70% coverage": (lambda seed: flat_world(classes=3, sources=8, coverage=0.7, seed=seed), 4_000, 30),
    "two dependent pairs, 80% coverage": (
        lambda seed: flat_world(sources=8, copies=[(0, 1), (2, 3)], coverage=0.8, seed=seed),
        4_000,
        30,
    ),
    "unipolar, 10 sources": (
        lambda seed: flat_world(sources=10, polarity="one", coverage=0.3, seed=seed),
        5_000,
        30,
    ),
    "three tasks, 10 sources": (problems.hierarchy, 10_000, 30),
}


def coverage_of(kind: str, seed: int) -> tuple[int, int, float]:
    """How many true accuracies are inside their intervals, of how many; and the mean width."""
    make, n, _ = KINDS[kind]
    world = make(seed)
    votes = world.draw(n, 1000 + seed).votes
    table = assay.LabelModel(dependencies=world.dependencies).fit(votes).sources_
    known = table.assign(true=problems.true_accuracies(world))[table["votes"] > 0]
    inside = (known["low"] <= known["true"]) & (known["true"] <= known["high"])
    return int(inside.sum()), len(known), float((known["high"] - known["low"]).mean())


def section_intervals(quick: bool) -> Section:
    jobs = [(kind, seed) for kind, (_, _, count) in KINDS.items() for seed in range(2 if quick else count)]
    results = dict(zip(jobs, problems.in_parallel(coverage_of, jobs), strict=True))
    rows, found, inside_all, asked_all = [], {}, 0, 0
    for kind in KINDS:
        ours = [result for (name, _), result in results.items() if name == kind]
        inside, asked = sum(one[0] for one in ours), sum(one[1] for one in ours)
        width = float(np.mean([one[2] for one in ours]))
        rows.append([kind, f"{len(ours)}", f"{KINDS[kind][1]:,}", f"{asked}", f"{inside / asked:.1%}", f"{width:.3f}"])
        found[kind] = {"problems": len(ours), "intervals": asked, "inside": inside / asked, "width": width}
        inside_all, asked_all = inside_all + inside, asked_all + asked
    share = inside_all / asked_all
    rows.append(["all", f"{len(jobs)}", "", f"{asked_all}", f"{share:.1%}", ""])
    title = "6  true accuracies inside their 95% intervals (target 92% to 98% of all)"
    columns = ["", "problems", "items", "intervals", "inside", "mean width"]
    targets = [Target("6  intervals, share that holds the truth", share, 0.92, 0.98)]
    return [problems.plain_table(title, columns, rows)], targets, {"found": found, "inside": share}


# 7: regret

SETTINGS: dict[str, tuple[dict[str, Any], float]] = {
    "independent": ({}, 0.001),
    "four cliques of three 95% copies, declared": (
        {"copies": [(0, 1, 2), (3, 4, 5), (6, 7, 8), (9, 10, 11)], "copy_probability": 0.95},
        0.005,
    ),
    "unipolar sources": ({"polarity": "one"}, 0.003),
    "classes 10/90": ({"balance": [0.9, 0.1]}, 0.002),
}
SPARSE = {0.02: 0.031, 0.05: 0.015}


def drawn_for(setting: str, n: int, seed: int) -> Simulation:
    options = SETTINGS[setting][0]
    world = flat_world(sources=20, accuracy=(0.55, 0.9), coverage=0.4, seed=seed, **options)
    return world.draw(n, 50 + seed)


def sparse_for(coverage: float, n: int, seed: int) -> Simulation:
    return flat_world(sources=20, accuracy=(0.55, 0.9), coverage=coverage, seed=seed).draw(n, 50 + seed)


def regret_of(setting: str, n: int, seed: int) -> tuple[float, float, float, float]:
    """Accuracy of the best labels on items with a vote, of ours, of ours with no dependencies, of a majority vote."""
    drawn = drawn_for(setting, n, seed)
    model = assay.LabelModel(dependencies=drawn.world.dependencies).fit(drawn.votes)
    naive = model if not drawn.world.dependencies else assay.LabelModel().fit(drawn.votes)
    labels = (
        drawn.world.posterior(drawn.votes.codes),
        labels_of(model, drawn.votes),
        labels_of(naive, drawn.votes),
        majority_vote(drawn.votes),
    )
    best, ours, blind, majority = (voted_accuracy(one, drawn) for one in labels)
    return best, ours, blind, majority


def accuracies(conditionals: Any, balance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Per source: P(right | it votes, class), (sources, 2), and P(right | it votes), (sources,)."""
    tables = np.array([table[:-1] for table in conditionals])
    right, said = np.diagonal(tables, axis1=1, axis2=2), tables.sum(axis=1)
    return right / said, (right @ balance) / (said @ balance)


def sparse_errors(coverage: float, n: int, seed: int) -> tuple[float, float]:
    """Mean absolute error of accuracies per class, and overall."""
    drawn = sparse_for(coverage, n, seed)
    model = assay.LabelModel().fit(drawn.votes)
    learned = accuracies(model.conditionals_, np.asarray(model.class_balance_))
    true = accuracies(drawn.world.conditionals, drawn.world.balance)
    each, overall = (float(np.abs(a - b).mean()) for a, b in zip(learned, true, strict=True))
    return each, overall


def voted_accuracy(labels: Any, drawn: Simulation) -> float:
    voted = (drawn.votes.codes >= 0).any(axis=1)
    return accuracy(np.asarray(labels)[voted], drawn.gold[voted])


def section_regret(quick: bool, ask: Callable[[list[Simulation]], Peers] | None) -> Section:
    """Targets are for three seeds; more are run, since three leave half a thousandth of chance."""
    n, many, seeds, first = (2_000, 10_000, 2, 2) if quick else (10_000, 100_000, 10, 3)
    jobs = [(setting, n, seed) for setting in SETTINGS for seed in range(seeds)]
    sparse_jobs = [(coverage, many, seed) for coverage in SPARSE for seed in range(seeds)]
    regrets = dict(zip(jobs, problems.in_parallel(regret_of, jobs), strict=True))
    errors = dict(zip(sparse_jobs, problems.in_parallel(sparse_errors, sparse_jobs), strict=True))
    asked = [job for job in [*jobs, *sparse_jobs] if job[-1] < first]
    rivals, versions = peer_figures(asked, regrets, ask) if ask else ({job: {} for job in asked}, {})
    names = list(rivals[asked[0]])

    def rival(what: str | float, size: int, name: str) -> float:
        return float(np.mean([rivals[what, size, seed][name] for seed in range(first)]))

    rows, targets, found = [], [], {}
    for setting, (options, most) in SETTINGS.items():
        results = np.array([regrets[setting, n, seed] for seed in range(seeds)])
        lost = results[:, :1] - results[:, 1:]
        ours, blind, majority = (float(one) for one in lost.mean(axis=0))
        early = float(lost[:first, 0].mean())
        undeclared = f"{blind:.4f}" if "copies" in options else "–"
        others = {name: rival(setting, n, name) for name in names}
        figures = [f"{ours:.4f}", f"{early:.4f}", f"≤ {most}", undeclared, f"{majority:.4f}"]
        rows.append([setting, *figures, *(f"{one:.4f}" for one in others.values())])
        targets.append(Target(f"7  regret, {setting}", ours, high=most))
        found[setting] = {
            "assay": ours,
            f"assay_first_{first}": early,
            "undeclared": blind,
            "majority": majority,
        } | others
    title = f"7  accuracy lost against the best labels, twenty sources, 40% coverage, n = {n:,}, mean of {seeds} seeds"
    columns = ["", "Assay", f"first {first} seeds", "target", "undeclared", "majority vote"]
    columns += [f"{name}, first {first}" for name in names]
    tables = [problems.plain_table(title, columns, rows)]

    rows = []
    for coverage, most in SPARSE.items():
        results = np.array([errors[coverage, many, seed] for seed in range(seeds)])
        (each, overall), early_both = results.mean(axis=0), results[:first].mean(axis=0)
        others = {name: rival(coverage, many, name) for name in names}
        what = f"coverage {coverage:.0%}"
        figures = [f"{each:.4f}", f"{overall:.4f}", *(f"{one:.4f}" for one in early_both), f"≤ {most}"]
        rows.append([what, *figures, *(f"{one:.4f}" for one in others.values())])
        targets.append(Target(f"7  accuracies at {coverage:.0%} coverage, per class", float(each), high=most))
        targets.append(Target(f"7  accuracies at {coverage:.0%} coverage, overall", float(overall), high=most))
        found[what] = {"per_class": float(each), "overall": float(overall)}
        found[what] |= {f"first_{first}": early_both.tolist()} | others
    title = f"7  mean error of accuracies from sparse votes, n = {many:,}, mean of {seeds} seeds"
    columns = ["", "per class", "overall", f"per class, first {first}", f"overall, first {first}", "target"]
    columns += [f"{name}, per class, first {first}" for name in names]
    tables.append(problems.plain_table(title, columns, rows))
    return tables, targets, {"n": n, "seeds": seeds, "found": found, "peer_versions": versions}


def peer_figures(
    jobs: list[Any], regrets: dict[Any, Any], ask: Callable[[list[Simulation]], Peers]
) -> tuple[dict[Any, dict[str, float]], dict[str, str]]:
    """Per job and peer what it loses; for sparse votes the mean error of its accuracies per class."""
    draws = [drawn_for(*job) if job[0] in SETTINGS else sparse_for(*job) for job in jobs]
    names, labels, accurate, versions = ask(draws)
    found: dict[Any, dict[str, float]] = {}
    for at, (job, drawn) in enumerate(zip(jobs, draws, strict=True)):
        if job in regrets:
            best = regrets[job][0]
            found[job] = {name: best - voted_accuracy(labels[name][at], drawn) for name in names}
        else:
            true = accuracies(drawn.world.conditionals, drawn.world.balance)[0]
            found[job] = {name: float(np.abs(accurate[name][at] - true).mean()) for name in names}
    return found, versions


def peers(scratch: Path, drawn: list[Simulation]) -> Peers:
    """What snorkel and crowd-kit make of the same votes, in an environment that is made when it is first needed."""
    python = scratch / ("Scripts" if os.name == "nt" else "bin") / "python"
    complete = scratch / "complete"
    if not complete.exists():
        print("making the environment for the peers (torch is large; only the first time)", file=sys.stderr)
        venv.create(scratch, clear=True, with_pip=True)
        for packages in PEER_PACKAGES:
            subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True, stdout=sys.stderr)
        complete.touch()
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder, "votes.npz"), Path(folder, "labels.npz")
        np.savez_compressed(asked, *(_as_classes(one) for one in drawn))
        script = [python, "-m", "benchmarks.recovery.peers", asked, answered]
        done = subprocess.run(script, check=True, stdout=subprocess.PIPE, text=True)
        told = json.loads(done.stdout)
        with np.load(answered) as found:
            labels, accurate = (
                {name: [found[f"{name} {kind} {at}"] for at in range(len(drawn))] for name in told["names"]}
                for kind in ("labels", "accuracies")
            )
    return told["names"], labels, accurate, told["versions"]


def _as_classes(drawn: Simulation) -> npt.NDArray[np.int32]:
    """Votes as class numbers; a unipolar source's only code is 0 whatever it says."""
    found = np.full_like(drawn.votes.codes, -1)
    for source, table in enumerate(drawn.votes.values):
        classes = np.array([*(int(str(dict(vote.labels)["label"])) for vote in table), -1], dtype=np.int32)
        found[:, source] = classes[drawn.votes.codes[:, source]]
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--quick", action="store_true", help="a smoke run: small n, few seeds, no targets")
    arguments.add_argument("--only", nargs="+", choices=list("23467"), default=list("23467"), help="sections to run")
    arguments.add_argument("--peers", action="store_true", help="run snorkel and crowd-kit too, installed from PyPI")
    arguments.add_argument(
        "--scratch",
        type=Path,
        default=Path(tempfile.gettempdir()) / "assay-recovery-peers",
        help="where the peers' environment is kept (a folder among the temporary files)",
    )
    arguments.add_argument("--output", type=Path, default=None, help="the JSON file (benchmarks/results/recovery.json)")
    given = arguments.parse_args()
    partial = given.quick or len(given.only) < 5
    output = given.output or problems.RESULTS / ("scratch" if partial else "") / "recovery.json"

    ask = (lambda drawn: peers(given.scratch, drawn)) if given.peers else None
    sections: dict[str, Callable[[], Section]] = {
        "2": lambda: section_moments(given.quick),
        "3": lambda: section_hierarchy(given.quick),
        "4": lambda: section_chain(given.quick),
        "6": lambda: section_intervals(given.quick),
        "7": lambda: section_regret(given.quick, ask),
    }
    console = Console(width=140)
    result: dict[str, Any] = {}
    every: list[Target] = []
    for number in given.only:
        start = time.perf_counter()
        tables, targets, result[number] = sections[number]()
        every += targets
        result[number]["seconds"] = time.perf_counter() - start
        for table in tables:
            console.print(table)
        console.print(f"({result[number]['seconds']:.0f} s)\n")
    if not given.quick:
        console.print(problems.target_table(every))
    problems.save(output, {"sections": result}, every)


if __name__ == "__main__":
    main()
