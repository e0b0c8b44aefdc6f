"""True labels of some items, scores against them, and the answers of people who label by hand."""

from assay.gold.checked_labels import CheckedLabels
from assay.gold.hand_label_file import Answer, HandAnswer, Item, Kind, append_answer, read_answers
from assay.gold.hand_labels import HandLabels
from assay.gold.items import GoldItems
from assay.gold.questions import Question, next_question
from assay.gold.scores import accuracy, micro_accuracy, outcome_numbers

__all__ = [
    "Answer",
    "CheckedLabels",
    "GoldItems",
    "HandAnswer",
    "HandLabels",
    "Item",
    "Kind",
    "Question",
    "accuracy",
    "append_answer",
    "micro_accuracy",
    "next_question",
    "outcome_numbers",
    "read_answers",
]
