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

KINDS = ("lf", "crowd", "llm")
"""Votes of labeling functions, of people, and of prompts to a large language model."""
TIE_BREAKS = 10
NOTICEABLE = 0.5
"""Points of score below another method's that count as falling below it."""
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
    """(items,): −1 is unknown. For scoring only: no method sees that of an item it is scored on."""
    classes: int
    metric: str
    """f1 (of class 1) or acc."""

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """(items,): which have gold."""
        return self.gold >= 0


def stored_sets(names: Collection[str] = ()) -> list[VoteSet]:
    """The sets of these names, or all, from the folder that ASSAY_DATA names; ends the program without them."""
    data = os.environ.get("ASSAY_DATA")
    if not data:
        sys.exit("ASSAY_DATA is not set: it must name a folder with votes/lf, votes/crowd and votes/llm")
    files = {file.stem: file for kind in KINDS for file in sorted(Path(data, "votes", kind).glob("*.npz"))}
    if not files:
        sys.exit("there are no votes/lf, votes/crowd or votes/llm with .npz files in the folder that ASSAY_DATA names")
    if missing := [name for name in names if name not in files]:
        sys.exit(f"no set is called {', '.join(missing)}; there are {', '.join(files)}")
    return [_read(file) for name, file in files.items() if not names or name in names]


def _read(file: Path) -> VoteSet:
    with np.load(file) as stored:
        metric = str(stored["metric"])
        return VoteSet(file.stem, file.parent.name, stored["L"], stored["y"], int(stored["k"]), metric)


def scores(labels: FloatArray, given: VoteSet) -> dict[str, float]:
    """What labels, (items, classes), are worth; of the items with gold."""
    if labels.shape != (len(given.gold), given.classes):
        raise ValueError(f"{given.name}: labels are {labels.shape}, not {(len(given.gold), given.classes)}")
    answered = _answered(labels)
    probabilities, gold = scaled(labels)[given.known], given.gold[given.known]
    return {
        "score": 100 * score(probabilities, gold, given.metric),
        "accuracy": 100 * float(shares_right(probabilities, gold, "acc").mean()),
        "brier": brier(probabilities, gold),
        "log_loss": log_loss(probabilities, gold),
        "calibration_error": calibration_error(probabilities, gold),
        # Rows that are no probabilities at all: these count as even.
        "unanswered": int((~answered).sum()),
    }


def _answered(labels: FloatArray) -> npt.NDArray[np.bool_]:
    """(items,): rows that can be scaled to probabilities."""
    total = labels.sum(axis=1)
    answered: npt.NDArray[np.bool_] = np.isfinite(total) & (total > 0) & (labels >= 0).all(axis=1)
    return answered


def scaled(labels: FloatArray) -> FloatArray:
    """Rows that sum to one; even where they are no probabilities at all."""
    even = np.full_like(labels, 1 / labels.shape[1])
    return np.divide(labels, labels.sum(axis=1, keepdims=True), out=even, where=_answered(labels)[:, None])


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


def shares_right(probabilities: FloatArray, gold: npt.NDArray[np.integer], metric: str) -> FloatArray:
    """(items,): what each item adds to the score, whose mean it is; a tie of k classes counts 1/k.

    F1 is no mean over items. Its first-order (delta method) terms stand in for them: their mean is F1, and
    their spread tells its standard error.
    """
    best = probabilities >= probabilities.max(axis=1, keepdims=True) - _ALIKE
    said = best / best.sum(axis=1, keepdims=True)
    if metric == "acc":
        right: FloatArray = said[np.arange(len(gold)), gold]
        return right
    hits, named = said[:, 1] * (gold == 1), said[:, 1] + (gold == 1)
    f1 = 2 * hits.sum() / max(named.sum(), 1.0)
    return f1 + (2 * hits - f1 * named) / max(named.mean(), 1 / len(gold))


def gap(labels: FloatArray, others: FloatArray, given: VoteSet, metric: str) -> tuple[float, float]:
    """How many points labels are ahead of other labels of the same items, and the standard error of that.

    Paired: the error is that of the mean difference over items.
    """
    gold = given.gold[given.known]
    one, other = (shares_right(scaled(found)[given.known], gold, metric) for found in (labels, others))
    ahead = 100 * (one - other)
    return float(ahead.mean()), float(ahead.std(ddof=1) / np.sqrt(len(gold)))


def clearly_behind(points: float, error: float) -> bool:
    """Whether a gap is noticeable and no chance: more than half a point, and more than two standard errors."""
    return points < -NOTICEABLE and points < -2 * error


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
    right = shares_right(probabilities, gold, "acc")
    # Items of one confidence may be divided among bins: each gets their mean, so that their order does not matter.
    levels, level = np.unique(top[:, 0].round(9), return_inverse=True)
    right = (np.bincount(level, right) / np.bincount(level))[level]
    bins = np.array_split(np.argsort(level, kind="stable"), min(BINS, len(gold)))
    gaps = [len(rows) * abs(right[rows].mean() - levels[level[rows]].mean()) for rows in bins]
    return float(sum(gaps) / len(gold))
