"""What asking only where the label model is unsure is worth: accuracy against the share of items asked about.

    ASSAY_DATA=… python -m benchmarks.quality.unsure_prompts

On recorded votes of 20 prompts, ``llm/youtube_b``: columns 0–9 are cheap sources, 10–19 expensive ones, whose votes are
left out where nobody asks. In each draw, 50 items have gold; the others are scored.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

import assay
from assay.gold import accuracy
from assay.project import least_sure

RESULTS = Path(__file__).parents[1] / "results" / "quality_unsure_prompts.json"
SHARES = (0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
DRAWS, GOLD, CHEAP = 40, 50, 10
TARGET = 0.8
"""The share of the gain that a fifth of the calls is to give."""


def accuracies(
    codes: npt.NDArray[np.int64], gold: npt.NDArray[np.int64], cheap: int, known: npt.NDArray[np.int64], seed: int = 0
) -> dict[float, float]:
    """Accuracy on items without known gold, by the share of items asked about; 0 is without the expensive sources."""
    classes = int(gold.max()) + 1
    told = np.full(len(gold), -1)
    told[known] = gold[known]
    scored = (gold >= 0) & (told < 0)

    def fitted(votes: npt.NDArray[np.int64], later: Sequence[int] = ()) -> assay.LabelModel:
        return assay.LabelModel(cardinality=classes, asked_later=later).fit(votes, told, progress=False)

    def score(model: assay.LabelModel, votes: npt.NDArray[np.int64]) -> float:
        return float(accuracy(model.predict_proba(votes)[scored], gold[scored]))

    first = fitted(codes[:, :cheap])
    labels = first.label(codes[:, :cheap], progress=False)
    found = {0.0: score(first, codes[:, :cheap])}
    for share in SHARES:
        votes = codes.copy()
        left_out = np.setdiff1d(np.arange(len(codes)), least_sure(labels, share, seed=seed).rows)
        votes[left_out, cheap:] = -1
        # As a project does it: those asked about some items only are a layer, if the votes of the others allow for it
        later = list(range(cheap, codes.shape[1])) if share < 1 else []
        found[share] = score(fitted(votes, later), votes)
    return found


def interval(draws: Sequence[dict[float, float]], share: float) -> tuple[float, float]:
    """95% of the share of the gain, by how much it depends on which items have gold (bootstrap over draws)."""
    figures = np.array([[draw[0.0], draw[share], draw[1.0]] for draw in draws])
    chosen = np.random.default_rng(0).integers(len(draws), size=(2_000, len(draws)))
    none, some, every = figures[chosen].mean(axis=1).T
    low, high = np.percentile((some - none) / (every - none), [2.5, 97.5])
    return float(low), float(high)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--output", type=Path, default=RESULTS)
    options = arguments.parse_args()
    stored = np.load(Path(os.environ["ASSAY_DATA"]) / "votes" / "llm" / "youtube_b.npz")
    codes, gold = stored["L"].astype(np.int64), stored["y"].astype(np.int64)
    draws = []
    for seed in range(DRAWS):
        known = np.random.default_rng(seed).choice(np.flatnonzero(gold >= 0), GOLD, replace=False)
        draws.append(accuracies(codes, gold, CHEAP, known, seed))
    mean = {share: float(np.mean([draw[share] for draw in draws])) for share in (0.0, *SHARES)}
    gain = {share: (mean[share] - mean[0.0]) / (mean[1.0] - mean[0.0]) for share in mean}
    for share in mean:
        print(f"{share:4.0%} asked: accuracy {mean[share]:.2%}, {gain[share]:.0%} of the gain")
    low, high = interval(draws, 0.2)
    verdict = "met" if gain[0.2] >= TARGET else "missed"
    print(f"at 20%: {gain[0.2]:.0%} of the gain ({low:.0%} to {high:.0%}), target {TARGET:.0%}: {verdict}")
    told = {"draws": DRAWS, "gold": GOLD, "accuracy": mean, "share_of_gain": gain, "interval_at_20": [low, high]}
    options.output.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
