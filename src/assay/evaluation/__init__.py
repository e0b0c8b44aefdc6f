"""How good labels are against gold: over outcomes, for each task, and for slices of the data; what to train on."""

from assay.evaluation.evaluation import Evaluation, evaluate, over_trials
from assay.evaluation.scored import as_gold, label_numbers
from assay.evaluation.training_comparison import BOTH, HAND_LABELS, LABELS, TrainingComparison
from assay.gold import accuracy, micro_accuracy

__all__ = [
    "BOTH",
    "HAND_LABELS",
    "LABELS",
    "Evaluation",
    "TrainingComparison",
    "accuracy",
    "as_gold",
    "evaluate",
    "label_numbers",
    "micro_accuracy",
    "over_trials",
]
