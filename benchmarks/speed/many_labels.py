"""Time and memory of labels of which any subset may apply: 500 labels, 100,000 items, 200 sources.

    python -m benchmarks.speed.many_labels

Simulated votes (support/many_labels.py): nine in ten sources are positive-only and one is two-sided, each on 10 to 30
labels. Fit and labels are measured in a process of its own, which reads the votes from a Parquet file; so is a majority
vote.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import assay
from benchmarks.support import measuring, processes
from benchmarks.support.many_labels import POSITIVE, TASK, TWO_SIDED, draw, f1_scores
from benchmarks.support.problems import RESULTS, plain_table, save

KINDS = (*[POSITIVE] * 9, TWO_SIDED)


def measured(folder: Path) -> dict[str, Any]:
    """What the process under test does."""
    reading, votes = measuring.seconds_of(lambda: assay.Votes.from_parquet(folder / "votes.parquet"))
    baseline = measuring.peak()
    model = assay.LabelModel()
    fit, _ = measuring.seconds_of(lambda: model.fit(votes, progress=False))
    after_fit = measuring.peak()
    labeling, labels = measuring.seconds_of(lambda: model.label(votes, progress=False))
    peak = measuring.peak()
    truth = np.load(folder / "truth.npy")
    scores = f1_scores(labels[TASK] > 0.5, truth)
    del labels
    counting, counted = measuring.seconds_of(lambda: assay.MajorityVote().fit(votes).label(votes))
    by_vote = f1_scores(counted[TASK] > 0.5, truth)
    return {
        "votes": len(votes.cast.codes),
        "read": reading,
        "fit": fit,
        "label": labeling,
        "majority vote": counting,
        "memory": {"votes": baseline, "fit": after_fit, "label": peak},
        "f1": {"Assay": scores, "majority vote": by_vote},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--labels", type=int, default=500)
    parser.add_argument("--sources", type=int, default=200)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measured(given.measure)))
        return
    with tempfile.TemporaryDirectory(prefix="assay-many-labels-") as name:
        folder = Path(name)
        drawn = draw(0, items=given.items, labels=given.labels, sources=given.sources, named=(10, 30), kinds=KINDS)
        drawn.votes().to_parquet(folder / "votes.parquet")
        np.save(folder / "truth.npy", drawn.truth)
        del drawn
        found = processes.answer("benchmarks.speed.many_labels", ["--measure", folder], limit=3_600)
    rows = [[what, f"{found[what]:.1f} s"] for what in ("read", "fit", "label", "majority vote")]
    rows += [[f"most memory after {what}", f"{size / 1e9:.1f} GB"] for what, size in found["memory"].items()]
    rows += [
        [f"micro / macro F1, {who}", " / ".join(f"{100 * one:.1f}" for one in f1)] for who, f1 in found["f1"].items()
    ]
    title = f"{given.labels} labels, {given.items:,} items, {given.sources} sources, {found['votes']:,} votes"
    Console().print(plain_table(title, ["what", "figure"], rows))
    size = {"items": given.items, "labels": given.labels, "sources": given.sources}
    save(given.out / "many_labels.json", size | found, [])


if __name__ == "__main__":
    main()
