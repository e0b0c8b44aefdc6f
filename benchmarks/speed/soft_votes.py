"""How long fit and predict take on soft votes, beside the same votes hardened.

    python -m benchmarks.speed.soft_votes [--items 1000000] [--sources 20]

Sources of two classes, each with a probability for every item; both kinds of votes in one run, in turns, the best of
three each. Making votes, in which levels of confidence are cut, is timed too, but is not part of the target.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import assay
from benchmarks.support.measuring import seconds_of
from benchmarks.support.problems import RESULTS, Target, plain_table, save, target_table

DEARER = 2.0
"""How many times as long soft votes may take."""
REPEATS = 3


def votes_of(items: int, sources: int, *, soft: bool, seed: int = 0) -> assay.Votes:
    """Probabilities of two classes, from scores with a mean of the true class's sign."""
    rng = np.random.default_rng(seed)
    sign = rng.choice([-1.0, 1.0], size=items)
    tasks = assay.TaskGraph.flat("label", ["no", "yes"])
    made: dict[str, Any] = {}
    for number in range(sources):
        strength = rng.uniform(0.4, 1.2)
        odds = 2 * strength * (rng.normal(size=items) + strength * sign)
        yes = 1 / (1 + np.exp(-odds)) if soft else (odds > 0).astype(float)
        made[f"source {number}"] = np.column_stack([1 - yes, yes])
    return assay.Votes.from_probabilities(tasks, made)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--sources", type=int, default=20)
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    best: dict[str, dict[str, float]] = {}
    votes = {}
    for kind in ("hard", "soft"):
        took, votes[kind] = seconds_of(lambda kind=kind: votes_of(given.items, given.sources, soft=kind == "soft"))
        best[kind] = {"make": took}
        few = votes[kind].take(slice(0, 2_000))
        assay.LabelModel().fit(few, progress=False).predict_proba(few)
    for _ in range(REPEATS):
        for kind, some in votes.items():
            fit, model = seconds_of(lambda some=some: assay.LabelModel().fit(some, progress=False))
            predict, _ = seconds_of(lambda model=model, some=some: model.predict_proba(some))
            for part, took in {"fit": fit, "predict": predict, "fit + predict": fit + predict}.items():
                best[kind][part] = min(best[kind].get(part, np.inf), took)
    parts = ("make", "fit", "predict", "fit + predict")
    ratio = best["soft"]["fit + predict"] / best["hard"]["fit + predict"]
    targets = [Target("fit + predict, soft over hard votes", ratio, high=DEARER)]
    rows = [[kind, *(f"{best[kind][part]:.2f}" for part in parts)] for kind in best]
    console = Console(width=120)
    console.print(plain_table(f"seconds: {given.items:,} items × {given.sources} sources", ["votes", *parts], rows))
    console.print(target_table(targets))
    save(
        given.out / "speed_soft_votes.json", {"items": given.items, "sources": given.sources, "seconds": best}, targets
    )


if __name__ == "__main__":
    main()
