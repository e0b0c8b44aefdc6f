"""True labels of some items, and scores against them."""

from assay.gold.checked_labels import UNSETTLED, CheckedLabels
from assay.gold.intervals import Z, effective_size, score_interval
from assay.gold.items import GoldItems
from assay.gold.scores import accuracy, micro_accuracy, outcome_numbers

__all__ = [
    "UNSETTLED",
    "CheckedLabels",
    "GoldItems",
    "Z",
    "accuracy",
    "effective_size",
    "micro_accuracy",
    "outcome_numbers",
    "score_interval",
]
