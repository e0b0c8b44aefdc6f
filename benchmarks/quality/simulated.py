"""What the default costs where EM is at home: simulated votes of independent sources, default against EM.

python -m benchmarks.quality.simulated
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from rich.console import Console

import assay
from assay.simulate import World, flat_world
from benchmarks.support.problems import (
    RESULTS,
    Target,
    binary,
    five_classes,
    hierarchy,
    in_parallel,
    plain_table,
    save,
    target_table,
)

ITEMS, SEEDS = (300, 1_000, 10_000), range(4)
DESIGNS = {
    "ten binary sources": binary,
    "five classes": five_classes,
    "three tasks in a tree": hierarchy,
    "20 sources, 2% coverage": lambda seed: flat_world(sources=20, coverage=0.02, seed=seed),
    "30 sources, 5% coverage": lambda seed: flat_world(sources=30, coverage=0.05, seed=seed),
    "50 sources, 10% coverage, 5 classes": lambda seed: flat_world(sources=50, coverage=0.1, classes=5, seed=seed),
    "100 sources, 5% coverage, 4 classes": lambda seed: flat_world(sources=100, coverage=0.05, classes=4, seed=seed),
    "12 one-sided sources, 20%": lambda seed: flat_world(sources=12, coverage=0.2, polarity="one", seed=seed),
    "30 one-sided sources, 5%, 6 classes": lambda seed: flat_world(
        sources=30, classes=6, coverage=0.05, polarity="one", seed=seed
    ),
    "20 one-sided sources, 5%, classes 85/15": lambda seed: flat_world(
        sources=20, coverage=0.05, polarity="one", balance=[0.85, 0.15], seed=seed
    ),
    "classes 90/10": lambda seed: flat_world(sources=10, balance=[0.9, 0.1], seed=seed),
    "50 weak sources": lambda seed: flat_world(sources=50, accuracy=(0.55, 0.65), seed=seed),
    "three sources": lambda seed: flat_world(sources=3, seed=seed),
}


def scored(name: str, items: int, seed: int) -> tuple[float, float, bool]:
    """The share that the default and EM label rightly, in %, and whether the default kept EM."""
    world: World = DESIGNS[name](seed)
    drawn = world.draw(items, seed=seed)
    models = [assay.LabelModel(method=method, allow_unidentifiable=True) for method in ("auto", "em")]
    default, em = (100 * float((model.fit(drawn.votes).predict(drawn.votes) == drawn.gold).mean()) for model in models)
    return default, em, "em" in models[0].solvers_[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS)
    out = parser.parse_args().out
    jobs = [(name, items, seed) for name in DESIGNS for items in ITEMS for seed in SEEDS]
    found = dict(zip(jobs, in_parallel(scored, jobs), strict=True))
    rows = []
    for name in DESIGNS:
        for items in ITEMS:
            trials = [found[name, items, seed] for seed in SEEDS]
            default, em, kept = (float(figure) for figure in np.mean(trials, axis=0))
            rows.append({"design": name, "items": items, "default": default, "em": em, "kept EM": kept})
    console = Console()
    cells = [
        [r["design"], f"{r['items']:,}", f"{r['default']:.2f}", f"{r['em']:.2f}", f"{r['default'] - r['em']:+.2f}",
         f"{r['kept EM']:.0%}"]
        for r in rows
    ]  # fmt: skip
    title = f"right labels in %, mean of {len(SEEDS)} seeds"
    console.print(plain_table(title, ["design", "items", "default", "EM", "difference", "kept EM"], cells))
    worst = {items: min(r["default"] - r["em"] for r in rows if r["items"] == items) for items in ITEMS}
    targets = [Target(f"worst design at {items:,} items, default − EM", worst[items], low=-0.5) for items in ITEMS]
    console.print(target_table(targets))
    save(out / "quality_simulated.json", {"rows": rows}, targets)


if __name__ == "__main__":
    main()
