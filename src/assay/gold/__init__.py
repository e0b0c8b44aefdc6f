"""True labels of some items, scores against them, and the answers of people who label by hand.

Names are loaded when they are first used, so that a command loads no more than it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay._core.lazy_names import lazy_names

_HOMES = {
    "assay.gold.checked_labels": ["UNSETTLED", "CheckedLabels"],
    "assay.gold.hand_label_file": [
        "Answer",
        "HandAnswer",
        "Item",
        "Kind",
        "append_answer",
        "read_answers",
        "write_answers",
    ],
    "assay.gold.hand_labels": ["HandLabels"],
    "assay.gold.intervals": ["Z", "effective_size", "score_interval"],
    "assay.gold.items": ["GoldItems", "truth_of"],
    "assay.gold.questions": ["Question", "next_question"],
    "assay.gold.scores": ["accuracy", "micro_accuracy", "outcome_numbers"],
}

__all__ = [
    "UNSETTLED",
    "Answer",
    "CheckedLabels",
    "GoldItems",
    "HandAnswer",
    "HandLabels",
    "Item",
    "Kind",
    "Question",
    "Z",
    "accuracy",
    "append_answer",
    "effective_size",
    "micro_accuracy",
    "next_question",
    "outcome_numbers",
    "read_answers",
    "score_interval",
    "truth_of",
    "write_answers",
]

if TYPE_CHECKING:
    from assay.gold.checked_labels import UNSETTLED, CheckedLabels
    from assay.gold.hand_label_file import Answer, HandAnswer, Item, Kind, append_answer, read_answers, write_answers
    from assay.gold.hand_labels import HandLabels
    from assay.gold.intervals import Z, effective_size, score_interval
    from assay.gold.items import GoldItems, truth_of
    from assay.gold.questions import Question, next_question
    from assay.gold.scores import accuracy, micro_accuracy, outcome_numbers

__getattr__ = lazy_names(globals(), _HOMES)
