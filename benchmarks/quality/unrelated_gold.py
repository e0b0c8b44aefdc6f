"""How often check A308 takes gold for that of other items or labels: where it is right, and where it is not.

    ASSAY_DATA=… python -m benchmarks.quality.unrelated_gold

Hand labels of random items, as they are (where nothing is to be said), in another order, and with each label taken for
the next one. Of all families of families.py, ten draws of 2,000 items each, on the seeds for choosing; and of the sets
of run.py, twenty draws each.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console

import assay
from assay.checks import gold_beside_votes
from assay.gold import GoldItems
from benchmarks.quality.families import FAMILIES, draw
from benchmarks.quality.sets import stored_sets
from benchmarks.support.problems import RESULTS, Target, plain_table, save

Codes = npt.NDArray[np.integer]
LABELS = (30, 100, 1_000)
KINDS = ("right", "of other items", "of other labels")


def warned(votes: assay.Votes, gold: Codes, labels: int, seed: int) -> list[bool]:
    """Whether it is said of each kind of gold, for as many hand labels, or half of the gold there is."""
    rng = np.random.default_rng(seed)
    known = np.flatnonzero(gold >= 0)
    chosen = rng.choice(known, min(labels, max(len(known) // 2, 1)), replace=False)
    true = gold[chosen]
    found = []
    for given in (true, rng.permutation(true), (true + 1) % (gold.max() + 1)):
        told = np.full(len(votes), -1)
        told[chosen] = given
        items = GoldItems.among(votes, told)
        found.append(bool(list(gold_beside_votes(items.votes, items.truth))))
    return found


def main() -> None:
    rows: list[dict[str, Any]] = []
    for labels in LABELS:
        drawn = [(draw(name, 2_000, seed), seed) for name in FAMILIES for seed in range(10)]
        shares = np.mean([warned(one.votes, one.gold, labels, seed) for one, seed in drawn], axis=0)
        rows.append({"votes": "simulated", "labels": labels, "draws": len(drawn), **_percent(shares)})
    sets = list(stored_sets())
    found = []
    for one in sets:
        votes = assay.Votes.from_matrix(one.votes.astype(int), cardinality=one.classes)
        found += [warned(votes, one.gold, 100, seed) for seed in range(20)]
    rows.append({"votes": "real", "labels": 100, "draws": len(found), **_percent(np.mean(found, axis=0))})
    told = [
        [str(row[name]) for name in ("votes", "labels", "draws")] + [f"{row[k]:.1f}" for k in KINDS] for row in rows
    ]
    Console().print(plain_table("% of draws in which A308 is said", ["votes", "labels", "draws", *KINDS], told))
    wrongly = max(row["right"] for row in rows)
    targets = [Target("% of draws in which right gold is blamed, at most", wrongly, high=0.0)]
    save(RESULTS / "quality_unrelated_gold.json", {"rows": rows}, targets)


def _percent(shares: npt.NDArray[np.float64]) -> dict[str, float]:
    return {kind: 100 * float(share) for kind, share in zip(KINDS, shares, strict=True)}


if __name__ == "__main__":
    main()
