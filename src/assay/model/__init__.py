"""The label model: its parameters, how it scores items, and its files."""

from assay.model.advice import in_common
from assay.model.choice import ALL_RANDOM, Choice, choice_of, next_items
from assay.model.counted import gold_in_pieces
from assay.model.explanation import Explanation
from assay.model.fitted import Fitted
from assay.model.label_model import LabelModel
from assay.model.scorer import posterior
from assay.model.scoring import Scoring, softmax
from assay.model.settings import check_settings

__all__ = [
    "ALL_RANDOM",
    "Choice",
    "Explanation",
    "Fitted",
    "LabelModel",
    "Scoring",
    "check_settings",
    "choice_of",
    "gold_in_pieces",
    "in_common",
    "next_items",
    "posterior",
    "softmax",
]
