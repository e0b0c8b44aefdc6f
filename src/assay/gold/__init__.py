"""True labels of some items, scores against them, and the answers of people who label by hand."""

from assay.gold.checked_labels import UNSETTLED, CheckedLabels
from assay.gold.hand_label_file import Answer, HandAnswer, Item, Kind, append_answer, read_answers, write_answers
from assay.gold.hand_labels import HandLabels
from assay.gold.intervals import Z, effective_size, score_interval
from assay.gold.items import GoldItems, truth_of
from assay.gold.questions import Question, next_question
from assay.gold.scores import accuracy, micro_accuracy, outcome_numbers

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
