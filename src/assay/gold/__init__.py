"""True labels of some items, and scores against them."""

from assay.gold.items import GoldItems
from assay.gold.scores import accuracy, micro_accuracy, outcome_numbers

__all__ = ["GoldItems", "accuracy", "micro_accuracy", "outcome_numbers"]
