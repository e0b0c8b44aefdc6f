"""How good labels are against gold: over outcomes, for each task, and for slices of the data; what to train on.

Names are loaded when they are first used, so that a command loads no more than it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay._core.lazy_names import lazy_names

_HOMES = {
    "assay.evaluation.evaluation": ["Evaluation", "evaluate", "over_trials"],
    "assay.evaluation.scored": ["as_gold", "label_numbers"],
    "assay.evaluation.training_comparison": ["BOTH", "HAND_LABELS", "LABELS", "TrainingComparison"],
    "assay.gold": ["accuracy", "micro_accuracy"],
}

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

if TYPE_CHECKING:
    from assay.evaluation.evaluation import Evaluation, evaluate, over_trials
    from assay.evaluation.scored import as_gold, label_numbers
    from assay.evaluation.training_comparison import BOTH, HAND_LABELS, LABELS, TrainingComparison
    from assay.gold import accuracy, micro_accuracy

__getattr__ = lazy_names(globals(), _HOMES)
