"""What a sketch of vote patterns costs: the error of accuracies and labels by its size.

    python -m benchmarks.recovery.sampling

Nearly every item of these votes has a pattern of its own, so a sketch is a sample of
the items; the largest holds them all. The error of accuracies is measured against
P(vote | outcome) as counted with the gold labels of all items.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import assay
from assay.counts import SKETCH_SIZE
from assay.simulate import Simulation, flat_world

RESULTS = Path(__file__).parents[1] / "results" / "sampling.json"
SIZES = [2**power for power in (15, 17, 19, 21, 23, 26)]


def error_of(model: assay.LabelModel, drawn: Simulation) -> float:
    """The root mean square error of P(vote | outcome), over all votes of all sources and outcomes."""
    squares = []
    for source, table in enumerate(model.conditionals_):
        said = drawn.votes.codes[:, source]
        for outcome in range(table.shape[1]):
            own = said[drawn.gold == outcome]
            counted = np.bincount(own + 1, minlength=len(table))[1:] / len(own)
            squares += list((table[:-1, outcome] - counted) ** 2)
    return float(np.sqrt(np.mean(squares)))


def measured(drawn: Simulation, size: int) -> dict[str, float]:
    counts = assay.count(drawn.votes, size=size, progress=False)
    begun = time.perf_counter()
    model = assay.LabelModel().fit(counts)
    seconds = time.perf_counter() - begun
    right = float((model.predict(drawn.votes) == drawn.gold).mean())
    patterns = len(counts.sketch.patterns())
    return {
        "size": size,
        "patterns": patterns,
        "solve seconds": seconds,
        "error": error_of(model, drawn),
        "% right": 100 * right,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    rows = []
    for seed in range(given.seeds):
        world = flat_world(sources=50, coverage=0.4, accuracy=(0.55, 0.7), seed=seed)
        drawn = world.draw(given.items, seed=seed)
        measured(drawn, SIZES[0])  # loads the compiled code
        rows.append([measured(drawn, size) for size in SIZES])
    found = [{key: float(np.mean([run[at][key] for run in rows])) for key in rows[0][at]} for at in range(len(SIZES))]
    table = Table(title=f"{given.items:,} items × 50 sources, mean of {given.seeds} seeds")
    for name in ("size", "patterns", "solve, s", "error of P(vote | outcome)", "% right"):
        table.add_column(name, justify="right")
    for one in found:
        default = " (default)" if one["size"] == SKETCH_SIZE else ""
        table.add_row(
            f"{one['size']:,.0f}{default}",
            f"{one['patterns']:,.0f}",
            f"{one['solve seconds']:.2f}",
            f"{one['error']:.5f}",
            f"{one['% right']:.3f}",
        )
    Console().print(table)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"items": given.items, "seeds": given.seeds, "sizes": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
