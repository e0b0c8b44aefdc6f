"""Assay's own methods and baselines in quality/run.py, each run by it in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import assay
from assay import baselines
from assay.model.estimate import METHODS
from benchmarks.quality import cell as quality_cell
from benchmarks.quality.cell import Codes, FloatArray, Method

DEFAULT = "Assay, default"
INDEPENDENT = "Assay, no dependencies"
LEARNED = "Assay, learned dependencies"
MAJORITY = "majority vote"
_PACKAGES = ("assay", "numpy", "numba")


def by_label_model(
    votes: Codes, classes: int, balance: FloatArray | None = None, gold: Codes | None = None, **settings: Any
) -> FloatArray:
    model = assay.LabelModel(cardinality=classes, class_balance=balance, **settings)
    held = assay.Votes.from_matrix(votes, cardinality=classes)
    return model.fit(held, gold, progress=False).predict_proba(held)


def labeled(votes: assay.Votes, **settings: Any) -> FloatArray:
    """(items, outcomes) by a label model that is fitted whatever its check says."""
    model = assay.LabelModel(allow_unidentifiable=True, **settings)
    found: FloatArray = model.fit(votes, progress=False).predict_proba(votes)
    return found


def by_baseline(votes: Codes, classes: int, *, baseline: Callable[..., Any]) -> FloatArray:
    labels: FloatArray = baseline(assay.Votes.from_matrix(votes, cardinality=classes))
    return labels


def by_majority(votes: Codes, classes: int) -> FloatArray:
    return by_baseline(votes, classes, baseline=assay.majority_vote)


def vote_shares(votes: Codes, classes: int) -> FloatArray:
    """The majority vote with its doubts: a class is as probable as its share of the item's votes."""
    counts = (votes[:, :, None] == range(classes)).sum(axis=1)
    shares: FloatArray = counts / counts.sum(axis=1, keepdims=True)
    return shares


OURS = {
    DEFAULT: Method(by_label_model, _PACKAGES),
    **{f"Assay, {name}": Method(partial(by_label_model, method=name), _PACKAGES) for name in METHODS},
    INDEPENDENT: Method(partial(by_label_model, dependencies=()), _PACKAGES),
    LEARNED: Method(partial(by_label_model, dependencies="learn"), _PACKAGES),
    "Assay, em, learned dependencies": Method(partial(by_label_model, method="em", dependencies="learn"), _PACKAGES),
    MAJORITY: Method(by_majority, _PACKAGES),
    "vote shares": Method(vote_shares, ("numpy",)),
    "Dawid-Skene (Assay)": Method(partial(by_baseline, baseline=baselines.dawid_skene), _PACKAGES),
    "data programming (Assay)": Method(partial(by_baseline, baseline=baselines.data_programming), _PACKAGES),
    "data programming, unipolar (Assay)": Method(
        partial(by_baseline, baseline=partial(baselines.data_programming, unipolar=True)), _PACKAGES
    ),
}


if __name__ == "__main__":
    quality_cell.main(OURS)
