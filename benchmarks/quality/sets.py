"""Sets of real votes with gold, and how well labels agree with that gold."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

KINDS = ("lf", "crowd")
"""Votes of labeling functions, and of people."""
TIE_BREAKS = 10
BINS = 15
LEAST = 1e-3
"""Probabilities are no less than this for the log loss, so that one certain mistake is not endless."""
_ALIKE = 1e-9


@dataclass(frozen=True)
class VoteSet:
    name: str
    kind: str
    votes: npt.NDArray[np.int16] = field(repr=False)
    """(items, sources): −1 abstains."""
    gold: npt.NDArray[np.integer] = field(repr=False)
    """(items,): −1 is unknown. For scoring only; no method sees it."""
    classes: int
    metric: str
    """f1 (of class 1) or acc."""


def stored_sets(names: Collection[str] = ()) -> list[VoteSet]:
    """The sets of these names, or all, from the folder that ASSAY_DATA names; ends the program without them."""
    data = os.environ.get("ASSAY_DATA")
    if not data:
        sys.exit("ASSAY_DATA is not set: it must name a folder with votes/lf/*.npz and votes/crowd/*.npz")
    files = {file.stem: file for kind in KINDS for file in sorted(Path(data, "votes", kind).glob("*.npz"))}
    if not files:
        sys.exit("there are no votes/lf/*.npz or votes/crowd/*.npz in the folder that ASSAY_DATA names")
    if missing := [name for name in names if name not in files]:
        sys.exit(f"no set is called {', '.join(missing)}; there are {', '.join(files)}")
    return [_read(file) for name, file in files.items() if not names or name in names]


def _read(file: Path) -> VoteSet:
    with np.load(file) as stored:
        metric = str(stored["metric"])
        return VoteSet(file.stem, file.parent.name, stored["L"], stored["y"], int(stored["k"]), metric)


def scores(labels: FloatArray, given: VoteSet) -> dict[str, float]:
    """What labels, (items, classes), are worth; of the items with gold."""
    known = given.gold >= 0
    if labels.shape != (len(given.gold), given.classes):
        raise ValueError(f"{given.name}: labels are {labels.shape}, not {(len(given.gold), given.classes)}")
    total = labels.sum(axis=1, keepdims=True)
    answered = np.isfinite(total[:, 0]) & (total[:, 0] > 0) & (labels >= 0).all(axis=1)
    even = np.full_like(labels, 1 / given.classes)
    probabilities = np.divide(labels, total, out=even, where=answered[:, None])[known]
    gold = given.gold[known]
    return {
        "score": 100 * score(probabilities, gold, given.metric),
        "brier": brier(probabilities, gold),
        "log_loss": log_loss(probabilities, gold),
        "calibration_error": calibration_error(probabilities, gold),
        # Rows that are no probabilities at all: these count as even.
        "unanswered": int((~answered).sum()),
    }


def score(probabilities: FloatArray, gold: npt.NDArray[np.integer], metric: str) -> float:
    """F1 of class 1, or the share that is right; the mean over some ways to break ties at random."""
    best = probabilities >= probabilities.max(axis=1, keepdims=True) - _ALIKE
    found = []
    for seed in range(TIE_BREAKS):
        lots = np.random.default_rng(seed).random(best.shape)
        said = np.where(best, lots, -1.0).argmax(axis=1)
        if metric == "f1":
            hits = ((said == 1) & (gold == 1)).sum()
            found.append(2 * hits / max((said == 1).sum() + (gold == 1).sum(), 1))
        else:
            found.append((said == gold).mean())
    return float(np.mean(found))


def brier(probabilities: FloatArray, gold: npt.NDArray[np.integer]) -> float:
    """Squared distances to the truth, summed over classes: 0 at best, 2 at worst."""
    truth = np.eye(probabilities.shape[1])[gold]
    return float(((probabilities - truth) ** 2).sum(axis=1).mean())


def log_loss(probabilities: FloatArray, gold: npt.NDArray[np.integer]) -> float:
    """In nats, with probabilities clipped at :data:`LEAST` and scaled to one again, for all methods alike."""
    clipped = np.maximum(probabilities, LEAST)
    clipped /= clipped.sum(axis=1, keepdims=True)
    return float(-np.log(clipped[np.arange(len(gold)), gold]).mean())


def calibration_error(probabilities: FloatArray, gold: npt.NDArray[np.integer]) -> float:
    """The mean distance of confidence and share right, in bins of equally many items by confidence."""
    top = probabilities.max(axis=1, keepdims=True)
    best = probabilities >= top - _ALIKE
    right = (best / best.sum(axis=1, keepdims=True))[np.arange(len(gold)), gold]
    # Items of one confidence may be divided among bins: each gets their mean, so that their order does not matter.
    levels, level = np.unique(top[:, 0].round(9), return_inverse=True)
    right = (np.bincount(level, right) / np.bincount(level))[level]
    bins = np.array_split(np.argsort(level, kind="stable"), min(BINS, len(gold)))
    gaps = [len(rows) * abs(right[rows].mean() - levels[level[rows]].mean()) for rows in bins]
    return float(sum(gaps) / len(gold))
