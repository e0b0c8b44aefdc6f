"""Refining the labels of many texts: seconds, memory, accuracy, and what kills do to it.

    python -m benchmarks.speed.refining

Texts of eleven made-up words on average, four classes, a hundred sources: eighty look for words of a class, and twenty
know nothing of the text and say little. Each size has a process of its own, which fits a label model and refines its
labels with default settings. Exponents are slopes of seconds against items, fitted on logarithmic scales: 1 is growth
in proportion. Then one size is refined with a checkpoint, killed at random moments and started again until it ends; its
labels are compared bit by bit with those of the run that nobody killed.

A part of it, such as ``--sizes 2000 4000``, is written to ``benchmarks/results/scratch``.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console

import assay
from benchmarks.support import measuring, problems, processes
from benchmarks.support.problems import Target

SIZES = (12_500, 25_000, 50_000, 100_000)
KILLS = 6
FOLDS = 26
"""Trainings of two rounds: what a process is killed within, on average."""
CLASSES, KEYWORD_SOURCES, OUTSIDE_SOURCES = 4, 80, 20
WORDS, ORDINARY, KEYWORDS = 40, 20_000, 2
"""Words of a class, words of no class, and words that a source looks for."""
LENGTH, SIGNAL, NOISE = 10.0, 0.2, 0.12
"""Words of a text after the first, on average; the share of words of its class, and of words of another class."""
STEPS = ("fit", "refine")
BEGUN = "refining"
"""What a process says when it begins to refine."""
Found = list[dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Drawn:
    """Texts, votes on them, and their classes."""

    texts: list[str]
    votes: assay.Votes
    truth: npt.NDArray[np.int64]


def draw(items: int, seed: int) -> Drawn:
    """A world like those of ``benchmarks.quality.text_worlds``, without a loop over items but for joining words."""
    world, rng = np.random.default_rng(seed), np.random.default_rng([seed, items])
    truth = rng.integers(CLASSES, size=items)
    sizes = 1 + rng.poisson(LENGTH, items)
    starts = np.cumsum(sizes) - sizes
    item = np.repeat(np.arange(items), sizes)
    kind = rng.random(len(item))
    other = (truth[item] + rng.integers(1, CLASSES, len(item))) % CLASSES
    of_class = np.where(kind < SIGNAL, truth[item], other)
    common, rare = 1 / (1.0 + np.arange(WORDS)), 1 / (5.0 + np.arange(ORDINARY))
    own = of_class * WORDS + rng.choice(WORDS, len(item), p=common / common.sum())
    ordinary = CLASSES * WORDS + rng.choice(ORDINARY, len(item), p=rare / rare.sum())
    word = np.where(kind < SIGNAL + NOISE, own, ordinary)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    spelled = ["".join(world.choice(letters, world.integers(4, 10))) for _ in range(CLASSES * WORDS + ORDINARY)]
    said = [spelled[number] for number in word.tolist()]
    texts = [" ".join(said[start : start + size]) for start, size in zip(starts.tolist(), sizes.tolist(), strict=True)]
    has = np.zeros((items, CLASSES * WORDS), dtype=bool)
    has[item[word < CLASSES * WORDS], word[word < CLASSES * WORDS]] = True
    return Drawn(texts, assay.Votes.from_matrix(_votes(has, truth, world, rng), cardinality=CLASSES), truth)


def _votes(
    has: npt.NDArray[np.bool_], truth: npt.NDArray[np.int64], world: np.random.Generator, rng: np.random.Generator
) -> npt.NDArray[np.int8]:
    """(items, sources): votes for a class, −1 for none; ``has`` says which words of classes each text has."""
    matrix = np.full((len(truth), KEYWORD_SOURCES + OUTSIDE_SOURCES), -1, dtype=np.int8)
    for source in range(KEYWORD_SOURCES):
        label = source % CLASSES
        looked_for = label * WORDS + world.choice(WORDS, KEYWORDS, replace=False)
        matrix[has[:, looked_for].any(axis=1), source] = label
    for source in range(KEYWORD_SOURCES, matrix.shape[1]):
        right = rng.random(len(truth)) < world.uniform(0.6, 0.85)
        votes = np.where(right, truth, (truth + rng.integers(1, CLASSES, len(truth))) % CLASSES)
        speaks = rng.random(len(truth)) < world.uniform(0.01, 0.06)
        matrix[speaks, source] = votes[speaks]
    return matrix


def step(items: int, seed: int, checkpoint: Path | None) -> dict[str, Any]:
    """What each process does."""
    with warnings.catch_warnings():  # of a small problem; compiled loops are loaded from their cache for each process
        warnings.simplefilter("ignore")
        small = draw(400, seed)
        assay.refine(small.votes, small.texts, assay.LabelModel().fit(small.votes).label(small.votes), rounds=1)
    drawn = draw(items, seed)
    baseline = measuring.resident()
    measuring.forget_peak()
    model = assay.LabelModel()
    fit, _ = measuring.seconds_of(lambda: model.fit(drawn.votes, progress=False))
    labels = model.label(drawn.votes, progress=False)
    fit_peak, before = measuring.peak(), measuring.resident()
    measuring.forget_peak()
    print(BEGUN, flush=True)
    refine, refined = measuring.seconds_of(
        lambda: assay.refine(drawn.votes, drawn.texts, labels, checkpoint=checkpoint, progress=False)
    )
    assert refined.refined is not None
    return {
        "fit": fit,
        "refine": refine,
        "baseline": baseline,
        "fit_peak": fit_peak,
        "before_refining": before,
        "peak": measuring.peak(),
        "voted": float((np.diff(drawn.votes.cast.starts) > 0).mean()),
        "majority": measuring.accuracy(assay.majority_vote(drawn.votes), drawn.truth),
        "before": measuring.accuracy(labels.joint[0], drawn.truth),
        "after": measuring.accuracy(refined.joint[0], drawn.truth),
        "weights": refined.refined.to_dict(),
        "digest": hashlib.sha256(np.ascontiguousarray(refined.joint[0]).tobytes()).hexdigest(),
    }


def measured(items: int, seed: int, limit: float) -> dict[str, Any]:
    """A size in a process of its own."""
    arguments = ["--step", str(items), "--seed", str(seed)]
    try:
        return {"items": items, **processes.answer(_module(), arguments, limit=limit)}
    except processes.NotRunError as error:
        return {"items": items, "not_run": str(error)}


def killed(whole: dict[str, Any], seed: int, kills: int) -> dict[str, Any]:
    """Refine with a checkpoint, killed at so many random moments, until it ends; is it as if nobody had?"""
    rng = np.random.default_rng([seed, kills])
    moments: Found = []
    with tempfile.TemporaryDirectory(prefix="assay-refining-") as name:
        folder = Path(name) / "folds"
        arguments = ["--step", str(whole["items"]), "--seed", str(seed), "--checkpoint", str(folder)]
        fold = whole["refine"] / FOLDS
        while True:
            done = _done(folder)
            more, moment = int(rng.integers(0, 3)), float(rng.uniform(0, fold))
            ended = _until(arguments, folder, done + more, moment if len(moments) < kills else None)
            if ended is not None:
                break
            moments.append({"folds_before": done, "folds": _done(folder)})
            print(f"killed with {moments[-1]['folds']} folds done, {done} of them before", file=sys.stderr)
    return {"items": whole["items"], "kills": moments, "same_bits": ended["digest"] == whole["digest"]}


def _done(folder: Path) -> int:
    return len(list(folder.glob("fold-*.npz")))


def _until(arguments: list[str], folder: Path, folds: int, moment: float | None) -> dict[str, Any] | None:
    """What the process found, or None if it was killed so many seconds after so many folds were done."""
    command = [sys.executable, "-m", _module(), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            while (line := process.stdout.readline()).strip() != BEGUN:
                if not line:
                    raise processes.NotRunError(f"ended before it began to refine, with exit code {process.wait()}")
            if moment is not None:
                while process.poll() is None and _done(folder) < folds:
                    time.sleep(0.02)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(moment)
                process.send_signal(signal.SIGKILL)  # nothing, if it has ended
            rest = process.stdout.read()
        finally:
            process.kill()
    if process.returncode == -signal.SIGKILL:
        return None
    if process.returncode:
        raise processes.NotRunError(f"failed with exit code {process.returncode}")
    found: dict[str, Any] = json.loads(rest.splitlines()[-1])
    return found


def _module() -> str:
    return __spec__.name if __spec__ else "benchmarks.speed.refining"


def exponent(found: Found, what: str) -> float | None:
    """The slope of all sizes on logarithmic scales."""
    done = [(one["items"], one[what]) for one in found if what in one]
    if len(done) < 2:
        return None
    items, values = np.log(np.array(done, dtype=float)).T
    return float(np.polyfit(items, values, 1)[0])


def report(found: Found, console: Console) -> None:
    rows = []
    for one in found:
        if "not_run" in one:
            rows.append([f"{one['items']:,}", f"not run: {one['not_run']}"])
            continue
        seconds = [f"{one[what]:.1f}" for what in STEPS]
        memory = [f"{one[what] / 1e6:,.0f}" for what in ("baseline", "fit_peak", "peak")]
        scores = [f"{100 * one[what]:.2f}" for what in ("majority", "before", "after")]
        rows.append([f"{one['items']:,}", *seconds, *memory, *scores])
    slopes = [exponent(found, what) for what in STEPS]
    rows.append(["exponent", *("" if slope is None else f"{slope:.2f}" for slope in slopes)])
    columns = [
        "texts",
        "fit, s",
        "refine, s",
        "drawn, MB",
        "fit, MB",
        "refine, MB",
        "majority",
        "label model",
        "refined",
    ]
    console.print(problems.plain_table("Refining, 100 sources: seconds, peak memory, accuracy (%)", columns, rows))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--sizes", type=int, nargs="+", default=None, help=f"numbers of texts {SIZES}")
    arguments.add_argument("--killed", type=int, default=None, help="the size that is killed (the smallest)")
    arguments.add_argument("--kills", type=int, default=KILLS, help="how often, 0 for not at all (%(default)s)")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--limit", type=float, default=7200.0, help="most seconds of a size (%(default)s)")
    arguments.add_argument(
        "--output", type=Path, default=None, help="the JSON (benchmarks/results/speed_refining.json)"
    )
    arguments.add_argument("--step", type=int, help=argparse.SUPPRESS)
    arguments.add_argument("--checkpoint", type=Path, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.step is not None:
        print(json.dumps(step(given.step, given.seed, given.checkpoint)))
        return
    sizes = given.sizes or SIZES
    found: Found = []
    for size in sizes:
        found.append(measured(size, given.seed, given.limit))
        print(found[-1], file=sys.stderr)
    console = Console(width=130)
    report(found, console)
    targets = [
        Target(f"exponent of items, {what}", slope, high=1.1)
        for what in STEPS
        if (slope := exponent(found, what)) is not None
    ]
    result: dict[str, Any] = {"refining": found, "exponents": {what: exponent(found, what) for what in STEPS}}
    size = given.killed or min(sizes)
    whole = next((one for one in found if one["items"] == size), None) or measured(size, given.seed, given.limit)
    if given.kills and "digest" in whole:
        result["killed"] = killed(whole, given.seed, given.kills)
        done = result["killed"]
        same = "the same bits" if done["same_bits"] else "OTHER bits"
        console.print(f"{size:,} texts, killed {len(done['kills'])} times: labels have {same} as without")
        targets.append(Target("labels after kills are the same bits", float(done["same_bits"]), low=1))
        gone_on = sum(one["folds_before"] > 0 for one in done["kills"])
        targets.append(Target("kills of a run that went on from kept folds", float(gone_on), low=given.kills / 2))
    console.print(problems.target_table(targets))
    home = problems.RESULTS / ("scratch" if given.sizes else "")
    problems.save(given.output or home / "speed_refining.json", result, targets)


if __name__ == "__main__":
    main()
