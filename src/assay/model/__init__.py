"""The label model: its parameters, how it scores items, and its files.

Names are loaded when they are first used, so that a command loads no more than it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay._core.lazy_names import lazy_names

_HOMES = {
    "assay.model.advice": ["in_common"],
    "assay.model.choice": ["ALL_RANDOM", "Choice", "choice_of", "next_items"],
    "assay.model.counted": ["gold_in_pieces"],
    "assay.model.explanation": ["Explanation"],
    "assay.model.fitted": ["Fitted"],
    "assay.model.label_model": ["LabelModel"],
    "assay.model.scorer": ["posterior"],
    "assay.model.scoring": ["Scoring", "softmax"],
    "assay.model.settings": ["ModelSettings", "check_settings"],
}

__all__ = [
    "ALL_RANDOM",
    "Choice",
    "Explanation",
    "Fitted",
    "LabelModel",
    "ModelSettings",
    "Scoring",
    "check_settings",
    "choice_of",
    "gold_in_pieces",
    "in_common",
    "next_items",
    "posterior",
    "softmax",
]

if TYPE_CHECKING:
    from assay.model.advice import in_common
    from assay.model.choice import ALL_RANDOM, Choice, choice_of, next_items
    from assay.model.counted import gold_in_pieces
    from assay.model.explanation import Explanation
    from assay.model.fitted import Fitted
    from assay.model.label_model import LabelModel
    from assay.model.scorer import posterior
    from assay.model.scoring import Scoring, softmax
    from assay.model.settings import ModelSettings, check_settings

__getattr__ = lazy_names(globals(), _HOMES)
