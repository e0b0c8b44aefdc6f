"""True labels of some items, and scores against them."""

from assay.gold.checked_labels import CheckedLabels
from assay.gold.items import GoldItems
from assay.gold.scores import accuracy, micro_accuracy, outcome_numbers

__all__ = ["CheckedLabels", "GoldItems", "accuracy", "micro_accuracy", "outcome_numbers"]
