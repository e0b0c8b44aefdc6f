"""What hand labels tell of all items: shares with error bars, and which labels need nobody to look at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.labels import Guarantee, Labels

if TYPE_CHECKING:
    import pandas as pd

PRECISIONS = (0.99, 0.95, 0.9, 0.85, 0.8)
"""Those that a report tells of."""


@dataclass(frozen=True)
class Promise:
    """What gold supports for one precision."""

    precision: float
    guarantee: Guarantee | None
    why_not: str | None
    """Why there is no guarantee, in a sentence."""


@dataclass(frozen=True, eq=False)
class HandLabelFacts:
    """What the gold that labels carry tells of all items."""

    items: int
    """How many items there are in all."""
    gold: int
    """How many of them have gold."""
    shares: pd.DataFrame
    """As :meth:`assay.Labels.balance` gives them."""
    promises: tuple[Promise, ...]
    """For some precisions, the highest first."""


def hand_label_facts(labels: Labels | None) -> HandLabelFacts | None:
    """What gold tells; None if the labels carry none."""
    if labels is None or labels.gold is None:
        return None
    promises = tuple(promise(labels, precision) for precision in PRECISIONS)
    return HandLabelFacts(len(labels), len(labels.gold), labels.balance(), promises)


def promise(labels: Labels, precision: float) -> Promise:
    """What gold supports, or why it does not."""
    try:
        return Promise(precision, labels.guarantee(precision), None)
    except AssayError as error:
        return Promise(precision, None, str(error))
